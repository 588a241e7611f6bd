//! The budget of a run, and what it has spent.
//!
//! One comparison decides whether a budget is exceeded, for `run budget` and for gates alike. A run
//! has at most one event for the warning and one for the overrun; the comparison is made anew each
//! time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::decision::Act;
use crate::core::limits::TOKENS_MAX;
use crate::core::run::refusal::Refusal;
use crate::core::run::{Run, events};
use crate::core::time::Timestamp;

/// Tokens that were read, written, and read from a cache. Cached tokens cost nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Tokens that were read.
    #[serde(rename = "in", default)]
    pub input: u64,
    /// Tokens that were written.
    #[serde(rename = "out", default)]
    pub output: u64,
    /// Tokens that were read from a cache.
    #[serde(default)]
    pub cache: u64,
}

impl Tokens {
    /// Returns the number of tokens that count against a budget.
    pub fn counted(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Replaces one summand of a sum; `None` if the sum would exceed the largest number. A sum that
    /// stopped there would be wrong from the next subtraction on.
    pub fn replaced(self, before: Tokens, after: Tokens) -> Option<Tokens> {
        let swap = |sum: u64, before: u64, after: u64| {
            let sum = sum.saturating_sub(before).checked_add(after);
            sum.filter(|sum| *sum <= TOKENS_MAX)
        };
        Some(Tokens {
            input: swap(self.input, before.input, after.input)?,
            output: swap(self.output, before.output, after.output)?,
            cache: swap(self.cache, before.cache, after.cache)?,
        })
    }
}

/// The share of a budget that triggers the warning, in percent, unless another one is given.
const WARN_PERCENT: u8 = 80;

/// The budget of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Budget {
    /// The number of tokens that the run may read and write.
    pub tokens: u64,
    /// The share that triggers the warning, in percent.
    pub warn_percent: u8,
    /// True if a gate blocks a run that has exceeded its budget.
    #[serde(skip_serializing_if = "super::is_default", default)]
    pub enforced: bool,
    /// The time when the warning was recorded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub warned_at: Option<Timestamp>,
    /// The time when the overrun was recorded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exceeded_at: Option<Timestamp>,
}

/// The state of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spending {
    /// There is room.
    Within,
    /// The share that triggers the warning is spent.
    Near,
    /// More is spent than the budget.
    Exceeded,
}

impl Budget {
    /// Makes a budget of which nothing is spent.
    pub fn new(tokens: u64, warn_percent: Option<u8>, enforced: bool) -> Budget {
        Budget {
            tokens,
            warn_percent: warn_percent.unwrap_or(WARN_PERCENT),
            enforced,
            warned_at: None,
            exceeded_at: None,
        }
    }

    /// Compares the budget with the tokens that were spent.
    pub fn spending(&self, spent: Tokens) -> Spending {
        let used = u128::from(spent.counted());
        let (limit, warn) = (u128::from(self.tokens), u128::from(self.warn_percent));
        if used > limit {
            Spending::Exceeded
        } else if used * 100 >= limit * warn {
            Spending::Near
        } else {
            Spending::Within
        }
    }
}

/// Adds what a dispatch has spent, and records the first time that the warning or the limit is
/// passed.
pub fn account(
    act: &mut Act<'_>,
    run: &mut Run,
    before: Tokens,
    after: Tokens,
) -> Result<(), Refusal> {
    let spent = run.spent.replaced(before, after);
    run.spent = spent.ok_or_else(|| Refusal::TooManyTokens { run: run.id.clone() })?;
    let now = act.env.now;
    let Some(mut budget) = run.budget else { return Ok(()) };
    let spending = budget.spending(run.spent);
    if spending != Spending::Within && budget.warned_at.is_none() {
        budget.warned_at = Some(now);
        events::budget_warned(act, run, &budget);
    }
    if spending == Spending::Exceeded && budget.exceeded_at.is_none() {
        budget.exceeded_at = Some(now);
        events::budget_exceeded(act, run, &budget);
    }
    run.budget = Some(budget);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole budget is not more than the budget, and the mark of the warning is part of it.
    #[test]
    fn marks_are_where_they_are_said_to_be() {
        let budget = Budget::new(100, None, false);
        let spending = |input: u64| budget.spending(Tokens { input, output: 0, cache: 1_000 });
        assert_eq!(
            [79, 80, 100, 101].map(spending),
            [Spending::Within, Spending::Near, Spending::Near, Spending::Exceeded,]
        );
        let most = Tokens { input: TOKENS_MAX, output: 0, cache: 0 };
        let one = Tokens { input: 1, ..Tokens::default() };
        assert_eq!(most.replaced(Tokens::default(), one), None);
        assert_eq!(most.replaced(one, one), Some(most));
        let whole = Budget { tokens: u64::MAX, ..budget };
        assert_eq!(whole.spending(Tokens { input: 5, output: u64::MAX, cache: 0 }), Spending::Near);
    }
}

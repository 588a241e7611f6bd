//! What a run may spend, and what it has spent.
//!
//! Whether a budget is exceeded is one comparison, here, for the question and for the gate alike.
//! The warning and the overrun are one event each in a run's life; the answer is true every time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::decision::Act;
use crate::core::limits::TOKENS_MAX;
use crate::core::run::refusal::Refusal;
use crate::core::run::{Run, events};
use crate::core::time::Timestamp;

/// Tokens in, out and read from a cache. What is cached costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Read.
    #[serde(rename = "in", default)]
    pub input: u64,
    /// Written.
    #[serde(rename = "out", default)]
    pub output: u64,
    /// Read again.
    #[serde(default)]
    pub cache: u64,
}

impl Tokens {
    /// What counts.
    pub fn counted(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// These instead of those, as a part of a sum; none where the sum could not be told any more.
    /// A sum that stops at some number would be false from the next subtraction on.
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

/// How much of a budget is spent when it is nearly spent, unless that is said.
const WARN_PERCENT: u8 = 80;

/// What a run may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Budget {
    /// Tokens in and out.
    pub tokens: u64,
    /// From which share on it is nearly spent, in percent.
    pub warn_percent: u8,
    /// Whether a gate stands in the way of a run that spent more.
    #[serde(skip_serializing_if = "super::is_default", default)]
    pub enforced: bool,
    /// When the warning was recorded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub warned_at: Option<Timestamp>,
    /// When the overrun was recorded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exceeded_at: Option<Timestamp>,
}

/// What is true of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spending {
    /// There is room.
    Within,
    /// It is nearly spent.
    Near,
    /// More was spent than there is.
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

    /// What is true of it with so much spent.
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

/// Notes what a dispatch has spent, and records when that passes a mark for the first time.
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

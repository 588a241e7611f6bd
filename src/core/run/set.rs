//! `run set`: changes settings of a run while it goes on.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::limits::UPSTREAMS_MAX;
use crate::core::run::budget::{self, Budget, Tokens};
use crate::core::run::names::{IdPrefix, RunId};
use crate::core::run::refusal::{Refusal, within};
use crate::core::run::{Run, dependencies, events, index};

/// Changes of a run's settings; a setting that is not given stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Set {
    pub run: IdPrefix,
    /// The estimated difficulty.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub complexity: Option<u8>,
    /// True if every step needs somebody's approval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub manual: Option<bool>,
    /// The number of agents that may work in the run at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_agents: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<u64>,
    /// The share of the budget that triggers a warning, in percent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub warn_percent: Option<u8>,
    /// True if a gate blocks a run that has exceeded its budget.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub enforced: Option<bool>,
    /// Runs to wait for in addition.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub after: Vec<IdPrefix>,
    /// Runs to wait for no longer.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub not_after: Vec<IdPrefix>,
    /// Set to refuse the change if the run has no budget. Older programs checked the budget before
    /// they wrote and did not record this need, so their entries are decided without it.
    #[serde(skip_serializing_if = "super::is_default", default)]
    pub needs_budget: bool,
}

impl Decide for Set {
    type Answer = Run;

    fn decide(&self, act: &mut Act<'_>) -> Result<Run, No> {
        let before = index::select(act, &self.run)?;
        before.must_be_active()?;
        let mut run = before.clone();
        run.complexity = self.complexity.unwrap_or(run.complexity);
        run.manual = self.manual.unwrap_or(run.manual);
        if !run.manual {
            run.paused_at = None;
        }
        run.max_agents = self.max_agents.or(run.max_agents);
        run.budget = self.changed_budget(run.budget);
        if self.needs_budget && run.budget.is_none() {
            return Err(Refusal::NoBudget { run: run.id }.into());
        }
        for prefix in &self.not_after {
            let upstream = index::select(act, prefix)?.id;
            run.after.retain(|known| *known != upstream);
        }
        for prefix in &self.after {
            let upstream = index::select(act, prefix)?;
            upstream.must_not_have_ended()?;
            if !run.after.contains(&upstream.id) {
                refuse_cycle(act, &run.id, &upstream.id)?;
                run.after.push(upstream.id);
            }
        }
        within(&run.id, "runs to wait for", run.after.len(), UPSTREAMS_MAX)?;
        let changes = changes(&before, &run);
        if changes.is_empty() {
            return Ok(run);
        }
        events::run_changed(act, &run, &changes);
        budget::account(act, &mut run, Tokens::default(), Tokens::default())?;
        index::put(act, &run);
        Ok(run)
    }

    fn summary(&self, run: &Run, env: &Env<'_>) -> String {
        format!("change run {} by {}", run.id, env.actor)
    }
}

impl Set {
    /// Makes the change need a budget if it changes a budget's settings without bringing one.
    #[must_use]
    pub fn needing_its_budget(self) -> Set {
        let changes_one = self.warn_percent.is_some() || self.enforced.is_some();
        Set { needs_budget: changes_one && self.budget.is_none(), ..self }
    }

    fn changed_budget(&self, budget: Option<Budget>) -> Option<Budget> {
        let old = budget.or_else(|| Some(Budget::new(self.budget?, None, false)))?;
        Some(Budget {
            tokens: self.budget.unwrap_or(old.tokens),
            warn_percent: self.warn_percent.unwrap_or(old.warn_percent),
            enforced: self.enforced.unwrap_or(old.enforced),
            ..old
        })
    }
}

fn refuse_cycle(act: &Act<'_>, run: &RunId, upstream: &RunId) -> Result<(), No> {
    match dependencies::waits_for(act, upstream, run)? {
        None => Ok(()),
        Some(path) => {
            let path = std::iter::once(run.clone()).chain(path).collect();
            Err(Refusal::Cycle { waiting: run.clone(), path }.into())
        }
    }
}

/// Returns the settings that differ, with their new values.
fn changes(before: &Run, after: &Run) -> Map<String, Value> {
    let settings = |run: &Run| {
        let budget = run.budget.map(|budget| budget.tokens);
        let warn = run.budget.map(|budget| budget.warn_percent);
        let enforced = run.budget.is_some_and(|budget| budget.enforced);
        [
            ("complexity", json!(run.complexity)),
            ("manual", json!(run.manual)),
            ("max_agents", json!(run.max_agents)),
            ("budget", json!(budget)),
            ("warn_percent", json!(warn)),
            ("enforced", json!(enforced)),
            ("after", json!(run.after)),
        ]
    };
    let pairs = settings(before).into_iter().zip(settings(after));
    let differing = pairs.filter(|(old, new)| old != new);
    differing.map(|(_, (name, value))| (name.to_owned(), value)).collect()
}

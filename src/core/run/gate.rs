//! Gates: the conditions for a run to go on.
//!
//! A gate stands between two neighbouring phases and checks conditions on the state. `gate check`,
//! `advance` and `gate override` all use the function here, on the state that they decide on, so a
//! dry run and the real thing cannot differ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::core::documents::{Documents, ReadError};
use crate::core::limits::BEHIND_NAMED_MAX;
use crate::core::run::Run;
use crate::core::run::budget::Spending;
use crate::core::run::dependencies::{self, Behind};
use crate::core::run::gates::gates_of;
use crate::core::run::names::PhaseName;
use crate::core::run::phase::Tally;
use crate::core::run::verdict::Finding;
use crate::core::words::words;

words! {
    /// The kinds of conditions.
    pub enum Check {
        /// The phase has an artifact that counts.
        ArtifactExists = "artifact_exists",
        /// No agent works in the phase.
        AgentsComplete = "agents_complete",
        /// The phase has a verdict that counts.
        VerdictExists = "verdict_exists",
        /// The newest verdict that counts found nothing.
        VerdictClean = "verdict_clean",
        /// The run has not exceeded its budget.
        BudgetNotExceeded = "budget_not_exceeded",
        /// The child runs are at the phase, or further.
        ChildrenAtPhase = "children_at_phase",
        /// The runs that this one waits for are at the phase, or further.
        UpstreamsAtPhase = "upstreams_at_phase",
    }
}

impl Check {
    /// Tells whether the condition is about work in a phase. Such a condition does not apply to a
    /// skipped phase.
    fn is_about_work(self) -> bool {
        matches!(
            self,
            Check::ArtifactExists
                | Check::AgentsComplete
                | Check::VerdictExists
                | Check::VerdictClean
        )
    }
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The kind of condition.
    pub check: Check,
    /// The phase that the condition is about. Without it, the phase before the gate, or for other
    /// runs the phase behind it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<PhaseName>,
}

/// Returns the conditions on the way from one place to another. The phases in between are skipped:
/// conditions about work in them do not apply, and all others do.
pub fn rules(
    documents: &dyn Documents,
    run: &Run,
    from: usize,
    to: usize,
) -> Result<Vec<Rule>, ReadError> {
    let is_skipped =
        |phase: &PhaseName| run.phases.place(phase).is_some_and(|place| from < place && place < to);
    let mut rules: Vec<Rule> = Vec::new();
    let mut ask = |check: Check, phase: Option<PhaseName>| {
        let rule = Rule { check, phase };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    };
    for gate in gates_of(documents, run)?.into_iter().skip(from).take(to - from) {
        for rule in gate.rules {
            let behind = run.phases.at(to);
            let phase = match rule.check {
                Check::BudgetNotExceeded => None,
                Check::ChildrenAtPhase | Check::UpstreamsAtPhase => {
                    Some(rule.phase.unwrap_or_else(|| behind.clone()))
                }
                _ => Some(rule.phase.unwrap_or_else(|| gate.from.clone())),
            };
            if !(rule.check.is_about_work() && phase.as_ref().is_some_and(is_skipped)) {
                ask(rule.check, phase);
            }
        }
    }
    for Rule { check, .. } in standing_rules(run) {
        let behind = run.phases.at(to).clone();
        ask(check, Some(behind).filter(|_| check != Check::BudgetNotExceeded));
    }
    Ok(rules)
}

/// Returns the conditions that every gate of a run has, whatever its rules.
pub fn standing_rules(run: &Run) -> Vec<Rule> {
    let is_enforced = run.budget.is_some_and(|budget| budget.enforced);
    let asked = [
        (Check::ChildrenAtPhase, run.children > 0),
        (Check::UpstreamsAtPhase, !run.after.is_empty()),
        (Check::BudgetNotExceeded, is_enforced),
    ];
    let wanted = asked.into_iter().filter(|(_, is_asked)| *is_asked);
    wanted.map(|(check, _)| Rule { check, phase: None }).collect()
}

/// A condition, whether it holds, and what was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The kind of condition.
    pub check: Check,
    /// The phase that the condition is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<PhaseName>,
    /// True if the condition holds.
    pub passed: bool,
    /// The values that decided.
    pub found: Map<String, Value>,
}

impl Evidence {
    /// Says in words what was found.
    pub fn why(&self) -> String {
        let phase = self.phase.as_ref().map(PhaseName::as_str).unwrap_or_default();
        let number = |name: &str| self.found.get(name).and_then(Value::as_u64).unwrap_or(0);
        match self.check {
            Check::ArtifactExists => match number("artifacts") {
                0 => format!("'{phase}' has no artifact"),
                1 => format!("'{phase}' has an artifact"),
                count => format!("'{phase}' has {count} artifacts"),
            },
            Check::AgentsComplete => match number("working") {
                0 => format!("no agent works in '{phase}'"),
                1 => format!("an agent works in '{phase}'"),
                count => format!("{count} agents work in '{phase}'"),
            },
            Check::VerdictExists | Check::VerdictClean => {
                match self.found.get("verdict").and_then(Value::as_str) {
                    Some(result) => format!("the newest verdict on '{phase}' is {result}"),
                    None => format!("there is no verdict on '{phase}'"),
                }
            }
            Check::BudgetNotExceeded => match self.found.get("budget").and_then(Value::as_u64) {
                Some(budget) => format!("{} of {budget} tokens are spent", number("used")),
                None => "there is no budget".to_owned(),
            },
            Check::ChildrenAtPhase => self.why_behind("its parts", phase),
            Check::UpstreamsAtPhase => self.why_behind("what it waits for", phase),
        }
    }

    fn why_behind(&self, whose: &str, phase: &str) -> String {
        let behind = self.found.get("behind").and_then(Value::as_array);
        let behind = behind.map(Vec::as_slice).unwrap_or_default();
        let count = self.found.get("count").and_then(Value::as_u64);
        let count = count.map_or(behind.len(), |count| usize::try_from(count).unwrap_or(0));
        let one = |run: &Value| {
            let text = |name: &str| run[name].as_str().unwrap_or("?").to_owned();
            format!("{} ({}, {})", text("id"), text("phase"), text("status"))
        };
        match behind.iter().take(3).map(one).collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => format!("{whose}: all are at '{phase}'"),
            some => match count.saturating_sub(3) {
                0 => format!("{whose}: not at '{phase}': {some}"),
                more => format!("{whose}: not at '{phase}': {some} and {more} more"),
            },
        }
    }
}

/// Tells in words why a gate is shut.
pub fn why_shut(evidence: &[Evidence]) -> String {
    let failed = evidence.iter().filter(|one| !one.passed);
    failed.map(Evidence::why).collect::<Vec<_>>().join("; ")
}

/// Finds a run that is waited for, and that was cancelled or failed: it never comes to the phase.
pub fn ended_upstream(evidence: &[Evidence]) -> Option<&str> {
    let of_upstreams = evidence.iter().filter(|one| one.check == Check::UpstreamsAtPhase);
    let mut behind = of_upstreams.filter_map(|one| one.found.get("behind")?.as_array()).flatten();
    let ended = behind.find(|run| run["status"] == "cancelled" || run["status"] == "failed")?;
    ended["id"].as_str()
}

/// Checks the conditions on the way from one place to another.
pub fn evaluate(
    documents: &dyn Documents,
    run: &Run,
    from: usize,
    to: usize,
) -> Result<Vec<Evidence>, ReadError> {
    let rules = rules(documents, run, from, to)?;
    rules.into_iter().map(|rule| ask(documents, run, rule)).collect()
}

fn ask(documents: &dyn Documents, run: &Run, rule: Rule) -> Result<Evidence, ReadError> {
    let Rule { check, phase } = rule;
    let place = phase.as_ref().and_then(|phase| run.phases.place(phase));
    let tally = match place {
        Some(place) if check.is_about_work() => Tally::of(documents, run, place)?,
        _ => Tally::default(),
    };
    let verdict = tally.latest_verdict.as_ref().map(|latest| latest.result);
    let of_runs = |behind: &[Behind]| (behind.is_empty(), of_behind(behind));
    let (passed, found) = match (check, &phase) {
        (Check::ArtifactExists, _) => {
            (tally.artifacts > 0, json!({ "artifacts": tally.artifacts }))
        }
        (Check::AgentsComplete, _) => (tally.working == 0, json!({ "working": tally.working })),
        (Check::VerdictExists, _) => (verdict.is_some(), of_verdict(verdict)),
        (Check::VerdictClean, _) => (verdict == Some(Finding::Clean), of_verdict(verdict)),
        (Check::BudgetNotExceeded, _) => of_budget(run),
        (Check::ChildrenAtPhase, Some(phase)) => {
            of_runs(&dependencies::children_behind(documents, run, phase)?)
        }
        (Check::UpstreamsAtPhase, Some(phase)) => {
            of_runs(&dependencies::upstreams_behind(documents, run, phase)?)
        }
        (Check::ChildrenAtPhase | Check::UpstreamsAtPhase, None) => of_runs(&[]),
    };
    let found = match found {
        Value::Object(found) => found,
        _ => Map::new(),
    };
    Ok(Evidence { check, phase, passed, found })
}

/// Lists the first runs that are behind, and the number of all: evidence is recorded with every
/// answer, and must fit into a document however many runs and conditions there are.
fn of_behind(behind: &[Behind]) -> Value {
    let named = &behind[..behind.len().min(BEHIND_NAMED_MAX)];
    json!({ "behind": named, "count": behind.len() })
}

fn of_verdict(verdict: Option<Finding>) -> Value {
    verdict.map_or_else(|| json!({}), |result| json!({ "verdict": result }))
}

fn of_budget(run: &Run) -> (bool, Value) {
    match run.budget {
        None => (true, json!({})),
        Some(budget) => (
            budget.spending(run.spent) != Spending::Exceeded,
            json!({ "used": run.spent.counted(), "budget": budget.tokens }),
        ),
    }
}

//! `run gate override`: passes a gate that is shut, on the record.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::run::advance::{Advanced, Said, go_on, next};
use crate::core::run::gate;
use crate::core::run::index;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::record::{Category, Outcome, Override, Tier};
use crate::core::run::refusal::Refusal;
use crate::core::text::Line;

/// A request to pass a gate that is shut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverrideGate {
    pub run: IdPrefix,
    /// The phase at which the asker saw the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expect: Option<PhaseName>,
    pub reason: Line,
    pub category: Category,
}

impl Decide for OverrideGate {
    type Answer = Advanced;

    fn decide(&self, act: &mut Act<'_>) -> Result<Advanced, No> {
        let mut run = index::select(act, &self.run)?;
        run.must_be_at(self.expect.as_ref())?;
        run.must_be_active()?;
        let to = next(act, &run)?;
        let evidence = gate::evaluate(act, &run, run.place(), to)?;
        if evidence.iter().all(|evidence| evidence.passed) {
            let to = run.phases.at(to).clone();
            return Err(Refusal::GateOpen { run: run.id, to }.into());
        }
        let past = Override { reason: self.reason.clone(), category: self.category };
        let said = Said {
            outcome: Outcome::Overridden,
            tier: Tier::Hard,
            evidence,
            overridden: Some(past),
        };
        go_on(act, &mut run, to, said, Some(&self.reason))
    }

    fn summary(&self, answer: &Advanced, env: &Env<'_>) -> String {
        let Advanced { run, from, to, .. } = answer;
        format!("override the gate of run {} from '{from}' to '{to}' by {}", run.id, env.actor)
    }
}

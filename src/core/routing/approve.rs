//! `override approve`: puts a proposal in force, as it was proposed.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::routing::Override;
use crate::core::routing::apply::{Confirmation, InForce, put_in_force};
use crate::core::routing::index;
use crate::core::routing::names::{RoutedName, Word};
use crate::core::routing::propose::ensure_unblocked;
use crate::core::routing::refusal::Refusal;
use crate::core::seen::{Seen, is_another};

/// Approves the proposal about an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approve {
    pub agent: RoutedName,
    #[serde(flatten)]
    pub confirmation: Confirmation,
    /// The proposal that the caller saw, which alone is approved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seen: Option<Seen>,
}

/// The result of an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approved {
    /// The override came into force.
    New(Box<InForce>),
    /// The override was in force already.
    Already(Box<Override>),
}

impl Decide for Approve {
    type Answer = Approved;

    fn decide(&self, act: &mut Act<'_>) -> Result<Approved, No> {
        let Some(entry) = index::override_of(act, &self.agent)? else {
            return Err(Refusal::NoProposal { agent: self.agent.clone() }.into());
        };
        if entry.is_in_force() {
            return Ok(Approved::Already(Box::new(entry)));
        }
        ensure_seen(self.seen.as_ref(), &self.agent, &entry)?;
        self.confirmation.require(&self.agent)?;
        ensure_unblocked(act, &self.agent)?;
        // Approving is a person's act, also if a program proposed.
        let human: Word = Word::HUMAN.parse().expect("it is a word");
        Ok(Approved::New(Box::new(put_in_force(act, entry, &human)?)))
    }

    fn summary(&self, _: &Approved, env: &Env<'_>) -> String {
        format!("approve leaving out {} by {}", self.agent, env.actor)
    }
}

/// Marks the override of an agent. The course of its trial does not change what it is.
pub fn mark(entry: Option<&Override>) -> Seen {
    Seen::of(entry.map(without_trial).as_ref())
}

fn without_trial(entry: &Override) -> Override {
    Override { canary: None, ..entry.clone() }
}

/// Refuses to act on an override that is not the one that was seen.
pub(super) fn ensure_seen(
    seen: Option<&Seen>,
    agent: &RoutedName,
    entry: &Override,
) -> Result<(), Refusal> {
    if is_another(seen, Some(&without_trial(entry))) {
        return Err(Refusal::NotAsSeen { what: "override", agent: agent.clone() });
    }
    Ok(())
}

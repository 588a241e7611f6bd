//! Every command, as it is recorded in the entry that it made.
//!
//! The record holds every input that the decision used, so that another machine can take the same
//! decision on another state, and `verify` can take it again on the same one.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Changes, Decide, Env, No, RULES};
use crate::core::documents::Documents;
use crate::core::ids::{AgentName, EntryName};
use crate::core::repair::Repair;
use crate::core::reservation::release::Release;
use crate::core::reservation::renew::Renew;
use crate::core::reservation::reserve::Reserve;
use crate::core::reservation::rollback::Rollback;
use crate::core::reservation::sweep::{self, Sweep};
use crate::core::reservation::transfer::Transfer;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// A command with everything that its decision uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request<C> {
    /// What is to be decided.
    #[serde(flatten)]
    pub command: C,
    /// Who asks.
    pub actor: AgentName,
    /// On which host.
    pub host: Line,
    /// When, by the asker's clock.
    pub clock: Timestamp,
    /// The version of the decisions.
    pub rules: u32,
}

impl<C: Clone + Into<Command>> Request<C> {
    /// The request as an entry records it.
    pub fn recorded(&self) -> Request<Command> {
        let Request { command, actor, host, clock, rules } = self.clone();
        Request { command: command.into(), actor, host, clock, rules }
    }
}

impl<C> Request<C> {
    /// A request under the present rules.
    pub fn new(command: C, actor: AgentName, host: Line, clock: Timestamp) -> Request<C> {
        Request { command, actor, host, clock, rules: RULES }
    }
}

/// The commands that a ledger records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", content = "input", rename_all = "lowercase")]
pub enum Command {
    /// Asks for holds.
    Reserve(Reserve),
    /// Extends them.
    Renew(Renew),
    /// Lets them go.
    Release(Release),
    /// Hands them on.
    Transfer(Transfer),
    /// Removes expired ones.
    Sweep(Sweep),
    /// Goes back to an earlier entry.
    Rollback(Rollback),
    /// Goes on from the newest whole entry.
    Repair(Repair),
}

impl Command {
    /// The earlier entry that the decision reads besides the present state.
    pub fn reads_entry(&self) -> Option<&EntryName> {
        match self {
            Command::Rollback(rollback) => Some(&rollback.to),
            Command::Reserve(_)
            | Command::Renew(_)
            | Command::Release(_)
            | Command::Transfer(_)
            | Command::Sweep(_)
            | Command::Repair(_) => None,
        }
    }
}

/// Any command, for those who take a decision again and do not care for its answer.
impl Decide for Command {
    type Answer = String;

    fn decide(&self, act: &mut Act<'_>) -> Result<String, No> {
        match self {
            Command::Reserve(command) => decide_and_sum_up(command, act),
            Command::Renew(command) => decide_and_sum_up(command, act),
            Command::Release(command) => decide_and_sum_up(command, act),
            Command::Transfer(command) => decide_and_sum_up(command, act),
            Command::Sweep(command) => decide_and_sum_up(command, act),
            Command::Rollback(command) => decide_and_sum_up(command, act),
            Command::Repair(command) => decide_and_sum_up(command, act),
        }
    }

    fn summary(&self, answer: &String, _: &Env<'_>) -> String {
        answer.clone()
    }
}

fn decide_and_sum_up<C: Decide>(command: &C, act: &mut Act<'_>) -> Result<String, No> {
    let answer = command.decide(act)?;
    Ok(command.summary(&answer, &act.env))
}

macro_rules! recorded_as {
    ($($command:ident),*) => {
        $(impl From<$command> for Command {
            fn from(command: $command) -> Command {
                Command::$command(command)
            }
        })*
    };
}

recorded_as!(Reserve, Renew, Release, Transfer, Sweep, Rollback, Repair);

/// A decision: the answer, and what it changes. No changes, no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided<A> {
    /// What the asker is told.
    pub answer: A,
    /// What is to be written.
    pub changes: Option<Changes>,
    /// One line for people.
    pub summary: String,
}

/// Takes a decision, and with it the share of sweeping that every write does.
pub fn decide<C: Decide>(
    command: &C,
    documents: &dyn Documents,
    env: Env<'_>,
) -> Result<Decided<C::Answer>, No> {
    let mut act = Act::on(documents, env);
    let answer = command.decide(&mut act)?;
    let summary = command.summary(&answer, &env);
    if act.is_unchanged() {
        return Ok(Decided { answer, changes: None, summary });
    }
    sweep::in_passing(&mut act)?;
    debug_assert!(act.has_events(), "what changes a ledger leaves an event");
    Ok(Decided { answer, changes: Some(act.into_changes()), summary })
}

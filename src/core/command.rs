//! Every command, as the entry that it made records it.
//!
//! The record holds every input that the decision used. So another machine can take the same
//! decision on another state, and `verify` can take it again on the same one.

use serde::{Deserialize, Serialize};

use crate::core::archives::DropArchives;
use crate::core::clean::{Clean, LeftOut};
use crate::core::decision::{Act, Changes, Decide, Env, No, RULES};
use crate::core::documents::Documents;
use crate::core::domain::agent_record::RecordAgents;
use crate::core::domain::classify::{Classify, Declassify};
use crate::core::domain::record::Detect;
use crate::core::ids::{AgentName, EntryName};
use crate::core::ledger::LedgerName;
use crate::core::negotiation::{self, notify};
use crate::core::ownership::adopt::Adopt;
use crate::core::place::{Place, Skew};
use crate::core::repair::Repair;
use crate::core::reservation::conflict::RecordConflict;
use crate::core::reservation::process::Gone;
use crate::core::reservation::release::Release;
use crate::core::reservation::renew::Renew;
use crate::core::reservation::reserve::Reserve;
use crate::core::reservation::sweep::{self, Sweep};
use crate::core::reservation::transfer::Transfer;
use crate::core::reservation::undo::Undo;
use crate::core::reservation::wait::Leave;
use crate::core::rollback::Rollback;
use crate::core::routing;
use crate::core::run;
use crate::core::text::{BadText, Line};
use crate::core::time::Timestamp;
use crate::core::upgrade::Upgrade;

/// A command with everything that its decision uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request<C> {
    #[serde(flatten)]
    pub command: C,
    pub actor: AgentName,
    pub host: Line,
    /// The clone that the asker works in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Place>,
    /// The asker's clock.
    pub clock: Timestamp,
    /// The clock at which this was first asked, if it is decided again. Ends count from then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked_at: Option<Timestamp>,
    /// The version of the decisions.
    pub rules: u32,
    /// How far the entry before may be ahead of the asker's clock and still count as the time;
    /// absent in entries of rules 1, where it always counts.
    #[serde(rename = "tolerance", skip_serializing_if = "Option::is_none", default)]
    pub tolerance_seconds: Option<u64>,
    /// The holds and tickets that the asker's host knows to have ended.
    #[serde(skip_serializing_if = "Gone::is_empty", default)]
    pub gone: Gone,
}

impl<C> Request<C> {
    /// Returns the judge of when holds of other places end. Before rules 4 they ended by every
    /// clock alike.
    pub fn skew(&self) -> Skew<'_> {
        if self.rules < 4 {
            return Skew::default();
        }
        let tolerance_seconds = self.tolerance_seconds.unwrap_or(0);
        Skew { place: self.place.as_ref(), tolerance_seconds }
    }
}

impl<C: Clone + Into<Command>> Request<C> {
    /// Turns the request into the form that an entry records.
    pub fn recorded(&self) -> Request<Command> {
        let command = self.command.clone().into();
        let Request { actor, host, place, clock, asked_at, rules, tolerance_seconds, gone, .. } =
            self.clone();
        Request { command, actor, host, place, clock, asked_at, rules, tolerance_seconds, gone }
    }
}

impl<C: Clean> Request<C> {
    /// Makes a request under the present rules, and removes the secrets from its text.
    pub fn new(
        command: C,
        actor: AgentName,
        host: Line,
        clock: Timestamp,
    ) -> Result<Request<C>, BadText> {
        Ok(Request::cleaned(command, actor, host, clock)?.0)
    }

    /// Makes a request like [`Request::new`], and tells which of its fields had a secret in them.
    pub fn cleaned(
        mut command: C,
        actor: AgentName,
        host: Line,
        clock: Timestamp,
    ) -> Result<(Request<C>, LeftOut), BadText> {
        let left_out = command.clean()?;
        let request = Request {
            command,
            actor,
            host,
            place: None,
            clock,
            asked_at: None,
            rules: RULES,
            tolerance_seconds: None,
            gone: Gone::NOTHING,
        };
        Ok((request, left_out))
    }

    /// Adds how far the entry before may be ahead of the asker's clock.
    #[must_use]
    pub fn tolerating(self, seconds: u64) -> Request<C> {
        Request { tolerance_seconds: Some(seconds), ..self }
    }

    /// Adds the clone that the asker works in.
    #[must_use]
    pub fn from_place(self, place: Option<Place>) -> Request<C> {
        Request { place, ..self }
    }

    /// Adds the holds and tickets that the asker's host knows to have ended.
    #[must_use]
    pub fn knowing(self, gone: Gone) -> Request<C> {
        Request { gone, ..self }
    }
}

/// Defines every command in one list: its name in the code, its type, and the word that is
/// recorded.
macro_rules! commands {
    ($($(#[$about:meta])* $name:ident($command:ty) = $word:literal,)*) => {
        /// The commands that the ledgers record.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "command", content = "input")]
        #[expect(
            clippy::large_enum_variant,
            reason = "an act has one command, and most commands are the largest one"
        )]
        pub enum Command {
            $($(#[$about])* #[serde(rename = $word)] $name($command),)*
        }

        impl Command {
            pub const WORDS: &[&str] = &[$($word),*];
        }

        impl Clean for Command {
            fn clean(&mut self) -> Result<LeftOut, BadText> {
                match self {
                    $(Command::$name(command) => command.clean(),)*
                }
            }
        }

        /// Decides any command, for callers that take a decision again and do not need its answer.
        impl Decide for Command {
            type Answer = String;

            fn decide(&self, act: &mut Act<'_>) -> Result<String, No> {
                match self {
                    $(Command::$name(command) => decide_and_sum_up(command, act),)*
                }
            }

            fn summary(&self, answer: &String, _: &Env<'_>) -> String {
                answer.clone()
            }
        }

        $(impl From<$command> for Command {
            fn from(command: $command) -> Command {
                Command::$name(command)
            }
        })*
    };
}

commands! {
    /// Asks for holds.
    Reserve(Reserve) = "reserve",
    /// Extends holds.
    Renew(Renew) = "renew",
    /// Releases holds.
    Release(Release) = "release",
    /// Moves holds to another agent.
    Transfer(Transfer) = "transfer",
    /// Takes an act of the agent back.
    Undo(Undo) = "undo",
    /// Takes uncommitted changes over from others.
    Adopt(Adopt) = "adopt",
    /// Removes expired holds.
    Sweep(Sweep) = "sweep",
    /// Gives up a place in line.
    Leave(Leave) = "leave",
    /// Records that a request was refused.
    Conflict(RecordConflict) = "conflict",
    /// Creates a run.
    RunCreate(run::create::Create) = "run create",
    /// Changes the settings of a run.
    RunSet(run::set::Set) = "run set",
    /// Moves a run to its next phase.
    RunAdvance(run::advance::Advance) = "run advance",
    /// Moves a run past a gate that is shut.
    RunOverride(run::override_gate::OverrideGate) = "run gate override",
    /// Skips a phase, or skips it no longer.
    RunSkip(run::skip::SetSkip) = "run skip",
    /// Moves a run back to an earlier phase.
    RunRollback(run::rollback::RollBackRun) = "run rollback",
    /// Ends a run for good.
    RunEnd(run::end::End) = "run end",
    /// Records an artifact.
    RunArtifactAdd(run::artifact::AddArtifact) = "run artifact add",
    /// Records the result of a review.
    RunVerdictAdd(run::verdict::AddVerdict) = "run verdict add",
    /// Records that an agent works in a run.
    RunAgentAdd(run::agent::AddAgent) = "run agent add",
    /// Records that an agent has finished.
    RunAgentFinish(run::agent::FinishAgent) = "run agent finish",
    /// Hands out work.
    RunDispatchAdd(run::dispatch::AddDispatch) = "run dispatch add",
    /// Records a report on a dispatch.
    RunDispatchUpdate(run::dispatch::UpdateDispatch) = "run dispatch update",
    /// Goes back to the state of an earlier entry.
    Rollback(Rollback) = "rollback",
    /// Brings the ledger to a newer format.
    Upgrade(Upgrade) = "upgrade",
    /// Gives up chains of earlier compactions.
    DropArchives(DropArchives) = "drop archives",
    /// Goes on from the newest whole entry.
    Repair(Repair) = "repair",
    /// Asks a holder to release holds.
    Ask(negotiation::ask::Ask) = "ask",
    /// Answers a request.
    Answer(negotiation::answer::Answer) = "answer",
    /// Takes the holds that were asked for.
    Take(negotiation::take::Take) = "take",
    /// Sends a message.
    Send(negotiation::send::Send) = "send",
    /// Acknowledges messages.
    Acknowledge(negotiation::acknowledge::Acknowledge) = "acknowledge",
    /// Removes threads that are over.
    Prune(negotiation::prune::Prune) = "prune",
    /// Records the kind of project that was detected.
    DomainDetect(Detect) = "domain detect",
    /// Records the kind of project that somebody else names.
    DomainSet(Classify) = "domain set",
    /// Removes the kind of project that somebody else named.
    DomainUnset(Declassify) = "domain unset",
    /// Records the agent files that were generated.
    DomainAgents(RecordAgents) = "domain agents",
    /// Proposes to leave an agent out.
    Propose(routing::propose::Propose) = "override propose",
    /// Approves a proposal.
    Approve(routing::approve::Approve) = "override approve",
    /// Leaves an agent out.
    Apply(routing::apply::Apply) = "override apply",
    /// Undoes an override.
    Revert(routing::revert::Revert) = "override revert",
    /// Keeps an agent from being left out.
    BlockAgent(routing::block::BlockAgent) = "override block",
    /// Allows again that an agent is left out.
    Unblock(routing::block::Unblock) = "override unblock",
    /// Records what became of an agent's findings.
    AddEvidence(routing::evidence::AddEvidence) = "override evidence add",
    /// Records a measurement of a session during a trial.
    TakeSample(routing::sample::TakeSample) = "override canary sample",
    /// Judges the trials that are due.
    CheckTrials(routing::canary::CheckTrials) = "override canary check",
    /// Adds text for an agent to read.
    AddOverlay(routing::overlay::AddOverlay) = "override overlay add",
    /// Disables such a text.
    DisableOverlay(routing::overlay::DisableOverlay) = "override overlay disable",
    /// Sets a threshold of the decisions.
    SetThreshold(routing::thresholds::SetThreshold) = "override thresholds",
    /// Forgets what was learnt.
    Reset(routing::reset::Reset) = "override reset",
    /// Imports a document of another tool.
    Import(routing::import::Import) = "override import",
}

impl Command {
    /// Returns the earlier entry that the decision reads besides the present state.
    pub fn reads_entry(&self) -> Option<&EntryName> {
        if let Command::Rollback(rollback) = self { Some(&rollback.to) } else { None }
    }

    /// Returns the format that the command brings the ledger to, if it changes the format.
    pub fn upgrades_to(&self) -> Option<u64> {
        if let Command::Upgrade(upgrade) = self { Some(upgrade.to) } else { None }
    }
}

fn decide_and_sum_up<C: Decide>(command: &C, act: &mut Act<'_>) -> Result<String, No> {
    let answer = command.decide(act)?;
    Ok(command.summary(&answer, &act.env))
}

/// A decision: the answer and the changes. Without changes there is no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided<A> {
    pub answer: A,
    pub changes: Option<Changes>,
    /// A line for people.
    pub summary: String,
}

/// Takes a decision. A decision that changes the ledger also does its share of the sweeping, and
/// notifies the askers of the holds that it ended.
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
    match env.ledger {
        LedgerName::Reservations => {
            sweep::in_passing(&mut act)?;
            notify::askers(&mut act)?;
        }
        // Nothing in these ledgers ends by itself.
        LedgerName::Overrides | LedgerName::Domains | LedgerName::Runs => {}
    }
    debug_assert!(act.has_events(), "what changes a ledger leaves an event");
    Ok(Decided { answer, changes: Some(act.into_changes()), summary })
}

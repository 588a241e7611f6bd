//! Every command, as it is recorded in the entry that it made.
//!
//! The record holds every input that the decision used, so that another machine can take the same
//! decision on another state, and `verify` can take it again on the same one.

use serde::{Deserialize, Serialize};

use crate::core::clean::{Clean, LeftOut};
use crate::core::decision::{Act, Changes, Decide, Env, No, RULES};
use crate::core::documents::Documents;
use crate::core::domain::classify::{Classify, Declassify};
use crate::core::domain::made::RecordAgents;
use crate::core::domain::record::Detect;
use crate::core::ids::{AgentName, EntryName};
use crate::core::ledger::LedgerName;
use crate::core::negotiation::{self, notify};
use crate::core::repair::Repair;
use crate::core::reservation::process::Gone;
use crate::core::reservation::release::Release;
use crate::core::reservation::renew::Renew;
use crate::core::reservation::reserve::Reserve;
use crate::core::reservation::sweep::{self, Sweep};
use crate::core::reservation::transfer::Transfer;
use crate::core::reservation::wait::Leave;
use crate::core::rollback::Rollback;
use crate::core::routing;
use crate::core::run;
use crate::core::text::{BadText, Line};
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
    /// What the asker's host knows to have ended.
    #[serde(skip_serializing_if = "Gone::is_empty", default)]
    pub gone: Gone,
}

impl<C: Clone + Into<Command>> Request<C> {
    /// The request as an entry records it.
    pub fn recorded(&self) -> Request<Command> {
        let Request { command, actor, host, clock, rules, gone } = self.clone();
        Request { command: command.into(), actor, host, clock, rules, gone }
    }
}

impl<C: Clean> Request<C> {
    /// Makes a request under the present rules, without the secrets in its words.
    pub fn new(
        command: C,
        actor: AgentName,
        host: Line,
        clock: Timestamp,
    ) -> Result<Request<C>, BadText> {
        Ok(Request::cleaned(command, actor, host, clock)?.0)
    }

    /// Makes such a request, and tells which of its fields had a secret in them.
    pub fn cleaned(
        mut command: C,
        actor: AgentName,
        host: Line,
        clock: Timestamp,
    ) -> Result<(Request<C>, LeftOut), BadText> {
        let left_out = command.clean()?;
        let request = Request { command, actor, host, clock, rules: RULES, gone: Gone::NOTHING };
        Ok((request, left_out))
    }

    /// The same request of one whose host knows what has ended.
    #[must_use]
    pub fn knowing(self, gone: Gone) -> Request<C> {
        Request { gone, ..self }
    }
}

/// Every command in one list: its name in the code, its type, and the word that is recorded.
macro_rules! commands {
    ($($(#[$about:meta])* $name:ident($command:ty) = $word:literal,)*) => {
        /// The commands that the ledgers record.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "command", content = "input")]
        pub enum Command {
            $($(#[$about])* #[serde(rename = $word)] $name($command),)*
        }

        impl Command {
            /// The word that is recorded for each of them.
            pub const WORDS: &[&str] = &[$($word),*];
        }

        impl Clean for Command {
            fn clean(&mut self) -> Result<LeftOut, BadText> {
                match self {
                    $(Command::$name(command) => command.clean(),)*
                }
            }
        }

        /// Any command, for those who take a decision again and do not care for its answer.
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
    /// Extends them.
    Renew(Renew) = "renew",
    /// Lets them go.
    Release(Release) = "release",
    /// Hands them on.
    Transfer(Transfer) = "transfer",
    /// Removes expired ones.
    Sweep(Sweep) = "sweep",
    /// Gives up a place in line.
    Leave(Leave) = "leave",
    /// Makes a run.
    RunCreate(run::create::Create) = "run create",
    /// Changes its settings.
    RunSet(run::set::Set) = "run set",
    /// Takes it on.
    RunAdvance(run::advance::Advance) = "run advance",
    /// Takes it past a gate that is shut.
    RunOverride(run::override_gate::OverrideGate) = "run gate override",
    /// Passes over a phase, or not any more.
    RunSkip(run::skip::SetSkip) = "run skip",
    /// Takes it back.
    RunRollback(run::rollback::RollBackRun) = "run rollback",
    /// Ends it for good.
    RunEnd(run::end::End) = "run end",
    /// Notes an artifact.
    RunArtifactAdd(run::artifact::AddArtifact) = "run artifact add",
    /// Notes what a review came to.
    RunVerdictAdd(run::verdict::AddVerdict) = "run verdict add",
    /// Notes who works.
    RunAgentAdd(run::agent::AddAgent) = "run agent add",
    /// Notes who has finished.
    RunAgentFinish(run::agent::FinishAgent) = "run agent finish",
    /// Hands work out.
    RunDispatchAdd(run::dispatch::AddDispatch) = "run dispatch add",
    /// Notes what became of it.
    RunDispatchUpdate(run::dispatch::UpdateDispatch) = "run dispatch update",
    /// Goes back to an earlier entry.
    Rollback(Rollback) = "rollback",
    /// Goes on from the newest whole entry.
    Repair(Repair) = "repair",
    /// Asks a holder to let go.
    Ask(negotiation::ask::Ask) = "ask",
    /// Answers such a request.
    Answer(negotiation::answer::Answer) = "answer",
    /// Takes what was asked for.
    Take(negotiation::take::Take) = "take",
    /// Sends a message.
    Send(negotiation::send::Send) = "send",
    /// Says that messages were received.
    Acknowledge(negotiation::acknowledge::Acknowledge) = "acknowledge",
    /// Forgets threads that are over.
    Prune(negotiation::prune::Prune) = "prune",
    /// Records what kind of project was found.
    DomainDetect(Detect) = "domain detect",
    /// Records what somebody else says that it is.
    DomainSet(Classify) = "domain set",
    /// Takes that back.
    DomainUnset(Declassify) = "domain unset",
    /// Records which agents were made.
    DomainAgents(RecordAgents) = "domain agents",
    /// Wants an agent left out.
    Propose(routing::propose::Propose) = "override propose",
    /// Agrees.
    Approve(routing::approve::Approve) = "override approve",
    /// Leaves an agent out.
    Apply(routing::apply::Apply) = "override apply",
    /// Takes that back.
    Revert(routing::revert::Revert) = "override revert",
    /// Keeps an agent from being left out.
    BlockAgent(routing::block::BlockAgent) = "override block",
    /// Does not any more.
    Unblock(routing::block::Unblock) = "override unblock",
    /// Records what became of an agent's findings.
    AddEvidence(routing::evidence::AddEvidence) = "override evidence add",
    /// Records what a session of a trial measured.
    TakeSample(routing::sample::TakeSample) = "override canary sample",
    /// Judges the trials that are due.
    CheckTrials(routing::canary::CheckTrials) = "override canary check",
    /// Tells an agent something besides.
    AddOverlay(routing::overlay::AddOverlay) = "override overlay add",
    /// Does not any more.
    DisableOverlay(routing::overlay::DisableOverlay) = "override overlay disable",
    /// Sets a number that decisions go by.
    SetThreshold(routing::thresholds::SetThreshold) = "override thresholds",
    /// Forgets what was learnt.
    Reset(routing::reset::Reset) = "override reset",
    /// Takes a document in.
    Import(routing::import::Import) = "override import",
}

impl Command {
    /// The earlier entry that the decision reads besides the present state.
    pub fn reads_entry(&self) -> Option<&EntryName> {
        if let Command::Rollback(rollback) = self { Some(&rollback.to) } else { None }
    }
}

fn decide_and_sum_up<C: Decide>(command: &C, act: &mut Act<'_>) -> Result<String, No> {
    let answer = command.decide(act)?;
    Ok(command.summary(&answer, &act.env))
}

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

/// Takes a decision, and with it the share of tidying up that every write to its ledger does, and
/// what askers are to be told of it.
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
        // Nothing in these ends by itself.
        LedgerName::Overrides | LedgerName::Domains | LedgerName::Runs => {}
    }
    debug_assert!(act.has_events(), "what changes a ledger leaves an event");
    Ok(Decided { answer, changes: Some(act.into_changes()), summary })
}

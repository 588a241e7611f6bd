//! The requests that every door can make: the command line, hooks, MCP and CI call the same
//! functions and differ only in how they read a request and show an answer.

pub mod agent_events;
pub mod agents;
mod ancestors;
pub mod answer;
pub mod changesets;
pub mod config;
pub mod dead_holders;
pub mod demo;
pub mod doctor;
pub mod domains;
pub mod edits;
pub mod env_file;
pub mod error;
pub mod events;
pub mod identity;
pub mod install;
pub mod ledgers;
pub mod log;
mod machine;
pub mod negotiation;
pub mod news;
pub mod next;
pub mod open;
pub mod ownership;
mod path_facts;
pub mod presence;
pub mod prime;
pub mod problem;
pub mod pushes;
mod refused;
pub mod rescue;
pub mod reservations;
pub mod routing;
pub mod runs;
pub mod schema;
pub mod session_places;
pub mod shell_gate;
pub mod shell_writes;
pub mod specs;
pub mod status;
mod unmatched;
pub mod version;
pub mod view;
pub mod waiter;
pub mod waiting;
pub mod who;
pub mod whoami;
pub mod with;
pub mod wording;

use std::path::Path;
use std::time::Duration;

use crate::app::config::Settings;
use crate::app::error::AppError;
use crate::app::identity::Identity;
use crate::app::presence::HolderLiveness;
use crate::core::clean::{self, Clean, LeftOut};
use crate::core::command::{Command, Request};
use crate::core::decision::Decide;
use crate::core::documents::FORMAT_VERSION;
use crate::core::domain::source_tree::{SourceTree, Which};
use crate::core::environment::Environment;
use crate::core::ids::{AgentName, EntryName, HoldId, OpId};
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::process::{Gone, GoneHold, Process};
use crate::core::reservation::tickets::Ticket;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::backend::Backend;
use crate::store::git::packs::Budget;
use crate::store::git::repository::Repository;
use crate::store::ledger::entry::Committer;
use crate::store::ledger::transact::{Committed, TransactError, Turns, WriteOptions};
use crate::store::ledger::{Base, Ledger};
use crate::store::os::files::Files;

/// Everything that a request is answered with: the repository, the agent, the time, the settings.
pub struct Ctx {
    repository: Repository,
    backend: Box<dyn Backend>,
    files: Files,
    settings: Settings,
    identity: Identity,
    committer: Committer,
    clock: Timestamp,
    host: Line,
    terminal: Option<Line>,
    within: Vec<HoldId>,
    case: Case,
    upkeep: Budget,
    /// The environment that the request comes from.
    environment: Environment,
}

/// How a command is decided and written.
pub enum WriteMode<'c> {
    /// On the newest state.
    Plain,
    /// On the newest state, if that is this entry; otherwise it is refused.
    Expecting(&'c EntryName),
    /// On the newest state, with what the caller knows of processes that have ended or stopped.
    Knowing(Gone),
    /// Returns early, without waiting for a turn, if the decision writes nothing. The state that
    /// was read before saves a second reading.
    IfNeeded(Box<Reading<'c>>),
}

impl WriteMode<'_> {
    /// Knows that the processes of these holds have ended.
    pub fn without(holds: Vec<GoneHold>) -> WriteMode<'static> {
        WriteMode::Knowing(Gone { holds, ..Gone::default() })
    }
}

/// A state to be read, with the time that counts for it.
pub struct Reading<'c> {
    pub base: Base<'c>,
    /// The time of a decision on this state.
    pub now: Timestamp,
    /// How the ledger compares names.
    pub case: Case,
}

/// The doors see who asks, when, and the settings. Repository and ledgers are for `app` alone, so
/// that each rule on them is here.
impl Ctx {
    fn repository(&self) -> &Repository {
        &self.repository
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the agent that asks, with the source of its name.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the name of the agent that asks.
    pub fn actor(&self) -> &AgentName {
        &self.identity.name
    }

    /// Returns the name of the machine that the request comes from.
    fn host(&self) -> &Line {
        &self.host
    }

    /// Returns the terminal that the request comes from, if it is known.
    fn terminal(&self) -> Option<&Line> {
        self.terminal.as_ref()
    }

    /// Returns the directory that the request comes from; empty if it has been deleted.
    pub fn directory(&self) -> &Path {
        self.environment.directory().unwrap_or(Path::new(""))
    }

    /// Finds the process that the agent's session ends with, if it surely is known. Where that
    /// takes long, it is not looked for.
    fn agent_process(&self) -> Option<Process> {
        let kind = self.identity.session.as_ref().map(|session| session.kind.as_str());
        let look = || ancestors::of_session(kind?, &self.environment);
        self.identity.process.clone().or_else(look)
    }

    /// Returns the holds that end only once this process does: it was started under them.
    fn within(&self) -> &[HoldId] {
        &self.within
    }

    /// Returns the one clock reading of this request.
    pub fn clock(&self) -> Timestamp {
        self.clock
    }

    /// Opens a ledger for reading and writing.
    fn ledger(&self, name: LedgerName) -> Ledger<'_> {
        let common_dir = self.repository.common_dir();
        let turns = || Turns::new(common_dir, name, self.files);
        let writing = WriteOptions {
            committer: self.committer.clone(),
            turns: self.settings.queue.then(turns),
            wait: self.settings.wait,
            case: self.case,
            format: FORMAT_VERSION,
            clock_skew: self.settings.clock_skew,
            maintenance: self.upkeep,
        };
        Ledger::new(&*self.backend, name, writing)
    }

    /// Reads the newest state of the reservations.
    fn read(&self) -> Result<Reading<'_>, AppError> {
        self.read_ledger(LedgerName::Reservations)
    }

    /// Reads the newest state of a ledger.
    fn read_ledger(&self, name: LedgerName) -> Result<Reading<'_>, AppError> {
        let ledger = self.ledger(name);
        Ok(self.reading(&ledger, ledger.now()?))
    }

    /// Reads the reservations as a write has left them, whatever others have written since.
    fn read_after<A>(&self, committed: &Committed<A>) -> Result<Reading<'_>, AppError> {
        let ledger = self.ledger(LedgerName::Reservations);
        let base = committed.entry.map_or_else(|| ledger.now(), |entry| ledger.at(Some(entry)))?;
        Ok(self.reading(&ledger, base))
    }

    fn reading<'c>(&self, ledger: &Ledger<'_>, base: Base<'c>) -> Reading<'c> {
        let now = ledger.time_at(&base, self.clock);
        let case = ledger.case(&base);
        Reading { base, now, case }
    }

    /// Sets the clock reading again, for a request that takes long.
    pub fn set_clock(&mut self, clock: Timestamp) {
        self.clock = clock;
    }

    /// Shortens the wait for other writers.
    pub fn hurry(&mut self, wait_max: Duration) {
        self.settings.wait = self.settings.wait.min(wait_max);
    }

    /// Decides a command and writes it as one entry.
    ///
    /// A write to the reservations also removes the tickets of waiters that have died on this
    /// machine, and wakes those that live.
    fn transact<'c, C>(
        &'c self,
        name: LedgerName,
        command: C,
        mode: WriteMode<'c>,
    ) -> Result<Committed<C::Answer>, AppError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let (ledger, op) = (self.ledger(name), Ctx::new_op()?);
        self.make_place()?;
        let (request, left_out) = self.cleaned(command)?;
        let (mut gone, expect, base) = match mode {
            WriteMode::Plain => (Gone::default(), None, None),
            WriteMode::Expecting(entry) => (Gone::default(), Some(entry), None),
            WriteMode::Knowing(gone) => (gone, None, None),
            WriteMode::IfNeeded(reading) => (Gone::default(), None, Some(reading.base)),
        };
        let write = |request: &Request<C>| -> Result<Committed<C::Answer>, TransactError> {
            let mut committed = match base {
                Some(base) => ledger.transact_if_needed(base, request, &op)?,
                None => ledger.transact(request, &op, expect)?,
            };
            committed.notices.extend(clean::notice(&left_out));
            Ok(committed)
        };
        // Waiters wait for reservations only.
        if name != LedgerName::Reservations {
            return write(&request).map_err(AppError::from);
        }
        let waiters = self.waiters();
        let dead = waiters.dead();
        gone.tickets.extend(dead.iter().cloned());
        let request = request.knowing(gone);
        let committed = write(&request).map_err(|error| self.with_liveness(error))?;
        if committed.entry.is_some() {
            waiters.remove_files(&dead);
            waiters.wake();
        }
        Ok(committed)
    }

    /// Adds to a refusal what is known on this machine of the holders in the way.
    fn with_liveness(&self, error: TransactError) -> AppError {
        match error {
            TransactError::Refused(Refusal::Held { conflicts, before, at }) => {
                self.held(conflicts, before, at)
            }
            other => other.into(),
        }
    }

    /// Makes the error for holds of others in the way, with what is known here of the holders.
    fn held(&self, conflicts: Vec<Conflict>, before: Vec<Ticket>, at: Timestamp) -> AppError {
        let liveness = Box::new(HolderLiveness::of(self, &conflicts));
        AppError::Held { conflicts, before, at, liveness }
    }

    /// Opens one of the trees of the repository.
    fn sources(&self, which: Which) -> Result<Box<dyn SourceTree + '_>, StoreError> {
        self.repository.sources(which, &*self.backend, self.files)
    }

    /// Makes a request of a command: adds the agent, the machine and the time, and removes secrets.
    fn request<C: Clean>(&self, command: C) -> Result<Request<C>, AppError> {
        Ok(self.cleaned(command)?.0)
    }

    fn cleaned<C: Clean>(&self, command: C) -> Result<(Request<C>, LeftOut), AppError> {
        let (actor, host) = (self.actor().clone(), self.host.clone());
        let (request, left_out) = Request::cleaned(command, actor, host, self.clock)?;
        let request = request.tolerating(self.settings.clock_skew.as_secs());
        Ok((request.from_place(self.known_place()), left_out))
    }

    /// Decides a command on the present state, and writes nothing.
    fn decide_only<C>(&self, ledger: LedgerName, command: C) -> Result<C::Answer, AppError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let (request, ledger) = (self.request(command)?, self.ledger(ledger));
        Ok(ledger.propose(&ledger.now()?, &request, &Ctx::new_op()?)?.answer)
    }

    /// Names the linked worktree that the request comes from.
    fn worktree(&self) -> Option<Line> {
        self.repository.work_tree()?.linked.as_deref().and_then(|name| Line::new(name).ok())
    }

    /// Makes the id of a new act.
    fn new_op() -> Result<OpId, StoreError> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|error| StoreError::Random(error.to_string()))?;
        Ok(OpId::from_bits(u128::from_le_bytes(bits)))
    }
}

//! What every door can ask for: the command line, hooks, MCP and CI call the same functions and
//! differ only in how they read a request and show an answer.

pub mod agents;
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
mod machine;
pub mod negotiation;
pub mod news;
pub mod next;
pub mod open;
pub mod presence;
pub mod problem;
pub mod pushes;
pub mod reservations;
pub mod routing;
pub mod runs;
pub mod schema;
pub mod specs;
pub mod status;
pub mod view;
pub mod waiter;
pub mod waiting;
pub mod whoami;
pub mod with;
pub mod wording;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::app::config::Settings;
use crate::app::error::AppError;
use crate::app::identity::Identity;
use crate::app::presence::HolderLiveness;
use crate::core::clean::{self, Clean, LeftOut};
use crate::core::command::{Command, Request};
use crate::core::decision::Decide;
use crate::core::domain::source_tree::SourceTree;
use crate::core::ids::{AgentName, EntryName, HoldId, OpId};
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::process::{Gone, GoneHold};
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
use crate::store::worktree::sources::Which;

/// What a write came to, or why nothing was written.
type WriteOutcome<A> = Result<Committed<A>, TransactError>;

/// Everything that a request is answered with: the repository, who asks, when, and the settings.
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
    /// The directory that the request comes from.
    directory: PathBuf,
}

/// A state to be read, with the time that counts for it.
pub struct Reading<'c> {
    /// The state.
    pub base: Base<'c>,
    /// The later of the clock and the time of the newest entry.
    pub now: Timestamp,
    /// How the ledger compares names.
    pub case: Case,
}

impl Ctx {
    /// The repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Who asks, and how that is known.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Who asks.
    pub fn actor(&self) -> &AgentName {
        &self.identity.name
    }

    /// On which machine.
    pub fn host(&self) -> &Line {
        &self.host
    }

    /// From which terminal.
    pub fn terminal(&self) -> Option<&Line> {
        self.terminal.as_ref()
    }

    /// Returns the directory that the request comes from.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Under which holds.
    pub fn within(&self) -> &[HoldId] {
        &self.within
    }

    /// When.
    pub fn clock(&self) -> Timestamp {
        self.clock
    }

    /// A ledger, to be read or written.
    pub fn ledger(&self, name: LedgerName) -> Result<Ledger<'_>, StoreError> {
        let common_dir = self.repository.common_dir();
        let turns = || Turns::new(common_dir, name, self.files);
        let writing = WriteOptions {
            committer: self.committer.clone(),
            turns: self.settings.queue.then(turns),
            wait: self.settings.wait,
            case: self.case,
            clock_skew: self.settings.clock_skew,
            maintenance: self.upkeep,
        };
        Ok(Ledger::new(&*self.backend, name, writing))
    }

    /// The reservations now.
    pub fn read(&self) -> Result<Reading<'_>, AppError> {
        self.read_ledger(LedgerName::Reservations)
    }

    /// A ledger now.
    pub fn read_ledger(&self, name: LedgerName) -> Result<Reading<'_>, AppError> {
        let ledger = self.ledger(name)?;
        Ok(self.reading(&ledger, ledger.now()?))
    }

    /// The reservations as a write has left them, whatever others have written since.
    pub fn read_after<A>(&self, committed: &Committed<A>) -> Result<Reading<'_>, AppError> {
        let ledger = self.ledger(LedgerName::Reservations)?;
        let base = committed.entry.map_or_else(|| ledger.now(), |entry| ledger.at(Some(entry)))?;
        Ok(self.reading(&ledger, base))
    }

    fn reading<'c>(&self, ledger: &Ledger<'_>, base: Base<'c>) -> Reading<'c> {
        let now = base.counters().map_or(self.clock, |counters| counters.at.max(self.clock));
        let case = ledger.case(&base);
        Reading { base, now, case }
    }

    /// Decides a command and writes it as one entry.
    pub fn transact<C>(
        &self,
        ledger: LedgerName,
        command: C,
        expect: Option<&EntryName>,
    ) -> Result<Committed<C::Answer>, AppError>
    where
        C: Decide + Clone + Into<Command>,
    {
        self.transact_knowing(ledger, command, expect, Vec::new())
    }

    /// The same of one who knows that the processes of some holds have ended. Who has died waiting
    /// is known to everybody on this machine, and who waits is woken.
    pub fn transact_knowing<C>(
        &self,
        ledger: LedgerName,
        command: C,
        expect: Option<&EntryName>,
        holds: Vec<GoneHold>,
    ) -> Result<Committed<C::Answer>, AppError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let gone = Gone { holds, ..Gone::default() };
        self.submit(ledger, command, gone, |ledger, request, op| {
            ledger.transact(request, op, expect)
        })
    }

    /// The same of the reservations for one who goes past those that do not move.
    pub fn transact_past<C>(&self, command: C, gone: Gone) -> Result<Committed<C::Answer>, AppError>
    where
        C: Decide + Clone + Into<Command>,
    {
        self.submit(LedgerName::Reservations, command, gone, |ledger, request, op| {
            ledger.transact(request, op, None)
        })
    }

    /// Takes another reading of the clock, for one who takes long.
    pub fn set_clock(&mut self, clock: Timestamp) {
        self.clock = clock;
    }

    /// Has less time to wait for others who write.
    pub fn hurry(&mut self, wait_max: Duration) {
        self.settings.wait = self.settings.wait.min(wait_max);
    }

    /// The same of the reservations for what is often so already, and then waits for nobody.
    pub fn transact_if_needed<'c, C>(
        &'c self,
        reading: Reading<'c>,
        command: C,
    ) -> Result<Committed<C::Answer>, AppError>
    where
        C: Decide + Clone + Into<Command>,
    {
        self.submit(LedgerName::Reservations, command, Gone::default(), |ledger, request, op| {
            ledger.transact_if_needed(reading.base, request, op)
        })
    }

    fn submit<'c, C>(
        &'c self,
        name: LedgerName,
        command: C,
        mut gone: Gone,
        write: impl FnOnce(Ledger<'c>, &Request<C>, &OpId) -> WriteOutcome<C::Answer>,
    ) -> Result<Committed<C::Answer>, AppError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let (ledger, op) = (self.ledger(name)?, Ctx::new_op()?);
        let (request, left_out) = self.cleaned(command)?;
        let write = |request: &Request<C>| {
            let mut committed = write(ledger, request, &op)?;
            committed.notices.extend(clean::notice(&left_out));
            Ok(committed)
        };
        // Those who wait wait for reservations: what is written elsewhere is no news to them, and
        // does not remove the tickets of the dead.
        if name != LedgerName::Reservations {
            return write(&request).map_err(AppError::from);
        }
        let waiters = self.waiters();
        let dead = waiters.dead();
        gone.tickets.extend(dead.iter().cloned());
        let request = request.knowing(gone);
        let committed = write(&request).map_err(|error| self.told(error))?;
        if committed.entry.is_some() {
            waiters.remove_files(&dead);
            waiters.wake();
        }
        Ok(committed)
    }

    /// A refusal, with what is known here of those who stand in the way.
    fn told(&self, error: TransactError) -> AppError {
        match error {
            TransactError::Refused(Refusal::Held { conflicts, before, at }) => {
                self.held(conflicts, before, at)
            }
            other => other.into(),
        }
    }

    /// That others stand in the way.
    pub fn held(&self, conflicts: Vec<Conflict>, before: Vec<Ticket>, at: Timestamp) -> AppError {
        let liveness = Box::new(HolderLiveness::of(self, &conflicts));
        AppError::Held { conflicts, before, at, liveness }
    }

    /// One of the trees of the repository.
    pub fn sources(&self, which: Which) -> Result<Box<dyn SourceTree + '_>, StoreError> {
        self.repository.sources(which, &*self.backend, self.files)
    }

    /// Makes a request of a command: who asks, where and when.
    pub fn request<C: Clean>(&self, command: C) -> Result<Request<C>, AppError> {
        Ok(self.cleaned(command)?.0)
    }

    fn cleaned<C: Clean>(&self, command: C) -> Result<(Request<C>, LeftOut), AppError> {
        let (actor, host) = (self.actor().clone(), self.host.clone());
        Ok(Request::cleaned(command, actor, host, self.clock)?)
    }

    /// Decides a command on the present state, and writes nothing.
    pub fn decide_only<C>(&self, ledger: LedgerName, command: C) -> Result<C::Answer, AppError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let (request, ledger) = (self.request(command)?, self.ledger(ledger)?);
        Ok(ledger.propose(&ledger.now()?, &request, &Ctx::new_op()?)?.answer)
    }

    /// The linked worktree that the request comes from.
    pub fn worktree(&self) -> Option<Line> {
        self.repository.work_tree()?.linked.as_deref().and_then(|name| Line::new(name).ok())
    }

    /// A new act.
    pub fn new_op() -> Result<OpId, StoreError> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|error| StoreError::Random(error.to_string()))?;
        Ok(OpId::from_bits(u128::from_le_bytes(bits)))
    }
}

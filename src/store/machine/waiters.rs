//! The waiting processes of this machine. Each has a file that it keeps locked as long as it lives,
//! and a pipe by which others wake it.
//!
//! The tickets are in the ledger. These files show which tickets of this machine belong to dead
//! processes, and save live ones from polling often. If the files are lost, others wait until a
//! ticket expires, and nothing else happens.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::core::ids::TicketId;
use crate::store::error::StoreError;
use crate::store::layout::HelperDir;
use crate::store::os::files::Files;
use crate::store::os::idle_timer::IdleTimer;
use crate::store::os::process::ProcessIdentity;
use crate::store::os::processes;

const LOCK: &str = "lock";
/// The suffix of a file that is not locked yet.
const STAGED: &str = "new";
const BELL: &str = "bell";
/// The time without a sign of life after which a waiter counts as stopped. A live one gives a sign
/// several times a second, unless it waits for its turn to write.
const STOPPED_AFTER: Duration = Duration::from_secs(15);
/// The maximum size of a lock file, which holds the identity of a process.
const IDENTITY_BYTES_MAX: u64 = 1024;

/// The waiters of one repository on this machine.
#[derive(Clone, Debug)]
pub struct Waiters {
    dir: PathBuf,
    files: Files,
}

/// One waiting process, for as long as it lives. If it is dropped or killed, its files show that it
/// is dead. [`RegisteredWaiter::leave`] removes the files.
#[derive(Debug)]
pub struct RegisteredWaiter {
    waiters: Waiters,
    ticket: TicketId,
    /// Closing the file releases the lock.
    locked: Option<File>,
}

impl Waiters {
    pub fn new(common_dir: &Path, files: Files) -> Waiters {
        Waiters { dir: HelperDir::Waiters.below(common_dir), files }
    }

    /// Registers a process that waits with this ticket, before anybody sees the ticket. Also
    /// returns the pipe by which others wake it, if the file system supports pipes.
    pub fn register(
        &self,
        ticket: TicketId,
    ) -> Result<(RegisteredWaiter, Option<File>), StoreError> {
        self.files.make_directories(&self.dir)?;
        let locked = self.locked(&ticket)?;
        // Without the pipe the process only wakes later, by polling.
        let bell = self.files.create_fifo(&self.path(&ticket, BELL)).ok();
        Ok((RegisteredWaiter { waiters: self.clone(), ticket, locked }, bell))
    }

    /// Creates the lock file with the identity of this process. It is locked before it gets its
    /// name: a named file that others can lock belongs to a dead process.
    fn locked(&self, ticket: &TicketId) -> Result<Option<File>, StoreError> {
        let staged = self.path(ticket, STAGED);
        let file = self.files.open_lockable(&staged)?;
        // A process that cannot lock, or was taken for dead before it could, counts until its
        // ticket expires.
        let identity = ProcessIdentity::current().to_string();
        let is_locked = self.files.try_lock(&file, &staged).unwrap_or(false)
            && self.files.append_existing(&staged, identity.as_bytes()).unwrap_or(false)
            && self.files.rename(&staged, &self.path(ticket, LOCK)).is_ok();
        if !is_locked {
            self.files.remove(&staged)?;
        }
        Ok(is_locked.then_some(file))
    }

    /// Lists the tickets of dead processes. A process whose file is unreadable counts as alive.
    pub fn dead(&self) -> Vec<TicketId> {
        let is_dead = |ticket: &TicketId| self.is_unlocked(&self.path(ticket, LOCK));
        self.with(LOCK).into_iter().filter(is_dead).collect()
    }

    /// Lists the tickets of waiters that are stopped, or have given no sign of life for long. A
    /// waiter whose file is unreadable counts as running.
    pub fn stopped<'t>(
        &self,
        tickets: impl IntoIterator<Item = &'t TicketId>,
        heartbeats: &mut Heartbeats,
        now: Duration,
    ) -> Vec<TicketId> {
        let is_stopped = |ticket: &&TicketId| {
            let path = self.path(ticket, LOCK);
            let Some(stamp) = self.files.stamp(&path).ok().flatten() else { return false };
            let timer = heartbeats.0.entry((*ticket).clone());
            let unmoved = timer.or_insert_with(|| IdleTimer::begin(stamp, now)).look(stamp, now);
            // Waiters of an older version write no identity and give no signs of life.
            let process = self.process_of(&path).filter(ProcessIdentity::runs_here);
            process.is_some_and(|process| {
                unmoved >= STOPPED_AFTER || processes::is_stopped(process.pid())
            })
        };
        tickets.into_iter().filter(is_stopped).cloned().collect()
    }

    fn process_of(&self, path: &Path) -> Option<ProcessIdentity> {
        let text = self.files.read_start(path, IDENTITY_BYTES_MAX).ok()??;
        String::from_utf8(text).ok()?.parse().ok()
    }

    fn is_unlocked(&self, path: &Path) -> bool {
        let file = self.files.open_existing(path).ok().flatten();
        file.is_some_and(|file| self.files.try_lock(&file, path).unwrap_or(false))
    }

    /// Removes the files of dead processes, once nobody needs to see them any more.
    pub fn remove_files(&self, dead: &[TicketId]) {
        for ticket in dead {
            self.remove(ticket).ok();
        }
        let staged = self.with(STAGED).into_iter().map(|ticket| self.path(&ticket, STAGED));
        for path in staged.filter(|path| self.is_unlocked(path)) {
            self.files.remove(&path).ok();
        }
    }

    /// Wakes all waiters. A waiter that this misses polls again soon.
    pub fn wake(&self) {
        for ticket in self.with(BELL) {
            self.files.write_to_fifo(&self.path(&ticket, BELL)).ok();
        }
    }

    fn path(&self, ticket: &TicketId, kind: &str) -> PathBuf {
        self.dir.join(format!("{ticket}.{kind}"))
    }

    fn with(&self, kind: &str) -> Vec<TicketId> {
        let names = self.files.list(&self.dir).unwrap_or_default();
        let tickets = names.iter().filter_map(|name| {
            let (ticket, found) = name.to_str()?.split_once('.')?;
            ticket.parse().ok().filter(|_| found == kind)
        });
        tickets.collect()
    }

    fn remove(&self, ticket: &TicketId) -> Result<(), StoreError> {
        self.files.remove(&self.path(ticket, BELL))?;
        self.files.remove(&self.path(ticket, LOCK))?;
        Ok(())
    }
}

/// The heartbeats of the waiters before one, as it saw them.
#[derive(Clone, Debug, Default)]
pub struct Heartbeats(BTreeMap<TicketId, IdleTimer>);

impl RegisteredWaiter {
    /// Gives a sign of life.
    pub fn heartbeat(&self) {
        if let Some(file) = &self.locked {
            self.waiters.files.touch(file, &self.waiters.path(&self.ticket, LOCK)).ok();
        }
    }

    /// Stops waiting, after the ticket has ended.
    pub fn leave(self) {
        // A file that stays counts as dead, and the next write removes it.
        self.waiters.remove(&self.ticket).ok();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::os::alarm::{Alarm, Woken};
    use crate::store::testing::{self, FILES, Worker};

    fn ticket(number: u64) -> TicketId {
        TicketId::from_bits(number)
    }

    #[test]
    fn the_living_are_woken_and_leave_nothing() {
        let home = tempfile::tempdir().unwrap();
        let waiters = Waiters::new(home.path(), FILES);
        waiters.wake();
        let (standing, bell) = waiters.register(ticket(1)).unwrap();
        assert_eq!(waiters.dead(), []);
        waiters.wake();
        let mut alarm = Alarm::new(&[], bell).unwrap();
        assert_eq!(alarm.sleep(Duration::from_secs(600)), Woken::Message);
        standing.leave();
        waiters.wake();
        assert_eq!(std::fs::read_dir(&waiters.dir).unwrap().count(), 0);
    }

    #[test]
    fn the_dead_are_known_and_buried() {
        if let Some(home) = testing::worker_home() {
            let standing = Waiters::new(&home, FILES).register(ticket(1)).unwrap();
            std::fs::write(home.join("ready"), "").unwrap();
            std::thread::sleep(Duration::from_secs(60));
            drop(standing);
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let waiters = Waiters::new(home.path(), FILES);
        let worker =
            Worker::start("machine::waiters::tests::the_dead_are_known_and_buried", home.path());
        testing::wait_for(&home.path().join("ready"));
        assert_eq!(waiters.dead(), []);
        worker.kill();
        // Each check takes the lock for a moment, and a child that another test starts may keep it.
        let dead = testing::eventually("the dead", || {
            Some(waiters.dead()).filter(|dead| !dead.is_empty())
        });
        assert_eq!(dead, [ticket(1)]);
        waiters.wake();
        waiters.remove_files(&dead);
        assert_eq!(std::fs::read_dir(&waiters.dir).unwrap().count(), 0);
    }
}

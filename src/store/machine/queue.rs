//! The advisory lock that queues the writers of one machine, one file per ledger.
//!
//! It exists for speed: without it, writers get in each other's way and decide again and again.
//! Correctness rests on the compare-and-swap of the ref alone. A file system without locks, or
//! somebody who deletes the lock file, only costs time. The kernel holds the lock and releases it
//! when the process ends, however it ends.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::store::layout::HelperDir;
use crate::store::os::files::{FileError, Files};

/// The queue of one ledger.
#[derive(Clone, Debug)]
pub struct Queue {
    path: PathBuf,
    files: Files,
}

/// The front of the queue. Dropping this value lets the next writer in.
#[derive(Debug)]
#[must_use = "the place in the queue is given up at once"]
pub struct QueueGuard {
    /// Closing the file releases the lock.
    _file: File,
}

impl Queue {
    pub fn new(common: &Path, name: &str, files: Files) -> Queue {
        Queue { path: HelperDir::Locks.below(common).join(format!("{name}.lock")), files }
    }

    /// Waits for the front of the queue until `deadline`. Returns `None` if other processes had it
    /// all that time.
    pub fn enter(&self, deadline: Instant) -> Result<Option<QueueGuard>, FileError> {
        let file = self.files.open_lockable(&self.path)?;
        let left = deadline.saturating_duration_since(Instant::now());
        let is_front = self.try_lock(&file)?
            || (!left.is_zero() && self.files.lock_within(&file, &self.path, left)?);
        Ok(is_front.then(|| QueueGuard { _file: file }))
    }

    /// Tells whether the file system supports locks on the queue's file; `None` if there is no file
    /// yet. Changes nothing.
    pub fn can_lock(&self) -> Result<Option<bool>, FileError> {
        if !self.files.exists(&self.path)? {
            return Ok(None);
        }
        let file = self.files.open_lockable(&self.path)?;
        match self.files.try_lock(&file, &self.path) {
            Ok(_) => Ok(Some(true)),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Some(false)),
            Err(error) => Err(error),
        }
    }

    fn try_lock(&self, file: &File) -> Result<bool, FileError> {
        match self.files.try_lock(file, &self.path) {
            // Without file locks every writer is at the front, and the swap decides between them.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(true),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::store::testing::{self, Worker};

    /// Long enough to see that another process has the lock. To get a free lock, tests wait until
    /// [`testing::at_last`]: a child that another test starts has our locks until it executes its
    /// program.
    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(20)
    }

    #[test]
    fn one_at_a_time_and_each_ledger_for_itself() {
        let home = tempfile::tempdir().unwrap();
        let queue = |name| Queue::new(home.path(), name, testing::FILES);
        let first = queue("runs").enter(testing::at_last()).unwrap().expect("an empty queue");
        assert!(queue("runs").enter(soon()).unwrap().is_none());
        assert!(queue("domains").enter(testing::at_last()).unwrap().is_some());
        drop(first);
        assert!(queue("runs").enter(testing::at_last()).unwrap().is_some());
    }

    #[test]
    fn who_gave_up_waiting_does_not_stand_in_the_way() {
        let home = tempfile::tempdir().unwrap();
        let queue = Queue::new(home.path(), "runs", testing::FILES);
        let first = queue.enter(testing::at_last()).unwrap().expect("the queue is empty");
        for _ in 0..5 {
            assert!(queue.enter(soon()).unwrap().is_none());
        }
        drop(first);
        assert!(queue.enter(testing::at_last()).unwrap().is_some());
    }

    #[test]
    fn a_killed_process_gives_up_its_place() {
        if let Some(home) = testing::worker_home() {
            let queue = Queue::new(&home, "runs", testing::FILES);
            let _place = queue.enter(testing::at_last()).unwrap();
            std::fs::write(home.join("ready"), "").unwrap();
            thread::sleep(Duration::from_secs(60));
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let queue = Queue::new(home.path(), "runs", testing::FILES);
        let worker = Worker::start(
            "machine::queue::tests::a_killed_process_gives_up_its_place",
            home.path(),
        );
        testing::wait_for(&home.path().join("ready"));
        assert!(queue.enter(soon()).unwrap().is_none());
        worker.kill();
        assert!(queue.enter(testing::at_last()).unwrap().is_some());
    }
}

//! Group commit: the writer at the front of the queue also writes the requests of waiting writers.
//!
//! The disk needs as long for one entry as for many. A writer that cannot enter the queue at once
//! therefore submits its request as a file, and keeps that file locked for as long as it lives. The
//! writer at the front claims these requests and writes an entry for each, in one pack and with one
//! move of the ref.
//!
//! A request belongs to the process that removes its file: to its owner, when the owner's turn has
//! come or it stops waiting, or to the writer that claims it. That writer may fail, or its decision
//! may be a refusal. Then there is no entry; the owner finds none when its turn comes, and decides
//! for itself. It searches for the entry in the state that it decides on, and the swap of the ref
//! does the rest: nothing is written twice, and losing these files only costs time.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::core::command::{Command, Request};
use crate::core::decision::RULES;
use crate::core::ids::OpId;
use crate::core::ledger::LedgerName;
use crate::store::layout::HelperDir;
use crate::store::ledger::entry::Committer;
use crate::store::os::files::{EntryType, FileError, Files};

/// The maximum number of requests in a batch: the writer that claims them waits for all of them.
const CLAIMED_MAX: usize = 32;
/// The maximum size of a submitted request. The owner of a larger one decides it alone.
const REQUEST_BYTES_MAX: u64 = 64 * 1024;

/// The submitted requests of one ledger on this machine.
#[derive(Clone, Debug)]
pub struct PendingRequests {
    dir: PathBuf,
    ledger: LedgerName,
    files: Files,
}

/// A request with everything that its entry needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRequest {
    /// The act, by which the owner finds its entry.
    pub op: OpId,
    pub committer: Committer,
    /// Set if the request counts as done only once its entry is on disk.
    pub fsync: bool,
    /// The command and its actor.
    pub request: Request<Command>,
}

/// A submitted request. Its file is locked as long as this value lives.
#[derive(Debug)]
#[must_use = "a request must be withdrawn before its owner decides it"]
pub struct SubmittedRequest {
    path: PathBuf,
    files: Files,
    /// Closing the file releases the lock.
    _locked: File,
}

impl PendingRequests {
    pub fn new(common: &Path, ledger: LedgerName, files: Files) -> PendingRequests {
        PendingRequests { dir: HelperDir::PendingRequests.below(common), ledger, files }
    }

    /// Tells whether a request that is submitted here counts as done only once its entry is on
    /// disk.
    pub fn fsync(&self) -> bool {
        self.files.fsync
    }

    fn path(&self, op: &OpId) -> PathBuf {
        self.dir.join(format!("{}.{op}", self.ledger))
    }

    /// Submits a request to the writers in front. Returns `None` if it is too large for that.
    pub fn submit(&self, pending: &PendingRequest) -> Result<Option<SubmittedRequest>, FileError> {
        let bytes = serde_json::to_vec(pending).expect("a request is plain data");
        if bytes.len() as u64 > REQUEST_BYTES_MAX {
            return Ok(None);
        }
        let path = self.path(&pending.op);
        // A writer that sees the file before it is locked takes its owner for dead and removes it.
        // To the owner that is the same as a request that was claimed and failed.
        let locked = self.files.open_lockable(&path)?;
        let is_locked = self.files.try_lock(&locked, &path)?;
        let submitted = SubmittedRequest { path, files: self.files, _locked: locked };
        if is_locked && self.files.append_existing(&submitted.path, &bytes)? {
            return Ok(Some(submitted));
        }
        submitted.withdraw()?;
        Ok(None)
    }

    /// Claims the readable requests of other writers, lazily. Only for the writer at the front of
    /// the queue.
    pub fn claim(&self) -> impl Iterator<Item = PendingRequest> {
        let start = format!("{}.", self.ledger);
        let mut submitted = self.files.entries(&self.dir).unwrap_or_default();
        // Opening a pipe would block until somebody writes to it.
        submitted.retain(|file| {
            file.kind == EntryType::File && file.name.to_string_lossy().starts_with(&start)
        });
        // A file system may list the files in any order. Sorted, the entries depend on the requests
        // only.
        submitted.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let paths = submitted.into_iter().map(|file| self.dir.join(file.name));
        paths.filter_map(|path| self.claim_one(&path).ok().flatten()).take(CLAIMED_MAX)
    }

    fn claim_one(&self, path: &Path) -> Result<Option<PendingRequest>, FileError> {
        let Some(file) = self.files.open_existing(path)? else { return Ok(None) };
        if self.files.try_lock(&file, path)? {
            // The owner is dead: nobody waits for the answer or wants the entry.
            self.files.remove(path)?;
            return Ok(None);
        }
        let bytes = self.files.read(path, REQUEST_BYTES_MAX)?.unwrap_or_default();
        let pending = self.parse(&bytes).filter(|pending| self.path(&pending.op) == path);
        match pending {
            Some(pending) => Ok(self.files.remove(path)?.then_some(pending)),
            None => Ok(None),
        }
    }

    /// Parses a request that this process can decide exactly as its owner would: every field is
    /// known, the rules are the same, and no promise about the disk is broken.
    fn parse(&self, bytes: &[u8]) -> Option<PendingRequest> {
        let pending: PendingRequest = serde_json::from_slice(bytes).ok()?;
        let Committer { name, email } = &pending.committer;
        let is_whole = serde_json::to_vec(&pending).is_ok_and(|again| again == bytes);
        let is_ours = is_whole
            && pending.request.rules == RULES
            && pending.committer == Committer::new(name, email)
            && (self.files.fsync || !pending.fsync);
        is_ours.then_some(pending)
    }
}

impl SubmittedRequest {
    /// Withdraws the request. Returns false if another writer has claimed it.
    pub fn withdraw(self) -> Result<bool, FileError> {
        self.files.remove(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::core::reservation::sweep::Sweep;
    use crate::core::time::Timestamp;
    use crate::store::testing::{self, FILES, Worker};

    fn pending(number: u128) -> PendingRequest {
        let command = Sweep { older_than_seconds: 0 }.into();
        let (actor, host) = ("alice".parse().unwrap(), "here".parse().unwrap());
        PendingRequest {
            op: OpId::from_bits(number),
            committer: Committer::new("Alice", "alice@example.com"),
            fsync: false,
            request: Request::new(command, actor, host, Timestamp::from_millis(0)).unwrap(),
        }
    }

    fn pending_requests(home: &Path) -> PendingRequests {
        PendingRequests::new(home, LedgerName::Reservations, FILES)
    }

    fn left(home: &Path) -> usize {
        std::fs::read_dir(HelperDir::PendingRequests.below(home)).unwrap().count()
    }

    #[test]
    fn a_request_belongs_to_one() {
        let home = tempfile::tempdir().unwrap();
        let requests = pending_requests(home.path());
        let [first, second] =
            [1, 2].map(|number| requests.submit(&pending(number)).unwrap().unwrap());
        assert!(first.withdraw().unwrap());
        let others = PendingRequests { ledger: LedgerName::Runs, ..requests.clone() };
        assert_eq!(others.claim().count(), 0, "each ledger for itself");
        assert_eq!(requests.claim().collect::<Vec<_>>(), [pending(2)]);
        assert_eq!(requests.claim().count(), 0);
        assert!(!second.withdraw().unwrap());
        assert_eq!(left(home.path()), 0);
    }

    /// The request of a dead process must not be written any more, however late a writer finds it.
    #[test]
    fn no_request_of_the_dead_is_done() {
        if let Some(home) = testing::worker_home() {
            let _submitted = pending_requests(&home).submit(&pending(1)).unwrap();
            std::fs::write(home.join("ready"), "").unwrap();
            std::thread::sleep(Duration::from_secs(60));
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let worker = Worker::start(
            "machine::group_commit::tests::no_request_of_the_dead_is_done",
            home.path(),
        );
        testing::wait_for(&home.path().join("ready"));
        assert_eq!(left(home.path()), 1);
        worker.kill();
        assert_eq!(pending_requests(home.path()).claim().count(), 0);
        assert_eq!(left(home.path()), 0);
    }

    #[test]
    fn what_cannot_be_done_as_its_owner_would_is_left_to_it() {
        let home = tempfile::tempdir().unwrap();
        let requests = pending_requests(home.path());
        let [mut newer, mut durable, mut forged] = [1, 2, 3].map(pending);
        newer.request.rules += 1;
        durable.fsync = true;
        forged.committer.name = "Alice\nparent".to_owned();
        let submitted =
            [newer, durable, forged].map(|pending| requests.submit(&pending).unwrap().unwrap());
        assert_eq!(requests.claim().count(), 0);
        let text = serde_json::to_string(&pending(4)).unwrap();
        let other = requests.submit(&pending(4)).unwrap().unwrap();
        for content in ["", &text[..9], &text.replacen('{', "{\"later\":1,", 1)] {
            std::fs::write(&other.path, content).unwrap();
            assert_eq!(requests.claim().count(), 0, "{content}");
        }
        assert!(
            submitted.into_iter().chain([other]).all(|submitted| submitted.withdraw().unwrap())
        );
    }

    /// Nothing but a regular file is opened, so that nobody has to wait.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_passed_over() {
        let home = tempfile::tempdir().unwrap();
        let requests = pending_requests(home.path());
        let submitted = requests.submit(&pending(1)).unwrap().unwrap();
        let pipe = requests.path(&OpId::from_bits(2));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink(&pipe, requests.path(&OpId::from_bits(3))).unwrap();
        std::fs::create_dir(requests.path(&OpId::from_bits(4))).unwrap();
        assert_eq!(requests.claim().collect::<Vec<_>>(), [pending(1)]);
        assert!(!submitted.withdraw().unwrap());
    }
}

//! The log of published entries: one line for each move of a ledger's ref.
//!
//! The ref alone defines what is published. If the ref is lost, the log tells the newest entry from
//! the entries of writers that were killed before the move. The log is not synced, and losing it
//! loses no state.

use std::io;
use std::path::{Path, PathBuf};

use crate::core::ledger::LedgerName;
use crate::store::git::object::ObjectId;
use crate::store::layout::HelperDir;
use crate::store::os::files::{FileError, Files};

/// The size at which the log is rotated: some two hundred lines. The previous file is kept.
const LENGTH_MAX: u64 = 8 * 1024;
/// The most that is read of a file. It is more than both files together ever have.
const READ_MAX: u64 = 1 << 20;

/// The logs of one repository.
#[derive(Clone, Debug)]
pub struct Published {
    directory: PathBuf,
    files: Files,
}

impl Published {
    /// Opens the log of the repository with this common directory.
    pub fn new(common: &Path, files: Files) -> Published {
        Published { directory: HelperDir::Published.below(common), files }
    }

    /// Appends an entry that has become the newest. Writers that publish shortly after each other
    /// may append in another order.
    pub fn append(&self, ledger: LedgerName, id: ObjectId) -> Result<(), FileError> {
        let path = self.path(ledger);
        if self.files.stamp(&path)?.is_some_and(|stamp| stamp.length > LENGTH_MAX) {
            // A process that has the old file open appends to it, and readers read the old file
            // too.
            match self.files.rename(&path, &self.earlier(ledger)) {
                // Another process has just rotated it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
        // The leading newline separates this line from one that a killed writer left incomplete.
        let line = format!("\n{id}\n");
        match self.files.append(&path, line.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(&self.directory)?;
                self.files.append(&path, line.as_bytes())
            }
            other => other,
        }
    }

    /// Reads the entries that were published, in the order in which they were logged. Skips every
    /// other line.
    pub fn entries(&self, ledger: LedgerName) -> Result<Vec<ObjectId>, FileError> {
        let mut entries = Vec::new();
        for path in [self.earlier(ledger), self.path(ledger)] {
            let content = self.files.read_start(&path, READ_MAX)?.unwrap_or_default();
            let content = String::from_utf8_lossy(&content);
            entries.extend(content.lines().filter_map(|line| line.parse::<ObjectId>().ok()));
        }
        Ok(entries)
    }

    fn path(&self, ledger: LedgerName) -> PathBuf {
        self.directory.join(ledger.as_str())
    }

    fn earlier(&self, ledger: LedgerName) -> PathBuf {
        self.directory.join(format!("{ledger}.earlier"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::git::object::HashKind;
    use crate::store::testing::FILES;

    fn id(number: u64) -> ObjectId {
        HashKind::Sha1.digest(&[&number.to_be_bytes()])
    }

    #[test]
    fn what_was_noted_is_known_and_the_record_stays_small() {
        let home = tempfile::tempdir().unwrap();
        let published = Published::new(home.path(), FILES);
        let ledger = LedgerName::Reservations;
        assert_eq!(published.entries(ledger).unwrap(), []);
        for number in 0..2_000 {
            published.append(ledger, id(number)).unwrap();
        }
        let known = published.entries(ledger).unwrap();
        assert!((200..500).contains(&known.len()), "{}", known.len());
        let newest: Vec<ObjectId> = (2_000 - known.len() as u64..2_000).map(id).collect();
        assert_eq!(known, newest);
        assert_eq!(published.entries(LedgerName::Runs).unwrap(), []);
    }

    #[test]
    fn what_is_no_id_is_passed_over() {
        let home = tempfile::tempdir().unwrap();
        let published = Published::new(home.path(), FILES);
        published.append(LedgerName::Runs, id(1)).unwrap();
        let path = published.path(LedgerName::Runs);
        let torn = [&std::fs::read(&path).unwrap()[..], b"\0\xff\n1234\nabc"].concat();
        std::fs::write(&path, torn).unwrap();
        published.append(LedgerName::Runs, id(2)).unwrap();
        published.append(LedgerName::Runs, id(3)).unwrap();
        assert_eq!(published.entries(LedgerName::Runs).unwrap(), [id(1), id(2), id(3)]);
    }
}

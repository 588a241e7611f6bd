//! The tool calls of an agent that are open on this machine.
//!
//! One file holds a record of each start and of each end, in order: several calls start and end at
//! once, and none of them may undo the record of another. Every edit waits for one record; a
//! separate file for each call would take longer than everything else that is done for most edits.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::layout::hashed_name;
use crate::store::os::files::{EntryType, Files};

/// The maximum size of a file: some ten thousand calls in one turn. If an agent makes more, the
/// earlier ones no longer show that it is busy.
const BYTES_MAX: u64 = 1 << 20;
/// Replaces the time in the record of an end.
const ENDED: &str = "ended";

/// The tool calls of one agent.
#[derive(Clone, Debug)]
pub struct OpenToolCalls {
    file: PathBuf,
    files: Files,
}

impl OpenToolCalls {
    pub fn new(file: PathBuf, files: Files) -> OpenToolCalls {
        OpenToolCalls { file, files }
    }

    /// Records that a call has begun. `call` is any name of it.
    pub fn begin(&self, call: &str, at: Timestamp) -> Result<(), StoreError> {
        match self.files.entry_type(&self.file)? {
            None => {}
            Some(EntryType::File) if !self.is_too_long()? => {}
            Some(_) => self.end_all()?,
        }
        let record = record(call, &at.to_string());
        match self.files.append(&self.file, record.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(self.file.parent().unwrap_or(Path::new("")))?;
                Ok(self.files.append(&self.file, record.as_bytes())?)
            }
            other => Ok(other?),
        }
    }

    fn is_too_long(&self) -> Result<bool, StoreError> {
        Ok(self.files.stamp(&self.file)?.is_some_and(|stamp| stamp.length > BYTES_MAX))
    }

    /// Tells whether the records are a regular file. A pipe would block the caller, and a link
    /// would make it write elsewhere.
    fn is_there(&self) -> Result<bool, StoreError> {
        Ok(self.files.entry_type(&self.file)? == Some(EntryType::File))
    }

    /// Records that a call has ended.
    pub fn end(&self, call: &str) -> Result<(), StoreError> {
        // A call without a start needs no end.
        if self.is_there()? {
            self.files.append_existing(&self.file, record(call, ENDED).as_bytes())?;
        }
        Ok(())
    }

    /// Removes all records.
    pub fn end_all(&self) -> Result<(), StoreError> {
        self.files.remove(&self.file)?;
        Ok(())
    }

    /// Returns the start times of the open calls, as far as they are readable.
    pub fn open(&self) -> Vec<Timestamp> {
        if !self.is_there().unwrap_or(false) {
            return Vec::new();
        }
        // A file that is too long is started over by the next call, and is read until then.
        let content = self.files.read(&self.file, 2 * BYTES_MAX).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&content);
        let mut began: BTreeMap<&str, Timestamp> = BTreeMap::new();
        for (call, what) in text.lines().filter_map(|record| record.split_once(' ')) {
            if let Ok(at) = what.parse() {
                began.insert(call, at);
            } else if what == ENDED {
                began.remove(call);
            }
        }
        began.into_values().collect()
    }
}

/// Formats a record. It begins with the line break, so that a truncated record spoils no other.
fn record(call: &str, what: &str) -> String {
    format!("\n{} {what}", hashed_name(&[call.as_bytes()]))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;
    use crate::store::testing::{self, FILES, Worker};

    fn in_directory(test: impl FnOnce(&OpenToolCalls)) {
        let home = tempfile::tempdir().unwrap();
        test(&OpenToolCalls::new(home.path().join("new/agent.open"), FILES));
    }

    /// Calls that run beside each other begin and end one by one, whatever they are called.
    #[test]
    fn calls_end_one_by_one() {
        in_directory(|calls| {
            let at = Timestamp::from_millis;
            let open = || {
                let mut began = calls.open();
                began.sort();
                began
            };
            calls.end("b").unwrap();
            assert!(open().is_empty() && !calls.file.exists());
            for (call, began) in [("../a\n", 1), ("b", 2), ("", 3)] {
                calls.begin(call, at(began)).unwrap();
            }
            calls.end("b").unwrap();
            assert_eq!(open(), [at(1), at(3)]);
            calls.begin("", at(4)).unwrap();
            assert_eq!(open(), [at(1), at(4)], "the last beginning counts");
            calls.begin("b", at(5)).unwrap();
            assert_eq!(open(), [at(1), at(4), at(5)], "what has ended can begin again");
            calls.end_all().unwrap();
            assert!(open().is_empty());
        });
    }

    #[test]
    fn a_record_that_was_cut_short_spoils_no_other() {
        in_directory(|calls| {
            let at = Timestamp::from_millis(1);
            calls.begin("a", at).unwrap();
            let whole = fs::read(&calls.file).unwrap();
            for length in 0..whole.len() {
                fs::write(&calls.file, &whole[..length]).unwrap();
                assert!(calls.open().is_empty(), "{length}");
                calls.begin("b", at).unwrap();
                assert_eq!(calls.open(), [at], "{length}");
            }
        });
    }

    #[test]
    fn a_file_does_not_grow_for_ever() {
        in_directory(|calls| {
            let [early, late] = [1, 2].map(Timestamp::from_millis);
            calls.begin("a", early).unwrap();
            let filling = "\nx ended".repeat(usize::try_from(BYTES_MAX).unwrap() / 8);
            FILES.append(&calls.file, filling.as_bytes()).unwrap();
            assert_eq!(calls.open(), [early]);
            calls.begin("b", late).unwrap();
            assert_eq!(calls.open(), [late]);
            assert!(fs::metadata(&calls.file).unwrap().len() < 100);
        });
    }

    /// Nothing but a regular file is opened or written to, so that nobody has to wait.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_replaced() {
        in_directory(|calls| {
            let at = Timestamp::from_millis(1);
            calls.begin("a", at).unwrap();
            let outside = calls.file.with_extension("outside");
            fs::write(&outside, "theirs").unwrap();
            let pipe = || Command::new("mkfifo").arg(&calls.file).status().unwrap().success();
            let link = || std::os::unix::fs::symlink(&outside, &calls.file).is_ok();
            for lay in [&pipe as &dyn Fn() -> bool, &link] {
                calls.end_all().unwrap();
                assert!(lay());
                calls.end("a").unwrap();
                assert!(calls.open().is_empty());
                calls.begin("a", at).unwrap();
                assert_eq!(calls.open(), [at]);
                assert_eq!(fs::read(&outside).unwrap(), b"theirs");
            }
        });
    }

    const CALLS: usize = 50;

    #[test]
    fn no_record_is_lost_among_processes() {
        let at = Timestamp::from_millis(1);
        if let Some(home) = testing::worker_home() {
            let calls = OpenToolCalls::new(home.join("agent.open"), FILES);
            for number in 0..CALLS {
                let call = |which: &str| format!("{} {number} {which}", std::process::id());
                calls.begin(&call("open"), at).unwrap();
                calls.begin(&call("ended"), at).unwrap();
                calls.end(&call("ended")).unwrap();
            }
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let test = "machine::open_tool_calls::tests::no_record_is_lost_among_processes";
        let workers: Vec<Worker> = (0..4).map(|_| Worker::start(test, home.path())).collect();
        workers.into_iter().for_each(Worker::finish);
        let calls = OpenToolCalls::new(home.path().join("agent.open"), FILES);
        assert_eq!(calls.open().len(), 4 * CALLS);
    }
}

//! The tool calls of an agent that are open on this machine.
//!
//! A record of each beginning and of each end, one after the other in one file: several begin and
//! end at once, and none of them may undo what another has noted. Every edit waits for one record;
//! a file of its own for each call would take longer than all else that is done about most edits.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::files::Files;
use crate::store::layout::hashed_name;

/// Some ten thousand calls in one turn. Who makes more is not known to be busy with the earlier.
const BYTES_MAX: u64 = 1 << 20;
/// What stands in the place of a time in the record of an end.
const ENDED: &str = "ended";

/// The tool calls of one agent.
#[derive(Clone, Debug)]
pub struct Calls {
    file: PathBuf,
    files: Files,
}

impl Calls {
    /// Those that are noted in that file.
    pub fn new(file: PathBuf, files: Files) -> Calls {
        Calls { file, files }
    }

    /// Notes that a call has begun, by whatever it is called.
    pub fn begin(&self, call: &str, at: Timestamp) -> Result<(), StoreError> {
        if self.files.stamp(&self.file)?.is_some_and(|stamp| stamp.length > BYTES_MAX) {
            self.end_all()?;
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

    /// Notes that it has ended.
    pub fn end(&self, call: &str) -> Result<(), StoreError> {
        // Where no call is noted to have begun, none ends.
        self.files.append_existing(&self.file, record(call, ENDED).as_bytes())?;
        Ok(())
    }

    /// Notes that none is open.
    pub fn end_all(&self) -> Result<(), StoreError> {
        self.files.remove(&self.file)?;
        Ok(())
    }

    /// When those began that have not ended, as far as that can be read.
    pub fn open(&self) -> Vec<Timestamp> {
        // One that is too long begins anew with the next call, and is read until then.
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

/// Begins with the line break: a record that was cut short spoils no other.
fn record(call: &str, what: &str) -> String {
    format!("\n{} {what}", hashed_name(&[call.as_bytes()]))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::testing::FILES;

    fn in_directory(test: impl FnOnce(&Calls)) {
        let home = tempfile::tempdir().unwrap();
        test(&Calls::new(home.path().join("new/agent.open"), FILES));
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
}

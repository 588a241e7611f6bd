//! The tool calls of an agent that are open on this machine.
//!
//! One file holds a record of each start and of each end, in order: several calls start and end at
//! once, and none of them may undo the record of another. Every edit waits for one record; a
//! separate file for each call would take longer than everything else that is done for most edits.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::core::limits::CALL_SECONDS_MAX;
use crate::core::ownership::tool_call::CallKind;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::layout::hashed_name;
use crate::store::os::files::{EntryType, Files};

/// The maximum size of a file: some ten thousand calls in one turn. If an agent makes more, the
/// earlier ones no longer show that it is busy.
const BYTES_MAX: u64 = 1 << 20;
/// Replaces the time in the record of an end.
const ENDED: &str = "ended";

/// An open tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall {
    pub began: Timestamp,
    pub kind: CallKind,
    /// The time by the clock that files are stamped with; only of shell commands.
    pub started: Option<SystemTime>,
}

impl OpenCall {
    /// Tells whether this is a shell command that may still run. Of a longer one nobody knows
    /// whether it has ended.
    pub fn is_running_command(&self) -> bool {
        let age = self.started.and_then(|started| SystemTime::now().duration_since(started).ok());
        self.kind != CallKind::Other
            && age.is_none_or(|age| age < Duration::from_secs(CALL_SECONDS_MAX))
    }
}

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
    pub fn begin(&self, call: &str, at: Timestamp, kind: CallKind) -> Result<(), StoreError> {
        match self.files.entry_type(&self.file)? {
            None => {}
            Some(EntryType::File) if !self.is_too_long()? => {}
            Some(_) => self.end_all()?,
        }
        let record = record(call, &beginning(at, kind));
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
        self.calls().into_iter().map(|call| call.began).collect()
    }

    /// Returns the open calls, as far as they are readable.
    pub fn calls(&self) -> Vec<OpenCall> {
        self.read(|_| true)
    }

    /// Returns an open call by its name.
    pub fn call(&self, call: &str) -> Option<OpenCall> {
        let wanted = hashed_name(&[call.as_bytes()]);
        self.read(|name| name == wanted).pop()
    }

    fn read(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<OpenCall> {
        if !self.is_there().unwrap_or(false) {
            return Vec::new();
        }
        // A file that is too long is started over by the next call, and is read until then.
        let content = self.files.read(&self.file, 2 * BYTES_MAX).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&content);
        let mut open: BTreeMap<&str, OpenCall> = BTreeMap::new();
        for (call, what) in text.lines().filter_map(|record| record.split_once(' ')) {
            if let Some(begun) = parsed(what) {
                open.insert(call, begun);
            } else if what == ENDED {
                open.remove(call);
            }
        }
        open.retain(|call, _| is_wanted(call));
        open.into_values().collect()
    }
}

/// Describes the start of a call: its time and, of a shell command, its kind and the milliseconds
/// since 1970.
fn beginning(at: Timestamp, kind: CallKind) -> String {
    let Some(word) = kind.word() else { return at.to_string() };
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{at} {word} {}", since_1970.as_millis())
}

fn parsed(what: &str) -> Option<OpenCall> {
    let (began, rest) = what.split_once(' ').unwrap_or((what, ""));
    let began = began.parse().ok()?;
    let (word, millis) = rest.split_once(' ').unwrap_or((rest, ""));
    let since_1970 = millis.parse().ok().map(Duration::from_millis);
    let started = since_1970.and_then(|time| SystemTime::UNIX_EPOCH.checked_add(time));
    Some(OpenCall { began, kind: CallKind::of(word), started })
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
                calls.begin(call, at(began), CallKind::Other).unwrap();
            }
            calls.end("b").unwrap();
            assert_eq!(open(), [at(1), at(3)]);
            calls.begin("", at(4), CallKind::Other).unwrap();
            assert_eq!(open(), [at(1), at(4)], "the last beginning counts");
            calls.begin("b", at(5), CallKind::Other).unwrap();
            assert_eq!(open(), [at(1), at(4), at(5)], "what has ended can begin again");
            calls.end_all().unwrap();
            assert!(open().is_empty());
        });
    }

    #[test]
    fn a_record_that_was_cut_short_spoils_no_other() {
        in_directory(|calls| {
            let at = Timestamp::from_millis(1);
            calls.begin("a", at, CallKind::Other).unwrap();
            let whole = fs::read(&calls.file).unwrap();
            for length in 0..whole.len() {
                fs::write(&calls.file, &whole[..length]).unwrap();
                assert!(calls.open().is_empty(), "{length}");
                calls.begin("b", at, CallKind::Other).unwrap();
                assert_eq!(calls.open(), [at], "{length}");
            }
        });
    }

    #[test]
    fn a_file_does_not_grow_for_ever() {
        in_directory(|calls| {
            let [early, late] = [1, 2].map(Timestamp::from_millis);
            calls.begin("a", early, CallKind::Other).unwrap();
            let filling = "\nx ended".repeat(usize::try_from(BYTES_MAX).unwrap() / 8);
            FILES.append(&calls.file, filling.as_bytes()).unwrap();
            assert_eq!(calls.open(), [early]);
            calls.begin("b", late, CallKind::Other).unwrap();
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
            calls.begin("a", at, CallKind::Other).unwrap();
            let outside = calls.file.with_extension("outside");
            fs::write(&outside, "theirs").unwrap();
            let pipe = || Command::new("mkfifo").arg(&calls.file).status().unwrap().success();
            let link = || std::os::unix::fs::symlink(&outside, &calls.file).is_ok();
            for lay in [&pipe as &dyn Fn() -> bool, &link] {
                calls.end_all().unwrap();
                assert!(lay());
                calls.end("a").unwrap();
                assert!(calls.open().is_empty());
                calls.begin("a", at, CallKind::Other).unwrap();
                assert_eq!(calls.open(), [at]);
                assert_eq!(fs::read(&outside).unwrap(), b"theirs");
            }
        });
    }

    /// What is cut short is no beginning of another kind, and versions that know no kinds pass over
    /// it.
    #[test]
    fn shell_commands_are_told_apart() {
        in_directory(|calls| {
            let at = Timestamp::from_millis(1);
            let before = SystemTime::now() - Duration::from_millis(1);
            for (call, kind) in
                [("a", CallKind::Other), ("b", CallKind::Shell), ("c", CallKind::Git)]
            {
                calls.begin(call, at, kind).unwrap();
                let found = calls.call(call).unwrap();
                assert_eq!((found.kind, found.began), (kind, at));
                let is_known = found.started.is_some_and(|started| started >= before);
                assert_eq!(is_known, kind != CallKind::Other);
            }
            assert_eq!((calls.calls().len(), calls.call("d")), (3, None));
            calls.end("b").unwrap();
            assert_eq!(calls.call("b"), None);
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
                calls.begin(&call("open"), at, CallKind::Other).unwrap();
                calls.begin(&call("ended"), at, CallKind::Other).unwrap();
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

//! Whether git is at its own upkeep, and has listed packs that it will look for again.
//!
//! `git repack`, which `git gc` and `git maintenance` start, lists the packs at its beginning and
//! fails when one of them is gone at its end. `gc` and `maintenance` say that they are at it by a
//! file. `repack` and `multi-pack-index` do not: they take a lock only when they write, long after
//! they have listed, and give up when somebody else has it, so taking it would make them fail.
//! They are looked for among the processes of this machine, where the system shows those.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::upkeep::is_older;
use super::{Packs, git_processes};
use crate::store::os::files::FileError;
use crate::store::os::process::{Liveness, ProcessIdentity};

/// As long as git itself respects another's `gc.pid`.
const GC_AGE_MAX: Duration = Duration::from_secs(12 * 60 * 60);
/// What is being written is written to more often than this.
const WRITTEN_AGE_MAX: Duration = Duration::from_secs(10 * 60);
/// A process id and the name of a host.
const PID_FILE_LENGTH_MAX: u64 = 1024;
/// How git begins the names of packs that it is writing.
const UNFINISHED: [&str; 2] = ["tmp_", ".tmp-"];

impl Packs {
    /// Whether git is at its upkeep here, at that time of the disk, as far as can be told.
    pub(super) fn is_git_at_upkeep(&self, now: SystemTime) -> Result<bool, FileError> {
        Ok(self.has_signs_of_upkeep(now)? || git_processes::any_at_upkeep(&self.common))
    }

    /// Whether there is a file that says so.
    pub(super) fn has_signs_of_upkeep(&self, now: SystemTime) -> Result<bool, FileError> {
        let is_recent = |path: &Path, limit| {
            let stamp = self.files.stamp(path)?;
            Ok(stamp.is_some_and(|stamp| !is_older(stamp.modified, limit, now)))
        };
        let pid_file = self.common.join("gc.pid");
        if is_recent(&pid_file, GC_AGE_MAX)? {
            let content = self.files.read_start(&pid_file, PID_FILE_LENGTH_MAX).unwrap_or(None);
            if content.is_none_or(|content| may_run(&content)) {
                return Ok(true);
            }
        }
        let objects = self.directory.parent().unwrap_or(&self.directory);
        if is_recent(&objects.join("maintenance.lock"), GC_AGE_MAX)? {
            return Ok(true);
        }
        for name in self.files.list(&self.directory)? {
            let text = name.to_string_lossy();
            let is_unfinished = UNFINISHED.iter().any(|start| text.starts_with(start))
                || text == "multi-pack-index.lock";
            if is_unfinished && is_recent(&self.directory.join(&name), WRITTEN_AGE_MAX)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether the `git gc` that left this `gc.pid` may still run. Git asks the same of it.
fn may_run(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    let mut words = text.split_whitespace();
    let pid = words.next().and_then(|pid| pid.parse().ok());
    let (Some(pid), Some(host)) = (pid, words.next()) else { return false };
    ProcessIdentity::known_by_id(pid, host).liveness() != Liveness::Dead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gc_counts_as_long_as_git_would_wait_for_it() {
        let here = ProcessIdentity::current().to_string();
        let host = here.rsplit_once("host=").unwrap().1;
        let me = std::process::id();
        for (content, expected) in [
            (format!("{me} {host}"), true),
            (format!("{} {host}", i32::MAX), false),
            (format!("{} elsewhere", i32::MAX), true),
            (format!("{me}"), false),
            (String::new(), false),
        ] {
            assert_eq!(may_run(content.as_bytes()), expected, "{content}");
        }
    }
}

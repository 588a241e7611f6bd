//! Detects whether git maintains the repository and has listed packs that it will open again.
//!
//! `git repack`, which `git gc` and `git maintenance` start, lists the packs when it starts and
//! fails if one of them is gone when it ends. `gc` and `maintenance` show that they run by a file.
//! `repack` and `multi-pack-index` do not: they take a lock only when they write, long after they
//! have listed the packs, and fail if another process has it, so taking that lock would make them
//! fail. They are searched among the processes of this machine, if the system shows those.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::maintenance::is_older;
use super::{Packs, git_processes};
use crate::store::os::files::FileError;
use crate::store::os::process::{Liveness, ProcessIdentity};

/// The age at which a `gc.pid` is ignored, as in git.
const GC_AGE_MAX: Duration = Duration::from_secs(12 * 60 * 60);
/// The age at which an unfinished file is ignored. A live writer modifies it more often.
const WRITTEN_AGE_MAX: Duration = Duration::from_secs(10 * 60);
/// The maximum length of `gc.pid`: a process id and a host name.
const PID_FILE_LENGTH_MAX: u64 = 1024;
/// The prefixes of packs that git is writing.
const UNFINISHED: [&str; 2] = ["tmp_", ".tmp-"];

impl Packs {
    /// Tells whether git seems to maintain the repository. `now` is the time by the disk's clock.
    pub(super) fn is_git_maintaining(&self, now: SystemTime) -> Result<bool, FileError> {
        Ok(self.has_maintenance_files(now)? || git_processes::any_maintaining(&self.common))
    }

    /// Tells whether a file shows that git maintains the repository.
    pub(super) fn has_maintenance_files(&self, now: SystemTime) -> Result<bool, FileError> {
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

/// Tells whether the `git gc` that wrote this `gc.pid` may still run. Git checks the same.
fn may_run(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    let mut words = text.split_whitespace();
    let pid = words.next().and_then(|pid| pid.parse().ok());
    let (Some(pid), Some(host)) = (pid, words.next()) else { return false };
    ProcessIdentity::from_pid(pid, host).liveness() != Liveness::Dead
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

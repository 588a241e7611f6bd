//! The processes of this machine that are a git at the upkeep of a repository.
//!
//! Only Linux shows them to everybody. Elsewhere none is seen, and the age of what is to be removed
//! has to do.

use std::path::Path;

/// Whether a git that can be seen relies on packs of the repository with this common directory,
/// which it has listed.
#[cfg(target_os = "linux")]
pub(super) fn any_at_upkeep(common: &Path) -> bool {
    linux::any_at_upkeep(common)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn any_at_upkeep(_: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::fs;
    use std::io;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};

    /// What git does that fails when a pack is gone.
    const VERBS: [&[u8]; 7] = [
        b"fsck",
        b"gc",
        b"maintenance",
        b"multi-pack-index",
        b"pack-objects",
        b"repack",
        b"verify-pack",
    ];
    /// A file that says where a work tree's repository is has one line.
    const LINK_LENGTH_MAX: u64 = 4096;

    pub(super) fn any_at_upkeep(common: &Path) -> bool {
        let Ok(entries) = fs::read_dir("/proc") else { return false };
        let common = fs::canonicalize(common).unwrap_or_else(|_| common.to_owned());
        entries.flatten().any(|entry| {
            let is_process = entry.file_name().as_bytes().iter().all(u8::is_ascii_digit);
            is_process && is_at_upkeep(&entry.path(), &common)
        })
    }

    fn is_at_upkeep(process: &Path, common: &Path) -> bool {
        // The name is short, and nearly always another one.
        let is_git = fs::read(process.join("comm")).is_ok_and(|name| name.starts_with(b"git"));
        if !is_git {
            return false;
        }
        let Ok(line) = fs::read(process.join("cmdline")) else { return false };
        is_upkeep(&line) && is_about(process, &line, common)
    }

    /// Whether this is the command line of a git that relies on the packs which it has listed.
    fn is_upkeep(command_line: &[u8]) -> bool {
        let mut words = command_line.split(|byte| *byte == 0);
        let program = words.next().unwrap_or_default();
        let program = program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        match program.strip_prefix(b"git-") {
            Some(verb) => VERBS.contains(&verb),
            // A message that is one of these words costs some delay.
            None => program == b"git" && words.any(|word| VERBS.contains(&word)),
        }
    }

    /// Whether a git is about that repository. What another user hides may be; what is not there
    /// any more was that of a process which has ended.
    fn is_about(process: &Path, command_line: &[u8], common: &Path) -> bool {
        let is_hidden = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        let directory = match fs::read_link(process.join("cwd")) {
            Ok(directory) => directory,
            Err(error) => return is_hidden(error),
        };
        let variables = match fs::read(process.join("environ")) {
            Ok(variables) => variables,
            Err(error) => return is_hidden(error),
        };
        let git_dir = value(&variables, b"GIT_DIR=").or(value(command_line, b"--git-dir="));
        let found = match git_dir {
            Some(named) => Some(directory.join(named)),
            None => directory.ancestors().find_map(git_dir_at),
        };
        let found = found.and_then(|found| fs::canonicalize(found).ok());
        found.is_none_or(|found| found.starts_with(common))
    }

    /// What stands behind that beginning in words that are each ended by a zero byte.
    fn value<'w>(words: &'w [u8], beginning: &[u8]) -> Option<&'w OsStr> {
        let mut words = words.split(|byte| *byte == 0);
        words.find_map(|word| word.strip_prefix(beginning)).map(OsStr::from_bytes)
    }

    /// The git directory of a work tree, or the directory itself if it is one.
    fn git_dir_at(directory: &Path) -> Option<PathBuf> {
        let inner = directory.join(".git");
        match fs::metadata(&inner) {
            Ok(metadata) if metadata.is_file() && metadata.len() <= LINK_LENGTH_MAX => {
                let link = fs::read_to_string(&inner).ok()?;
                Some(directory.join(link.strip_prefix("gitdir:")?.trim()))
            }
            Ok(_) => Some(inner),
            Err(_) => directory.join("objects").is_dir().then(|| directory.to_owned()),
        }
    }

    #[cfg(test)]
    mod tests {
        use std::process::Stdio;

        use super::*;
        use crate::store::git::object::HashKind;
        use crate::store::testing::{Repo, eventually};

        #[test]
        fn upkeep_is_told_by_the_command_line() {
            for (words, expected) in [
                (&["git", "repack", "-d"][..], true),
                (&["/usr/lib/git-core/git", "pack-objects", "--cruft"], true),
                (&["git", "-C", "/repo", "multi-pack-index", "write"], true),
                (&["git-repack"], true),
                (&["git", "status"], false),
                (&["git-coord", "reserve", "gc"], false),
                (&["vim", "gc"], false),
                (&[], false),
            ] {
                assert_eq!(is_upkeep(words.join("\0").as_bytes()), expected, "{words:?}");
            }
        }

        #[test]
        fn a_git_at_upkeep_is_seen_from_its_own_repository_only() {
            let (repo, other) = (Repo::new(HashKind::Sha1), Repo::new(HashKind::Sha1));
            let mut waiting = repo.command();
            waiting.args(["pack-objects", "out"]).stdin(Stdio::piped()).stdout(Stdio::null());
            let mut child = waiting.spawn().unwrap();
            eventually("a git at work", || any_at_upkeep(repo.path()).then_some(()));
            assert!(!any_at_upkeep(other.path()));
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(!any_at_upkeep(repo.path()));
        }
    }
}

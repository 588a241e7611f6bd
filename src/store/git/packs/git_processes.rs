//! Finds git processes of this machine that maintain a repository.
//!
//! Only Linux shows the processes of all users. On other systems none is found, and the age of the
//! files that are to be removed has to do.

use std::path::Path;

/// Tells whether a visible git process relies on packs of this repository that it has listed.
#[cfg(target_os = "linux")]
pub(super) fn any_maintaining(common: &Path) -> bool {
    linux::any_maintaining(common)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn any_maintaining(_: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::fs;
    use std::io;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};

    /// The subcommands of git that fail if a pack disappears.
    const VERBS: [&[u8]; 7] = [
        b"fsck",
        b"gc",
        b"maintenance",
        b"multi-pack-index",
        b"pack-objects",
        b"repack",
        b"verify-pack",
    ];
    /// The maximum length of a `.git` file, which has one line.
    const LINK_LENGTH_MAX: u64 = 4096;

    pub(super) fn any_maintaining(common: &Path) -> bool {
        let Ok(entries) = fs::read_dir("/proc") else { return false };
        let common = fs::canonicalize(common).unwrap_or_else(|_| common.to_owned());
        entries.flatten().any(|entry| {
            let is_process = entry.file_name().as_bytes().iter().all(u8::is_ascii_digit);
            is_process && is_maintaining(&entry.path(), &common)
        })
    }

    fn is_maintaining(process: &Path, common: &Path) -> bool {
        // The name is short to read, and nearly always of another program.
        let is_git = fs::read(process.join("comm")).is_ok_and(|name| name.starts_with(b"git"));
        if !is_git {
            return false;
        }
        let Ok(line) = fs::read(process.join("cmdline")) else { return false };
        is_maintenance(&line) && is_about(process, &line, common)
    }

    /// Tells whether this is the command line of a git that relies on the packs it has listed.
    fn is_maintenance(command_line: &[u8]) -> bool {
        let mut words = command_line.split(|byte| *byte == 0);
        let program = words.next().unwrap_or_default();
        let program = program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        match program.strip_prefix(b"git-") {
            Some(verb) => VERBS.contains(&verb),
            // A commit message that is one of these words only costs some delay.
            None => program == b"git" && words.any(|word| VERBS.contains(&word)),
        }
    }

    /// Tells whether a git process works in this repository. A process that another user hides may;
    /// a process that has disappeared does not.
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

    /// Finds the value after a prefix in a list of words that are terminated by zero bytes.
    fn value<'w>(words: &'w [u8], beginning: &[u8]) -> Option<&'w OsStr> {
        let mut words = words.split(|byte| *byte == 0);
        words.find_map(|word| word.strip_prefix(beginning)).map(OsStr::from_bytes)
    }

    /// Finds the git directory of a work tree. Returns the directory itself if it is a git
    /// directory.
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
        fn maintenance_is_told_by_the_command_line() {
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
                assert_eq!(is_maintenance(words.join("\0").as_bytes()), expected, "{words:?}");
            }
        }

        #[test]
        fn a_maintaining_git_is_seen_from_its_own_repository_only() {
            let (repo, other) = (Repo::new(HashKind::Sha1), Repo::new(HashKind::Sha1));
            let mut waiting = repo.command();
            waiting.args(["pack-objects", "out"]).stdin(Stdio::piped()).stdout(Stdio::null());
            let mut child = waiting.spawn().unwrap();
            eventually("a git at work", || any_maintaining(repo.path()).then_some(()));
            assert!(!any_maintaining(other.path()));
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(!any_maintaining(repo.path()));
        }
    }
}

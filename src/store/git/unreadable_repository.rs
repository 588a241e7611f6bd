//! A repository that cannot be opened: its configuration is malformed, it belongs to another user,
//! or no git here supports it.
//!
//! Nothing of it is trusted or run. The only question is whether agents coordinate here, so that a
//! hook which cannot answer is not mistaken for one that has no objection.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use crate::core::environment::Environment;
use crate::store::git::config_env::normal_key;
use crate::store::git::found::looks_bare;
use crate::store::layout::{NAMESPACE, helpers};
use crate::store::os::files::Files;
use crate::store::os::shared_mode::SharedMode;

/// Directories below the common directory with single files that git reads at some time.
const PLAIN_DIRECTORIES: [&str; 3] = ["info", "objects/info", "objects/pack"];
/// Directories with many files, in subdirectories.
const DEEP_DIRECTORIES: [&str; 3] = ["objects", "refs", "reftable"];
/// The maximum size of a file that is read. A configuration is smaller.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// A repository that exists and cannot be opened.
#[derive(Clone, Debug)]
pub struct UnreadableRepository {
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl UnreadableRepository {
    /// Finds the repository that the directory belongs to, or that the caller has named.
    pub fn find(environment: &Environment) -> Option<UnreadableRepository> {
        let git_dir = match environment.path("GIT_DIR") {
            Some(path) => path,
            None => environment.directory()?.ancestors().find_map(git_dir_in)?,
        };
        Some(UnreadableRepository::at(git_dir))
    }

    fn at(git_dir: PathBuf) -> UnreadableRepository {
        UnreadableRepository { common_dir: common_dir_of(&git_dir), git_dir }
    }

    /// Tells whether anybody has ever coordinated here.
    pub fn is_in_use(&self) -> bool {
        let refs = self.common_dir.join(NAMESPACE.trim_end_matches('/'));
        helpers(&self.common_dir).is_dir() || refs.is_dir()
    }

    /// Reads the configuration line by line, regardless of malformed lines.
    pub fn settings(&self) -> BTreeMap<String, String> {
        text_of(&self.common_dir.join("config")).map(|text| settings_in(&text)).unwrap_or_default()
    }

    /// Finds a file of git's that is a named pipe: opening it blocks until somebody writes to it.
    /// This is only called after a command was blocked, so that all others need not look.
    pub fn pipe_in_the_way(&self) -> Option<PathBuf> {
        let shared = PLAIN_DIRECTORIES.iter().map(|name| self.common_dir.join(name));
        let own = [self.git_dir.clone(), self.common_dir.clone()];
        let plain = own.into_iter().chain(shared).flat_map(|directory| pipes_in(&directory)).next();
        plain.or_else(|| {
            let mut pipes = Vec::new();
            pipes_below(&self.common_dir.join("refs"), &mut pipes);
            pipes.into_iter().next()
        })
    }

    /// Returns `HEAD`, which makes a directory a repository, if it is a pipe.
    pub fn pipe_for_head(&self) -> Option<PathBuf> {
        Some(self.git_dir.join("HEAD")).filter(|head| is_pipe(head))
    }

    /// Lists all named pipes among git's files. Our own pipes are not among them.
    pub fn pipes(&self) -> Vec<PathBuf> {
        let mut pipes = pipes_in(&self.git_dir);
        pipes.extend(pipes_in(&self.common_dir));
        pipes.extend(pipes_in(&self.common_dir.join("info")));
        for name in DEEP_DIRECTORIES {
            pipes_below(&self.common_dir.join(name), &mut pipes);
        }
        pipes.sort();
        pipes.dedup();
        pipes
    }
}

fn is_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.file_type().is_fifo())
}

/// Lists the pipes in a directory. A link to a pipe counts.
fn pipes_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_one = |entry: &fs::DirEntry| {
        let kind = entry.file_type();
        kind.is_ok_and(|kind| kind.is_fifo() || kind.is_symlink() && is_pipe(&entry.path()))
    };
    entries.filter(is_one).map(|entry| entry.path()).collect()
}

/// Lists the pipes in a directory and its subdirectories.
fn pipes_below(directory: &Path, pipes: &mut Vec<PathBuf>) {
    pipes.extend(pipes_in(directory));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            pipes_below(&entry.path(), pipes);
        }
    }
}

/// Reads a file; `None` if it is not a regular file, which could block.
fn text_of(path: &Path) -> Option<String> {
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let text = files.read(path, FILE_BYTES_MAX).ok().flatten()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Finds the git directory of the work tree with this top. Returns the directory itself if it is
/// bare.
fn git_dir_in(directory: &Path) -> Option<PathBuf> {
    let inside = directory.join(".git");
    if let Some(text) = text_of(&inside) {
        let target = text.strip_prefix("gitdir:")?.trim();
        return Some(directory.join(target));
    }
    if inside.is_dir() {
        return Some(inside);
    }
    looks_bare(directory).then(|| directory.to_owned())
}

fn common_dir_of(git_dir: &Path) -> PathBuf {
    let common = text_of(&git_dir.join("commondir"));
    common.map_or_else(|| git_dir.to_owned(), |path| git_dir.join(path.trim_end()))
}

/// Parses keys with plain values, as `git config` writes them: a heading, and one key on each line.
fn settings_in(text: &str) -> BTreeMap<String, String> {
    let mut section = None;
    let mut values = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = heading(line);
        } else if let Some(section) = &section
            && !line.is_empty()
            && !line.starts_with(['#', ';'])
        {
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            if let Ok(key) = normal_key(&format!("{section}.{}", key.trim())) {
                values.insert(key, value.trim().trim_matches('"').to_owned());
            }
        }
    }
    values
}

/// Parses `[section]` or `[section "subsection"]` to the spelling of keys.
fn heading(line: &str) -> Option<String> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    Some(match inside.split_once(' ') {
        Some((section, sub)) => format!("{section}.{}", sub.trim().trim_matches('"')),
        None => inside.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_one_line_leaves_the_others_readable() {
        let text = "[core]\n\tbare = false\n[coord]\n\tenabled = true\n# [coord]\n\
                    [coord \"hook\"]\n\tfailClosed\n[broken\nttl = 1h\n[coord]\n\tttl = \"2h\"\n";
        let values = settings_in(text);
        let get = |key: &str| values.get(key).map(String::as_str);
        assert_eq!(get("coord.enabled"), Some("true"));
        assert_eq!(get("coord.hook.failclosed"), Some("true"));
        assert_eq!(get("coord.ttl"), Some("2h"));
        assert_eq!(values.len(), 4, "what stands below a broken heading is nobody's: {values:?}");
    }

    #[test]
    fn a_linked_worktree_leads_to_what_all_share() {
        let home = tempfile::tempdir().unwrap();
        let main = home.path().join("main/.git");
        let linked = home.path().join("linked");
        fs::create_dir_all(main.join("worktrees/linked")).unwrap();
        fs::create_dir_all(linked.join("deep")).unwrap();
        fs::write(main.join("worktrees/linked/commondir"), "../..\n").unwrap();
        let own = main.join("worktrees/linked");
        fs::write(linked.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        let git_dir = linked.join("deep").ancestors().find_map(git_dir_in).unwrap();
        let unreadable = UnreadableRepository::at(git_dir);
        assert!(!unreadable.is_in_use());
        fs::create_dir_all(main.join("refs/coord")).unwrap();
        assert!(unreadable.is_in_use());
    }
}

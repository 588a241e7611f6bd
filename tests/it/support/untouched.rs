//! The proof that a command left everything of the user's alone (0/DATA-01, 0/DATA-01-leak): index,
//! work tree, HEAD, refs outside `refs/coord`, reflogs, configuration and hooks, byte by byte, in
//! every repository and every other directory of the test's world.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What may change inside a git directory; everything else there is the user's.
const OURS_IN_GIT_DIR: [&str; 5] =
    ["objects", "coord", "refs/coord", "logs/refs/coord", "refs/coord-remote"];
/// Scratch files of running programs.
const SCRATCH: &str = "tmp";

/// Everything of the user's, as it was at one moment.
#[derive(PartialEq, Eq)]
pub(crate) struct Untouched {
    world: PathBuf,
    files: BTreeMap<PathBuf, File>,
}

/// Times are left out: reading may change them.
#[derive(PartialEq, Eq)]
struct File {
    mode: u32,
    content: Vec<u8>,
}

impl Untouched {
    /// Reads everything below `world`.
    pub(crate) fn of(world: &Path) -> Untouched {
        let mut seen = Untouched { world: world.to_path_buf(), files: BTreeMap::new() };
        seen.read_directory(world);
        seen
    }

    /// Fails, naming each path, if anything is now different.
    #[track_caller]
    pub(crate) fn assert_still_so(&self, after: &str) {
        let now = Untouched::of(&self.world);
        let all = self.files.keys().chain(now.files.keys());
        let mut changed: Vec<&PathBuf> =
            all.filter(|path| self.files.get(*path) != now.files.get(*path)).collect();
        changed.dedup();
        assert!(changed.is_empty(), "{after} touched what is not its own: {changed:?}");
    }

    fn read_directory(&mut self, directory: &Path) {
        let is_git_dir = directory.join("HEAD").is_file() && directory.join("objects").is_dir();
        for entry in fs::read_dir(directory).expect("the test's own directory is readable") {
            let path = entry.expect("an entry of the test's own directory is readable").path();
            let within_git_dir = is_git_dir.then_some(directory);
            self.read(&path, within_git_dir);
        }
    }

    fn read(&mut self, path: &Path, git_dir: Option<&Path>) {
        let ours = git_dir.into_iter().flat_map(|dir| OURS_IN_GIT_DIR.map(|name| dir.join(name)));
        if ours.into_iter().any(|ours| ours == path) || path == self.world.join(SCRATCH) {
            return;
        }
        let meta = fs::symlink_metadata(path).expect("a file of the test's own is there");
        if !meta.is_dir() {
            let file = File { mode: meta.permissions().mode(), content: content(path, &meta) };
            self.files.insert(path.to_path_buf(), file);
        } else if let Some(git_dir) = git_dir {
            let inside = fs::read_dir(path).expect("the test's own directory is readable");
            for entry in inside {
                let entry = entry.expect("an entry of the test's own directory is readable");
                self.read(&entry.path(), Some(git_dir));
            }
        } else {
            self.read_directory(path);
        }
    }
}

fn content(path: &Path, meta: &fs::Metadata) -> Vec<u8> {
    if meta.is_symlink() {
        let target = fs::read_link(path).expect("a link of the test's own is readable");
        return target.as_os_str().as_bytes().to_vec();
    }
    let bytes = fs::read(path).expect("a file of the test's own is readable");
    if path.ends_with("packed-refs") { without_our_refs(&bytes) } else { bytes }
}

fn without_our_refs(packed: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(packed);
    let others = text.lines().filter(|line| !line.contains(" refs/coord"));
    others.collect::<Vec<_>>().join("\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use crate::support::Repo;

    use super::Untouched;

    #[test]
    #[should_panic(expected = "touched what is not its own")]
    fn a_staged_file_is_noticed() {
        let repo = Repo::new();
        let before = Untouched::of(repo.world());
        repo.git(["add", "notes.txt"]);
        before.assert_still_so("a leak into the index");
    }

    #[test]
    #[should_panic(expected = "touched what is not its own")]
    fn a_moved_branch_is_noticed() {
        let repo = Repo::new();
        let before = Untouched::of(repo.world());
        repo.git(["branch", "another"]);
        before.assert_still_so("a new branch");
    }

    #[test]
    fn our_own_refs_are_ours() {
        let repo = Repo::new();
        let before = Untouched::of(repo.world());
        repo.git(["update-ref", "refs/coord/anything", "HEAD"]);
        before.assert_still_so("an entry");
    }
}

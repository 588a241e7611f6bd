//! Checks that a command left everything of the user's alone (0/DATA-01, 0/DATA-01-leak): index,
//! work tree, HEAD, refs outside `refs/coord`, reflogs, configuration and hooks, byte by byte, in
//! every repository and every other directory of the test's world.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::contract::LOCAL_DIR;
use super::env::make_hermetic;

/// The directories that may change inside a git directory. Everything else there is the user's.
const OURS: [&str; 2] = ["objects", "coord"];
/// Further directories that may change if refs are files. With another storage such a file would be
/// a ref that git never sees.
const OURS_IN_FILES: [&str; 3] = ["refs/coord", "logs/refs/coord", "refs/coord-remote"];
/// The directory of reftables, each of which holds refs of the user's and of ours.
const TABLES: &str = "reftable";
/// The directory with scratch files of running programs.
const SCRATCH: &str = "tmp";

/// Everything of the user's at one moment.
#[derive(PartialEq, Eq)]
pub(crate) struct Untouched {
    world: PathBuf,
    files: BTreeMap<PathBuf, File>,
}

/// A file without its times, which reading may change.
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
        let changed = self.changed();
        assert!(changed.is_empty(), "{after} touched what is not its own: {changed:?}");
    }

    /// Lists every path below the world that is now different.
    pub(crate) fn changed(&self) -> BTreeSet<PathBuf> {
        let now = Untouched::of(&self.world);
        let all = self.files.keys().chain(now.files.keys());
        let changed = all.filter(|path| self.files.get(*path) != now.files.get(*path));
        let below = |path: &PathBuf| path.strip_prefix(&self.world).map(Path::to_path_buf);
        changed.map(|path| below(path).expect("it was found below the world")).collect()
    }

    fn read_directory(&mut self, directory: &Path) {
        let is_git_dir = is_git_dir(directory);
        if is_git_dir && directory.join(TABLES).is_dir() {
            let content = refs_in_tables(&self.world, directory);
            self.files.insert(directory.join(TABLES), File { mode: 0, content });
        }
        for entry in fs::read_dir(directory).expect("the test's own directory is readable") {
            let path = entry.expect("an entry of the test's own directory is readable").path();
            let within_git_dir = is_git_dir.then_some(directory);
            self.read(&path, within_git_dir);
        }
    }

    fn read(&mut self, path: &Path, git_dir: Option<&Path>) {
        let is_ours = git_dir.is_some_and(|git_dir| {
            ours(git_dir).any(|ours| ours == path) || is_of_linked_worktree(git_dir, path)
        });
        if is_ours || path == self.world.join(SCRATCH) {
            return;
        }
        let meta = fs::symlink_metadata(path).expect("a file of the test's own is there");
        if !meta.is_dir() {
            let file = File { mode: meta.permissions().mode(), content: content(path, &meta) };
            self.files.insert(path.to_path_buf(), file);
        } else if let Some(git_dir) = git_dir.filter(|_| !is_git_dir(path)) {
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

fn is_git_dir(directory: &Path) -> bool {
    directory.join("HEAD").is_file() && directory.join("objects").is_dir()
}

/// Lists the directories that may change in this git directory.
fn ours(git_dir: &Path) -> impl Iterator<Item = PathBuf> {
    let in_tables = git_dir.join(TABLES).is_dir();
    let refs: &[&str] = if in_tables { &[TABLES] } else { &OURS_IN_FILES };
    OURS.iter().chain(refs).map(|name| git_dir.join(name))
}

/// Tells whether this is our own directory in the private git directory of a linked worktree.
fn is_of_linked_worktree(git_dir: &Path, path: &Path) -> bool {
    let private = path.parent().and_then(Path::parent);
    private == Some(&git_dir.join("worktrees")) && path.ends_with(LOCAL_DIR)
}

/// Reads the user's refs and reflogs if they share their files with ours.
fn refs_in_tables(world: &Path, git_dir: &Path) -> Vec<u8> {
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        make_hermetic(&mut command, world);
        let output = command.arg("--git-dir").arg(git_dir).args(args).output();
        let output = output.expect("git can be started");
        // If a test broke something, git's error message has to stay the same.
        let printed = [output.stdout, output.stderr].concat();
        String::from_utf8(printed).expect("the test's own refs are UTF-8")
    };
    let format = "--format=%(refname) %(objectname) %(symref)";
    let refs = git(&["for-each-ref", "--include-root-refs", format]);
    let logs = git(&["log", "--walk-reflogs", "--all", "--format=%gD %H %gn %ge %gs"]);
    let lines = refs.lines().chain(logs.lines());
    let others = lines.filter(|line| !line.starts_with("refs/coord"));
    others.collect::<Vec<_>>().join("\n").into_bytes()
}

fn content(path: &Path, meta: &fs::Metadata) -> Vec<u8> {
    if meta.is_symlink() {
        let target = fs::read_link(path).expect("a link of the test's own is readable");
        return target.as_os_str().as_bytes().to_vec();
    }
    let bytes = fs::read(path).expect("a file of the test's own is readable");
    let lists_refs = path.ends_with("packed-refs") || path.ends_with("info/refs");
    if lists_refs { without_our_refs(&bytes) } else { bytes }
}

fn without_our_refs(listed: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(listed);
    let is_ours = |line: &str| line.contains(" refs/coord") || line.contains("\trefs/coord");
    let others = text.lines().filter(|line| !is_ours(line));
    others.collect::<Vec<_>>().join("\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use crate::support::Repo;
    use crate::support::kind::{Kind, RefFormat};

    use super::Untouched;

    #[test]
    fn each_kind_is_watched() {
        for kind in Kind::all() {
            let Some(repo) = Repo::of(kind) else { continue };
            let is_noticed = |act: &dyn Fn()| {
                let before = Untouched::of(repo.world());
                act();
                before != Untouched::of(repo.world())
            };
            let git = |args: &[&str]| drop(repo.git(args));
            assert!(!is_noticed(&|| git(&["update-ref", "refs/coord/any", "HEAD"])), "{kind}");
            assert!(is_noticed(&|| git(&["branch", "another"])), "{kind}: a branch");
            let head = ["symbolic-ref", "HEAD", "refs/heads/another"];
            assert!(is_noticed(&|| git(&head)), "{kind}: HEAD");
            let loose = || {
                let refs = repo.git_dir().join("refs/coord");
                std::fs::create_dir_all(&refs).unwrap();
                std::fs::write(refs.join("loose"), repo.git(["rev-parse", "HEAD"])).unwrap();
            };
            assert_eq!(is_noticed(&loose), kind.refs == RefFormat::Reftable, "{kind}: a file");
        }
    }

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

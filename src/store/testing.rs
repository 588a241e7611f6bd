//! Support for the store's tests: isolated repositories made by the real git, and worker processes.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::store::git::object::{HashKind, NewObjects, Object, ObjectId, ObjectKind};
use crate::store::os::files::Files;
use crate::store::os::shared_mode::SharedMode;

/// Without fsync: tests do not cut the power.
pub(super) const FILES: Files = Files { fsync: false, shared: SharedMode::Umask };

pub(super) const HASHES: [HashKind; 2] = [HashKind::Sha1, HashKind::Sha256];

const WORKER_HOME: &str = "GIT_COORD_TEST_WORKER_HOME";
const PATIENCE: Duration = Duration::from_secs(30);

/// A repository that nothing outside the test can influence.
pub(super) struct Repo {
    directory: TempDir,
    pub(super) hash: HashKind,
}

impl Repo {
    pub(super) fn new(hash: HashKind) -> Repo {
        let repo = Repo { directory: tempfile::tempdir().unwrap(), hash };
        let format = match hash {
            HashKind::Sha1 => "--object-format=sha1",
            HashKind::Sha256 => "--object-format=sha256",
        };
        repo.git(&["init", "--quiet", "--bare", "--initial-branch=main", format, "."]);
        repo
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn command(&self) -> Command {
        git_in(self.path())
    }

    /// Runs git, which must succeed, and returns what it printed without the last newline.
    pub(super) fn git(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Runs git and returns whether it succeeded.
    pub(super) fn try_git(&self, arguments: &[&str]) -> bool {
        self.command().args(arguments).stderr(Stdio::null()).status().unwrap().success()
    }

    /// Writes a commit on an empty tree through git. Its content depends on `number`.
    pub(super) fn commit(&self, number: usize) -> ObjectId {
        let tree = self.git(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
        let message = format!("commit {number}");
        self.git(&["commit-tree", &tree, "-m", &message]).parse().unwrap()
    }
}

pub(super) fn git_in(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.com")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.com")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .stdin(Stdio::null())
        .current_dir(directory);
    command
}

/// Builds the objects of an entry: a blob, a tree that contains it and a commit of that tree.
pub(super) fn entry(hash: HashKind, text: &str, parent: Option<ObjectId>) -> Vec<Object> {
    let blob = Object { kind: ObjectKind::Blob, bytes: text.as_bytes().to_vec() };
    let mut bytes = b"100644 document\0".to_vec();
    bytes.extend_from_slice(blob.id(hash).as_bytes());
    let tree = Object { kind: ObjectKind::Tree, bytes };
    let parent = parent.map(|id| format!("parent {id}\n")).unwrap_or_default();
    let person = "A <a@example.com> 1700000000 +0000";
    let bytes =
        format!("tree {}\n{parent}author {person}\ncommitter {person}\n\n{text}\n", tree.id(hash));
    let commit = Object { kind: ObjectKind::Commit, bytes: bytes.into_bytes() };
    vec![blob, tree, commit]
}

/// Collects objects for a pack.
pub(super) fn new_objects(hash: HashKind, objects: &[Object]) -> NewObjects {
    let mut new = NewObjects::new(hash);
    for object in objects {
        new.add(object.clone());
    }
    new
}

/// A second process of this test binary that runs one test.
pub(super) struct Worker(Child);

impl Worker {
    /// Starts a worker. `test` is the path of a test below `store`, which calls `worker_home` to
    /// learn that it is a worker.
    pub(super) fn start(test: &str, home: &Path) -> Worker {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("store::{test}"), "--nocapture", "--quiet"])
            .env(WORKER_HOME, home)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Worker(child)
    }

    pub(super) fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    pub(super) fn finish(mut self) {
        assert!(self.0.wait().unwrap().success(), "a worker failed");
    }

    pub(super) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Returns the directory of a worker; `None` in other processes.
pub(super) fn worker_home() -> Option<PathBuf> {
    std::env::var_os(WORKER_HOME).map(PathBuf::from)
}

pub(super) fn wait_for(path: &Path) {
    eventually(&path.display().to_string(), || path.exists().then_some(()));
}

/// Polls until there is an answer.
pub(super) fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < PATIENCE, "{what} never came");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the time at which a test stops waiting for something that must happen.
pub(super) fn at_last() -> Instant {
    Instant::now() + PATIENCE
}

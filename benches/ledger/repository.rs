//! A repository to be measured, and the commands that are run in it.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A command names at most so many patterns, and an agent holds at most twice as many.
const HOLDS_PER_COMMAND: usize = 500;
/// Directories that the holds are spread over, as in a real project.
const DIRECTORIES: usize = 200;
/// The tree that every repository has.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// As durable as ours: git syncs neither refs nor loose objects of its plumbing by default.
const DURABLE: [&str; 2] = ["-c", "core.fsync=all"];

/// The program that is measured.
pub(crate) const GIT_COORD: &str = env!("CARGO_BIN_EXE_git-coord");

/// A repository that goes when it is dropped.
pub(crate) struct Repository {
    home: tempfile::TempDir,
    /// Numbers given out, so that no path and no message comes twice.
    numbers: usize,
    /// Tool calls so far, each of which an agent calls differently.
    calls: AtomicUsize,
}

impl Repository {
    /// A repository with one commit.
    pub(crate) fn new() -> Repository {
        Repository::with_options(&[]).expect("git makes an ordinary repository")
    }

    /// A repository whose refs are in a reftable; `None` if git does not know them.
    pub(crate) fn with_reftable() -> Option<Repository> {
        Repository::with_options(&["--ref-format=reftable"])
    }

    fn with_options(options: &[&str]) -> Option<Repository> {
        let repository = Repository {
            home: tempfile::tempdir().unwrap(),
            numbers: 0,
            calls: AtomicUsize::new(0),
        };
        let init = [&["init", "-q"], options].concat();
        repository.try_run("git", &init).ok()?;
        repository.run("git", &["commit", "-q", "--allow-empty", "-m", "first"]);
        Some(repository)
    }

    /// A repository with so many holds. The newest entry is an ordinary one, of a single hold:
    /// everybody reads it, and one of 500 holds is larger than they come.
    pub(crate) fn with_holds(count: usize) -> Repository {
        let mut repository = Repository::new();
        while repository.numbers + 1 < count {
            let first = repository.numbers;
            let end = (first + HOLDS_PER_COMMAND).min(count - 1);
            let paths: Vec<String> = (first..end)
                .map(|number| format!("src/d{}/f{number}.rs", number % DIRECTORIES))
                .collect();
            repository.hold(&format!("agent-{}", first / HOLDS_PER_COMMAND), &paths);
            repository.numbers = end;
        }
        repository.hold("last", &["last/one".to_owned()]);
        repository.numbers = count;
        repository
    }

    /// A repository with one commit and so many refs, all of them packed. Made by hand: git would
    /// make a file for each first.
    pub(crate) fn with_packed_refs(count: usize) -> Repository {
        let repository = Repository::new();
        let head = repository.read("git", &["rev-parse", "HEAD"]);
        let header = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        let lines = (0..count).map(|number| format!("{head} refs/tags/v{number:06}\n"));
        let packed = std::iter::once(header).chain(lines).collect::<Vec<_>>().concat();
        std::fs::write(repository.path().join(".git/packed-refs"), packed).unwrap();
        repository
    }

    fn hold(&self, agent: &str, paths: &[String]) {
        let mut words = vec!["--as", agent, "-q", "reserve", "--ttl", "24h"];
        words.extend(paths.iter().map(String::as_str));
        self.run(GIT_COORD, &words);
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.home.path()
    }

    /// A command that runs here and sees nothing of the user.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.envs([("GIT_COMMITTER_NAME", "b"), ("GIT_COMMITTER_EMAIL", "b@example.org")]);
        command.envs([("GIT_AUTHOR_NAME", "b"), ("GIT_AUTHOR_EMAIL", "b@example.org")]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// How long the command takes and what it printed; what it complained of if it fails.
    pub(crate) fn try_run(
        &self,
        program: &str,
        words: &[&str],
    ) -> Result<(Duration, Output), String> {
        let mut command = self.command(program, words);
        let begun = Instant::now();
        let output = command.output().map_err(|error| format!("{program}: {error}"))?;
        let took = begun.elapsed();
        if output.status.success() {
            return Ok((took, output));
        }
        let talk = String::from_utf8_lossy(&output.stderr);
        Err(talk.lines().next().unwrap_or_default().to_owned())
    }

    /// How long the command takes, which must succeed.
    pub(crate) fn run(&self, program: &str, words: &[&str]) -> Duration {
        self.run_and_read(program, words).0
    }

    /// What the command prints, which must succeed.
    pub(crate) fn read(&self, program: &str, words: &[&str]) -> String {
        self.run_and_read(program, words).1
    }

    fn run_and_read(&self, program: &str, words: &[&str]) -> (Duration, String) {
        match self.try_run(program, words) {
            Ok((took, output)) => {
                (took, String::from_utf8(output.stdout).unwrap().trim_end().to_owned())
            }
            Err(error) => panic!("{program} {words:?}: {error}"),
        }
    }

    /// A number that was not given out before.
    pub(crate) fn next_number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// `check` of a path that nobody holds.
    pub(crate) fn check(&self) -> Duration {
        self.run(GIT_COORD, &["--as", "reader", "check", "docs/guide.md"])
    }

    /// `reserve` of a path that nobody holds.
    pub(crate) fn reserve(&mut self) -> Duration {
        let number = self.next_number();
        let path = format!("new/d{}/f{number}", number % 20);
        self.run(GIT_COORD, &["--as", "writer", "-q", "reserve", &path])
    }

    /// What Claude Code does before an edit of that file.
    pub(crate) fn edit(&self, file: &str) -> Duration {
        let path = self.path().join(file);
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let payload = format!(
            r#"{{"session_id":"0123abcd","hook_event_name":"PreToolUse","tool_name":"Edit",
            "tool_use_id":"toolu_{call}","tool_input":{{"file_path":"{}"}}}}"#,
            path.display()
        );
        let mut command = self.command(GIT_COORD, &["hook", "claude"]);
        command.stdin(Stdio::piped());
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let took = begun.elapsed();
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        took
    }

    /// `release --mine` of so many holds, which are made before.
    pub(crate) fn release_all(&self, count: usize) -> Duration {
        let paths: Vec<String> = (0..count).map(|number| format!("rel/f{number}")).collect();
        self.hold("releaser", &paths);
        self.run(GIT_COORD, &["--as", "releaser", "-q", "release", "--mine"])
    }

    /// The least that a git process does.
    pub(crate) fn rev_parse(&self) -> Duration {
        self.run("git", &["rev-parse", "HEAD"])
    }

    /// The least that a commit on a ref of its own costs with git, as durable as ours: a new
    /// commit each time, so that the ref really moves.
    pub(crate) fn commit_and_update(&mut self) -> Duration {
        let (committing, id) = self.commit_tree();
        committing + self.update_ref("refs/bench/commit", &id)
    }

    /// A new commit, and how long it took to make.
    pub(crate) fn commit_tree(&mut self) -> (Duration, String) {
        let message = self.next_number().to_string();
        let commit = [&DURABLE[..], &["commit-tree", "-m", &message, EMPTY_TREE]].concat();
        self.run_and_read("git", &commit)
    }

    /// How long it takes to move a ref.
    pub(crate) fn update_ref(&self, name: &str, id: &str) -> Duration {
        self.run("git", &[&DURABLE[..], &["update-ref", name, id]].concat())
    }
}

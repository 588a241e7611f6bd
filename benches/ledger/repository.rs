//! A repository to be measured, and the commands that are run in it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The maximum number of patterns in a command. An agent holds at most twice as many.
const HOLDS_PER_COMMAND: usize = 500;
/// The number of directories that holds are spread over, as in a real project.
const DIRECTORIES: usize = 200;
/// The id of the empty tree, which every repository has.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// Makes git as durable as ours: by default git syncs neither refs nor loose objects of its
/// plumbing.
const DURABLE: [&str; 2] = ["-c", "core.fsync=all"];

pub(crate) const GIT_COORD: &str = env!("CARGO_BIN_EXE_git-coord");

/// A temporary repository.
pub(crate) struct Repository {
    home: tempfile::TempDir,
    /// The last number that was given out, so that no path and no message comes twice.
    numbers: usize,
    /// The number of tool calls so far. An agent gives each of them another id.
    calls: AtomicUsize,
}

/// Names a file of a repository that has many.
pub(crate) fn file(number: usize) -> String {
    format!("src/d{}/f{number}.rs", number % DIRECTORIES)
}

impl Repository {
    /// Creates a repository with one commit.
    pub(crate) fn new() -> Repository {
        Repository::with_options(&[]).expect("git makes an ordinary repository")
    }

    /// Creates a repository whose refs are in a reftable; `None` if git does not support that.
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

    /// Creates a repository with this many holds. The newest entry is an ordinary one, with a
    /// single hold: every command reads it, and an entry of 500 holds would be larger than usual.
    pub(crate) fn with_holds(count: usize) -> Repository {
        Repository::with_holds_in(DIRECTORIES, count)
    }

    /// Creates a repository with this many holds, spread over so many directories.
    pub(crate) fn with_holds_in(directories: usize, count: usize) -> Repository {
        let mut repository = Repository::new();
        while repository.numbers + 1 < count {
            let first = repository.numbers;
            let end = (first + HOLDS_PER_COMMAND).min(count - 1);
            let paths: Vec<String> = (first..end)
                .map(|number| format!("src/d{}/f{number}.rs", number % directories))
                .collect();
            repository.hold(&format!("agent-{}", first / HOLDS_PER_COMMAND), &paths);
            repository.numbers = end;
        }
        repository.hold("last", &["last/one".to_owned()]);
        repository.numbers = count;
        repository
    }

    /// Creates a repository with one commit of this many files, in which hooks act.
    pub(crate) fn with_files(count: usize) -> Repository {
        let repository = Repository::new();
        for number in 0..count {
            let path = repository.path().join(file(number));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{number}\n")).unwrap();
        }
        repository.run("git", &["add", "--all"]);
        repository.run("git", &["commit", "-q", "-m", "files"]);
        repository.run("git", &["config", "coord.enabled", "true"]);
        repository
    }

    /// Edits a file of such a repository through the hooks.
    pub(crate) fn change(&self, number: usize, text: &str) {
        self.edit(&file(number));
        std::fs::write(self.path().join(file(number)), text).unwrap();
        self.edited(&file(number));
    }

    /// Creates a repository with one commit and this many refs, all of them packed. It writes
    /// `packed-refs` itself: git would create a file for each ref first.
    pub(crate) fn with_packed_refs(count: usize) -> Repository {
        let repository = Repository::new();
        let head = repository.read("git", &["rev-parse", "HEAD"]);
        let header = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        let lines = (0..count).map(|number| format!("{head} refs/tags/v{number:06}\n"));
        let packed = std::iter::once(header).chain(lines).collect::<Vec<_>>().concat();
        std::fs::write(repository.path().join(".git/packed-refs"), packed).unwrap();
        repository
    }

    pub(crate) fn hold(&self, agent: &str, paths: &[String]) {
        let mut words = vec!["--as", agent, "-q", "reserve", "--ttl", "24h"];
        words.extend(paths.iter().map(String::as_str));
        self.run(GIT_COORD, &words);
    }

    pub(crate) fn path(&self) -> &Path {
        self.home.path()
    }

    /// Prepares a command that runs here and sees nothing of the user.
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

    /// Runs a command, and returns the time that it took and its output, or its error output if it
    /// fails.
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

    /// Runs a command, which must succeed, and returns the time that it took.
    pub(crate) fn run(&self, program: &str, words: &[&str]) -> Duration {
        self.run_and_read(program, words).0
    }

    /// Runs a command, which must succeed, and returns its output.
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

    /// Returns a number that was not given out before.
    pub(crate) fn next_number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// Measures `check` of a path that nobody holds.
    pub(crate) fn check(&self) -> Duration {
        self.run(GIT_COORD, &["--as", "reader", "check", "docs/guide.md"])
    }

    /// Measures `reserve` of a path that nobody holds.
    pub(crate) fn reserve(&mut self) -> Duration {
        let number = self.next_number();
        let path = format!("new/d{}/f{number}", number % 20);
        self.run(GIT_COORD, &["--as", "writer", "-q", "reserve", &path])
    }

    /// Measures the hook that Claude Code runs before an edit of this file.
    pub(crate) fn edit(&self, file: &str) -> Duration {
        let path = self.path().join(file);
        self.hook("Edit", &format!(r#""file_path":"{}""#, path.display()))
    }

    /// Measures the hook that Claude Code runs before a shell command that passes.
    pub(crate) fn shell(&self, command: &str) -> Duration {
        self.hook("Bash", &format!(r#""command":"{command}""#))
    }

    /// Measures the hook that Claude Code runs after an edit of this file.
    pub(crate) fn edited(&self, file: &str) -> Duration {
        let path = self.path().join(file);
        self.report("PostToolUse", "Edit", &format!(r#""file_path":"{}""#, path.display()))
    }

    /// Measures the hook that Claude Code runs at the end of a turn.
    pub(crate) fn stop(&self) -> Duration {
        self.report("Stop", "", "")
    }

    fn hook(&self, name: &str, input: &str) -> Duration {
        self.report("PreToolUse", name, input)
    }

    fn report(&self, event: &str, name: &str, input: &str) -> Duration {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let payload = format!(
            r#"{{"session_id":"0123abcd","hook_event_name":"{event}","tool_name":"{name}",
            "tool_use_id":"toolu_{call}","cwd":"{}","tool_input":{{{input}}}}}"#,
            self.path().display()
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

    /// Measures `release --mine` of this many holds, which are made before.
    pub(crate) fn release_all(&self, count: usize) -> Duration {
        let paths: Vec<String> = (0..count).map(|number| format!("rel/f{number}")).collect();
        self.hold("releaser", &paths);
        self.run(GIT_COORD, &["--as", "releaser", "-q", "release", "--mine"])
    }

    /// Measures the least that a git process does.
    pub(crate) fn rev_parse(&self) -> Duration {
        self.run("git", &["rev-parse", "HEAD"])
    }

    /// Returns the sizes of the files that `act` adds to the packs.
    pub(crate) fn sizes_of_new_packs(&self, act: impl FnOnce()) -> Vec<u64> {
        let before = self.pack_files();
        act();
        let is_new = |(name, _): &(OsString, u64)| !before.iter().any(|(old, _)| old == name);
        self.pack_files().into_iter().filter(is_new).map(|(_, size)| size).collect()
    }

    fn pack_files(&self) -> Vec<(OsString, u64)> {
        let files = std::fs::read_dir(self.path().join(".git/objects/pack")).unwrap();
        let files = files.map(|file| file.unwrap());
        files.map(|file| (file.file_name(), file.metadata().unwrap().len())).collect()
    }

    /// Measures the time to write files of these sizes and that of a ref, each forced to the disk
    /// with its directory.
    pub(crate) fn write_to_disk(&self, sizes: &[u64]) -> Duration {
        const REF_SIZE: u64 = 41;
        let directories =
            [self.path().join(".git/bench-packs"), self.path().join(".git/bench-refs")];
        let [packs, refs] = &directories;
        for directory in &directories {
            std::fs::create_dir_all(directory).unwrap();
        }
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let names = (0..).map(|index| format!("{number}-{index}"));
        let packs = sizes.iter().map(|size| (packs, *size));
        let files = packs.chain([(refs, REF_SIZE)]).zip(names);
        let contents: Vec<(PathBuf, Vec<u8>)> = files
            .map(|((directory, size), name)| {
                (directory.join(name), vec![b'x'; usize::try_from(size).unwrap()])
            })
            .collect();
        let begun = Instant::now();
        for (path, content) in contents {
            let mut file = File::create_new(path).unwrap();
            file.write_all(&content).unwrap();
            file.sync_all().unwrap();
        }
        for directory in &directories {
            File::open(directory).unwrap().sync_all().unwrap();
        }
        begun.elapsed()
    }

    /// Measures the least that a commit on a ref of its own costs with git, as durable as ours: a
    /// new commit each time, so that the ref really moves.
    pub(crate) fn commit_and_update(&mut self) -> Duration {
        let (committing, id) = self.commit_tree();
        committing + self.update_ref("refs/bench/commit", &id)
    }

    /// Makes a new commit, and measures the time for it.
    pub(crate) fn commit_tree(&mut self) -> (Duration, String) {
        let message = self.next_number().to_string();
        let commit = [&DURABLE[..], &["commit-tree", "-m", &message, EMPTY_TREE]].concat();
        self.run_and_read("git", &commit)
    }

    /// Measures the move of a ref.
    pub(crate) fn update_ref(&self, name: &str, id: &str) -> Duration {
        self.run("git", &[&DURABLE[..], &["update-ref", name, id]].concat())
    }
}

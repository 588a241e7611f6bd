//! What a whole command costs, as a ratio to git's own plumbing and to itself on a small ledger.
//!
//! `cargo bench --bench ledger`. Both sides of a ratio run in turn in one process on one machine,
//! so that noise hits both; the median of each is compared. Nothing is asserted.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, or stops")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const REPEATS: usize = 30;
/// A command names at most so many patterns, and an agent holds at most twice as many.
const HOLDS_PER_COMMAND: usize = 500;

/// A repository with so many holds, spread over directories as in a real project.
struct Bench {
    home: tempfile::TempDir,
    made: usize,
}

impl Bench {
    fn with(holds: usize) -> Bench {
        let mut bench = Bench { home: tempfile::tempdir().unwrap(), made: 0 };
        bench.run("git", &["init", "-q"]);
        let identity = ["-c", "user.name=b", "-c", "user.email=b@example.org"];
        bench.run("git", &[&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
        while bench.made < holds {
            let count = HOLDS_PER_COMMAND.min(holds - bench.made);
            let paths: Vec<String> = (bench.made..bench.made + count)
                .map(|number| format!("src/d{}/f{number}.rs", number % 200))
                .collect();
            let agent = format!("agent-{}", bench.made / HOLDS_PER_COMMAND);
            let mut words = vec!["--as", &agent, "-q", "reserve", "--ttl", "24h"];
            words.extend(paths.iter().map(String::as_str));
            bench.run(program(), &words);
            bench.made += count;
        }
        bench
    }

    /// How long the command takes, which must succeed.
    fn run(&self, program: &str, words: &[&str]) -> Duration {
        self.run_and_read(program, words).0
    }

    fn run_and_read(&self, program: &str, words: &[&str]) -> (Duration, String) {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.home.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.envs([("GIT_COMMITTER_NAME", "b"), ("GIT_COMMITTER_EMAIL", "b@example.org")]);
        command.envs([("GIT_AUTHOR_NAME", "b"), ("GIT_AUTHOR_EMAIL", "b@example.org")]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let begun = Instant::now();
        let output = command.output().unwrap();
        let took = begun.elapsed();
        assert!(output.status.success(), "{program} {words:?}");
        (took, String::from_utf8(output.stdout).unwrap())
    }

    fn check(&mut self) -> Duration {
        self.run(program(), &["--as", "reader", "check", "docs/guide.md"])
    }

    fn reserve(&mut self) -> Duration {
        self.made += 1;
        let path = format!("new/d{}/f{}", self.made % 20, self.made);
        self.run(program(), &["--as", "writer", "-q", "reserve", &path])
    }

    fn release_all(&mut self, count: usize) -> Duration {
        let paths: Vec<String> = (0..count).map(|number| format!("rel/f{number}")).collect();
        let mut words = vec!["--as", "releaser", "-q", "reserve"];
        words.extend(paths.iter().map(String::as_str));
        self.run(program(), &words);
        self.run(program(), &["--as", "releaser", "-q", "release", "--mine"])
    }

    fn rev_parse(&mut self) -> Duration {
        self.run("git", &["rev-parse", "HEAD"])
    }

    /// The least that a commit on a ref of its own costs with git, as durable as ours.
    fn commit_and_update(&mut self) -> Duration {
        let durable = ["-c", "core.fsync=all"];
        let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        // Another message each time, so that the ref really moves.
        self.made += 1;
        let message = self.made.to_string();
        let commit = [&durable[..], &["commit-tree", "-m", &message, tree]].concat();
        let (committing, id) = self.run_and_read("git", &commit);
        let update = [&durable[..], &["update-ref", "refs/bench/x", id.trim()]].concat();
        committing + self.run("git", &update)
    }
}

fn program() -> &'static str {
    assert!(Path::new(env!("CARGO_BIN_EXE_git-coord")).exists());
    env!("CARGO_BIN_EXE_git-coord")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Runs both in turn and prints how they compare.
fn compare(what: &str, mut ours: impl FnMut() -> Duration, mut other: impl FnMut() -> Duration) {
    let (mut our_times, mut other_times) = (Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        our_times.push(ours());
        other_times.push(other());
    }
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let (ours, other) = (millis(median(our_times)), millis(median(other_times)));
    println!("| {what} | {ours:.1} ms | {other:.1} ms | {:.2}x |", ours / other);
}

fn main() {
    let mut few = Bench::with(10);
    let mut many = Bench::with(10_000);
    println!("| what | ours | against | ratio |");
    println!("| --- | --- | --- | --- |");
    compare("check, 10,000 held / 10 held", || many.check(), || few.check());
    let mut git = Bench::with(0);
    compare("check / git rev-parse HEAD", || few.check(), || git.rev_parse());
    let commit = "git commit-tree + update-ref";
    compare(&format!("reserve, 10 held / {commit}"), || few.reserve(), || git.commit_and_update());
    compare(
        &format!("reserve, 10,000 held / {commit}"),
        || many.reserve(),
        || git.commit_and_update(),
    );
    let mut one = Bench::with(10);
    compare("release of 500 / of 1", || few.release_all(500), || one.release_all(1));
}

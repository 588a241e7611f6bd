//! The packs and loose objects that 100,000 writes and 100,000 holds leave in a repository, ours
//! and as git counts them before it decides to pack automatically; and the memory that commands
//! then need.
//!
//! `cargo bench --bench growth` takes some minutes; `-- 2000` makes as many writes and holds
//! instead. The writes go through the library, all in one process, and are not synced: the number
//! of files in the end depends on neither. The holds and their measurements are commands.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, or stops")]

#[allow(dead_code, reason = "the other bench uses the rest of it")]
#[path = "ledger/repository.rs"]
mod repository;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use git_coord::core::command::Request;
use git_coord::core::documents::FORMAT_VERSION;
use git_coord::core::ids::OpId;
use git_coord::core::ledger::LedgerName;
use git_coord::core::pattern::Case;
use git_coord::core::reservation::release::Release;
use git_coord::core::reservation::reserve::Reserve;
use git_coord::core::text::Line;
use git_coord::core::time::Timestamp;
use git_coord::store::git::Git;
use git_coord::store::git::packs::{Budget, Packs};
use git_coord::store::git::repository::Repository;
use git_coord::store::ledger::Ledger;
use git_coord::store::ledger::entry::Committer;
use git_coord::store::ledger::transact::{Turns, WriteOptions};
use git_coord::store::os::files::Files;
use git_coord::store::os::shared_mode::SharedMode;
use repository::GIT_COORD;
use serde_json::json;

const WRITES: u32 = 100_000;
/// The numbers of writes after which the files are counted.
const REPORTS: [u32; 4] = [500, 2_000, 10_000, WRITES];
/// The program that measures the memory of a command.
const TIME: &str = "/usr/bin/time";
/// Commands that read a whole ledger, and commands that read a little of one.
const COMMANDS: [&[&str]; 8] = [
    &["check", "docs/guide.md"],
    &["check", "**"],
    &["list"],
    &["status"],
    &["events", "--limit", "1000000"],
    &["ledger", "log", "reservations", "--limit", "1000000"],
    &["ledger", "verify"],
    &["ledger", "compact", "reservations"],
];
/// The number of holds at a time, as in a ledger that is used.
const HELD_AT_ONCE: u32 = 50;
/// The number of writes before the repository is opened again. In practice each write is a process
/// of its own; libgit2 keeps every pack open that it has ever seen.
const WRITES_PER_OPENING: u32 = 100;
const FILES: Files = Files { fsync: false, shared: SharedMode::Umask };

fn main() {
    let asked = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let most: u32 = asked.unwrap_or(WRITES);
    let written = tempfile::tempdir().unwrap();
    write_many(written.path(), most);
    let held = repository::Repository::with_holds(usize::try_from(most).unwrap());
    println!("\n| after so many holds, of 500 in an entry | packs | size |\n| --- | --- | --- |");
    let counted = count_objects(&held.path().join(".git"));
    println!("| {most} | {} | {} KB |", count(&counted, "packs"), count(&counted, "size-pack"));
    println!("\n| peak memory | {most} entries | {most} holds |\n| --- | --- | --- |");
    for words in COMMANDS {
        let [of_entries, of_holds] =
            [written.path(), held.path()].map(|path| peak(held.command(TIME, &[]), path, words));
        println!("| `{}` | {of_entries} | {of_holds} |", words.join(" "));
    }
}

fn write_many(home: &Path, writes: u32) {
    println!(
        "| writes | our packs | packs by `git count-objects` | size | bytes a write | \
         loose objects | memory |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let begun = Instant::now();
    let mut repository = Repository::make_empty(home).unwrap();
    for number in 0..writes {
        if number % WRITES_PER_OPENING == 0 {
            repository = Repository::make_empty(home).unwrap();
        }
        write(&repository, number);
        if REPORTS.contains(&(number + 1)) || number + 1 == writes {
            report(&repository, number + 1);
        }
    }
    println!("\n{:.1} ms a write", begun.elapsed().as_secs_f64() * 1e3 / f64::from(writes));
}

/// Reserves a path, and releases all whenever there are many.
fn write(repository: &Repository, number: u32) {
    let git = Git::open(repository, FILES).unwrap();
    let name = LedgerName::Reservations;
    let writing = WriteOptions {
        committer: Committer::new("bench", "bench@example.org"),
        turns: Some(Turns::new(repository.common_dir(), name, FILES)),
        wait: Duration::from_secs(10),
        case: Case::Sensitive,
        format: FORMAT_VERSION,
        clock_skew: Duration::from_secs(60),
        maintenance: Budget::COMMAND,
    };
    let ledger = Ledger::new(&git, name, writing);
    let op = OpId::from_bits(u128::from(number) + 1);
    let clock = Timestamp::from_millis(1_767_607_200_000 + i64::from(number) * 1000);
    let (actor, host) = ("writer".parse().unwrap(), Line::new("bench").unwrap());
    // As it would be recorded.
    let done = if number % HELD_AT_ONCE == HELD_AT_ONCE - 1 {
        let release: Release = serde_json::from_value(json!({"mine": true})).unwrap();
        ledger.transact(&Request::new(release, actor, host, clock).unwrap(), &op, None).map(|_| ())
    } else {
        let path = format!("src/d{}/f{number}.rs", number % 20);
        let reserve: Reserve = serde_json::from_value(json!({
            "patterns": [path], "mode": "exclusive", "ttl": 3600, "via": "command", "scope": "all",
        }))
        .unwrap();
        ledger.transact(&Request::new(reserve, actor, host, clock).unwrap(), &op, None).map(|_| ())
    };
    done.unwrap();
}

fn report(repository: &Repository, writes: u32) {
    let common = repository.common_dir();
    let packs = Packs::new(common, &common.join("objects"), repository.hash_kind(), FILES);
    let counted = count_objects(common);
    let usage = packs.disk_usage().unwrap();
    println!(
        "| {writes} | {} | {} | {} KB | {} | {} | {} |",
        usage.packs,
        count(&counted, "packs"),
        count(&counted, "size-pack"),
        usage.bytes / u64::from(writes),
        count(&counted, "count"),
        memory().unwrap_or("?".to_owned()),
    );
}

/// Returns the peak memory of this process, if the system provides it.
fn memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().to_owned())
}

fn count_objects(git_dir: &Path) -> String {
    let mut git = Command::new("git");
    git.args(["count-objects", "-v"]).current_dir(git_dir).env("GIT_CONFIG_NOSYSTEM", "1");
    String::from_utf8(git.output().unwrap().stdout).unwrap()
}

/// Finds a number in the output of `git count-objects`.
fn count<'c>(counted: &'c str, name: &str) -> &'c str {
    let value = counted.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    value.unwrap_or("?")
}

/// Measures the peak memory of a command, as the kernel counts it, and how the command ends.
fn peak(mut time: Command, directory: &Path, words: &[&str]) -> String {
    time.args(["-f", "%M", GIT_COORD, "--as", "reader"]).args(words);
    let Ok(output) = time.current_dir(directory).output() else {
        return format!("skipped: no {TIME}");
    };
    let talk = String::from_utf8_lossy(&output.stderr);
    let kilobytes: Option<f64> = talk.lines().last().and_then(|line| line.trim().parse().ok());
    let megabytes = kilobytes.map_or("?".to_owned(), |count| format!("{:.0} MB", count / 1024.0));
    format!("{megabytes}, exit code {}", output.status.code().unwrap_or(-1))
}

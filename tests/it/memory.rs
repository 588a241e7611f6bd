//! The memory that commands need for a history: one entry at a time, however many there are.

use std::path::Path;

use crate::support::Repo;
use crate::support::contract::RESERVATIONS;
use crate::support::gits::skip;

/// The program that measures the memory of a command.
const TIME: &str = "/usr/bin/time";
/// The number of entries of the short history, each with a large command, many events, or both.
const ENTRIES: usize = 4;
/// The number of times that the long history has as many.
const TIMES: usize = 10;
/// The number of patterns of a command.
const PATTERNS: usize = 400;
/// What the long history may need more, in kilobytes. All of it in memory takes several times as
/// much.
const GROWTH_MAX: u64 = 8 * 1024;

fn with_entries(count: usize) -> Repo {
    let repo = Repo::new();
    let long = "d".repeat(200);
    let patterns: Vec<String> = (0..PATTERNS).map(|number| format!("{long}/f{number}")).collect();
    for _ in 0..count / 2 {
        let reserve = repo.call("zoe").args(["--quiet", "reserve"]).args(&patterns);
        reserve.run_unproven().done();
        repo.call("zoe").args(["--quiet", "release", "--mine"]).run_unproven().done();
    }
    repo
}

/// Returns the peak memory of a command in kilobytes, as the kernel counts it.
fn peak(repo: &Repo, words: &[&str]) -> u64 {
    let call = repo.call("reader").program(TIME).args(["-f", "%M", "git-coord"]).args(words);
    let output = call.run_unproven().done();
    output.stderr.lines().last().unwrap().trim().parse().unwrap()
}

/// 8/GROWTH: a command that goes through a history has one entry of it in memory.
#[test]
fn a_long_history_needs_no_more_memory_than_a_short_one() {
    if !Path::new(TIME).exists() {
        return skip(&format!("there is no {TIME}"));
    }
    let (short, long) = (with_entries(ENTRIES), with_entries(ENTRIES * TIMES));
    let all = ["--limit", "1000000"];
    for words in [
        &["ledger", "log", RESERVATIONS, all[0], all[1]][..],
        &["ledger", "log", RESERVATIONS, all[0], all[1], "--json"],
        &["events", all[0], all[1], "--json"],
        &["ledger", "verify"],
    ] {
        let [few, many] = [&short, &long].map(|repo| peak(repo, words));
        let growth = many.saturating_sub(few);
        assert!(growth < GROWTH_MAX, "{words:?}: {few} KB, and {growth} KB more for {TIMES} times");
    }
}

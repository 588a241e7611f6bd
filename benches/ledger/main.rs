//! The cost of whole commands, as ratios to git's own plumbing and to the same commands on small
//! ledgers.
//!
//! `cargo bench --bench ledger` prints the table that the README carries. Both sides of a ratio run
//! in turn in one process on one machine, so that noise hits both; the median of each is compared.
//! Nothing is asserted. `docs/performance.md` explains the numbers. Words after `--` name the parts
//! to measure, such as `-- hooks uncommitted`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, or stops")]

mod merging;
mod repository;
mod runs;
mod table;
mod threads;
mod uncommitted;
mod wide;
mod writers;

use repository::{GIT_COORD, Repository};
use table::{compared, percentile, skipped, stated};

const TWO_GITS: &str = "`git commit-tree` + `git update-ref`";

fn main() {
    // Cargo says '--bench' itself.
    let words = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    let chosen: Vec<String> = words.collect();
    for word in &chosen {
        assert!(PARTS.iter().any(|(name, _)| name == word), "there is no part '{word}'");
    }
    table::head();
    for (name, measure) in PARTS {
        if chosen.is_empty() || chosen.iter().any(|word| word == name) {
            measure();
        }
    }
}

const PARTS: [(&str, fn()); 9] = [
    ("commands", commands),
    ("hooks", hooks),
    ("merging", merging::compare),
    ("uncommitted", uncommitted::compare),
    ("runs", runs::compare),
    ("threads", threads::compare),
    ("reftable", reftable),
    ("refs", packed_refs),
    ("writers", writers::compare_with_sqlite),
];

fn commands() {
    let mut few = Repository::with_holds(10);
    let mut many = Repository::with_holds(10_000);
    checks(&few, &many);
    writes(&mut few, &mut many);
    wide::compare(&few);
    peak_memory(&many);
    size();
    instructions(&few);
}

fn checks(few: &Repository, many: &Repository) {
    compared("`check`, 10,000 held / 10 held", "1.3x", || many.check(), || few.check());
    let very_many = Repository::with_holds(100_000);
    compared("`check`, 100,000 held / 10 held", "2x", || very_many.check(), || few.check());
    compared("`check` / `git rev-parse HEAD`", "2x, goal 1.5x", || few.check(), || few.rev_parse());
}

fn writes(few: &mut Repository, many: &mut Repository) {
    let mut plain = Repository::new();
    let what = |held: &str| format!("`reserve`, {held} held / {TWO_GITS}");
    compared(&what("10"), "1.5x", || few.reserve(), || plain.commit_and_update());
    compared(&what("10,000"), "1.5x", || many.reserve(), || plain.commit_and_update());
    let what = "`release --mine` of 500 / of 1";
    compared(what, "20x", || few.release_all(500), || few.release_all(1));
}

/// Measures the delay of an agent before each edit, in the median and at the slow end (3/MON-D2).
fn hooks() {
    const REPEATS: usize = 100;
    let few = Repository::with_holds(10);
    few.run("git", &["config", "coord.enabled", "true"]);
    few.edit("edited/again");
    let what = "edit hook, nothing written / `git rev-parse HEAD`";
    compared(what, "2x", || few.edit("edited/again"), || few.rev_parse());
    let what = "shell gate, a harmless command / `git rev-parse HEAD`";
    compared(what, "2x", || few.shell("git status && cargo test 2>&1"), || few.rev_parse());
    let mut number = 0;
    let another = || {
        number += 1;
        few.edit(&format!("edited/f{number}"))
    };
    let what = "edit hook, a reservation made / `git rev-parse HEAD`";
    compared(what, "4x", another, || few.rev_parse());
    let times = (0..REPEATS).map(|_| few.edit("edited/again").as_secs_f64() * 1e3).collect();
    let slow = format!("{:.2} ms", percentile(times, 99));
    stated("edit hook, nothing written, 99 of 100 calls within", &slow, "2 s");
}

fn reftable() {
    let (what, bar) = (format!("`reserve` / {TWO_GITS}, reftable"), "4x");
    let Some(mut ours) = Repository::with_reftable() else {
        return skipped(&what, "this git knows no reftable", bar);
    };
    if let Err(error) = ours.try_run(GIT_COORD, &["reserve", "first"]) {
        return skipped(&what, &error, bar);
    }
    let mut plain = Repository::with_reftable().unwrap();
    compared(&what, bar, || ours.reserve(), || plain.commit_and_update());
}

fn packed_refs() {
    let (mut crowded, mut alone) = (Repository::with_packed_refs(100_000), Repository::new());
    let what = "`reserve`, 100,000 packed refs / none";
    compared(what, "", || crowded.reserve(), || alone.reserve());
    let what = "`git update-ref`, 100,000 packed refs / none, for comparison";
    let move_ref = |repository: &mut Repository| {
        let (_, id) = repository.commit_tree();
        repository.update_ref("refs/bench/moved", &id)
    };
    compared(what, "", || move_ref(&mut crowded), || move_ref(&mut alone));
}

/// Measures the peak memory of the process itself, as the kernel counts it.
fn peak_memory(many: &Repository) {
    let (what, bar) = ("peak memory of `check`, 10,000 held", "20 MB");
    let words = ["-f", "%M", GIT_COORD, "--as", "reader", "check", "docs/guide.md"];
    match many.try_run("/usr/bin/time", &words) {
        Err(error) => skipped(what, &error, bar),
        Ok((_, output)) => {
            let kilobytes: f64 = String::from_utf8_lossy(&output.stderr).trim().parse().unwrap();
            stated(what, &format!("{:.1} MB", kilobytes / 1024.0), bar);
        }
    }
}

fn size() {
    let bytes = std::fs::metadata(GIT_COORD).unwrap().len();
    let megabytes = f64::from(u32::try_from(bytes / 1024).unwrap()) / 1024.0;
    stated("size of the stripped binary", &format!("{megabytes:.1} MB"), "stated");
}

/// Counts instructions: the one number here that does not depend on the load of the machine.
fn instructions(few: &Repository) {
    for (name, words) in [
        ("`check`, 10 held", &["--as", "reader", "check", "docs/guide.md"][..]),
        ("`reserve`, 10 held", &["--as", "counted", "-q", "reserve", "counted/one"]),
    ] {
        let what = format!("instructions of {name}, by callgrind");
        let valgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null", GIT_COORD];
        match few.try_run("valgrind", &[&valgrind[..], words].concat()) {
            Err(error) => skipped(&what, &error, "stated"),
            Ok((_, output)) => stated(&what, &instruction_count(&output.stderr), "stated"),
        }
    }
}

/// Parses the line `==1== I refs: 1,596,387`.
fn instruction_count(report: &[u8]) -> String {
    let report = String::from_utf8_lossy(report);
    let line = report.lines().find(|line| line.contains("refs:"));
    line.and_then(|line| line.split_whitespace().last()).unwrap_or("no count").to_owned()
}

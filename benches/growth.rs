//! What 100,000 writes leave behind in a repository: packs and loose objects, ours and as git
//! counts them before it decides to pack automatically.
//!
//! `cargo bench --bench growth` takes some minutes; `-- 2000` writes as many as that instead. The
//! writes are not synced: how many files there are in the end does not depend on it.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, or stops")]

#[expect(dead_code, reason = "it counts files where the other bench measures time")]
#[path = "ledger/repository.rs"]
mod repository;

use std::path::Path;
use std::time::Instant;

use repository::{GIT_COORD, Repository};

const WRITES: u32 = 100_000;
/// A ledger in use: holds come and go.
const HELD_AT_ONCE: u32 = 50;

fn main() {
    let asked = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let writes: u32 = asked.unwrap_or(WRITES);
    let repository = Repository::new();
    repository.run("git", &["config", "coord.fsync", "false"]);
    println!(
        "| writes | our packs | size of all packs | loose objects | packs by `git count-objects` |"
    );
    println!("| --- | --- | --- | --- | --- |");
    let begun = Instant::now();
    let mut next_report = 100;
    for number in 0..writes {
        write(&repository, number);
        if number + 1 == next_report || number + 1 == writes {
            report(&repository, number + 1);
            next_report *= 10;
        }
    }
    println!("\n{:.1} ms a write", begun.elapsed().as_secs_f64() * 1e3 / f64::from(writes));
}

/// Takes a path, and lets all go whenever there are many.
fn write(repository: &Repository, number: u32) {
    if number % HELD_AT_ONCE == HELD_AT_ONCE - 1 {
        repository.run(GIT_COORD, &["--as", "writer", "-q", "release", "--mine"]);
    } else {
        let path = format!("src/d{}/f{number}.rs", number % 20);
        repository.run(GIT_COORD, &["--as", "writer", "-q", "reserve", &path]);
    }
}

fn report(repository: &Repository, writes: u32) {
    let ours = names_in(&repository.path().join(".git/coord/packs"));
    let counted = repository.read("git", &["count-objects", "-v"]);
    let count = |name: &str| {
        let value = counted.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or("?").to_owned()
    };
    println!(
        "| {writes} | {ours} | {} KB | {} | {} |",
        count("size-pack"),
        count("count"),
        count("packs")
    );
}

fn names_in(directory: &Path) -> usize {
    std::fs::read_dir(directory).map_or(0, Iterator::count)
}

//! Directories with many reservations, and entries that do much.

use crate::support::Repo;
use crate::support::contract::RESERVATIONS_REF;

/// The number of bytes that an entry may take.
const ENTRY_BYTES_MAX: u64 = 4_096;

/// Reserves files of one directory, all in one entry.
fn reserve_many(repo: &Repo, agent: &str, numbers: std::ops::Range<usize>) {
    let paths: Vec<String> = numbers.map(|number| format!("src/file-{number}.rs")).collect();
    repo.coord(agent, ["reserve".to_owned()].into_iter().chain(paths)).done();
}

/// Returns the bytes on disk of the objects that the newest entry added.
fn bytes_of_newest(repo: &Repo) -> u64 {
    let before = format!("^{RESERVATIONS_REF}~1");
    let words = ["rev-list", "--disk-usage", "--objects", RESERVATIONS_REF, &before];
    repo.git(words).trim().parse().unwrap()
}

/// 8/WIDE: an entry takes as much room in a wide directory as in a narrow one.
#[test]
fn an_entry_in_a_wide_directory_is_small() {
    let repo = Repo::new();
    for (agent, first) in [("alice", 0), ("bob", 400), ("carol", 800)] {
        reserve_many(&repo, agent, first..first + 400);
    }
    let id = repo.reserve_id("dave", "src/one-more.rs");
    let reserved = bytes_of_newest(&repo);
    repo.coord("dave", ["release", &id]).done();
    let released = bytes_of_newest(&repo);
    assert!(reserved.max(released) <= ENTRY_BYTES_MAX, "{reserved} and {released} bytes");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 8/WIDE: every reader reads the newest commit, so it stays small however much its entry did.
#[test]
fn the_commit_of_a_large_entry_is_small() {
    let repo = Repo::new();
    reserve_many(&repo, "alice", 0..400);
    let commit = repo.git(["cat-file", "commit", RESERVATIONS_REF]);
    assert!(commit.len() < 1_000, "{} bytes: {commit}", commit.len());
    let granted = repo.events("granted");
    assert_eq!(granted.len(), 400, "the events are found where the commit says");
    repo.reserve("bob", "docs");
    let shown = repo.git(["ls-tree", "--name-only", RESERVATIONS_REF]);
    let mut left = shown.lines().filter(|name| matches!(*name, "events" | "command"));
    assert_eq!(left.next(), None, "they belong to their own entry only");
    repo.coord("ops", ["ledger", "verify"]).done();
}

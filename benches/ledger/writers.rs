//! Eight concurrent writers, each of them one process after another: ours against `sqlite3`.

use std::process::Command;
use std::time::Instant;

use crate::repository::{GIT_COORD, Repository};
use crate::table::{median, ratio, skipped};

const WRITERS: usize = 8;
/// The number of processes that a writer starts in a round.
const ENTRIES_PER_WRITER: usize = 15;
const ROUNDS: usize = 5;

const WHAT: &str = "8 writers, entries a second / `sqlite3` inserts a second";
const BAR: &str = "at least 0.5x, goal 1x";

/// Prints the row.
pub(crate) fn compare_with_sqlite() {
    if let Err(error) = Command::new("sqlite3").arg("-version").output() {
        return skipped(WHAT, &format!("sqlite3: {error}"), BAR);
    }
    let mut ours = Repository::with_holds(10);
    let mut theirs = Repository::new();
    theirs.run("sqlite3", &["db", "PRAGMA journal_mode=WAL; CREATE TABLE entries(text TEXT)"]);
    let (mut entries, mut inserts) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        entries.push(a_second(&mut ours, reserve));
        inserts.push(a_second(&mut theirs, insert));
    }
    let count: usize =
        theirs.read("sqlite3", &["db", "SELECT count(*) FROM entries"]).parse().unwrap();
    assert_eq!(count, WRITERS * ENTRIES_PER_WRITER * ROUNDS, "every insert is in");
    ratio(WHAT, (median(entries), "/s"), (median(inserts), "/s"), BAR);
}

/// Measures how many entries a second all writers make together.
fn a_second(repository: &mut Repository, write: fn(&Repository, usize, usize)) -> f64 {
    let round = repository.next_number();
    let repository = &*repository;
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                for entry in 0..ENTRIES_PER_WRITER {
                    write(repository, writer, round * ENTRIES_PER_WRITER + entry);
                }
            });
        }
    });
    let entries = u32::try_from(WRITERS * ENTRIES_PER_WRITER).unwrap();
    f64::from(entries) / begun.elapsed().as_secs_f64()
}

fn reserve(repository: &Repository, writer: usize, entry: usize) {
    let agent = format!("writer-{writer}");
    let path = format!("w{writer}/f{entry}");
    repository.run(GIT_COORD, &["--as", &agent, "-q", "reserve", &path]);
}

fn insert(repository: &Repository, writer: usize, entry: usize) {
    let sql = format!("PRAGMA synchronous=FULL; INSERT INTO entries VALUES('{writer}/{entry}')");
    repository.run("sqlite3", &["-cmd", ".timeout 60000", "db", &sql]);
}

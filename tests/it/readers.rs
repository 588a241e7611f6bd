//! 0/IMP-2: readers take no lock. They never fail beside a writer, and never block one.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::contract::key;
use crate::support::kind::{Hash, Kind, Place, RefFormat};
use crate::support::untouched::Untouched;
use crate::support::{Call, Output, Repo};

const READERS: usize = 8;
/// Enough entries that packs are merged more than once while others read.
const ENTRIES: usize = 40;

fn repo_with(refs: RefFormat) -> Option<Repo> {
    Repo::of(Kind { refs, hash: Hash::Sha1, place: Place::Main })
}

fn write(repo: &Repo, number: usize) -> Call {
    repo.call("writer").args(["reserve", &format!("file-{number}")])
}

/// Counts the holds that a reader sees.
fn count(output: &Output) -> usize {
    output.json()["reservations"].as_array().expect("a list").len()
}

fn never_fail_beside_a_writer(refs: RefFormat) {
    let Some(repo) = repo_with(refs) else { return };
    let before = Untouched::of(repo.world());
    let is_over = AtomicBool::new(false);
    let read_on = || {
        let mut seen = vec![0];
        while !is_over.load(Ordering::SeqCst) {
            let list = repo.call("reader").args(["list", "--json"]);
            seen.push(count(&list.run_unproven().done()));
        }
        seen
    };
    thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(read_on)).collect();
        let written = (0..ENTRIES).map(|number| write(&repo, number).run_unproven());
        let codes: Vec<i32> = written.map(|output| output.code).collect();
        is_over.store(true, Ordering::SeqCst);
        assert_eq!(codes, vec![0; ENTRIES]);
        for reader in readers {
            let seen = reader.join().unwrap();
            assert!(seen.is_sorted(), "nothing that was there is gone: {seen:?}");
            assert!(seen.len() > 1, "it read beside the writer");
        }
    });
    before.assert_still_so("readers and a writer");
    assert_eq!(repo.holds().len(), ENTRIES);
}

#[test]
fn never_fail_beside_a_writer_where_refs_are_files() {
    never_fail_beside_a_writer(RefFormat::Files);
}

#[test]
fn never_fail_beside_a_writer_where_refs_are_tables() {
    never_fail_beside_a_writer(RefFormat::Reftable);
}

/// A stopped reader, which ends with a failing test.
struct Stopped<'r> {
    repo: &'r Repo,
    child: Option<Child>,
}

impl<'r> Stopped<'r> {
    fn new(repo: &'r Repo, child: Child) -> Stopped<'r> {
        let stopped = Stopped { repo, child: Some(child) };
        stopped.signal("-STOP");
        stopped
    }

    fn signal(&self, name: &str) {
        let id = self.child.as_ref().expect("it is there until it is woken").id().to_string();
        self.repo.call("").program("kill").args([name, &id]).run_unproven();
    }

    fn wake(mut self) -> Child {
        self.signal("-CONT");
        self.child.take().expect("it is woken once")
    }
}

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// Stopped readers hold nothing that a writer waits for; once continued, they find what they were
/// about to read, although packs were merged and collected meanwhile.
fn stand_still_without_harm(refs: RefFormat) {
    let Some(repo) = repo_with(refs) else { return };
    for number in 0..ENTRIES / 2 {
        write(&repo, number).run_unproven().done();
    }
    let list = repo.call("reader").args(["list", "--json"]);
    let mut stopped = Vec::new();
    for number in 0..READERS {
        let child = list.command().spawn().unwrap();
        thread::sleep(Duration::from_micros(number as u64 * 1_700));
        stopped.push(Stopped::new(&repo, child));
    }
    for number in ENTRIES / 2..ENTRIES {
        write(&repo, number).config(key::WAIT, "30s").run_unproven().done();
    }
    repo.git(["repack", "-a", "-d", "-q"]);
    for child in stopped {
        let seen = count(&list.finish(child.wake()).done());
        assert!((ENTRIES / 2..=ENTRIES).contains(&seen), "one moment's state: {seen}");
    }
}

#[test]
fn stand_still_without_harm_where_refs_are_files() {
    stand_still_without_harm(RefFormat::Files);
}

#[test]
fn stand_still_without_harm_where_refs_are_tables() {
    stand_still_without_harm(RefFormat::Reftable);
}

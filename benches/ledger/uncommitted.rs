//! The cost of knowing whose uncommitted work is whose, and of saving it.

use std::cell::Cell;

use crate::repository::{GIT_COORD, Repository, file};
use crate::table::{compared, compared_without};

/// The number of changed files of a snapshot.
const CHANGED: usize = 20;
/// The size of a changed file.
const BYTES: usize = 10_000;
/// The number of notes of an agent that has not committed for long.
const NOTES: usize = 1_000;

pub(crate) fn compare() {
    let few = Repository::with_files(1_000);
    after_an_edit(&few);
    end_of_turn(&Repository::with_files(1_000), 1_000);
    let many = Repository::with_files(100_000);
    end_of_turn(&many, 100_000);
    changes(&many, &format!("{CHANGED} changed files of 100,000"), "1.1x");
    with_many_notes(&few);
}

/// Compares `changes` with what it asks of git.
fn changes(repository: &Repository, what: &str, bar: &str) {
    let ours = || repository.run(GIT_COORD, &["--as", "reader", "changes", "--json"]);
    let status = || repository.run("git", &["status", "--porcelain", "-z", "-uall"]);
    compared(&format!("`changes` / `git status`, {what}"), bar, ours, status);
}

fn text(number: usize) -> String {
    let line = format!("{number} ");
    line.repeat(BYTES / line.len())
}

/// Measures the hook after an edit, which saves the file.
fn after_an_edit(few: &Repository) {
    let number = Cell::new(0);
    let edited = || {
        number.set(number.get() + 1);
        let path = file(500 + number.get());
        few.edit(&path);
        std::fs::write(few.path().join(&path), text(number.get())).unwrap();
        few.edited(&path)
    };
    let what = "hook after an edit of 10 KB, which saves it / `git rev-parse HEAD`";
    compared(what, "2x", edited, || few.rev_parse());
}

/// Measures the end of a turn that has changed some files. Reservations stay, so that what is
/// measured is the snapshot.
fn end_of_turn(repository: &Repository, files: usize) {
    repository.run("git", &["config", "coord.hook.release", "ttl"]);
    let number = Cell::new(0);
    let stop = || {
        for changed in 0..CHANGED {
            number.set(number.get() + 1);
            repository.change(changed, &text(number.get()));
        }
        repository.stop()
    };
    // Git's own commits have their packs too.
    let sizes = repository.sizes_of_new_packs(|| {
        stop();
    });
    let what = format!(
        "end of a turn that saves {CHANGED} files of 10 KB, of {files} / `git rev-parse HEAD`, \
         without the writing of the {} KB",
        sizes.iter().sum::<u64>() / 1000
    );
    let bytes = || repository.write_to_disk(&sizes);
    compared_without((&what, "5x"), stop, bytes, || repository.rev_parse());
}

/// Measures an edit and `changes` where much is not committed.
fn with_many_notes(few: &Repository) {
    for number in 0..NOTES {
        few.change(number % 1_000, &text(number));
    }
    let what = format!("edit hook, nothing written, {NOTES} notes / `git rev-parse HEAD`");
    few.edit(&file(0));
    compared(&what, "2x", || few.edit(&file(0)), || few.rev_parse());
    changes(few, &format!("{NOTES} changed files of 1,000"), "stated");
}

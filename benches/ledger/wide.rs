//! Directories with many holds, and readers of an entry that did much.

use crate::repository::{GIT_COORD, Repository};
use crate::table::{compared, stated};

const LEDGER: &str = "refs/coord/reservations";
/// The number of exceptions that a hold may have.
const EXCEPTIONS: usize = 64;
/// The file that the measured commands are about, beside all the holds.
const BESIDE: &str = "src/d0/beside.rs";

/// Compares a wide directory with a narrow one, and a large entry with a small one.
pub(crate) fn compare(few: &Repository) {
    let (narrow, wide) = (Repository::with_holds_in(1, 10), Repository::with_holds_in(1, 10_000));
    let check =
        |repository: &Repository| repository.run(GIT_COORD, &["--as", "reader", "check", BESIDE]);
    let what = "`check`, 10,000 held in its directory / 10 held there";
    compared(what, "1.3x", || check(&wide), || check(&narrow));
    for (held, repository) in [("10", &narrow), ("10,000", &wide)] {
        repository.run(GIT_COORD, &["--as", "one", "-q", "reserve", BESIDE]);
        let before = format!("^{LEDGER}~1");
        let words = ["rev-list", "--disk-usage", "--objects", LEDGER, &before];
        let bytes = repository.read("git", &words);
        let what = format!("an entry, {held} held in its directory");
        stated(&what, &format!("{bytes} bytes"), "4 KB");
    }
    exceptions(few);
    let large = Repository::with_holds(10);
    let paths: Vec<String> = (0..500).map(|number| format!("large/f{number}")).collect();
    large.hold("large", &paths);
    let what = "`check` after a `reserve` of 500 / of 1";
    compared(what, "1.1x", || large.check(), || few.check());
}

/// Compares a hold with as many exceptions as it may have, and holds of files, with plain ones.
fn exceptions(few: &Repository) {
    let given = Repository::with_holds(10);
    given.hold("giver", &["docs".to_owned()]);
    for number in 0..EXCEPTIONS {
        let path = format!("docs/given-{number}.md");
        given.run(GIT_COORD, &["--as", "giver", "-q", "release", "--path", &path]);
    }
    let check = || given.run(GIT_COORD, &["--as", "reader", "check", "docs/given-0.md"]);
    compared("`check`, a hold with 64 exceptions / none", "1.3x", check, || few.check());
    let mut number = 0;
    let reserve = || {
        number += 1;
        let path = format!("docs/given-{}.md", number % EXCEPTIONS);
        given.run(GIT_COORD, &["--as", "taker", "-q", "reserve", &path])
    };
    let mut plain = Repository::new();
    let what = "`reserve` beside 64 exceptions / `git commit-tree` + `git update-ref`";
    compared(what, "1.5x", reserve, || plain.commit_and_update());
}

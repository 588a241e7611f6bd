//! Directories with many holds, and readers of an entry that did much.

use crate::repository::{GIT_COORD, Repository};
use crate::table::{compared, stated};

const LEDGER: &str = "refs/coord/reservations";
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
    let large = Repository::with_holds(10);
    let paths: Vec<String> = (0..500).map(|number| format!("large/f{number}")).collect();
    large.hold("large", &paths);
    let what = "`check` after a `reserve` of 500 / of 1";
    compared(what, "1.1x", || large.check(), || few.check());
}

//! Remedies for failures: a damaged ledger, something in its place, a disk that refuses.

use std::io;

use rustix::io::Errno;

use super::{Hint, Kind, Problem};
use crate::app::next::{command, in_shell};
use crate::core::documents::{Key, ReadError};
use crate::core::ledger::LedgerName;
use crate::core::run::index;
use crate::store::error::StoreError;
use crate::store::git::refs::RefError;
use crate::store::os::files::FileError;

/// Explains a failure of the store.
pub(super) fn of_store(error: &StoreError) -> Problem {
    let failure = Problem::caused(Kind::Failure, error);
    if let Some(remedy) = error.file_error().and_then(remedy) {
        return failure.with_hint(Hint::plain(remedy));
    }
    match error {
        StoreError::Symlink(_) | StoreError::Ref(RefError::InTheWay { .. }) => failure
            .with_hint(Hint::plain("nothing was changed. To see what is in the way:"))
            .suggesting(vec![command(&["doctor"])], Hint::plain),
        error if error.is_damage() => failure
            .with_hint(Hint::plain("nothing was changed. To go on from the newest whole entry:"))
            .suggesting(vec![command(&["doctor", "--repair"])], Hint::plain),
        _ => failure,
    }
}

/// Explains a document with content that no decision writes.
pub(super) fn of_document(error: &ReadError) -> Problem {
    let failure = Problem::caused(Kind::Failure, error);
    let ReadError::Damaged { key, .. } = error else { return failure };
    let ledger = ledger_of(key);
    let reference = ledger.reference();
    let verify = command(&["ledger", "verify"]);
    failure
        .with_hint(Hint::plain("nothing was changed. To find what is whole and go back to it:"))
        .with_hint(Hint::plain(format!("  {}", in_shell(&verify))))
        .with_hint(Hint::plain(format!(
            "  git coord ledger rollback {ledger} --to <entry> --reason <why>"
        )))
        .with_hint(Hint::plain(format!("  or, by hand: git update-ref {reference} <entry>")))
        .with_next(verify)
}

/// Finds the ledger that has a document of that name.
fn ledger_of(key: &Key) -> LedgerName {
    match key.parts().next() {
        Some(index::RUNS | index::ACTIVE) => LedgerName::Runs,
        _ => LedgerName::Reservations,
    }
}

/// Suggests a remedy for an error of the file system.
fn remedy(error: &FileError) -> Option<String> {
    let directory = error.path.parent().unwrap_or(&error.path).display();
    let is = |code: Errno| error.cause.raw_os_error() == Some(code.raw_os_error());
    Some(match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room on that disk, and run it again".to_owned()
        }
        io::ErrorKind::PermissionDenied => format!(
            "see who has access there: ls -ld '{directory}'\n\
             users who share a repository set: git config core.sharedRepository group"
        ),
        io::ErrorKind::ReadOnlyFilesystem => {
            "that disk takes no writes; what only reads, such as check and list, works".to_owned()
        }
        _ if is(Errno::MFILE) => "see how many files this process may open: ulimit -n".to_owned(),
        _ if is(Errno::IO) => {
            "the disk itself may be failing; make a copy of the repository first".to_owned()
        }
        _ => return None,
    })
}

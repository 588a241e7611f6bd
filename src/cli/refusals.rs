//! Why a request did not come to its outcome, in the words of the command line.

use std::io;

use rustix::io::Errno;
use serde_json::{Map, Value, json};

use super::disputes::disputed;
use super::error::{Advice, CliError, ErrorKind, Hint};
use super::holds::{conflicts_json, fields, holds_json, sighting_text};
use super::routing_refusals;
use super::runs;
use crate::app::error::AppError;
use crate::app::next::{after_conflict, command as next, in_shell};
use crate::app::presence::Sightings;
use crate::app::wording::{conflict_text, ticket_text};
use crate::core::documents::{Key, ReadError};
use crate::core::ledger::LedgerName;
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::tickets::Ticket;
use crate::core::run::index;
use crate::core::text::is_disguise;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::refs::RefError;
use crate::store::os::files::FileError;

/// How many conflicts an error lists in full.
const CONFLICTS_SHOWN_MAX: usize = 10;

impl From<AppError> for CliError {
    fn from(error: AppError) -> CliError {
        match error {
            AppError::Usage(message) => CliError::new(ErrorKind::Usage, message),
            AppError::Nothing(message) => CliError::new(ErrorKind::NothingThere, message),
            AppError::Busy(message) => CliError::new(ErrorKind::Busy, message)
                .with_hint(Hint::plain("nothing was written; try again")),
            AppError::Interrupted(signal) => {
                CliError::new(ErrorKind::Interrupted(signal), "interrupted while waiting")
                    .with_hint(Hint::plain("nothing was reserved, and nobody waits for it"))
            }
            AppError::Refused(refusal) => refused(&refusal),
            AppError::Held { conflicts, before, at, sightings } => {
                held(&conflicts, &before, at, &sightings)
            }
            AppError::Failed(error) => with_way_out(&*error),
        }
    }
}

/// A failure; where a ledger is damaged, something is in the way or the disk refuses, with the
/// way out.
fn with_way_out(error: &(dyn std::error::Error + 'static)) -> CliError {
    let failure = CliError::caused(ErrorKind::Failure, error);
    let stored = error.downcast_ref::<StoreError>();
    if let Some(remedy) = stored.and_then(StoreError::file_error).and_then(remedy) {
        return failure.with_hint(Hint::plain(remedy));
    }
    let doctor = next(&["doctor"]);
    let repair = next(&["doctor", "--repair"]);
    let hint = |command: &[String]| Hint::plain(format!("  {}", in_shell(command)));
    match way_out(error) {
        WayOut::None => failure,
        WayOut::Look => failure
            .with_hint(Hint::plain("nothing was changed. To see what is in the way:"))
            .with_hint(hint(&doctor))
            .with_next(doctor),
        WayOut::Repair => failure
            .with_hint(Hint::plain("nothing was changed. To go on from the newest whole entry:"))
            .with_hint(hint(&repair))
            .with_next(repair),
        WayOut::RollBack(ledger) => {
            let reference = ledger.reference();
            let verify = next(&["ledger", "verify"]);
            failure
                .with_hint(Hint::plain(
                    "nothing was changed. To find what is whole and go back to it:",
                ))
                .with_hint(hint(&verify))
                .with_hint(Hint::plain(format!(
                    "  git coord ledger rollback {ledger} --to <entry> --reason <why>"
                )))
                .with_hint(Hint::plain(format!(
                    "  or, by hand: git update-ref {reference} <entry>"
                )))
                .with_next(verify)
        }
    }
}

/// What helps against a failure.
enum WayOut {
    None,
    /// Something stands where a ledger should be.
    Look,
    /// Objects are missing or unreadable.
    Repair,
    /// A document of that ledger says something that it cannot say.
    RollBack(LedgerName),
}

fn way_out(error: &(dyn std::error::Error + 'static)) -> WayOut {
    if let Some(error) = error.downcast_ref::<StoreError>() {
        return match error {
            StoreError::Symlink(_) | StoreError::Ref(RefError::InTheWay { .. }) => WayOut::Look,
            error if error.is_damage() => WayOut::Repair,
            _ => WayOut::None,
        };
    }
    match error.downcast_ref::<ReadError>() {
        Some(ReadError::Store(error)) => way_out(&**error),
        Some(ReadError::Damaged { key, .. }) => WayOut::RollBack(ledger_of(key)),
        None => WayOut::None,
    }
}

/// The ledger that has a document of that name.
fn ledger_of(key: &Key) -> LedgerName {
    match key.parts().next() {
        Some(index::RUNS | index::ACTIVE) => LedgerName::Runs,
        _ => LedgerName::Reservations,
    }
}

/// What to do about a file system that refuses.
fn remedy(error: &FileError) -> Option<String> {
    let directory = error.path.parent().unwrap_or(&error.path).display();
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
        _ if error.cause.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => {
            "see how many files this process may open: ulimit -n".to_owned()
        }
        _ if error.cause.raw_os_error() == Some(Errno::IO.raw_os_error()) => {
            "the disk itself may be failing; make a copy of the repository first".to_owned()
        }
        _ => return None,
    })
}

/// A refusal with what can be done about it.
fn refused(refusal: &Refusal) -> CliError {
    match refusal {
        Refusal::Held { conflicts, before, at } => {
            held(conflicts, before, *at, &Sightings::default())
        }
        Refusal::Deadlock { circle } => {
            let details = fields([("circle", json!(circle))]);
            let release = next(&["release", "--mine"]);
            CliError::refused(refusal.code(), refusal.to_string(), details, &[next(&["list"])])
                .with_hint(Hint::plain("nobody would ever go on. Let go of something first, then:"))
                .with_hint(Hint::plain(format!("  {}", in_shell(&release))))
        }
        Refusal::NotYours { holds, at } => {
            let details = fields([("holds", holds_json(holds, *at))]);
            let look = next(&["list", &format!("--holder={}", holds[0].holder)]);
            let hint = "its holder can do this; to do it anyway, on the record, add: \
                        --force --reason '<why>'";
            CliError::refused(refusal.code(), refusal.to_string(), details, &[look])
                .with_hint(Hint::advice(Advice::NotYours, hint))
        }
        Refusal::NothingThere { .. } => CliError::new(ErrorKind::NothingThere, refusal.to_string()),
        Refusal::TooMany { count, max, .. } => {
            let details = fields([("count", json!(count)), ("max", json!(max))]);
            CliError::refused(
                refusal.code(),
                refusal.to_string(),
                details,
                &[next(&["list", "--mine"])],
            )
        }
        Refusal::Ambiguous { prefix, ids } => {
            let details = fields([("prefix", json!(prefix)), ("ids", json!(ids))]);
            CliError::refused(refusal.code(), refusal.to_string(), details, &[next(&["list"])])
        }
        Refusal::RequestMismatch { id, by } => {
            let details = fields([("request_id", json!(id)), ("by", json!(by))]);
            CliError::refused(refusal.code(), refusal.to_string(), details, &[])
                .with_hint(Hint::plain("a request id names one request; choose another"))
        }
        Refusal::RequestOver { id, ended } => {
            let details = fields([("request_id", json!(id)), ("ended", json!(ended))]);
            CliError::refused(refusal.code(), refusal.to_string(), details, &[])
                .with_hint(Hint::plain("to ask again, choose another request id"))
        }
        Refusal::Run(of_run) => runs::refused(of_run),
        Refusal::Routing(refusal) => routing_refusals::refused(refusal),
        Refusal::Changed { expected, found } => {
            let details = fields([("expected", json!(expected)), ("found", json!(found))]);
            let look = next(&["ledger", "log", "reservations"]);
            CliError::refused(refusal.code(), refusal.to_string(), details, &[look])
        }
        Refusal::Dispute(dispute) => disputed(dispute),
        Refusal::Domain(_) => {
            let look = [next(&["domain", "show"])];
            CliError::refused(refusal.code(), refusal.to_string(), Map::new(), &look)
        }
    }
}

fn held(
    conflicts: &[Conflict],
    before: &[Ticket],
    now: Timestamp,
    sightings: &Sightings,
) -> CliError {
    let mut lines: Vec<String> = conflicts
        .iter()
        .take(CONFLICTS_SHOWN_MAX)
        .map(|conflict| conflict_text(conflict, now) + &sighting_text(conflict, now, sightings))
        .collect();
    lines.extend(before.iter().take(CONFLICTS_SHOWN_MAX).map(|ticket| ticket_text(ticket, now)));
    if let more @ 1.. = conflicts.len().saturating_sub(CONFLICTS_SHOWN_MAX) {
        lines.push(format!("and {more} more"));
    }
    let commands = after_conflict(conflicts, sightings.can_ask);
    let mut error = CliError::refused(
        "held",
        lines.join("\n       "),
        fields([("conflicts", conflicts_json(conflicts, now, Some(sightings)))]),
        &commands,
    );
    error.json_extra.extend(held_fields(conflicts, now, sightings));
    if !before.is_empty() {
        error.json_extra.insert("before".to_owned(), json!(before));
    }
    let hint = if sightings.can_ask {
        "nothing was reserved; work on something else, ask its holder, or look again later:"
    } else {
        "nothing was reserved; work on something else, or look again later:"
    };
    error = error.with_hint(Hint::advice(Advice::Held, hint));
    // What cannot be typed is not suggested; programs find it in the JSON.
    for command in commands.iter().filter(|words| !words.concat().contains(is_disguise)) {
        error = error.with_hint(Hint::advice(Advice::Held, format!("  {}", in_shell(command))));
    }
    error
}

/// What `reserve` and `check` have at the top of their answers, refused or not.
fn held_fields(
    conflicts: &[Conflict],
    now: Timestamp,
    sightings: &Sightings,
) -> Map<String, Value> {
    fields([
        ("granted", json!([])),
        ("free", json!(false)),
        ("conflicts", conflicts_json(conflicts, now, Some(sightings))),
    ])
}

/// The refusal of an answer that has conflicts in it.
pub(crate) fn held_json(conflicts: &[Conflict], now: Timestamp, sightings: &Sightings) -> Value {
    let messages: Vec<String> =
        conflicts.iter().take(1).map(|conflict| conflict_text(conflict, now)).collect();
    let next = after_conflict(conflicts, sightings.can_ask);
    json!({ "code": "held", "message": messages.concat(), "next": next })
}

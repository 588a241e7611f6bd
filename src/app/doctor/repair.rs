//! Damaged ledgers: the plan of a repair, its losses, and the repair itself.

use super::view::PlanView;
use super::{Check, State};
use crate::app::answer::{Answer, Written};
use crate::app::error::AppError;
use crate::app::{Ctx, WriteMode};
use crate::core::documents::Key;
use crate::core::ids::OpId;
use crate::core::ledger::LedgerName;
use crate::core::repair::Repair;
use crate::core::reservation::index;
use crate::core::text::Line;
use crate::store::ledger::repair::{Plan, Repaired, Repairer, RewoundRef};

/// The largest number of entries that a line names.
const NAMED_MAX: usize = 5;

/// A ledger that goes on from its newest whole entry.
pub(super) struct Continued {
    pub ledger: LedgerName,
    /// The act of the repair.
    pub op: OpId,
    pub repaired: Repaired,
}

/// Continues a damaged ledger from its newest whole entry; none if it is not damaged.
pub(super) fn repair(ctx: &Ctx, ledger: LedgerName) -> Result<Option<Continued>, AppError> {
    let who = Repairer { actor: ctx.actor().clone(), host: ctx.host().clone(), clock: ctx.clock() };
    let op = Ctx::new_op()?;
    let repaired = ctx.ledger(ledger).repair(&who, &op)?;
    Ok(repaired.map(|repaired| Continued { ledger, op, repaired }))
}

/// Plans a repair; none if the ledger is not damaged.
pub(super) fn plan(ctx: &Ctx, ledger: LedgerName) -> Result<Option<Plan>, AppError> {
    Ok(ctx.ledger(ledger).plan_repair()?)
}

/// Reservations that were taken out because they cannot be read.
#[derive(Clone, Debug)]
pub(super) struct TakenOut {
    /// The keys that they had.
    pub documents: Vec<Key>,
    /// The entry that took them out; none in a dry run.
    pub written: Option<Written>,
}

/// Finds reservations that cannot be read, in a ledger that is whole otherwise.
pub(super) fn unreadable(ctx: &Ctx) -> Result<Vec<Key>, AppError> {
    Ok(index::unreadable(&ctx.read()?.base.snapshot)?)
}

/// Removes reservations that cannot be read; none if all can be.
pub(super) fn take_out(ctx: &Ctx, dry_run: bool) -> Result<Option<TakenOut>, AppError> {
    let (documents, before) = (unreadable(ctx)?, ctx.read()?.base.id());
    let Some(before) = before.filter(|_| !documents.is_empty()) else { return Ok(None) };
    if dry_run {
        return Ok(Some(TakenOut { documents, written: None }));
    }
    let line = |text: &str| Line::new(text).expect("plain words are a line");
    let command = Repair {
        lost: line("reservations that cannot be read"),
        why: line("they are no reservations of this version"),
        kept_at: line(&format!("entry {before}")),
        takes_out: true,
    };
    let committed = ctx.transact(LedgerName::Reservations, command, WriteMode::Plain)?;
    let written = Answer::committed(committed, drop).written;
    Ok(Some(TakenOut { documents, written }))
}

/// Describes in one line what a repair would do.
pub(super) fn outlook(plan: &PlanView) -> String {
    let Some(whole) = plan.whole else {
        return "no whole entry of it was found, so a repair could not go on from any".to_owned();
    };
    let mut text = format!("a repair would go on from entry {}", whole.short());
    for (what, left) in plan.losses() {
        let mut named: Vec<String> = left.iter().take(NAMED_MAX).map(ToString::to_string).collect();
        if left.len() > NAMED_MAX {
            named.push(format!("{} more", left.len() - NAMED_MAX));
        }
        text.push_str(&format!("; {what}: {}", named.join(", ")));
    }
    text
}

/// Reports a ref that was deleted or put back, with the command that restores it.
pub(super) fn rewound_check(name: LedgerName, text: &str, found: &RewoundRef) -> Check {
    let (reference, published) = (name.reference(), found.published.to_string());
    let how = if found.tip.is_some() { "was put back" } else { "is gone" };
    let then = if found.is_whole {
        "if that was not meant, this brings it back; otherwise the next write settles it"
    } else {
        "that one can no longer be read"
    };
    let text = format!(
        "{text}; '{reference}' {how}: entry {} was published last; {then}",
        found.published.short()
    );
    let check = Check::new(name.as_str(), State::Warning, text);
    if !found.is_whole {
        return check;
    }
    let nothing = "0".repeat(published.len());
    let old = found.tip.map_or(nothing, |id| id.to_string());
    // No ref has a space in its name.
    let command = format!("git update-ref {reference} {published} {old}");
    check.with_next(&command.split(' ').collect::<Vec<&str>>())
}

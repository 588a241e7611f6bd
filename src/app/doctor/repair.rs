//! Damaged ledgers: what a repair would do, what would be lost by it, and the repair itself.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::store::layout::LedgerName;
use crate::store::repair::{Left, Plan, Repaired, Repairer};

/// How many entries one line names.
const NAMED_MAX: usize = 5;

/// Takes a damaged ledger on from its newest whole entry; none if it is not damaged.
pub fn repair(ctx: &Ctx, ledger: LedgerName) -> Result<Option<Repaired>, AppError> {
    let who = Repairer { actor: ctx.actor().clone(), host: ctx.host().clone(), clock: ctx.clock() };
    Ok(ctx.ledger(ledger)?.repair(&who, &Ctx::new_op()?)?)
}

/// What a repair would do; none if the ledger is not damaged.
pub fn plan(ctx: &Ctx, ledger: LedgerName) -> Result<Option<Plan>, AppError> {
    Ok(ctx.ledger(ledger)?.plan_repair()?)
}

/// Tells in one line what a repair would do.
pub(super) fn outlook(plan: &Plan) -> String {
    let Some(whole) = plan.whole else {
        return "no whole entry of it was found, so a repair could not go on from any".to_owned();
    };
    let mut text = format!("a repair would go on from entry {}", whole.short());
    for (what, left) in losses(plan) {
        let mut named: Vec<String> = left.iter().take(NAMED_MAX).map(name).collect();
        if left.len() > NAMED_MAX {
            named.push(format!("{} more", left.len() - NAMED_MAX));
        }
        text.push_str(&format!("; {what}: {}", named.join(", ")));
    }
    text
}

/// What a repair leaves behind, in groups; each with the words for it, and none that is empty.
pub fn losses(plan: &Plan) -> Vec<(&'static str, &[Left])> {
    let doubtful = if plan.is_known {
        "left out, because nothing shows that it was published"
    } else {
        "left out, because it is earlier, and nothing shows which was published"
    };
    let groups = [("lost", plan.lost.as_slice()), (doubtful, plan.doubtful.as_slice())];
    groups.into_iter().filter(|(_, left)| !left.is_empty()).collect()
}

/// An entry for people: what it says of itself, and how it is found.
pub fn name(left: &Left) -> String {
    let summary = left.summary.as_deref().unwrap_or("cannot be read");
    format!("entry {} ({summary})", left.id.short())
}

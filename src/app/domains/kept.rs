//! Damaged caches: tells them from caches that cannot be read at the moment, and sets them
//! aside.
//!
//! A project can be detected again, so nobody has to wait for a repair by hand. The damaged state
//! is kept under another ref for inspection.

use crate::app::Ctx;
use crate::app::error::{AppError, with_causes};
use crate::core::ledger::LedgerName;
use crate::store::ledger::repair::Repairer;

/// The damage of a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// The damage in a sentence.
    pub why: String,
}

/// A cache that was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptAside {
    pub why: String,
    /// The ref or the file that keeps it.
    pub kept_at: String,
}

/// Separates damage, which can be set aside, from other errors of a reading.
pub(super) fn or_damaged<T>(read: Result<T, AppError>) -> Result<Result<T, Damaged>, AppError> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(error) if error.is_damage() => Ok(Err(Damaged { why: with_causes(&error) })),
        Err(error) => Err(error),
    }
}

/// Finds a ref below the name of the ledger. Git allows no ledger beside it.
pub(super) fn in_the_way(ctx: &Ctx) -> Option<String> {
    let below = format!("{}/", LedgerName::Domains.reference());
    let listed = ctx.repository().common_program().refs_below(&below);
    listed.ok()?.into_iter().next()
}

/// Sets a damaged cache aside, so that the next write starts afresh.
pub(super) fn set_aside(ctx: &Ctx, damaged: Damaged) -> Result<KeptAside, AppError> {
    let who = Repairer { actor: ctx.actor().clone(), host: ctx.host().clone(), clock: ctx.clock() };
    let ledger = ctx.ledger(LedgerName::Domains);
    let kept_at = ledger.set_aside(&who, &Ctx::new_op()?)?;
    Ok(KeptAside { why: damaged.why, kept_at })
}

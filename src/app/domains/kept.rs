//! A cache that is damaged: told from one that cannot be reached, set aside, and begun again.
//!
//! What was detected can be detected again, so nobody has to wait for a repair by hand. What is
//! damaged is kept under another ref for whoever wants to look at it.

use crate::app::Ctx;
use crate::app::error::{AppError, with_causes};
use crate::core::ledger::LedgerName;
use crate::store::ledger::repair::Repairer;

/// What is wrong with a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// In words.
    pub why: String,
}

/// A cache that was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptAside {
    /// What was wrong with it.
    pub why: String,
    /// The ref or the file that has it now.
    pub kept_at: String,
}

/// What was read of the ledger, or what is wrong with it.
pub(super) fn or_damaged<T>(read: Result<T, AppError>) -> Result<Result<T, Damaged>, AppError> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(error) if error.is_damage() => Ok(Err(Damaged { why: with_causes(&error) })),
        Err(error) => Err(error),
    }
}

/// Sets a damaged cache aside, so that the next write goes on without it.
pub(super) fn set_aside(ctx: &Ctx, damaged: Damaged) -> Result<KeptAside, AppError> {
    let who = Repairer { actor: ctx.actor().clone(), host: ctx.host().clone(), clock: ctx.clock() };
    let ledger = ctx.ledger(LedgerName::Domains)?;
    let kept_at = ledger.set_aside(&who, &Ctx::new_op()?)?;
    Ok(KeptAside { why: damaged.why, kept_at })
}

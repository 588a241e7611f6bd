//! What this host knows to have ended: holds whose process does not run any more.
//!
//! A process of another host, or of another boot of one that is called the same, is never judged:
//! only the time frees what goes with it.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::reservation::process::GoneHold;
use crate::core::reservation::{Hold, Target, index};
use crate::store::process::ProcessIdentity;

/// Those of the holds whose process has ended.
pub fn among<'h>(holds: impl IntoIterator<Item = &'h Hold>) -> Vec<GoneHold> {
    let gone = |hold: &Hold| {
        let process = hold.process.clone()?;
        let has_ended = ProcessIdentity::of(&process).has_ended_here();
        has_ended.then(|| GoneHold { id: hold.id.clone(), process })
    };
    holds.into_iter().filter_map(gone).collect()
}

/// Whether the process of a hold has ended.
pub fn has_ended(hold: &Hold) -> bool {
    !among([hold]).is_empty()
}

/// Whether the process of a hold is known to run on this host.
pub fn runs(hold: &Hold) -> bool {
    hold.process.as_ref().is_some_and(|process| ProcessIdentity::of(process).runs_here())
}

/// Those among what meets these targets whose process has ended.
pub fn in_the_way(ctx: &Ctx, targets: &[Target]) -> Result<Vec<GoneHold>, AppError> {
    let reading = ctx.read()?;
    let mut gone = Vec::new();
    for target in targets {
        gone.extend(among(&index::meeting(&reading.base.snapshot, target, reading.case)?));
    }
    Ok(gone)
}

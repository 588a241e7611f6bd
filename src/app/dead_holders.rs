//! What this host knows to have ended: holds whose process does not run any more.
//!
//! A hold of `with` goes with two processes: that of `with`, and that of its command, which goes on
//! if the first is killed. A process of another host, or of another boot of one that is called the
//! same, is never judged: only the time frees what goes with it.

use std::collections::BTreeMap;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::ids::HoldId;
use crate::core::refusal::Conflict;
use crate::core::reservation::process::GoneHold;
use crate::core::reservation::{Hold, Target, index};
use crate::store::machine::commands::Command;
use crate::store::os::process::ProcessIdentity;

/// The processes of commands that run on although their `with` is gone, by what is held for them.
pub type Orphans = BTreeMap<HoldId, u32>;

/// Those of the holds whose process has ended.
pub fn among<'h>(ctx: &Ctx, holds: impl IntoIterator<Item = &'h Hold>) -> Vec<GoneHold> {
    let gone = |hold: &Hold| {
        let process = hold.process.clone()?;
        let with = ProcessIdentity::of(&process);
        let command_has_ended = || ctx.commands().of(&with).is_none_or(|it| it.has_ended());
        let has_ended = with.has_ended_here() && command_has_ended();
        has_ended.then(|| GoneHold { id: hold.id.clone(), process })
    };
    holds.into_iter().filter_map(gone).collect()
}

/// Whether the process of a hold has ended.
pub fn has_ended(ctx: &Ctx, hold: &Hold) -> bool {
    !among(ctx, [hold]).is_empty()
}

/// Whether the process of a hold is known to run on this host.
pub fn runs(ctx: &Ctx, hold: &Hold) -> bool {
    let with = hold.process.as_ref().map(ProcessIdentity::of);
    with.is_some_and(|with| with.runs_here()) || orphan(ctx, hold).is_some()
}

/// The commands among what is in the way that run on although their `with` is gone.
pub fn orphans(ctx: &Ctx, conflicts: &[Conflict]) -> Orphans {
    let held = conflicts.iter().map(|conflict| &conflict.held);
    held.filter_map(|hold| Some((hold.id.clone(), orphan(ctx, hold)?))).collect()
}

fn orphan(ctx: &Ctx, hold: &Hold) -> Option<u32> {
    let with = ProcessIdentity::of(hold.process.as_ref()?);
    let command = with.has_ended_here().then(|| ctx.commands().of(&with))??;
    command.running().map(ProcessIdentity::pid)
}

/// The command of a `with` that is gone.
pub fn command_of(ctx: &Ctx, with: &ProcessIdentity) -> Option<ProcessIdentity> {
    match ctx.commands().of(with) {
        Some(Command::Started(process)) => Some(process),
        Some(Command::Starting) | None => None,
    }
}

/// Those among what meets these targets whose process has ended.
pub fn in_the_way(ctx: &Ctx, targets: &[Target]) -> Result<Vec<GoneHold>, AppError> {
    let reading = ctx.read()?;
    let mut gone = Vec::new();
    for target in targets {
        gone.extend(among(ctx, &index::meeting(&reading.base.snapshot, target, reading.case)?));
    }
    Ok(gone)
}

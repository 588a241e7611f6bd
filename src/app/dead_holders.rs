//! Finds dead holders: reservations of a process on this host that has ended.
//!
//! A reservation of `with` belongs to two processes: that of `with`, and that of its command, which
//! goes on if the first is killed. A process of another clone, of another host, or of another boot
//! of a host of the same name, is never judged: its reservations end by time alone.

use std::collections::BTreeMap;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::ids::HoldId;
use crate::core::place::are_apart;
use crate::core::refusal::Conflict;
use crate::core::reservation::process::GoneHold;
use crate::core::reservation::{Hold, Target, index};
use crate::store::machine::commands::Command;
use crate::store::os::process::ProcessIdentity;

/// The processes of commands that go on although their `with` was killed, by reservation.
pub type Orphans = BTreeMap<HoldId, u32>;

/// Finds the reservations whose process has ended.
pub fn among<'h>(ctx: &Ctx, holds: impl IntoIterator<Item = &'h Hold>) -> Vec<GoneHold> {
    let gone = |hold: &Hold| {
        let process = hold.process.clone()?;
        let with = process_here(ctx, hold)?;
        let command_has_ended = || ctx.commands().of(&with).is_none_or(|it| it.has_ended());
        let has_ended = with.has_ended_here() && command_has_ended();
        has_ended.then(|| GoneHold { id: hold.id.clone(), process })
    };
    holds.into_iter().filter_map(gone).collect()
}

/// Tells whether the process of a reservation has ended.
pub fn has_ended(ctx: &Ctx, hold: &Hold) -> bool {
    !among(ctx, [hold]).is_empty()
}

/// Tells whether the process of a reservation is known to run on this host.
pub fn runs(ctx: &Ctx, hold: &Hold) -> bool {
    let with = process_here(ctx, hold);
    with.is_some_and(|with| with.runs_here()) || orphan(ctx, hold).is_some()
}

/// Finds the commands that hold something in the way, and go on although their `with` was killed.
pub fn orphans(ctx: &Ctx, conflicts: &[Conflict]) -> Orphans {
    let held = conflicts.iter().map(|conflict| &conflict.held);
    held.filter_map(|hold| Some((hold.id.clone(), orphan(ctx, hold)?))).collect()
}

fn orphan(ctx: &Ctx, hold: &Hold) -> Option<u32> {
    let with = process_here(ctx, hold)?;
    let command = with.has_ended_here().then(|| ctx.commands().of(&with))??;
    command.running().map(ProcessIdentity::pid)
}

/// Identifies the process of a reservation that was made in this clone. Another clone may be on
/// another machine of the same name, and not every system tells its boots apart.
fn process_here(ctx: &Ctx, hold: &Hold) -> Option<ProcessIdentity> {
    let process = hold.process.as_ref()?;
    let is_here = !are_apart(hold.about.place.as_ref(), ctx.known_place().as_ref());
    is_here.then(|| ProcessIdentity::of(process))
}

/// Finds the command of a `with` that was killed.
pub fn command_of(ctx: &Ctx, with: &ProcessIdentity) -> Option<ProcessIdentity> {
    match ctx.commands().of(with) {
        Some(Command::Started(process)) => Some(process),
        Some(Command::Starting) | None => None,
    }
}

/// Finds the dead reservations that meet one of these targets.
pub fn in_the_way(ctx: &Ctx, targets: &[Target]) -> Result<Vec<GoneHold>, AppError> {
    let reading = ctx.read()?;
    let mut gone = Vec::new();
    for target in targets {
        gone.extend(among(ctx, &index::meeting(&reading.base.snapshot, target, reading.case)?));
    }
    Ok(gone)
}

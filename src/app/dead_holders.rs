//! Finds dead holders: reservations of a process or a session on this host that has ended.
//!
//! A reservation that came with the work of an agent ends with the agent's session: the session
//! said that it ends, or the process of the agent's program has ended.
//!
//! A reservation of `with` belongs to two processes: that of `with`, and that of its command, which
//! goes on if the first is killed. A process of another clone, of another host, or of another boot
//! of a host of the same name, is never judged: its reservations end by time alone.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::app::config::ReleaseWith;
use crate::app::error::AppError;
use crate::app::{Ctx, presence};
use crate::core::ids::{AgentName, HoldId};
use crate::core::place::are_apart;
use crate::core::refusal::Conflict;
use crate::core::reservation::process::{EndedWith, GoneHold};
use crate::core::reservation::{Hold, Target, index};
use crate::core::time::Timestamp;
use crate::store::machine::commands::Command;
use crate::store::os::process::ProcessIdentity;

/// The processes of commands that go on although their `with` was killed, by reservation.
pub type Orphans = BTreeMap<HoldId, u32>;

/// Finds the reservations that have ended with a process or a session.
pub fn among<'h>(ctx: &Ctx, holds: impl IntoIterator<Item = &'h Hold>) -> Vec<GoneHold> {
    let sessions = Sessions { ctx, known: RefCell::default() };
    let gone = |hold: &Hold| {
        let Some(process) = hold.process.clone() else {
            let with = EndedWith::Session { until: hold.expires_at };
            return sessions.end(hold).then(|| GoneHold { id: hold.id.clone(), with });
        };
        let with = process_here(ctx, hold)?;
        let command_has_ended = || ctx.commands().of(&with).is_none_or(|it| it.has_ended());
        let has_ended = with.has_ended_here() && command_has_ended();
        let with = EndedWith::Process { process };
        has_ended.then(|| GoneHold { id: hold.id.clone(), with })
    };
    holds.into_iter().filter_map(gone).collect()
}

/// The sessions of holders. Each is looked for once.
struct Sessions<'c> {
    ctx: &'c Ctx,
    known: RefCell<BTreeMap<AgentName, bool>>,
}

impl Sessions<'_> {
    /// Tells whether a reservation has ended with the session of its holder. Where reservations are
    /// to outlive sessions, none does.
    fn end(&self, hold: &Hold) -> bool {
        let release = self.ctx.settings().hook.release;
        matches!(release, ReleaseWith::Turn | ReleaseWith::Session)
            && hold.ends_with_session()
            && is_here(self.ctx, hold)
            && !self.ctx.actor().is_one_with(&hold.holder)
            && self.has_ended(&hold.holder)
    }

    fn has_ended(&self, agent: &AgentName) -> bool {
        if let Some(known) = self.known.borrow().get(agent) {
            return *known;
        }
        let has_ended = presence::has_ended(self.ctx, agent);
        self.known.borrow_mut().insert(agent.clone(), has_ended);
        has_ended
    }
}

/// Keeps the reservations that count at a time: those that have neither expired nor ended.
pub fn keep_live(ctx: &Ctx, holds: &mut Vec<Hold>, now: Timestamp) {
    holds.retain(|hold| hold.is_live(now));
    let gone: BTreeSet<HoldId> = among(ctx, &*holds).into_iter().map(|gone| gone.id).collect();
    holds.retain(|hold| !gone.contains(&hold.id));
}

/// Tells whether a reservation has ended with its process or its holder's session.
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

/// Identifies the process of a reservation that was made in this clone.
fn process_here(ctx: &Ctx, hold: &Hold) -> Option<ProcessIdentity> {
    let process = hold.process.as_ref()?;
    is_here(ctx, hold).then(|| ProcessIdentity::of(process))
}

/// Tells whether a reservation was made in this clone. Another clone may be on another machine of
/// the same name, and not every system tells its boots apart.
fn is_here(ctx: &Ctx, hold: &Hold) -> bool {
    !are_apart(hold.about.place.as_ref(), ctx.known_place().as_ref())
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

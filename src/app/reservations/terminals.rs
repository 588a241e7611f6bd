//! Tells a person what another terminal of the same person holds.
//!
//! At a plain prompt everybody with one login is one person, and never stands in its own way. So
//! two terminals could change the same file, unless the second is told of the first.

use crate::app::Ctx;
use crate::app::answer::Note;
use crate::app::error::AppError;
use crate::app::identity::ActorKind;
use crate::app::wording::target_text;
use crate::core::reservation::process::Process;
use crate::core::reservation::{Hold, Target, index};
use crate::store::os::process::{ProcessIdentity, terminal};

/// Finds the shell of the terminal that a person asks from. Agents have names of their own.
pub fn shell(ctx: &Ctx) -> Option<Process> {
    if ctx.identity().kind == ActorKind::Person { terminal() } else { None }
}

/// Warns of targets that the same person holds from another terminal.
pub fn held_from_another(ctx: &Ctx, targets: &[Target]) -> Result<Vec<Note>, AppError> {
    if ctx.identity().kind != ActorKind::Person {
        return Ok(Vec::new());
    }
    let (reading, shell) = (ctx.read()?, shell(ctx));
    let mut notes = Vec::new();
    for target in targets {
        let from_another = |hold: &&Hold| {
            hold.holder == *ctx.actor()
                && hold.is_live(reading.now)
                && hold.is_from_another_shell(shell.as_ref())
        };
        let held = index::meeting(&reading.base.snapshot, target, reading.case)?;
        let pids = held.iter().filter(from_another).filter_map(running);
        notes.extend(pids.min().map(|pid| {
            let target = target_text(target);
            let text = format!("you hold {target} already, from another terminal (pid {pid})");
            Note::warning(text)
        }));
    }
    Ok(notes)
}

/// Returns the number of the shell that a reservation was made in, if it still runs here.
fn running(hold: &Hold) -> Option<u32> {
    let shell = hold.shell.as_ref()?;
    ProcessIdentity::of(shell).runs_here().then_some(shell.pid)
}

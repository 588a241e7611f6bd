//! Tells a person what another terminal or program of the same person holds.
//!
//! At a plain prompt everybody with one login is one person, and never stands in its own way. So
//! two terminals could change the same file, unless the second is told of the first. Where there is
//! no terminal, as in an editor, the programs that ask are told apart.

use crate::app::answer::Note;
use crate::app::error::AppError;
use crate::app::identity::ActorKind;
use crate::app::wording::target_text;
use crate::app::{Ctx, ancestors};
use crate::core::reservation::process::Process;
use crate::core::reservation::{Hold, Target, index};
use crate::store::os::process::{ProcessIdentity, terminal};

/// Finds the shell of the terminal that a person asks from, or else the program. Agents have names
/// of their own.
pub fn shell(ctx: &Ctx) -> Option<Process> {
    if is_person(ctx) { terminal().or_else(ancestors::caller) } else { None }
}

fn is_person(ctx: &Ctx) -> bool {
    ctx.identity().kind == ActorKind::Person
}

/// Warns of what the same person holds of these targets from another terminal.
pub fn held_from_another(ctx: &Ctx, targets: &[Target]) -> Result<Vec<Note>, AppError> {
    if !is_person(ctx) {
        return Ok(Vec::new());
    }
    let reading = ctx.read()?;
    let mut held: Vec<Hold> = Vec::new();
    for target in targets {
        let meeting = index::meeting(&reading.base.snapshot, target, reading.case)?;
        let is_own = |hold: &Hold| hold.holder == *ctx.actor() && hold.is_live(reading.now);
        held.extend(meeting.into_iter().filter(is_own));
    }
    Ok(warnings(ctx, &held, |what, place| format!("you hold {what} already, from {place}")))
}

/// Warns of reservations of the same person that were made from another terminal. `text` gets what
/// is held, and where from.
pub fn warnings<'h>(
    ctx: &Ctx,
    holds: impl IntoIterator<Item = &'h Hold>,
    text: impl Fn(&str, &str) -> String,
) -> Vec<Note> {
    let mut found: Vec<(&Process, Vec<&Hold>)> = Vec::new();
    if is_person(ctx) {
        let shell = shell(ctx);
        for hold in holds.into_iter().filter(|hold| hold.is_from_another_shell(shell.as_ref())) {
            let Some(other) = &hold.shell else { continue };
            match found.iter_mut().find(|(known, _)| *known == other) {
                Some((_, held)) if held.iter().any(|known| known.id == hold.id) => {}
                Some((_, held)) => held.push(hold),
                None => found.push((other, vec![hold])),
            }
        }
    }
    // A program that has called this one is not another.
    let above = if found.is_empty() { Vec::new() } else { ancestors::processes() };
    found.retain(|(other, _)| !above.contains(other));
    let places = found.iter().filter_map(|(other, held)| Some((held, place(other)?)));
    places.map(|(held, place)| Note::warning(text(&named(held), &place))).collect()
}

/// Names the place that a reservation was made from, if that still runs here.
fn place(other: &Process) -> Option<String> {
    let process = ProcessIdentity::of(other);
    let kind = if process.leads_terminal() { "terminal" } else { "process" };
    process.runs_here().then(|| format!("another {kind} (pid {})", other.pid))
}

/// Names the targets: the first two, then how many more.
fn named(held: &[&Hold]) -> String {
    let text = |hold: &&Hold| target_text(&hold.target);
    match held {
        [first, second] => format!("{} and {}", text(first), text(second)),
        [first, second, rest @ ..] => {
            format!("{}, {} and {} more", text(first), text(second), rest.len())
        }
        few => few.iter().map(text).collect(),
    }
}

//! `git coord doctor`

use std::io;

use crate::app::doctor::view::{LockView, PlanView, RepairView, RepairedView, TakenOutView};
use crate::app::doctor::{Check, Request, State, doctor};
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::text::shown;

/// Find problems, repair damaged ledgers, and move lock files aside
///
/// Reports each check as ok, a note, a warning or a fault, with the commands that help. Exits with
/// 1 if there is a fault, or if a lock file stays that --repair was to move aside. Changes nothing
/// without --repair.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Continue damaged ledgers from their newest intact entry
    ///
    /// If only single reservations cannot be read, removes those and nothing else. The repair is
    /// itself an entry, and names what was lost. Keeps the damaged data under refs/coord/damaged/,
    /// or as a file if a ref to it would stop git's garbage collection. Looks at damage twice, some
    /// seconds apart, before it changes anything.
    ///
    /// Also moves a lock file aside that git or another host has left and that blocks every writer.
    /// Does so only if the file does not change for ten seconds, no process has it open, and no git
    /// works in this repository, as far as this host can tell. Otherwise keeps the file and says
    /// why.
    #[arg(long)]
    pub(crate) repair: bool,

    /// Show what a repair would do and what would be lost, without repairing
    #[arg(long, requires = "repair")]
    pub(crate) dry_run: bool,
}

impl Args {
    /// Repairs if asked to, and reports every check.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let request = Request {
            acting_as: context.globals.acting_as.as_ref(),
            repair: self.repair,
            dry_run: self.dry_run,
        };
        let answer = doctor(&context.door, request)?;
        show(ui, &answer, |ui| {
            if let Some(repair) = &answer.body.repair {
                print_repair(ui, repair)?;
            }
            print(ui, &answer.body.checks)
        })
    }
}

fn print_repair(ui: &mut Ui, repair: &RepairView) -> io::Result<()> {
    let texts = texts(repair);
    // A lock file that stays has a warning instead of a text.
    let has_locks = matches!(repair, RepairView::Done { locks, .. } if !locks.is_empty());
    if texts.is_empty() && !has_locks {
        ui.line("nothing to repair")?;
    }
    texts.iter().try_for_each(|text| ui.line(text))
}

/// Describes the repairs that were made, or would be.
fn texts(repair: &RepairView) -> Vec<String> {
    let (texts, taken_out): (Vec<String>, _) = match repair {
        RepairView::Planned { would_repair, taken_out } => {
            (would_repair.iter().map(plan_text).collect(), taken_out)
        }
        RepairView::Done { repaired, locks, taken_out } => {
            let moved = locks.iter().filter_map(moved_text);
            (moved.chain(repaired.iter().map(repaired_text)).collect(), taken_out)
        }
    };
    texts.into_iter().chain(taken_out.as_ref().map(taken_out_text)).collect()
}

fn moved_text(LockView { lock, whose, kept_at, .. }: &LockView) -> Option<String> {
    let kept_at = kept_at.as_ref()?;
    Some(format!("moved '{lock}' aside: {}\n  it is kept: {kept_at}", shown(whose)))
}

fn repaired_text(RepairedView { plan, written, kept_at }: &RepairedView) -> String {
    let whole = plan.whole.map_or_else(|| "nothing".to_owned(), |id| id.short());
    let (ledger, why, kept_at) = (plan.ledger, shown(&plan.why), shown(kept_at));
    format!(
        "repaired {ledger}, which went on from {whole} with entry {}\n  \
         it was damaged: {why}\n{}  what is left of that is kept: {kept_at}",
        written.entry.short(),
        losses_text(plan)
    )
}

fn plan_text(plan: &PlanView) -> String {
    let ledger = plan.ledger;
    let first = match plan.whole {
        Some(whole) => format!("would repair {ledger}, going on from {}", whole.short()),
        None => format!("could not repair {ledger}: no whole entry of it was found"),
    };
    let text = format!("{first}\n  it is damaged: {}\n{}", shown(&plan.why), losses_text(plan));
    text.trim_end().to_owned()
}

fn taken_out_text(TakenOutView { documents, written, .. }: &TakenOutView) -> String {
    let mut text = match written {
        Some(by) => format!("took out what cannot be read, as entry {}", by.entry.short()),
        None => "would take out what cannot be read".to_owned(),
    };
    for key in documents {
        text.push_str(&format!("\n  {}", shown(key)));
    }
    text
}

/// Lists the entries that the ledger goes on without, a line each.
fn losses_text(plan: &PlanView) -> String {
    let mut text = String::new();
    for (what, entries) in plan.losses() {
        for left in entries {
            text.push_str(&format!("  {what}: {}\n", shown(&left.to_string())));
        }
    }
    text
}

fn print(ui: &mut Ui, checks: &[Check]) -> io::Result<()> {
    let row = |check: &Check| {
        let word = check.state.word();
        let word = match check.state {
            State::Ok => Cell::painted(Slot::Dim, word),
            State::Note => Cell::plain(word),
            State::Warning => Cell::painted(Slot::Warning, word),
            State::Fault => Cell::painted(Slot::Error, word),
        };
        [word, Cell::plain(check.name), Cell::plain(shown(&check.text))]
    };
    for (line, check) in ui.aligned(checks.iter().map(row)).iter().zip(checks) {
        ui.line(line)?;
        for command in &check.next {
            ui.line(&format!("         {}", shown(&in_shell(command))))?;
        }
    }
    Ok(())
}

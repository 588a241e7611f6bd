//! `git coord doctor`

use crate::app::answer::{Answer, Outcome};
use crate::app::config::parse_boolean;
use crate::app::doctor::mend::Mended;
use crate::app::doctor::view::{Body, LockView};
use crate::app::doctor::{self, Check, Continued, State, TakenOut};
use crate::app::install::plan::ENABLED;
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::commands::install::host;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::text::shown;
use crate::store::ledger::repair::{Plan, Repaired};

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
        let door = &context.door;
        let settings = door.settings();
        let mut checks = vec![doctor::git_program()];
        checks.extend(doctor::configuration(&door.keys("coord"), settings.as_ref().err()));
        let in_the_way = doctor::in_the_way(door);
        let mut mended = Mended::default();
        if in_the_way.is_empty() {
            let ctx = context.open_with(settings.unwrap_or_default())?;
            if self.repair {
                mended = Mended::by(&ctx, self.dry_run)?;
            }
            checks.extend(doctor::examine(&ctx)?);
            let enabled = door.get(ENABLED).as_deref().and_then(parse_boolean);
            checks.extend(doctor::hooks(&ctx, &host(context), enabled == Some(true)));
        } else {
            checks.extend(in_the_way);
        }
        let has_fault =
            checks.iter().any(|check| check.state == State::Fault) || mended.leaves_some();
        let repair = self.repair.then(|| mended.view(self.dry_run));
        let answer = Answer {
            outcome: if has_fault { Outcome::No } else { Outcome::Done },
            ..Answer::read(Body { checks, repair }, door.clock()?).noting(mended.notes())
        };
        show(ui, &answer, |ui| {
            let texts = texts(&mended);
            if self.repair && texts.is_empty() && mended.cleared.is_empty() {
                ui.line("nothing to repair")?;
            }
            texts.iter().try_for_each(|text| ui.line(text))?;
            print(ui, &answer.body.checks)
        })
    }
}

/// Describes the repairs that were made, or would be.
fn texts(mended: &Mended) -> Vec<String> {
    let moved = mended.cleared.iter().map(LockView::from).filter_map(|lock| {
        let (path, whose) = (lock.lock, shown(&lock.whose).into_owned());
        let kept_at = lock.kept_at?;
        Some(format!("moved '{path}' aside: {whose}\n  it is kept: {kept_at}"))
    });
    let repaired = mended.repaired.iter().map(repaired_text);
    let planned = mended.planned.iter().map(|(ledger, plan)| plan_text(*ledger, plan));
    let taken_out = mended.taken_out.iter().map(taken_out_text);
    moved.chain(repaired).chain(planned).chain(taken_out).collect()
}

fn repaired_text(continued: &Continued) -> String {
    let Continued { ledger, repaired, .. } = continued;
    let Repaired { plan, entry, kept_at, .. } = repaired;
    let whole = plan.whole.map_or_else(|| "nothing".to_owned(), |id| id.short());
    let (why, kept_at) = (shown(&plan.damage.why), shown(kept_at));
    format!(
        "repaired {ledger}, which went on from {whole} with entry {}\n  \
         it was damaged: {why}\n{}  what is left of that is kept: {kept_at}",
        entry.short(),
        losses_text(plan)
    )
}

fn plan_text(ledger: LedgerName, plan: &Plan) -> String {
    let first = match plan.whole {
        Some(whole) => format!("would repair {ledger}, going on from {}", whole.short()),
        None => format!("could not repair {ledger}: no whole entry of it was found"),
    };
    let text =
        format!("{first}\n  it is damaged: {}\n{}", shown(&plan.damage.why), losses_text(plan));
    text.trim_end().to_owned()
}

fn taken_out_text(taken_out: &TakenOut) -> String {
    let mut text = match &taken_out.written {
        Some(by) => format!("took out what cannot be read, as entry {}", by.entry.short()),
        None => "would take out what cannot be read".to_owned(),
    };
    for key in &taken_out.documents {
        text.push_str(&format!("\n  {}", shown(key.as_str())));
    }
    text
}

/// Lists the entries that the ledger goes on without, a line each.
fn losses_text(plan: &Plan) -> String {
    let mut text = String::new();
    for (what, entries) in doctor::losses(plan) {
        for left in entries {
            text.push_str(&format!("  {what}: {}\n", shown(&doctor::name(left))));
        }
    }
    text
}

fn print(ui: &mut Ui, checks: &[Check]) -> std::io::Result<()> {
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

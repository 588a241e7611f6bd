//! `git coord doctor`

use serde_json::{Map, Value, json};

use crate::app::Ctx;
use crate::app::config::{Settings, parse_boolean};
use crate::app::doctor::{self, Check, Cleared, Outcome, State, TakenOut};
use crate::app::install::plan::ENABLED;
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::commands::install::host;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::open_with;
use crate::cli::term::Ui;
use crate::core::documents::Key;
use crate::core::ledger::LedgerName;
use crate::core::text::shown;
use crate::store::ledger::repair::{Left, Plan, Repaired};

/// Look for what is wrong here, repair damaged ledgers and move lock files aside
///
/// Each thing that is looked at is ok, a note, a warning or a fault, with what to do about it.
/// Exits with 1 when there is a fault, or when a lock file stays that --repair was to move aside.
/// Without --repair nothing is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Take damaged ledgers on from their newest whole entry
    ///
    /// Where only single reservations cannot be read, those are taken out and nothing else.
    /// The repair is itself an entry, and says what was lost. What was damaged is kept under
    /// refs/coord/damaged/, or as a file where a ref to it would stop git's garbage collection.
    /// Damage is looked at twice, some seconds apart, before anything is done.
    ///
    /// A lock file that git or another host has left in the way of every writer is moved aside, if
    /// it does not move for ten seconds, no process has it open and no git is at work in this
    /// repository, as far as this host can tell. Otherwise it stays, and what speaks against it is
    /// said.
    #[arg(long)]
    pub(crate) repair: bool,

    /// Tell what a repair would do and what would be lost, and leave it
    #[arg(long, requires = "repair")]
    pub(crate) dry_run: bool,
}

impl Args {
    /// Repairs if asked to, and tells how everything stands.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let settings = Settings::read(context.config);
        let mut checks = vec![doctor::git_program()];
        let names = (context.configured)("coord");
        checks.extend(doctor::configuration(&names, settings.as_ref().err()));
        let in_the_way = match &*context.repository.borrow() {
            Some(Ok(repository)) => doctor::symbolic_link(repository).into_iter().collect(),
            Some(Err(_)) => Vec::new(),
            // It was not opened, so as not to wait.
            None => doctor::pipes(context.environment),
        };
        let mut mended = Mended::default();
        if in_the_way.is_empty() {
            let ctx = open_with(context, settings.unwrap_or_default())?;
            if self.repair {
                mended = self.mend(&ctx)?;
            }
            checks.extend(doctor::examine(&ctx)?);
            let enabled = (context.config)(ENABLED).as_deref().and_then(parse_boolean);
            checks.extend(doctor::hooks(&ctx, &host(context), enabled == Some(true)));
        } else {
            // Behind a link is no repository of ours to look at, and behind a pipe nothing.
            checks.extend(in_the_way);
        }
        for notice in mended.notices() {
            ui.warn(&notice)?;
        }
        let has_fault =
            checks.iter().any(|check| check.state == State::Fault) || mended.leaves_some();
        if ui.is_json() {
            let rows: Vec<Value> = checks.iter().map(check_json).collect();
            let mut answer = fields([("checks", json!(rows))]);
            if self.repair {
                answer.extend(mended.to_fields(self.dry_run));
            }
            ui.answer(!has_fault, answer)?;
        } else {
            let texts = mended.texts();
            if self.repair && texts.is_empty() && mended.cleared.is_empty() {
                ui.line("nothing to repair")?;
            }
            for text in texts {
                ui.line(&text)?;
            }
            print(ui, &checks)?;
        }
        Ok(if has_fault { ExitCode::No } else { ExitCode::Done })
    }

    /// Repairs everything, or finds out what that would come to.
    fn mend(&self, ctx: &Ctx) -> Result<Mended, Problem> {
        let mut mended = Mended::default();
        if !self.dry_run {
            mended.cleared = doctor::clear_locks(ctx)?;
        }
        for ledger in LedgerName::ALL {
            if self.dry_run {
                mended.planned.extend(doctor::plan(ctx, ledger)?.map(|plan| (ledger, plan)));
            } else {
                let outcome = doctor::repair(ctx, ledger)?;
                mended.repaired.extend(outcome.map(|repaired| (ledger, repaired)));
            }
        }
        // What is damaged as a whole is not looked into.
        if mended.planned.is_empty() {
            mended.taken_out = doctor::take_out(ctx, self.dry_run)?;
        }
        Ok(mended)
    }
}

/// What a repair has come to, or would.
#[derive(Default)]
struct Mended {
    cleared: Vec<Cleared>,
    repaired: Vec<(LedgerName, Repaired)>,
    planned: Vec<(LedgerName, Plan)>,
    taken_out: Option<TakenOut>,
}

impl Mended {
    /// Whether something stays that was to be repaired.
    fn leaves_some(&self) -> bool {
        self.cleared.iter().any(|lock| matches!(lock.outcome, Outcome::Stays(_)))
    }

    fn notices(&self) -> Vec<String> {
        let of_repairs = self.repaired.iter().flat_map(|(_, repaired)| repaired.notices.clone());
        let stays = |lock: &Cleared| {
            let why = lock.outcome.stays()?;
            Some(format!("'{}' stays: {why}", lock.lock.display()))
        };
        of_repairs.chain(self.cleared.iter().filter_map(stays)).collect()
    }

    fn to_fields(&self, is_dry_run: bool) -> Map<String, Value> {
        let mut all = if is_dry_run {
            let rows: Vec<Value> = self.planned.iter().map(plan_json).collect();
            fields([("would_repair", json!(rows))])
        } else {
            let rows: Vec<Value> = self.repaired.iter().map(repaired_json).collect();
            let locks: Vec<Value> = self.cleared.iter().map(cleared_json).collect();
            fields([("repaired", json!(rows)), ("locks", json!(locks))])
        };
        all.extend(self.taken_out.iter().map(|out| ("taken_out".to_owned(), taken_out_json(out))));
        all
    }

    fn texts(&self) -> Vec<String> {
        let moved = self.cleared.iter().filter_map(moved).map(|(lock, kept_at)| {
            let (path, whose) = (lock.lock.display(), shown(&lock.whose));
            format!("moved '{path}' aside: {whose}\n  it is kept: {kept_at}")
        });
        let repaired = self.repaired.iter().map(|(ledger, it)| repaired_text(*ledger, it));
        let planned = self.planned.iter().map(|(ledger, plan)| plan_text(*ledger, plan));
        moved
            .chain(repaired)
            .chain(planned)
            .chain(self.taken_out.iter().map(taken_out_text))
            .collect()
    }
}

fn check_json(check: &Check) -> Value {
    let mut row = json!({ "name": check.name, "state": check.state.word(), "text": check.text });
    if !check.next.is_empty() {
        row["next"] = json!(check.next);
    }
    row
}

fn moved(cleared: &Cleared) -> Option<(&Cleared, String)> {
    let Outcome::Moved(kept_at) = &cleared.outcome else { return None };
    Some((cleared, kept_at.display().to_string()))
}

fn cleared_json(cleared: &Cleared) -> Value {
    json!({
        "lock": cleared.lock.display().to_string(),
        "whose": cleared.whose,
        "kept_at": moved(cleared).map(|(_, kept_at)| kept_at),
        "stays": cleared.outcome.stays(),
    })
}

fn plan_json((ledger, plan): &(LedgerName, Plan)) -> Value {
    let left = |entries: &[Left]| -> Vec<Value> {
        let row = |left: &Left| json!({ "entry": left.id.to_string(), "summary": left.summary });
        entries.iter().map(row).collect()
    };
    json!({
        "ledger": ledger.as_str(),
        "why": plan.damage.why,
        "whole": plan.whole.map(|id| id.to_string()),
        "known": plan.is_known,
        "lost": left(&plan.lost),
        "doubtful": left(&plan.doubtful),
    })
}

fn repaired_json((ledger, repaired): &(LedgerName, Repaired)) -> Value {
    let mut value = plan_json(&(*ledger, repaired.plan.clone()));
    value["entry"] = json!(repaired.entry.to_string());
    value["kept_at"] = json!(repaired.kept_at);
    value
}

fn repaired_text(ledger: LedgerName, repaired: &Repaired) -> String {
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

fn taken_out_json(taken_out: &TakenOut) -> Value {
    let documents: Vec<&str> = taken_out.documents.iter().map(Key::as_str).collect();
    let entry = taken_out.entry.map(|id| id.to_string());
    json!({ "ledger": LedgerName::Reservations.as_str(), "documents": documents, "entry": entry })
}

fn taken_out_text(taken_out: &TakenOut) -> String {
    let mut text = match taken_out.entry {
        Some(entry) => format!("took out what cannot be read, as entry {}", entry.short()),
        None => "would take out what cannot be read".to_owned(),
    };
    for key in &taken_out.documents {
        text.push_str(&format!("\n  {}", shown(key.as_str())));
    }
    text
}

/// A line for each entry that the ledger goes on without.
fn losses_text(plan: &Plan) -> String {
    let mut text = String::new();
    for (what, entries) in doctor::losses(plan) {
        for left in entries {
            text.push_str(&format!("  {what}: {}\n", shown(&doctor::name(left))));
        }
    }
    text
}

fn print(ui: &mut Ui, checks: &[Check]) -> Result<(), Problem> {
    let row = |check: &Check| {
        let word = check.state.word();
        let painted = match check.state {
            State::Ok => ui.paint(Slot::Dim, word),
            State::Note => word.to_owned(),
            State::Warning => ui.paint(Slot::Warning, word),
            State::Fault => ui.paint(Slot::Error, word),
        };
        let text = shown(&check.text);
        vec![Cell::painted(word, painted), Cell::plain(check.name), Cell::plain(&text)]
    };
    let rows: Vec<Vec<Cell>> = checks.iter().map(row).collect();
    for (line, check) in aligned(&rows).iter().zip(checks) {
        ui.line(line)?;
        for command in &check.next {
            ui.line(&format!("         {}", shown(&in_shell(command))))?;
        }
    }
    Ok(())
}

//! `git coord doctor`

use serde_json::{Value, json};

use crate::app::config::{Settings, parse_boolean};
use crate::app::doctor::{self, Check, State};
use crate::app::install::plan::ENABLED;
use crate::app::next::in_shell;
use crate::cli::color::Slot;
use crate::cli::commands::install::surroundings;
use crate::cli::dispatch::Context;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::open_with;
use crate::cli::term::Ui;
use crate::core::text::shown;
use crate::store::layout::LedgerName;
use crate::store::repair::Repaired;

/// Look for what is wrong here, and repair damaged ledgers
///
/// Each thing that is looked at is ok, a note, a warning or a fault, with what to do about it.
/// Exits with 1 when there is a fault. Without --repair nothing is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Take damaged ledgers on from their newest whole entry
    ///
    /// The repair is itself an entry, and says what was lost. What was damaged is kept under
    /// refs/coord/damaged/, or as a file where a ref to it would stop git's garbage collection.
    #[arg(long)]
    pub(crate) repair: bool,
}

impl Args {
    /// Repairs if asked to, and tells how everything stands.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, CliError> {
        let settings = Settings::read(context.config);
        let mut checks = vec![doctor::git_program()];
        let names = (context.configured)("coord");
        checks.extend(doctor::configuration(&names, settings.as_ref().err()));
        let link = match &*context.repository.borrow() {
            Some(Ok(repository)) => doctor::symbolic_link(repository),
            _ => None,
        };
        let mut repaired = Vec::new();
        if let Some(link) = link {
            // Behind a link is no repository of ours to look at.
            checks.push(link);
        } else {
            let ctx = open_with(context, settings.unwrap_or_default())?;
            for ledger in LedgerName::ALL.into_iter().filter(|_| self.repair) {
                let outcome = doctor::repair(&ctx, ledger)?;
                repaired.extend(outcome.map(|repaired| (ledger, repaired)));
            }
            checks.extend(doctor::examine(&ctx)?);
            let enabled = (context.config)(ENABLED).as_deref().and_then(parse_boolean);
            checks.extend(doctor::hooks(&ctx, &surroundings(context), enabled == Some(true)));
        }
        for notice in repaired.iter().flat_map(|(_, repaired)| &repaired.notices) {
            ui.warn(notice)?;
        }
        let has_fault = checks.iter().any(|check| check.state == State::Fault);
        if ui.is_json() {
            let rows: Vec<Value> = checks.iter().map(check_json).collect();
            let mut answer = fields([("checks", json!(rows))]);
            if self.repair {
                let rows: Vec<Value> = repaired.iter().map(repaired_json).collect();
                answer.insert("repaired".to_owned(), json!(rows));
            }
            ui.answer(!has_fault, answer)?;
        } else {
            if self.repair && repaired.is_empty() {
                ui.line("nothing to repair")?;
            }
            for (ledger, repaired) in &repaired {
                ui.line(&repaired_text(*ledger, repaired))?;
            }
            print(ui, &checks)?;
        }
        Ok(if has_fault { ExitCode::No } else { ExitCode::Done })
    }
}

fn check_json(check: &Check) -> Value {
    let mut row = json!({ "name": check.name, "state": check.state.word(), "text": check.text });
    if !check.next.is_empty() {
        row["next"] = json!(check.next);
    }
    row
}

fn repaired_json((ledger, repaired): &(LedgerName, Repaired)) -> Value {
    json!({
        "ledger": ledger.as_str(),
        "why": repaired.damage.why,
        "whole": repaired.whole.map(|id| id.to_string()),
        "entry": repaired.entry.to_string(),
        "kept_at": repaired.kept_at,
    })
}

fn repaired_text(ledger: LedgerName, repaired: &Repaired) -> String {
    let whole = repaired.whole.map_or_else(|| "nothing".to_owned(), |id| id.short());
    let entry = repaired.entry.short();
    let (why, kept_at) = (shown(&repaired.damage.why), shown(&repaired.kept_at));
    format!(
        "repaired {ledger}, which went on from {whole} with entry {entry}\n  \
         it was damaged: {why}\n  what is left of that is kept: {kept_at}"
    )
}

fn print(ui: &mut Ui, checks: &[Check]) -> Result<(), CliError> {
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

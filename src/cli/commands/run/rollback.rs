//! `git coord run rollback`

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::app::next::in_shell;
use crate::app::problem::{Kind, Problem};
use crate::app::runs::code::{self, CodeReport};
use crate::app::{Ctx, runs};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::told;
use crate::cli::runs::{answer, documents, line};
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::run::artifact::Artifact;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::rollback::{RollBackRun, RolledBackRun};
use crate::core::text::{Line, shown};

const EXAMPLES: &str = "\
Examples:
  git coord run rollback k3v9x2ab --to planned --reason 'wrong plan' --dry-run
  git coord run rollback k3v9x2ab --to planned --reason 'wrong plan'
  git coord run rollback k3v9x2ab --to planned --reason 'wrong plan' --layer code";

/// What a rollback is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layer {
    /// The run itself
    State,
    /// What the phases that would be given up, or were, left in the repository: a report
    Code,
}

/// Go back to an earlier phase
///
/// The phases after it, up to the present one, are given up: their artifacts and verdicts do not
/// count any more, their dispatches are cancelled, their agents failed, their skips cleared. It is
/// one entry. A completed run is active again, and stays on the record as completed once; a part of
/// another run only while that one is active. A cancelled or failed run stays so. A phase that was
/// skipped and is gone back to is not skipped any more.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// The phase to go back to
    #[arg(long, value_name = "PHASE")]
    pub(crate) to: PhaseName,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// What to roll back: the run, or see what there is to do about the code
    #[arg(long, value_name = "LAYER", value_enum, default_value = "state")]
    pub(crate) layer: Layer,

    /// With --layer code: only what this phase has left
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// Tell what would happen, and leave it
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Let phases that are given up stay skipped
    #[arg(long)]
    pub(crate) keep_skips: bool,

    /// Fail the agents of every phase
    #[arg(long)]
    pub(crate) all_agents: bool,

    /// Refuse if it is at another phase than this [default: the one it is at]
    #[arg(long, value_name = "PHASE")]
    pub(crate) expect: Option<PhaseName>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        if self.layer == Layer::Code {
            let report = code::report(ctx, &self.run, &self.to, self.phase.as_ref())?;
            return show_code(ui, &report, &self.to);
        }
        if self.phase.is_some() {
            return Err(Problem::new(Kind::Usage, "'--phase' is for '--layer code'"));
        }
        let (run, expect) = runs::seen(ctx, &self.run, self.expect.as_ref())?;
        let wish = RollBackRun {
            run,
            to: self.to.clone(),
            reason: self.reason.clone(),
            expect: Some(expect),
            keep_skips: self.keep_skips,
            all_agents: self.all_agents,
        };
        let done = if self.dry_run {
            ctx.decide_only(LedgerName::Runs, wish)?
        } else {
            told(ui, ctx.transact(LedgerName::Runs, wish, None)?)?
        };
        if ui.is_json() {
            ui.answer(true, self.answer_json(&done))?;
        } else {
            self.print(ui, &done)?;
        }
        Ok(ExitCode::Done)
    }

    fn answer_json(&self, done: &RolledBackRun) -> Map<String, Value> {
        let fields = [
            ("from_phase", json!(done.from)),
            ("to_phase", json!(self.to)),
            ("rolled_back_phases", json!(done.phases)),
            ("cancelled_dispatches", json!(done.cancelled_dispatches)),
            ("marked_artifacts", json!(done.marked_artifacts)),
            ("marked_verdicts", json!(done.marked_verdicts)),
            ("failed_agents", json!(done.failed_agents)),
            ("cleared_skips", json!(done.cleared_skips)),
            ("reason", json!(self.reason)),
            ("dry_run", json!(self.dry_run)),
        ];
        answer(&done.run, fields)
    }

    fn print(&self, ui: &mut Ui, done: &RolledBackRun) -> Result<(), Problem> {
        let (id, to, from) = (&done.run.id, &self.to, &done.from);
        if done.phases.is_empty() {
            ui.line(&format!("{id}  already at '{to}': nothing to roll back"))?;
            return Ok(());
        }
        let would = if self.dry_run { "would go" } else { "went" };
        ui.line(&format!("{id}  {would} back from '{from}' to '{to}'"))?;
        list(ui, "phases given up", &done.phases)?;
        list(ui, "artifacts that no longer count", &done.marked_artifacts)?;
        list(ui, "verdicts that no longer count", &done.marked_verdicts)?;
        list(ui, "dispatches cancelled", &done.cancelled_dispatches)?;
        list(ui, "agents failed", &done.failed_agents)?;
        list(ui, "not skipped any more", &done.cleared_skips)
    }
}

/// How many things one line names.
const NAMED_MAX: usize = 12;

fn list(ui: &mut Ui, what: &str, things: &[impl ToString]) -> Result<(), Problem> {
    if things.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = things.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let more = match things.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more (see --json)"),
    };
    Ok(ui.line(&format!("  {what}: {}{more}", named.join(", ")))?)
}

fn show_code(ui: &mut Ui, report: &CodeReport, to: &PhaseName) -> Result<ExitCode, Problem> {
    let CodeReport { run, phases, rollback, artifacts, commits, missing, commands } = report;
    if ui.is_json() {
        let from = rollback.as_ref().map_or(&run.phase, |rollback| &rollback.from);
        let fields = [
            ("from_phase", json!(from)),
            ("to_phase", json!(to)),
            ("rolled_back_phases", json!(phases)),
            ("rollback", json!(rollback)),
            ("artifacts", documents(artifacts)),
            ("commits", json!(commits)),
            ("missing_commits", json!(missing)),
            ("commands", json!(commands)),
        ];
        ui.answer(true, answer(run, fields))?;
        return Ok(ExitCode::Done);
    }
    let named: Vec<&str> = phases.iter().map(PhaseName::as_str).collect();
    let of = match rollback {
        _ if named.is_empty() => "no phase was given up, and none would be".to_owned(),
        Some(rollback) => format!("the code of {}, given up {}", named.join(", "), rollback.at),
        None => format!("the code of {}, left as it is", named.join(", ")),
    };
    ui.line(&format!("{}: {of}", line(ui, run)))?;
    let rows: Vec<Vec<Cell>> = artifacts.iter().map(|artifact| row(ui, artifact)).collect();
    for line in aligned(&rows) {
        ui.line(&format!("  {line}"))?;
    }
    if commands.is_empty() {
        ui.note("no commits and no artifacts are known")?;
    } else {
        ui.line("what you could run:")?;
    }
    for command in commands {
        ui.line(&format!("  {}", shown(&in_shell(command))))?;
    }
    if !missing.is_empty() {
        ui.note(&format!("not in this repository: {}", missing.join(", ")))?;
    }
    Ok(ExitCode::Done)
}

fn row(ui: &Ui, artifact: &Artifact) -> Vec<Cell> {
    let path = shown(&artifact.path.shown()).into_owned();
    let dispatch = artifact.dispatch.as_ref().map_or("-", |dispatch| dispatch.as_str());
    let hash = artifact.sha256.as_ref().map_or("-", |hash| &hash.as_str()[..12]);
    vec![
        Cell::painted(artifact.id.as_str(), ui.paint(Slot::Id, artifact.id.as_str())),
        Cell::plain(dispatch),
        Cell::plain(artifact.phase.as_str()),
        Cell::plain(artifact.status.name()),
        Cell::plain(hash),
        Cell::painted(&path, ui.paint(Slot::Path, &path)),
    ]
}

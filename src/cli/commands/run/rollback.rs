//! `git coord run rollback`

use std::io;

use super::RunArg;
use crate::app::Ctx;
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::app::runs::code::CodeReport;
use crate::app::runs::rollback::{Back, Body, LAYER_DEFAULT, Layer, Request, rollback};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::runs::line;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of, word_of};
use crate::core::run::artifact::Artifact;
use crate::core::run::names::PhaseName;
use crate::core::text::{Line, shown};

const EXAMPLES: &str = "\
Examples:
  git coord run rollback k3v9x2ab --to planned --reason 'wrong plan' --dry-run
  git coord run rollback k3v9x2ab --to planned --reason 'wrong plan'
  git coord run rollback k3v9x2ab --to planned --reason 'wrong plan' --layer code";

const LAYERS: [Word<Layer>; 2] = [
    ("state", Layer::State, "The run itself"),
    ("code", Layer::Code, "A report on the commits and files of the phases that are given up"),
];

/// Roll a run back to an earlier phase
///
/// Gives up the phases after it, up to the present one: their artifacts and verdicts no longer
/// count, their dispatches are cancelled, their agents are marked as failed, and their skips are
/// cleared. All of this is one entry. A completed run becomes active again, and its completion
/// stays on the record. A completed run that is part of another run can be rolled back only while
/// the other run is active. A cancelled or failed run stays so. A skipped phase is no longer
/// skipped when the run is back at it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Phase to go back to
    #[arg(long, value_name = "PHASE")]
    pub(crate) to: PhaseName,

    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Roll back the state of the run, or only report on its code
    #[arg(
        long,
        value_name = "LAYER",
        value_parser = one_of(&LAYERS),
        default_value = word_of(&LAYERS, LAYER_DEFAULT)
    )]
    pub(crate) layer: Layer,

    /// With --layer code: only the code of this phase
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// Show what would happen without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Keep the skips of phases that are given up
    #[arg(long)]
    pub(crate) keep_skips: bool,

    /// Mark the agents of every phase as failed
    #[arg(long)]
    pub(crate) all_agents: bool,

    /// Refuse unless the run is at this phase [default: its present phase]
    #[arg(long, value_name = "PHASE")]
    pub(crate) expect: Option<PhaseName>,
}

impl Args {
    /// Rolls the run back, or reports on its code.
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request {
            run: &self.run.id,
            to: &self.to,
            reason: &self.reason,
            layer: self.layer,
            phase: self.phase.as_ref(),
            dry_run: self.dry_run,
            keep_skips: self.keep_skips,
            all_agents: self.all_agents,
            expect: self.expect.as_ref(),
        };
        let answer = rollback(ctx, &request)?;
        show(ui, &answer, |ui| match &answer.body {
            Body::State(back) => print_back(ui, back),
            Body::Code(report) => print_code(ui, report),
        })
    }
}

fn print_back(ui: &mut Ui, back: &Back) -> io::Result<()> {
    let (id, to, from) = (&back.run.id, &back.to_phase, &back.from_phase);
    if back.rolled_back_phases.is_empty() {
        return ui.line(&format!("{id}  already at '{to}': nothing to roll back"));
    }
    let would = if back.dry_run { "would go" } else { "went" };
    ui.line(&format!("{id}  {would} back from '{from}' to '{to}'"))?;
    list(ui, "phases given up", &back.rolled_back_phases)?;
    list(ui, "artifacts that no longer count", &back.marked_artifacts)?;
    list(ui, "verdicts that no longer count", &back.marked_verdicts)?;
    list(ui, "dispatches cancelled", &back.cancelled_dispatches)?;
    list(ui, "agents failed", &back.failed_agents)?;
    list(ui, "not skipped any more", &back.cleared_skips)
}

/// The number of things that one line names.
const NAMED_MAX: usize = 12;

fn list(ui: &mut Ui, what: &str, things: &[impl ToString]) -> io::Result<()> {
    if things.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = things.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let more = match things.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more (see --json)"),
    };
    ui.line(&format!("  {what}: {}{more}", named.join(", ")))
}

fn print_code(ui: &mut Ui, report: &CodeReport) -> io::Result<()> {
    let named: Vec<&str> = report.rolled_back_phases.iter().map(PhaseName::as_str).collect();
    let of = match &report.rollback {
        _ if named.is_empty() => "no phase was given up, and none would be".to_owned(),
        Some(rollback) => format!("the code of {}, given up {}", named.join(", "), rollback.at),
        None => format!("the code of {}, left as it is", named.join(", ")),
    };
    ui.line(&format!("{}: {of}", line(ui, &report.run)))?;
    for line in ui.aligned(report.artifacts.iter().map(row)) {
        ui.line(&format!("  {line}"))?;
    }
    if report.commands.is_empty() {
        ui.note("no commits and no artifacts are known")?;
    } else {
        ui.line("what you could run:")?;
    }
    for command in &report.commands {
        ui.line(&format!("  {}", shown(&in_shell(command))))?;
    }
    if !report.missing_commits.is_empty() {
        ui.note(&format!("not in this repository: {}", report.missing_commits.join(", ")))?;
    }
    Ok(())
}

fn row(artifact: &Artifact) -> Vec<Cell> {
    let dispatch = artifact.dispatch.as_ref().map_or("-", |dispatch| dispatch.as_str());
    let hash = artifact.sha256.as_ref().map_or("-", |hash| &hash.as_str()[..12]);
    vec![
        Cell::painted(Slot::Id, artifact.id.as_str()),
        Cell::plain(dispatch),
        Cell::plain(artifact.phase.as_str()),
        Cell::plain(artifact.status.name()),
        Cell::plain(hash),
        Cell::painted(Slot::Path, shown(&artifact.path.shown())),
    ]
}

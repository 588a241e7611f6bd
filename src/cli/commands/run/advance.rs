//! `git coord run advance`

use std::io;

use super::RunArg;
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::next::in_shell;
use crate::app::problem::Problem;
use crate::app::runs::advance::{Body, Request, advance};
use crate::cli::exit::ExitCode;
use crate::cli::runs::{evidence_lines, line};
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::bounds::Priority;
use crate::core::run::names::PhaseName;
use crate::core::text::{Line, shown};

const EXAMPLES: &str = "\
Examples:
  git coord run advance k3v9x2ab
  git coord run advance k3v9x2ab --expect planned --reason 'reviewed with ann'";

/// Advance a run to its next phase, if the gate is open
///
/// Passes over skipped phases. If two agents advance a run from the same phase, one succeeds, and
/// the other learns that the phase has changed. Exits with 1 if the gate is shut, or if the run
/// requires approval and --reason is missing.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Refuse unless the run is at this phase [default: its present phase]
    #[arg(long, value_name = "PHASE")]
    pub(crate) expect: Option<PhaseName>,

    /// Weight of the gate: 0 and 1 stop the run, 2 and 3 only warn, 4 does not ask the gate
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = Priority::USUAL,
        allow_hyphen_values = true
    )]
    pub(crate) priority: Priority,

    /// Reason to go on, which approves the step
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request {
            run: &self.run.id,
            expect: self.expect.as_ref(),
            priority: self.priority,
            reason: self.reason.as_ref(),
        };
        report(ui, &advance(ctx, &request)?)
    }
}

/// Shows whether the run has advanced.
pub(super) fn report(ui: &mut Ui, answer: &Answer<Body>) -> Result<ExitCode, Problem> {
    show(ui, answer, |ui| match &answer.refusal {
        None => print_done(ui, &answer.body),
        Some(refusal) => print_refused(ui, &answer.body, refusal),
    })
}

fn print_done(ui: &mut Ui, body: &Body) -> io::Result<()> {
    ui.line(&format!("{}, from '{}'", line(ui, &body.run), body.from_phase))
}

fn print_refused(ui: &mut Ui, body: &Body, refusal: &Problem) -> io::Result<()> {
    ui.talk(&format!("not advanced: {}", shown(&refusal.message)))?;
    for line in evidence_lines(&body.evidence) {
        ui.talk(&format!("  {line}"))?;
    }
    refusal.next.iter().try_for_each(|words| ui.note(&format!("hint: {}", in_shell(words))))
}

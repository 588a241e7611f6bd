//! `git coord run cancel` and `git coord run fail`

use serde_json::json;

use crate::app::problem::Problem;
use crate::app::{Ctx, runs};
use crate::cli::exit::ExitCode;
use crate::cli::open::told;
use crate::cli::runs::{answer, line};
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::run::end::{End, Ending};
use crate::core::run::names::IdPrefix;
use crate::core::text::Line;

const CANCEL_EXAMPLES: &str = "\
Examples:
  git coord run cancel k3v9x2ab --reason 'not wanted any more'";

const FAIL_EXAMPLES: &str = "\
Examples:
  git coord run fail k3v9x2ab --reason 'the API is not ours'";

/// Call a run off, for good, with every run that is a part of it
///
/// Open dispatches are cancelled and working agents failed, in the same entry.
#[derive(Debug, clap::Args)]
#[command(after_long_help = CANCEL_EXAMPLES)]
pub(crate) struct CancelArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

/// Record that a run came to nothing, for good; the runs that are parts of it are called off
///
/// Open dispatches are cancelled and working agents failed, in the same entry.
#[derive(Debug, clap::Args)]
#[command(after_long_help = FAIL_EXAMPLES)]
pub(crate) struct FailArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

impl CancelArgs {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        end(ui, ctx, &self.run, Ending::Cancelled, &self.reason)
    }
}

impl FailArgs {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        end(ui, ctx, &self.run, Ending::Failed, &self.reason)
    }
}

fn end(
    ui: &mut Ui,
    ctx: &Ctx,
    run: &IdPrefix,
    ending: Ending,
    reason: &Line,
) -> Result<ExitCode, Problem> {
    let wish = End { run: runs::named::run(ctx, run)?, ending, reason: reason.clone() };
    let ended = told(ui, ctx.transact(LedgerName::Runs, wish, None)?)?;
    if ui.is_json() {
        let fields = [
            ("changed", json!(!ended.known)),
            ("cascaded", json!(ended.cascaded)),
            ("cancelled_dispatches", json!(ended.cancelled_dispatches)),
            ("failed_agents", json!(ended.failed_agents)),
        ];
        ui.answer(true, answer(&ended.run, fields))?;
        return Ok(ExitCode::Done);
    }
    ui.line(&line(ui, &ended.run))?;
    if ended.known {
        ui.note("it was so already")?;
    }
    for id in &ended.cascaded {
        ui.line(&format!("{id}  cancelled with it"))?;
    }
    let (dispatches, agents) = (ended.cancelled_dispatches.len(), ended.failed_agents.len());
    if dispatches + agents > 0 {
        ui.note(&format!("cancelled {dispatches} dispatches, failed {agents} agents"))?;
    }
    Ok(ExitCode::Done)
}

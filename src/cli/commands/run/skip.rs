//! `git coord run skip` and `git coord run unskip`

use serde_json::json;

use crate::app::problem::Problem;
use crate::app::{Ctx, runs};
use crate::cli::exit::ExitCode;
use crate::cli::open::told;
use crate::cli::runs::answer;
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::skip::{SetSkip, SkipSet};
use crate::core::text::Line;

const SKIP_EXAMPLES: &str = "\
Examples:
  git coord run skip k3v9x2ab polish --reason 'a one-line fix'";

const UNSKIP_EXAMPLES: &str = "\
Examples:
  git coord run unskip k3v9x2ab polish --reason 'it grew'";

/// Pass over a phase that lies ahead
///
/// Gates ask nothing of what was done in it. The last phase cannot be passed over.
#[derive(Debug, clap::Args)]
#[command(after_long_help = SKIP_EXAMPLES)]
pub(crate) struct SkipArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// The phase
    #[arg(value_name = "PHASE")]
    pub(crate) phase: PhaseName,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

/// Do not pass over a phase after all
#[derive(Debug, clap::Args)]
#[command(after_long_help = UNSKIP_EXAMPLES)]
pub(crate) struct UnskipArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// The phase
    #[arg(value_name = "PHASE")]
    pub(crate) phase: PhaseName,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

impl SkipArgs {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let SkipArgs { run, phase, reason } = self;
        let wish = SetSkip {
            run: runs::named::run(ctx, run)?,
            phase: phase.clone(),
            reason: reason.clone(),
            skip: true,
        };
        set(ui, ctx, wish)
    }
}

impl UnskipArgs {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let UnskipArgs { run, phase, reason } = self;
        let wish = SetSkip {
            run: runs::named::run(ctx, run)?,
            phase: phase.clone(),
            reason: reason.clone(),
            skip: false,
        };
        set(ui, ctx, wish)
    }
}

fn set(ui: &mut Ui, ctx: &Ctx, wish: SetSkip) -> Result<ExitCode, Problem> {
    let (phase, is_skipped) = (wish.phase.clone(), wish.skip);
    let SkipSet { run, changed } = told(ui, ctx.transact(LedgerName::Runs, wish, None)?)?;
    if ui.is_json() {
        let fields =
            [("phase", json!(phase)), ("skipped", json!(is_skipped)), ("changed", json!(changed))];
        ui.answer(true, answer(&run, fields))?;
    } else {
        let word = if is_skipped { "skipped" } else { "not skipped" };
        let already = if changed { "" } else { " already" };
        ui.line(&format!("'{phase}' is{already} {word}"))?;
    }
    Ok(ExitCode::Done)
}

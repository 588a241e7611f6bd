//! `git coord run create`

use std::path::PathBuf;

use super::limits::Limits;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::create::{Body, Request, create};
use crate::cli::exit::ExitCode;
use crate::cli::runs::line;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::bounds::Complexity;
use crate::core::run::chain::Chain;
use crate::core::run::names::{IdPrefix, MetadataKey, NotAKey, RunId};
use crate::core::text::Line;

const EXAMPLES: &str = "\
Examples:
  git coord run create --goal 'paging for users'
  git coord run create --goal 'fix the parser' --phases draft,review,done --budget 200000
  git coord run create --goal 'second half' --parent k3v9x2ab --after m2p8q0cd";

const WARN_HELP: &str = "Percentage of the budget from which to warn [default: 80]";

const GATES_HELP: &str = "\
JSON file with gates of your own, one for every pair of neighbouring phases

The file has a list of {\"from\", \"to\", \"rules\": [{\"check\", \"phase\"}]}. A gate with an \
empty list of rules is always open. A check is artifact_exists, agents_complete, verdict_exists, \
verdict_clean, budget_not_exceeded, children_at_phase or upstreams_at_phase.";

/// Create a run
///
/// A run begins in the first of its phases and is completed in the last. Without --phases, the
/// phases are brainstorm, brainstorm-reviewed, strategized, planned, executing, review, polish,
/// reflect and done, with the usual gates between them. Phases of your own have the gates of
/// --gates or, without that option, those of the file in the repository that coord.runGates names.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(mut_arg("budget_warn", |arg| arg.requires("budget").help(WARN_HELP)))]
#[command(mut_arg("complexity", |arg| arg.default_value(Complexity::USUAL.to_string())))]
pub(crate) struct Args {
    /// Goal of the run
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: Line,

    /// Phases of your own: at least two, separated by commas
    #[arg(long, value_name = "PHASES")]
    pub(crate) phases: Option<Chain>,

    /// JSON file with gates of your own, one for every pair of neighbouring phases
    #[arg(
        long,
        value_name = "FILE",
        value_hint = clap::ValueHint::FilePath,
        long_help = GATES_HELP
    )]
    pub(crate) gates: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limits: Limits,

    /// Make every gate check that the budget is not exceeded
    #[arg(long, requires = "budget")]
    pub(crate) enforce_budget: bool,

    /// Require approval of every step: 'run advance' with --reason
    #[arg(long)]
    pub(crate) manual: bool,

    /// Run that this run is a part of, and that waits for this run
    #[arg(long, value_name = "RUN")]
    pub(crate) parent: Option<IdPrefix>,

    /// Run that this run waits for
    #[arg(long, value_name = "RUN")]
    pub(crate) after: Vec<IdPrefix>,

    /// Part of the project that the run is about, as you name it
    #[arg(long, value_name = "TEXT")]
    pub(crate) scope: Option<Line>,

    /// Fact about the run, for your own use; may be given more than once
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_metadata)]
    pub(crate) metadata: Vec<(MetadataKey, Line)>,

    /// Id of the new run: 8 characters of a-z and 0-9
    ///
    /// The same command again finds the run that it created, whatever its state. A different
    /// command with that id is refused.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<RunId>,
}

fn parse_metadata(text: &str) -> Result<(MetadataKey, Line), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    let key = key.parse().map_err(|error: NotAKey| error.to_string())?;
    Ok((key, Line::new(value).map_err(|error| error.to_string())?))
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request {
            goal: &self.goal,
            phases: self.phases.as_ref(),
            gates: self.gates.as_deref(),
            budget: self.limits.budget,
            warn_percent: self.limits.budget_warn,
            enforced: self.enforce_budget,
            complexity: self.limits.complexity.unwrap_or(Complexity::USUAL),
            manual: self.manual,
            max_agents: self.limits.max_agents,
            parent: self.parent.as_ref(),
            after: &self.after,
            scope: self.scope.as_ref(),
            metadata: &self.metadata,
            id: self.id.as_ref(),
        };
        let answer = create(ctx, &request)?;
        let Body { run, created } = &answer.body;
        show(ui, &answer, |ui| {
            ui.line(&line(ui, run))?;
            if *created { Ok(()) } else { ui.note("it was there already") }
        })
    }
}

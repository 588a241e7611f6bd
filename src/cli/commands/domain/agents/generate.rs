//! `git coord domain agents generate`

use std::io;

use crate::app::Ctx;
use crate::app::domains::agents::generate::{AgentView, Body, MODE_DEFAULT, Request, generate};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of, word_of};
use crate::core::domain::generation::Mode;
use crate::core::text::shown;

const EXAMPLES: &str = "\
Examples:
  git coord domain agents generate --dry-run
  git coord domain agents generate --mode regenerate";

/// Generate the agents that the domains of this project ask for
///
/// An agent that cannot be generated does not stop the others. The answer has the number of agents
/// for each domain, and the reason why one is missing. Exits with 0 even then, unless --strict is
/// given.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Exit with 1 if an agent could not be generated, or if a domain has no profile
    #[arg(long)]
    pub(crate) strict: bool,

    /// Show what would be done without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Treatment of files that already exist
    #[arg(
        long,
        value_name = "MODE",
        value_parser = one_of(&MODES),
        default_value = word_of(&MODES, MODE_DEFAULT)
    )]
    pub(crate) mode: Mode,
}

const MODES: [Word<Mode>; 3] = [
    ("skip", Mode::Skip, "Keep them as they are"),
    (
        "regenerate",
        Mode::Regenerate,
        "Generate those again whose profile has changed, unless they were edited",
    ),
    ("force", Mode::Force, "Also generate those again that were edited"),
];

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request { mode: self.mode, strict: self.strict, dry_run: self.dry_run };
        let answer = generate(ctx, &request)?;
        show(ui, &answer, |ui| print(ui, &answer.body))
    }
}

fn print(ui: &mut Ui, body: &Body) -> io::Result<()> {
    if body.dry_run {
        ui.note("nothing is written; this is what would be:")?;
    }
    for of in &body.domains {
        ui.line(&format!("{}: {} of {} agents", of.domain, of.succeeded, of.total))?;
        ui.table(of.agents.iter().map(row))?;
    }
    for made in &body.orphans {
        let path = shown(made.path.as_str());
        ui.line(&format!("orphaned: {path}, made for '{}'; it is kept", made.domain))?;
    }
    Ok(())
}

fn row(agent: &AgentView) -> Vec<Cell> {
    let place = agent.path.as_ref().map_or("", |path| path.as_str());
    let words = match (&agent.action, &agent.error) {
        (_, Some(why)) => format!("failed: {why}"),
        (action, None) => action.map_or("", |action| action.words()).to_owned(),
    };
    vec![
        Cell::plain(format!("  {}", shown(&agent.agent))),
        Cell::plain(shown(&words)),
        Cell::plain(shown(place)),
    ]
}

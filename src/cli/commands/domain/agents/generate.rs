//! `git coord domain agents generate`

use std::io;

use crate::app::Ctx;
use crate::app::domains::agents::generate::{AgentView, Body, Request, generate};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of};
use crate::core::domain::generation::Mode;
use crate::core::text::shown;

const EXAMPLES: &str = "\
Examples:
  git coord domain agents generate --dry-run
  git coord domain agents generate --mode regenerate";

/// Make the files of the agents that the domains of this project ask for
///
/// One that cannot be made does not stop the others: the answer says how many of each domain are
/// there, and why one is not. Exits with 0 all the same, unless --strict is given.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Exit with 1 if any agent could not be made, or a domain has no profile
    #[arg(long)]
    pub(crate) strict: bool,

    /// Tell what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// What is done to files that are there
    #[arg(long, value_name = "MODE", value_parser = one_of(&MODES), default_value = "skip")]
    pub(crate) mode: Mode,
}

const MODES: [Word<Mode>; 3] = [
    ("skip", Mode::Skip, "Leave them"),
    (
        "regenerate",
        Mode::Regenerate,
        "Make those anew whose profile has changed, unless they were edited",
    ),
    ("force", Mode::Force, "Make those anew as well that were edited"),
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

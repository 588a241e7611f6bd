//! `git coord adopt`

use std::ffi::OsString;

use crate::app::ownership::adopt::{AdoptedView, Request, adopt};
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::AgentName;
use crate::core::text::{Line, shown};

const EXAMPLES: &str = "\
Examples:
  git coord adopt src/api/users.rs --reason 'its session is over'
  git coord adopt --from claude:7f3a91c2 --reason 'takes over the task'
  git coord adopt --all --reason 'the work is finished'";

/// Take uncommitted changes of other agents over
///
/// The changes are yours from then on, and your commit may have them. The takeover is recorded, and
/// the owners are told. No file is touched. A change whose owner is still at work is refused. Your
/// own changes count as made on the branch that is checked out now.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns of changes
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// All changes of this agent and its subagents
    #[arg(long, value_name = "AGENT", conflicts_with = "all")]
    pub(crate) from: Option<AgentName>,

    /// All changes of other agents
    #[arg(long, conflicts_with = "paths")]
    pub(crate) all: bool,

    /// Reason, for the record and for the owners
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,
}

impl Args {
    pub(crate) fn request(&self) -> Request<'_> {
        let (from, all) = (self.from.as_ref(), self.all);
        Request { paths: &self.paths, from, all, reason: &self.reason }
    }

    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let answer = adopt(&ctx, &self.request())?;
        show(ui, &answer, |ui| {
            for AdoptedView { path, from } in &answer.body.adopted {
                let path = String::from_utf8_lossy(&path.0);
                let path = ui.paint(Slot::Path, &shown(&path));
                let from = ui.paint(Slot::Holder, from.as_str());
                ui.line(&format!("adopted  {path}  from {from}"))?;
            }
            Ok(())
        })
    }
}

//! `git coord changes`

use std::ffi::OsString;

use crate::app::open::{Door, Pace, enter};
use crate::app::ownership::changes::{
    Body, ChangeView, LostView, OwnerView, Request, changes, worktree,
};
use crate::app::problem::{Kind, Problem};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::AgentName;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

const EXAMPLES: &str = "\
Examples:
  git coord changes
  git coord changes src --mine
  git coord changes --agent claude:7f3a91c2
  git coord changes --check --json";

/// List uncommitted changes and their owners
///
/// An agent owns a change from its edit until it is committed, reverted or adopted, even after its
/// reservation has ended. Lists nobody's changes too, such as those of people, and changes that are
/// gone without a commit.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only changes of these paths or patterns
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Only your changes
    #[arg(long, conflicts_with = "agent")]
    pub(crate) mine: bool,

    /// Only changes of this agent and its subagents
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<AgentName>,

    /// Changes in the linked worktree of this name; - is the main one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) worktree: Option<String>,

    /// Exit with 1 if a change of another agent is among them
    #[arg(long)]
    pub(crate) check: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let mut ctx = context.open()?;
        if let Some(name) = &self.worktree {
            let top = worktree(&ctx, name)?;
            let there = enter(context.door.environment(), &top).map_err(|error| {
                let message = format!("cannot go to '{}': {error}", top.display());
                Problem::new(Kind::Failure, message)
            })?;
            let door = Door::find(&there)?;
            let acting_as = context.globals.acting_as.as_ref();
            ctx = door.open(acting_as, door.settings()?, Pace::Command)?;
        }
        let request = Request {
            paths: &self.paths,
            mine: self.mine,
            agent: self.agent.as_ref(),
            check: self.check,
            // The text does not show it.
            finds_saved: ui.is_json(),
        };
        let answer = changes(&ctx, &request)?;
        let Body { changes, lost } = &answer.body;
        show(ui, &answer, |ui| {
            if changes.is_empty() && lost.is_empty() {
                ui.note("no uncommitted changes")?;
            }
            let rows = changes.iter().map(|change| row(change, answer.at));
            ui.table(rows.chain(lost.iter().map(|lost| lost_row(lost, answer.at))))
        })
    }
}

fn row(change: &ChangeView, now: Timestamp) -> Vec<Cell> {
    let owner = |owner: &OwnerView| {
        let ago = relative(owner.since.as_seconds(), now.as_seconds());
        format!("{} (since {ago}, {})", owner.agent, owner.is)
    };
    let owners: Vec<String> = change.owners.iter().map(owner).collect();
    let staged = if change.staged { "staged" } else { "" };
    vec![
        Cell::painted(Slot::Path, shown(&String::from_utf8_lossy(&change.path.0))),
        Cell::plain(change.status.name()),
        Cell::plain(staged),
        Cell::painted(Slot::Holder, owners.join(", ")),
    ]
}

fn lost_row(lost: &LostView, now: Timestamp) -> Vec<Cell> {
    let ago = relative(lost.at.as_seconds(), now.as_seconds());
    vec![
        Cell::painted(Slot::Path, shown(&String::from_utf8_lossy(&lost.path.0))),
        Cell::plain("lost"),
        Cell::plain(""),
        Cell::painted(Slot::Holder, format!("{} (last changed {ago})", lost.agent)),
    ]
}

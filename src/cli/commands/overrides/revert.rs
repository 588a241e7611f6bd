//! `git coord override revert`, `block` and `unblock`

use std::io;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::block::{Body as Blocked, block, unblock};
use crate::app::routing::revert::{Body, Request, revert};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::routing::text::Note;
use crate::core::text::shown;

const REVERT_EXAMPLES: &str = "\
Examples:
  git coord override revert fd-game-design
  git coord override revert 3f9c2ab1 --reason 'it found the bug' --block";

/// Take an override back
///
/// Finds the override by its agent, by the entry that put it in force, or by the act that its
/// record names as 'op'. A trial that is still going on ends with it. An override that does not
/// exist is no error.
#[derive(Debug, clap::Args)]
#[command(after_long_help = REVERT_EXAMPLES)]
pub(crate) struct RevertArgs {
    /// Review agent, or 7 or more digits of an entry or an act
    #[arg(value_name = "AGENT-OR-ENTRY")]
    pub(crate) target: String,

    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Note>,

    /// Also block the agent from being left out again
    #[arg(long)]
    pub(crate) block: bool,

    /// Show what would be taken back without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl RevertArgs {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request {
            target: &self.target,
            reason: self.reason.as_ref(),
            block: self.block,
            dry_run: self.dry_run,
        };
        let answer = revert(ctx, &request)?;
        show(ui, &answer, |ui| self.print(ui, &answer.body))
    }

    fn print(&self, ui: &mut Ui, answer: &Body) -> io::Result<()> {
        let verb = if self.dry_run { "would take back" } else { "taken back" };
        for entry in &answer.overrides {
            let name = ui.paint(Slot::Holder, entry.agent.as_str());
            let was = if entry.is_in_force() { "was left out" } else { "was proposed" };
            let reason = entry
                .reason
                .as_ref()
                .map_or(String::new(), |reason| format!(": {}", shown(reason.as_str())));
            ui.line(&format!("{verb}  {name}  {was}{reason}"))?;
        }
        for name in &answer.overlays {
            ui.line(&format!("{verb}  {name}  overlay"))?;
        }
        for block in &answer.blocked {
            let name = ui.paint(Slot::Holder, block.agent.as_str());
            ui.line(&format!("blocked  {name}  {}", shown(block.reason.as_str())))?;
        }
        if answer.overrides.is_empty() && answer.overlays.is_empty() {
            let what = if answer.is_act {
                format!("nothing that entry '{}' put in force is there", shown(&self.target))
            } else {
                format!("'{}' has no override", shown(&self.target))
            };
            ui.note(&format!("nothing to take back: {what}"))?;
        }
        Ok(())
    }
}

/// Block a review agent from being left out, whatever the evidence says
///
/// An agent has one block: a new reason replaces the old one. An override in force stays until it
/// is taken back.
#[derive(Debug, clap::Args)]
pub(crate) struct BlockArgs {
    /// Name of the review agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,

    /// Reason for the block
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Note,
}

impl BlockArgs {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = block(ctx, &self.agent, &self.reason)?;
        let Blocked { agent, changed } = &answer.body;
        show(ui, &answer, |ui| {
            let name = ui.paint(Slot::Holder, agent.as_str());
            let verb = if *changed { "blocked" } else { "blocked already" };
            ui.line(&format!("{verb}  {name}  {}", shown(self.reason.as_str())))
        })
    }
}

/// Allow a review agent to be left out again
#[derive(Debug, clap::Args)]
pub(crate) struct UnblockArgs {
    /// Name of the review agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
}

impl UnblockArgs {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = unblock(ctx, &self.agent)?;
        let Blocked { agent, changed } = &answer.body;
        show(ui, &answer, |ui| {
            if *changed {
                ui.line(&format!("unblocked  {}", ui.paint(Slot::Holder, agent.as_str())))
            } else {
                ui.note(&format!("'{agent}' is not blocked"))
            }
        })
    }
}

//! `git coord override revert`, `block` and `unblock`

use serde_json::{Value, json};

use super::shared::object;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::{agent_name, target};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::told;
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::routing::block::{BlockAgent, Unblock};
use crate::core::routing::revert::{Revert, Reverted, Target};
use crate::core::routing::text::Note;
use crate::core::text::shown;

const REVERT_EXAMPLES: &str = "\
Examples:
  git coord override revert fd-game-design
  git coord override revert 3f9c2ab1 --reason 'it found the bug' --block";

/// Take an override back, exactly
///
/// By the agent, by the entry that put it in force, or by the act that its record names as 'op'. A
/// trial that goes on ends with it. What is not there is no error.
#[derive(Debug, clap::Args)]
#[command(after_long_help = REVERT_EXAMPLES)]
pub(crate) struct RevertArgs {
    /// The agent, or 7 or more digits of an entry or an act
    #[arg(value_name = "AGENT-OR-ENTRY")]
    pub(crate) target: String,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Note>,

    /// And keep the agent from being left out again
    #[arg(long)]
    pub(crate) block: bool,

    /// Tell what would be taken back, and leave it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl RevertArgs {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let target = target(ctx, &self.target)?;
        let reason = || {
            self.reason
                .clone()
                .unwrap_or_else(|| Note::new("reverted").expect("a plain word is a note"))
        };
        let is_entry = matches!(target, Target::Act(_));
        let command =
            Revert { target, reason: self.reason.clone(), block: self.block.then(reason) };
        let (answer, entry) = if self.dry_run {
            (ctx.decide_only(LedgerName::Overrides, command)?, None)
        } else {
            let committed = ctx.transact(LedgerName::Overrides, command, None)?;
            let entry = committed.entry;
            (told(ui, committed)?, entry)
        };
        if answer.autonomy_off {
            ui.warn("autonomy is off now: too many agents had to be taken back")?;
        }
        if ui.is_json() {
            let agents: Vec<&str> =
                answer.overrides.iter().map(|entry| entry.agent.as_str()).collect();
            let blocks: Vec<Value> =
                answer.blocks.iter().map(|block| json!(object(block))).collect();
            let mut told = fields([
                ("reverted", json!(agents)),
                ("overlays", json!(answer.overlays)),
                ("blocked", json!(blocks)),
                ("autonomy_off", json!(answer.autonomy_off)),
                ("dry_run", json!(self.dry_run)),
            ]);
            if let Some(entry) = entry {
                told.insert("entry".to_owned(), json!(entry.to_string()));
            }
            ui.answer(true, told)?;
        } else {
            self.print(ui, &answer, is_entry)?;
        }
        Ok(ExitCode::Done)
    }

    fn print(&self, ui: &mut Ui, answer: &Reverted, is_entry: bool) -> Result<(), Problem> {
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
        for block in &answer.blocks {
            let name = ui.paint(Slot::Holder, block.agent.as_str());
            ui.line(&format!("blocked  {name}  {}", shown(block.reason.as_str())))?;
        }
        if answer.overrides.is_empty() && answer.overlays.is_empty() {
            let what = if is_entry {
                format!("nothing that entry '{}' put in force is there", shown(&self.target))
            } else {
                format!("'{}' has no override", shown(&self.target))
            };
            ui.note(&format!("nothing to take back: {what}"))?;
        }
        Ok(())
    }
}

/// Keep an agent from being left out, whatever the evidence says
///
/// One block an agent: another reason takes the place of the first. What is in force stays until
/// it is taken back.
#[derive(Debug, clap::Args)]
pub(crate) struct BlockArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,

    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Note,
}

impl BlockArgs {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let agent = agent_name(ctx, &self.agent)?;
        let command = BlockAgent { agent: agent.clone(), reason: self.reason.clone() };
        let changed = told(ui, ctx.transact(LedgerName::Overrides, command, None)?)?.is_some();
        if ui.is_json() {
            ui.answer(true, fields([("agent", json!(agent)), ("changed", json!(changed))]))?;
        } else {
            let name = ui.paint(Slot::Holder, agent.as_str());
            let verb = if changed { "blocked" } else { "blocked already" };
            ui.line(&format!("{verb}  {name}  {}", shown(self.reason.as_str())))?;
        }
        Ok(ExitCode::Done)
    }
}

/// Let an agent be left out again
#[derive(Debug, clap::Args)]
pub(crate) struct UnblockArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
}

impl UnblockArgs {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let agent = agent_name(ctx, &self.agent)?;
        let command = Unblock { agent: agent.clone() };
        let changed = told(ui, ctx.transact(LedgerName::Overrides, command, None)?)?.is_some();
        if ui.is_json() {
            ui.answer(true, fields([("agent", json!(agent)), ("changed", json!(changed))]))?;
        } else if changed {
            ui.line(&format!("unblocked  {}", ui.paint(Slot::Holder, agent.as_str())))?;
        } else {
            ui.note(&format!("'{agent}' is not blocked"))?;
        }
        Ok(ExitCode::Done)
    }
}

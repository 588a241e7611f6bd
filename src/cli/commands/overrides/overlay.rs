//! `git coord override overlay add`, `disable` and `list`

use clap::Subcommand;
use serde_json::{Value, json};

use super::shared::{EvidenceList, all_evidence, object, parse_evidence, parse_name};
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::agent_name;
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::told;
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::routing::index;
use crate::core::routing::names::{OverlayId, Word};
use crate::core::routing::overlay::{self, AddOverlay, DisableOverlay, TOKENS_MAX};
use crate::core::routing::text::Body;
use crate::core::text::shown;

/// Tell an agent something besides, within a budget
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Add(AddArgs),
    Disable(DisableArgs),
    List(ListArgs),
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::Disable(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx),
        }
    }
}

const ADD_EXAMPLES: &str = "\
Examples:
  git coord override overlay add fd-style tests --text 'Leave unwrap() in tests alone.'";

/// Add an overlay, or put other words in the place of one
///
/// All active overlays of an agent cost at most 500 tokens, 1.3 for each word. Refused while the
/// agent is on trial. People do this; a program may not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = ADD_EXAMPLES)]
struct AddArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: String,

    /// The overlay's name: a-z, 0-9 and -
    #[arg(value_name = "NAME", value_parser = parse_name::<OverlayId>)]
    id: OverlayId,

    /// What it says; cleaned, and cut at 2000 characters
    #[arg(long, value_name = "TEXT")]
    text: Body,

    /// What it rests on: an id, or several as a JSON array
    #[arg(long, value_name = "ID", value_parser = parse_evidence)]
    evidence: Vec<EvidenceList>,

    /// What decides: human, or the name of a program, which is refused
    #[arg(
        long,
        value_name = "WORD",
        default_value = Word::HUMAN,
        value_parser = parse_name::<Word>
    )]
    source: Word,
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let command = AddOverlay {
            agent: agent_name(ctx, &self.agent)?,
            id: self.id.clone(),
            body: self.text.clone(),
            evidence: all_evidence(&self.evidence),
            source: self.source.clone(),
        };
        let answer = told(ui, ctx.transact(LedgerName::Overrides, command, None)?)?;
        if ui.is_json() {
            let told = fields([
                ("overlay", json!(object(&answer.overlay))),
                ("tokens", json!(answer.tokens)),
                ("was_there", json!(answer.was_there)),
            ]);
            ui.answer(true, told)?;
        } else {
            let verb = if answer.was_there { "there already" } else { "added" };
            let (group, tokens) = (answer.overlay.group(), answer.tokens);
            ui.line(&format!("{verb}  {group}  {tokens} of {TOKENS_MAX} tokens"))?;
        }
        Ok(ExitCode::Done)
    }
}

/// Switch an overlay off; its words stay
#[derive(Debug, clap::Args)]
struct DisableArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: String,

    /// The overlay's name
    #[arg(value_name = "NAME")]
    id: OverlayId,
}

impl DisableArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let command = DisableOverlay { agent: agent_name(ctx, &self.agent)?, id: self.id.clone() };
        let overlay = told(ui, ctx.transact(LedgerName::Overrides, command, None)?)?;
        if ui.is_json() {
            ui.answer(true, fields([("overlay", json!(object(&overlay)))]))?;
        } else {
            ui.line(&format!("disabled  {}", overlay.group()))?;
        }
        Ok(ExitCode::Done)
    }
}

/// List overlays and what they say
#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Only of this agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
}

impl ListArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let agent = self.agent.as_deref().map(|agent| agent_name(ctx, agent)).transpose()?;
        let reading = ctx.read_ledger(LedgerName::Overrides)?;
        let mut overlays =
            index::overlays(&reading.base.snapshot).map_err(crate::app::error::AppError::from)?;
        overlays.retain(|overlay| agent.as_ref().is_none_or(|agent| overlay.agent == *agent));
        if ui.is_json() {
            let listed: Vec<Value> =
                overlays.iter().map(|overlay| json!(object(overlay))).collect();
            let told = fields([
                ("overlays", json!(listed)),
                ("tokens", json!(overlay::tokens(&overlays))),
            ]);
            ui.answer(true, told)?;
            return Ok(ExitCode::Done);
        }
        if overlays.is_empty() {
            ui.note("no overlays")?;
        }
        for overlay in &overlays {
            let group = ui.paint(Slot::Holder, &overlay.group());
            let state = if overlay.active { "active" } else { "disabled" };
            let tokens = overlay.body.tokens();
            ui.line(&format!("{group}  {state}  {tokens} tokens  by {}", overlay.by))?;
            for line in overlay.body.as_str().lines() {
                ui.line(&format!("    {}", shown(line)))?;
            }
        }
        Ok(ExitCode::Done)
    }
}

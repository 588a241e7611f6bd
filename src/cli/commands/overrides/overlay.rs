//! `git coord override overlay add`, `disable` and `list`

use clap::Subcommand;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::arguments::{EvidenceList, all_evidence, parse_evidence, parse_name};
use crate::app::routing::overlay::{AddRequest, add, disable, list};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::AgentName;
use crate::core::routing::names::{OverlayId, Word};
use crate::core::routing::overlay::TOKENS_MAX;
use crate::core::routing::text::Body;
use crate::core::text::shown;

/// Give a review agent extra instructions, within a budget of tokens
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

/// Add an overlay, or replace the text of one
///
/// All active overlays of an agent may have at most 500 tokens; a word counts as 1.3 tokens.
/// Refused while the agent is on trial, and without --replace if another agent wrote the overlay of
/// that name. Only a person may add an overlay; a program is refused.
#[derive(Debug, clap::Args)]
#[command(after_long_help = ADD_EXAMPLES)]
struct AddArgs {
    /// Name of the review agent
    #[arg(value_name = "AGENT")]
    agent: String,

    /// Name of the overlay: a-z, 0-9 and -
    #[arg(value_name = "NAME", value_parser = parse_name::<OverlayId>)]
    id: OverlayId,

    /// Text of the overlay; cleaned, and cut at 2000 characters
    #[arg(long, value_name = "TEXT")]
    text: Body,

    /// Evidence: an id, or several as a JSON array
    #[arg(long, value_name = "ID", value_parser = parse_evidence)]
    evidence: Vec<EvidenceList>,

    /// Author of the overlay: human, or the name of a program, which is refused
    #[arg(
        long,
        value_name = "WORD",
        default_value = Word::HUMAN,
        value_parser = parse_name::<Word>
    )]
    source: Word,

    /// Replace the overlay of that name even if another agent wrote it
    #[arg(long)]
    replace: bool,
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let evidence = all_evidence(&self.evidence);
        let request = AddRequest {
            agent: &self.agent,
            id: &self.id,
            text: &self.text,
            evidence: &evidence,
            source: &self.source,
            replace: self.replace,
        };
        let answer = add(ctx, &request)?;
        let added = &answer.body;
        show(ui, &answer, |ui| {
            let verb = if added.was_there { "there already" } else { "added" };
            let (group, tokens) = (added.overlay.group(), added.tokens);
            let by = |by: &AgentName| format!(", in place of the one by '{by}'");
            let replaced = added.replaced.as_ref().map(by).unwrap_or_default();
            ui.line(&format!("{verb}  {group}  {tokens} of {TOKENS_MAX} tokens{replaced}"))
        })
    }
}

/// Disable an overlay, and keep its text
#[derive(Debug, clap::Args)]
struct DisableArgs {
    /// Name of the review agent
    #[arg(value_name = "AGENT")]
    agent: String,

    /// Name of the overlay
    #[arg(value_name = "NAME")]
    id: OverlayId,
}

impl DisableArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = disable(ctx, &self.agent, &self.id)?;
        let group = answer.body.overlay.group();
        show(ui, &answer, |ui| ui.line(&format!("disabled  {group}")))
    }
}

/// List overlays and their texts
#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Only overlays of this agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
}

impl ListArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = list(ctx, self.agent.as_deref())?;
        let overlays = &answer.body.overlays;
        show(ui, &answer, |ui| {
            if overlays.is_empty() {
                ui.note("no overlays")?;
            }
            for overlay in overlays {
                let group = ui.paint(Slot::Holder, &overlay.group());
                let state = if overlay.active { "active" } else { "disabled" };
                let tokens = overlay.body.tokens();
                ui.line(&format!("{group}  {state}  {tokens} tokens  by {}", overlay.by))?;
                for line in overlay.body.as_str().lines() {
                    ui.line(&format!("    {}", shown(line)))?;
                }
            }
            Ok(())
        })
    }
}

//! `git coord override propose`, `approve` and `apply`

use std::ffi::OsString;
use std::io;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::apply::{self, apply};
use crate::app::routing::approve::{self, approve};
use crate::app::routing::arguments::{
    EvidenceList, all_evidence, parse_evidence, parse_line, parse_name,
};
use crate::app::routing::change::{self, Became, Body, InForceView};
use crate::app::routing::propose::{self, propose};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::ids::AgentName;
use crate::core::routing::Override;
use crate::core::routing::names::{EvidenceRef, Word};
use crate::core::routing::text::Note;
use crate::core::text::{Line, shown};
use crate::core::time::relative;

const PROPOSE_EXAMPLES: &str = "\
Examples:
  git coord override propose fd-game-design --reason 'no game in this repository'";

/// Propose to leave a review agent out
///
/// Routers can show a proposal; nothing else changes for them. An override that already exists
/// stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PROPOSE_EXAMPLES)]
pub(crate) struct ProposeArgs {
    /// Name of the review agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,

    /// Reason, for the person who decides; secrets are removed
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Note,

    #[command(flatten)]
    basis: Basis,
}

// The evidence, the scope and the author of an override. Arguments that several commands share have
// no doc comment: that of the command is its help.
#[derive(Debug, clap::Args)]
pub(super) struct Basis {
    /// Evidence: an id, or several as a JSON array
    #[arg(long, value_name = "ID", value_parser = parse_evidence)]
    evidence: Vec<EvidenceList>,

    /// Apply the override in this domain only
    #[arg(long, value_name = "DOMAIN", value_parser = parse_line)]
    scope_domain: Vec<Line>,

    /// Apply the override to paths within this pattern only
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    scope_path: Vec<OsString>,

    /// Author of the decision: human, or the name of a program that acts by itself
    #[arg(
        long,
        value_name = "WORD",
        default_value = Word::HUMAN,
        value_parser = parse_name::<Word>
    )]
    source: Word,
}

impl Basis {
    fn of<'r>(&'r self, evidence: &'r [EvidenceRef]) -> change::Basis<'r> {
        change::Basis {
            evidence,
            domains: &self.scope_domain,
            paths: &self.scope_path,
            source: &self.source,
        }
    }
}

impl ProposeArgs {
    pub(super) fn run(
        &self,
        ui: &mut Ui,
        ctx: &Ctx,
        environment: &Environment,
    ) -> Result<ExitCode, Problem> {
        let evidence = all_evidence(&self.basis.evidence);
        let request = propose::Request {
            agent: &self.agent,
            reason: &self.reason,
            basis: self.basis.of(&evidence),
            environment,
        };
        let answer = propose(ctx, &request)?;
        let Body { outcome, entry, .. } = &answer.body;
        show(ui, &answer, |ui| {
            if *outcome == Became::Already {
                let what = if entry.is_in_force() { "left out" } else { "proposed" };
                return ui.line(&format!("already {what}{}", by_whom(entry, None, ctx)));
            }
            let reason = shown(self.reason.as_str());
            let name = ui.paint(Slot::Holder, entry.agent.as_str());
            ui.line(&format!("proposed  {name}  {reason}"))
        })
    }
}

/// Tells which agent did it, and when.
fn by_whom(entry: &Override, by: Option<&AgentName>, ctx: &Ctx) -> String {
    let by = by.or(entry.by.as_ref()).map_or(String::new(), |by| format!(" by '{by}'"));
    let when = entry.since().map_or(String::new(), |at| {
        format!(" {}", relative(at.as_seconds(), ctx.clock().as_seconds()))
    });
    format!("{by}{when}")
}

/// Approve a proposal: leave the agent out from now on, on trial
///
/// The override comes into force as it was proposed. You may approve your own proposal; this prints
/// a warning.
#[derive(Debug, clap::Args)]
pub(crate) struct ApproveArgs {
    /// Name of the review agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,

    /// Confirm it for an agent that reviews cross-cutting concerns (coord.crossCutting)
    #[arg(long)]
    pub(crate) confirm_cross_cutting: bool,
}

impl ApproveArgs {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request =
            approve::Request { agent: &self.agent, confirmed: self.confirm_cross_cutting };
        let answer = approve(ctx, &request)?;
        let Body { entry, in_force, .. } = &answer.body;
        show(ui, &answer, |ui| match in_force {
            Some(made) => print_in_force(ui, entry, made),
            None => ui.line(&format!("already left out{}", by_whom(entry, None, ctx))),
        })
    }
}

const APPLY_EXAMPLES: &str = "\
Examples:
  git coord override apply fd-game-design --reason 'no game in this repository'
  git coord override apply fd-style --reason 'generated code' --scope-path 'gen/**'";

/// Leave a review agent out from now on, on trial
///
/// Override, record and trial are one entry. If the agent is already left out, updates reason,
/// evidence and scope under the same conditions, and a trial goes on.
#[derive(Debug, clap::Args)]
#[command(after_long_help = APPLY_EXAMPLES)]
pub(crate) struct ApplyArgs {
    /// Name of the review agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,

    /// Reason, shown by routers and kept on record; secrets are removed
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Note,

    #[command(flatten)]
    basis: Basis,

    /// Confirm it for an agent that reviews cross-cutting concerns (coord.crossCutting)
    #[arg(long)]
    pub(crate) confirm_cross_cutting: bool,
}

impl ApplyArgs {
    pub(super) fn run(
        &self,
        ui: &mut Ui,
        ctx: &Ctx,
        environment: &Environment,
    ) -> Result<ExitCode, Problem> {
        let evidence = all_evidence(&self.basis.evidence);
        let request = apply::Request {
            agent: &self.agent,
            reason: &self.reason,
            basis: self.basis.of(&evidence),
            confirmed: self.confirm_cross_cutting,
            environment,
        };
        let answer = apply(ctx, &request)?;
        let Body { entry, in_force, earlier, .. } = &answer.body;
        show(ui, &answer, |ui| match (in_force, earlier) {
            (Some(made), _) => print_in_force(ui, entry, made),
            (None, Some(earlier)) => {
                let by = by_whom(entry, Some(&earlier.by), ctx);
                ui.line(&format!("{}: '{}'{by}", earlier.message, entry.agent))
            }
            (None, None) => {
                let name = ui.paint(Slot::Holder, entry.agent.as_str());
                let is_open = entry.canary.as_ref().is_some_and(|trial| trial.status.is_open());
                let trial = if is_open { "its trial goes on" } else { "its trial is over" };
                ui.line(&format!("updated   {name}  it was left out already; {trial}"))
            }
        })
    }
}

fn print_in_force(ui: &mut Ui, entry: &Override, made: &InForceView) -> io::Result<()> {
    let canary = &made.trial.canary;
    let name = ui.paint(Slot::Holder, entry.agent.as_str());
    let until = canary.expires_at;
    let against = match &canary.baseline {
        Some(baseline) => format!("against {} sessions before", baseline.sessions),
        None => "with too few sessions before to hold it against".to_owned(),
    };
    let window = canary.window_uses;
    ui.line(&format!("left out  {name}  on trial until {until} or {window} samples, {against}"))
}

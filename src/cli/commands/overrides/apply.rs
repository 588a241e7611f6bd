//! `git coord override propose`, `approve` and `apply`

use std::ffi::OsString;

use serde_json::{Map, Value, json};

use super::shared::{
    EvidenceList, all_evidence, object, parse_evidence, parse_line, parse_name, warn_of_stranger,
};
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::{agent_name, care, seen};
use crate::app::specs;
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::told;
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::core::pattern::Reading;
use crate::core::routing::apply::{Applied, Apply, InForce};
use crate::core::routing::approve::{Approve, Approved};
use crate::core::routing::names::Word;
use crate::core::routing::propose::Propose;
use crate::core::routing::text::Note;
use crate::core::routing::{Override, Scope};
use crate::core::text::{Line, shown};
use crate::core::time::relative;
use crate::store::git::object::ObjectId;

const PROPOSE_EXAMPLES: &str = "\
Examples:
  git coord override propose fd-game-design --reason 'no game in this repository'";

/// Propose to leave an agent out
///
/// Nothing changes for routers but that they can show it. An override that is there already stays
/// as it is.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PROPOSE_EXAMPLES)]
pub(crate) struct ProposeArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,

    /// Why, for whoever decides; secrets are taken out
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Note,

    #[command(flatten)]
    basis: Basis,
}

/// What an override rests on, where it counts, and what decides.
#[derive(Debug, clap::Args)]
pub(super) struct Basis {
    /// What it rests on: an id, or several as a JSON array
    #[arg(long, value_name = "ID", value_parser = parse_evidence)]
    evidence: Vec<EvidenceList>,

    /// Count in this domain only
    #[arg(long, value_name = "DOMAIN", value_parser = parse_line)]
    scope_domain: Vec<Line>,

    /// Count for paths within this pattern only
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    scope_path: Vec<OsString>,

    /// What decides: human, or the name of a program that acts by itself
    #[arg(
        long,
        value_name = "WORD",
        default_value = Word::HUMAN,
        value_parser = parse_name::<Word>
    )]
    source: Word,
}

impl Basis {
    fn scope(&self, ctx: &Ctx) -> Result<Option<Scope>, Problem> {
        let scope = Scope {
            domains: self.scope_domain.clone(),
            file_patterns: specs::patterns(ctx.repository(), &self.scope_path, Reading::Glob)?,
            unknown: Map::new(),
        };
        Ok(Some(scope).filter(|scope| !scope.is_empty()))
    }
}

impl ProposeArgs {
    pub(super) fn run(
        &self,
        ui: &mut Ui,
        ctx: &Ctx,
        environment: &Environment,
    ) -> Result<ExitCode, Problem> {
        let agent = agent_name(ctx, &self.agent)?;
        let command = Propose {
            agent: agent.clone(),
            reason: self.reason.clone(),
            evidence: all_evidence(&self.basis.evidence),
            scope: self.basis.scope(ctx)?,
            source: self.basis.source.clone(),
        };
        let committed = ctx.transact(LedgerName::Overrides, command, None)?;
        let entry_id = committed.entry;
        let answer = told(ui, committed)?;
        if !answer.was_there {
            warn_of_stranger(ui, ctx, environment, &agent)?;
        }
        let outcome = if answer.was_there { "already" } else { "proposed" };
        if ui.is_json() {
            ui.answer(true, told_json(outcome, &answer.entry, entry_id))?;
        } else if answer.was_there {
            let what = if answer.entry.is_in_force() { "left out" } else { "proposed" };
            ui.line(&format!("already {what}{}", by_whom(&answer.entry, ctx)))?;
        } else {
            let reason = shown(self.reason.as_str());
            ui.line(&format!("proposed  {}  {reason}", ui.paint(Slot::Holder, agent.as_str())))?;
        }
        Ok(ExitCode::Done)
    }
}

fn told_json(outcome: &str, entry: &Override, id: Option<ObjectId>) -> Map<String, Value> {
    let mut answer = fields([("outcome", json!(outcome)), ("override", json!(object(entry)))]);
    if let Some(id) = id {
        answer.insert("entry".to_owned(), json!(id.to_string()));
    }
    answer
}

/// Who did it, and when.
fn by_whom(entry: &Override, ctx: &Ctx) -> String {
    let by = entry.by.as_ref().map_or(String::new(), |by| format!(" by '{by}'"));
    let when = entry.since().map_or(String::new(), |at| {
        format!(" {}", relative(at.as_seconds(), ctx.clock().as_seconds()))
    });
    format!("{by}{when}")
}

/// Approve a proposal: the agent is left out from now on, on trial
///
/// What was proposed comes into force as it was proposed. Approving one's own proposal works, with
/// a warning.
#[derive(Debug, clap::Args)]
pub(crate) struct ApproveArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,

    /// Yes, also where it reviews what cuts across everything (coord.crossCutting)
    #[arg(long)]
    pub(crate) confirm_cross_cutting: bool,
}

impl ApproveArgs {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let agent = agent_name(ctx, &self.agent)?;
        let care = care(ctx, &agent, self.confirm_cross_cutting);
        let command = Approve { agent, care };
        let committed = ctx.transact(LedgerName::Overrides, command, None)?;
        let entry_id = committed.entry;
        match told(ui, committed)? {
            Approved::New(made) => {
                if made.proposed_by.as_ref() == Some(ctx.actor()) {
                    ui.warn("you approve your own proposal; a second pair of eyes is better")?;
                }
                tell_in_force(ui, &made, entry_id, care.cross_cutting)?;
            }
            Approved::Already(entry) if ui.is_json() => {
                ui.answer(true, told_json("already", &entry, None))?;
            }
            Approved::Already(entry) => {
                ui.line(&format!("already left out{}", by_whom(&entry, ctx)))?;
            }
        }
        Ok(ExitCode::Done)
    }
}

const APPLY_EXAMPLES: &str = "\
Examples:
  git coord override apply fd-game-design --reason 'no game in this repository'
  git coord override apply fd-style --reason 'generated code' --scope-path 'gen/**'";

/// Leave an agent out from now on, on trial
///
/// Override, record and trial are one entry. Where the agent is left out already, reason, evidence
/// and scope are brought up to date, under the same conditions, and a trial goes on.
#[derive(Debug, clap::Args)]
#[command(after_long_help = APPLY_EXAMPLES)]
pub(crate) struct ApplyArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,

    /// Why, for routers and for whoever asks later; secrets are taken out
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Note,

    #[command(flatten)]
    basis: Basis,

    /// Yes, also where it reviews what cuts across everything (coord.crossCutting)
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
        let agent = agent_name(ctx, &self.agent)?;
        let care = care(ctx, &agent, self.confirm_cross_cutting);
        let command = Apply {
            seen: seen(ctx, &agent)?,
            agent: agent.clone(),
            reason: self.reason.clone(),
            evidence: all_evidence(&self.basis.evidence),
            scope: self.basis.scope(ctx)?,
            source: self.basis.source.clone(),
            care,
        };
        let committed = ctx.transact(LedgerName::Overrides, command, None)?;
        let entry_id = committed.entry;
        match told(ui, committed)? {
            Applied::New(made) => {
                warn_of_stranger(ui, ctx, environment, &agent)?;
                tell_in_force(ui, &made, entry_id, care.cross_cutting)?;
            }
            Applied::Updated(entry) if ui.is_json() => {
                ui.answer(true, told_json("updated", &entry, entry_id))?;
            }
            Applied::Updated(entry) => {
                let name = ui.paint(Slot::Holder, agent.as_str());
                let is_open = entry.canary.as_ref().is_some_and(|trial| trial.status.is_open());
                let trial = if is_open { "its trial goes on" } else { "its trial is over" };
                ui.line(&format!("updated   {name}  it was left out already; {trial}"))?;
            }
            Applied::Already { entry, by, raced } => {
                let whose = if raced || by != *ctx.actor() { " by another session" } else { "" };
                let message = format!("already applied{whose}");
                if ui.is_json() {
                    let mut answer = told_json("already", &entry, None);
                    answer.insert("by".to_owned(), json!(by));
                    answer.insert("message".to_owned(), json!(message));
                    ui.answer(true, answer)?;
                } else {
                    let entry = Override { by: Some(by), ..*entry };
                    ui.line(&format!("{message}: '{agent}'{}", by_whom(&entry, ctx)))?;
                }
            }
        }
        Ok(ExitCode::Done)
    }
}

fn tell_in_force(
    ui: &mut Ui,
    made: &InForce,
    id: Option<ObjectId>,
    cross_cutting: bool,
) -> Result<(), Problem> {
    let InForce { entry, record, canary, also_on_trial, .. } = made;
    if cross_cutting {
        ui.warn(&format!("'{}' reviews what cuts across everything", entry.agent))?;
    }
    if !also_on_trial.is_empty() {
        let names: Vec<String> = also_on_trial.iter().map(|name| format!("'{name}'")).collect();
        let names = names.join(", ");
        ui.warn(&format!("also on trial: {names}; what is measured is measured of all"))?;
    }
    if ui.is_json() {
        let mut answer = told_json("applied", entry, id);
        answer.insert("record".to_owned(), json!(object(record)));
        answer.insert("canary".to_owned(), json!(object(canary)));
        answer.insert("also_on_trial".to_owned(), json!(also_on_trial));
        ui.answer(true, answer)?;
        return Ok(());
    }
    let name = ui.paint(Slot::Holder, entry.agent.as_str());
    let until = canary.expires_at;
    let against = match &canary.baseline {
        Some(baseline) => format!("against {} sessions before", baseline.sessions),
        None => "with too few sessions before to hold it against".to_owned(),
    };
    let window = canary.window_uses;
    ui.line(&format!("left out  {name}  on trial until {until} or {window} samples, {against}"))?;
    Ok(())
}

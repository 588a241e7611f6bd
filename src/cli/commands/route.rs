//! `git coord route`

use std::ffi::OsString;

use serde_json::{Value, json};

use crate::app::problem::Problem;
use crate::app::routing::PutBy;
use crate::app::routing::document::PATH_VARIABLE;
use crate::app::routing::reader::{self, Answer};
use crate::app::routing::roster::Roster;
use crate::app::specs;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::open;
use crate::cli::term::Ui;
use crate::core::routing::Override;
use crate::core::routing::route::Matter;
use crate::core::text::{Line, shown};
use crate::core::time::relative;

const EXAMPLES: &str = "\
Examples:
  git coord route fd-safety fd-style fd-game-design
  git coord route fd-style --domain web --path src/api/users.rs --json";

/// Tell a router which agents are left
///
/// Prints those who are left, one a line; on stderr, for each who is not, why and since when.
/// Reads one state and takes no lock. What cannot be read excludes nobody: one line of warning,
/// and exit code 0. With FLUX_ROUTING_OVERRIDES_PATH, the overrides are those of the document
/// there.
#[expect(clippy::doc_markdown, reason = "help is printed as it is written")]
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The agents that the router would use
    #[arg(value_name = "AGENT", required = true)]
    pub(crate) agents: Vec<String>,

    /// A domain that the matter belongs to
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Vec<Line>,

    /// A path that the matter touches
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) path: Vec<OsString>,
}

impl Args {
    /// Answers the router.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = open(context)?;
        let paths = specs::paths(ctx.repository(), &self.path)?;
        let matter = Matter { domains: self.domain.clone(), paths };
        let document = context.environment.os(PATH_VARIABLE);
        let roster = Roster::read(&ctx, context.environment);
        let answer = reader::route(&ctx, &self.agents, &matter, document, &roster)?;
        for warning in &answer.warnings {
            ui.warn(warning)?;
        }
        if ui.is_json() {
            let told = fields([
                ("agents", json!(answer.routed.agents)),
                ("excluded", excluded_json(&answer)),
                ("proposed", proposed_json(&answer.routed.proposed)),
                ("warnings", json!(answer.warnings)),
            ]);
            ui.answer(true, told)?;
        } else {
            print(ui, &answer)?;
        }
        Ok(ExitCode::Done)
    }
}

fn excluded_json(answer: &Answer) -> Value {
    let one = |(given, entry): &(String, Override)| {
        let mut value = json!({ "agent": given });
        if let Some(reason) = &entry.reason {
            value["reason"] = json!(reason);
        }
        if let Some(PutBy { act, entry }) = answer.put_by.get(&entry.agent) {
            value["op"] = json!(act);
            if let Some(id) = entry {
                value["entry"] = json!(id.to_string());
            }
        }
        if let Some(since) = entry.since() {
            value["since"] = json!(since);
        }
        value
    };
    answer.routed.excluded.iter().map(one).collect()
}

fn proposed_json(proposed: &[(String, Override)]) -> Value {
    let one = |(given, entry): &(String, Override)| {
        let mut value = json!({ "agent": given });
        if let Some(reason) = &entry.reason {
            value["reason"] = json!(reason);
        }
        value
    };
    proposed.iter().map(one).collect()
}

fn print(ui: &mut Ui, answer: &Answer) -> Result<(), Problem> {
    for agent in &answer.routed.agents {
        ui.line(&ui.paint(Slot::Holder, &shown(agent)))?;
    }
    let excluded = &answer.routed.excluded;
    if !excluded.is_empty() {
        let noun = if excluded.len() == 1 { "agent" } else { "agents" };
        ui.note(&format!("{} {noun} excluded:", excluded.len()))?;
    }
    for (given, entry) in excluded {
        let since = entry.since().map_or(String::new(), |at| {
            format!(" since {at} ({})", relative(at.as_seconds(), answer.now.as_seconds()))
        });
        let put_by = answer.put_by.get(&entry.agent).map_or(String::new(), |put_by| {
            let what = if put_by.entry.is_some() { "entry" } else { "act" };
            format!(", {what} {}", put_by.short())
        });
        ui.note(&format!("  {}{since}{put_by}{}", shown(given), why(entry)))?;
    }
    for (given, entry) in &answer.routed.proposed {
        ui.note(&format!("proposed to be left out: {}{}", shown(given), why(entry)))?;
    }
    Ok(())
}

fn why(entry: &Override) -> String {
    let reason = entry.reason.as_ref();
    reason.map_or(String::new(), |reason| format!(": {}", shown(reason.as_str())))
}

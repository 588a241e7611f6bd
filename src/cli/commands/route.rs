//! `git coord route`

use std::ffi::OsString;

use crate::app::problem::Problem;
use crate::app::routing::route::{Body, Request, route};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, relative};

const EXAMPLES: &str = "\
Examples:
  git coord route fd-safety fd-style fd-game-design
  git coord route fd-style --domain web --path src/api/users.rs --json";

/// List the agents that overrides leave to a router
///
/// Prints the agents that are left, one per line. On stderr, prints the reason and the time of each
/// override that excludes an agent. Reads one state and takes no lock. If the overrides cannot be
/// read, excludes nobody, prints one line of warning, and exits with 0. With
/// FLUX_ROUTING_OVERRIDES_PATH, reads the overrides from the document at that path.
#[expect(clippy::doc_markdown, reason = "help is printed as it is written")]
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Agents that the router would use
    #[arg(value_name = "AGENT", required = true)]
    pub(crate) agents: Vec<String>,

    /// Domain of the work to route
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Vec<Line>,

    /// Path that the work touches
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub(crate) path: Vec<OsString>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request {
            agents: &self.agents,
            domains: &self.domain,
            paths: &self.path,
            environment: context.door.environment(),
        };
        let answer = route(&ctx, &request)?;
        show(ui, &answer, |ui| print(ui, &answer.body, answer.at))
    }
}

fn print(ui: &mut Ui, body: &Body, now: Timestamp) -> std::io::Result<()> {
    for agent in &body.agents {
        ui.line(&ui.paint(Slot::Holder, &shown(agent)))?;
    }
    if !body.excluded.is_empty() {
        let noun = if body.excluded.len() == 1 { "agent" } else { "agents" };
        ui.note(&format!("{} {noun} excluded:", body.excluded.len()))?;
    }
    for one in &body.excluded {
        let since = one.since.map_or(String::new(), |at| {
            format!(" since {at} ({})", relative(at.as_seconds(), now.as_seconds()))
        });
        let put_by = one.put_by.as_ref().map_or(String::new(), |put_by| {
            let what = if put_by.entry.is_some() { "entry" } else { "act" };
            format!(", {what} {}", put_by.short())
        });
        let why = why(one.reason.as_ref());
        ui.note(&format!("  {}{since}{put_by}{why}", shown(&one.agent)))?;
    }
    for one in &body.proposed {
        let why = why(one.reason.as_ref());
        ui.note(&format!("proposed to be left out: {}{why}", shown(&one.agent)))?;
    }
    Ok(())
}

fn why(reason: Option<&Line>) -> String {
    reason.map_or(String::new(), |reason| format!(": {}", shown(reason.as_str())))
}

//! `git coord domain show`

use serde_json::{Value, json};

use super::{cache_json, print};
use crate::app::Ctx;
use crate::app::domains::profiles::{self, Profiled};
use crate::app::domains::{self, Known};
use crate::app::problem::{Hint, Kind, Problem};
use crate::cli::exit::ExitCode;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord domain show --json
  git coord domain show --profile";

/// Show what is recorded of this project, without looking whether it still holds
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also show what the profiles of its domains ask of a review
    #[arg(long)]
    pub(crate) profile: bool,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let Known { cache, entry } = domains::show(ctx)?;
        let profiled = if self.profile { profiles::of(ctx, cache.domains())? } else { Vec::new() };
        for Profiled { domain, profile, .. } in &profiled {
            if let Err(why) = profile {
                ui.warn(&format!("{why}; '{domain}' is left out"))?;
            }
        }
        if self.profile && profiled.iter().all(|profiled| profiled.profile.is_err()) {
            let message = "none of the domains of this project has a profile";
            return Err(Problem::new(Kind::Refused, message)
                .with_hint(Hint::plain("to look at the project again: git coord domain detect")));
        }
        if ui.is_json() {
            let mut answer = cache_json(&cache, entry);
            if self.profile {
                answer.insert("profiles".to_owned(), profiled.iter().filter_map(json_of).collect());
            }
            ui.answer(true, answer)?;
            return Ok(ExitCode::Done);
        }
        print(ui, &cache)?;
        for Profiled { domain, profile, from } in &profiled {
            let Ok(profile) = profile else { continue };
            ui.line("")?;
            ui.line(&format!("{domain} ({from}):"))?;
            for criterion in &profile.criteria {
                ui.line(&format!("  - {criterion}"))?;
            }
        }
        Ok(ExitCode::Done)
    }
}

fn json_of(profiled: &Profiled) -> Option<Value> {
    let Profiled { domain, profile, from } = profiled;
    let profile = profile.as_ref().ok()?;
    let agents: Vec<String> = profile
        .agents
        .iter()
        .filter_map(|agent| agent.as_ref().ok().map(|agent| agent.name.to_string()))
        .collect();
    Some(json!({
        "domain": domain, "from": from, "criteria": profile.criteria, "agents": agents,
    }))
}

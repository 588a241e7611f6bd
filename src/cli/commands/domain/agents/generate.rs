//! `git coord domain agents generate`

use serde_json::{Map, Value, json};

use crate::app::Ctx;
use crate::app::domains::agents::{self, Generated, OfDomain, Outcome};
use crate::app::next::command as next;
use crate::app::problem::{Hint, Kind, Problem};
use crate::cli::exit::ExitCode;
use crate::cli::layout::{Cell, aligned};
use crate::cli::term::Ui;
use crate::core::domain::generation;
use crate::core::text::shown;

const EXAMPLES: &str = "\
Examples:
  git coord domain agents generate --dry-run
  git coord domain agents generate --mode regenerate";

/// Make the files of the agents that the domains of this project ask for
///
/// One that cannot be made does not stop the others: the answer says how many of each domain are
/// there, and why one is not. Exits with 0 all the same, unless --strict is given.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Exit with 1 if any agent could not be made, or a domain has no profile
    #[arg(long)]
    pub(crate) strict: bool,

    /// Tell what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// What is done to files that are there
    #[arg(long, value_name = "MODE", default_value = "skip")]
    pub(crate) mode: Mode,
}

/// What is done to files that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Mode {
    /// Leave them
    Skip,
    /// Make those anew whose profile has changed, unless they were edited
    Regenerate,
    /// Make those anew as well that were edited
    Force,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let mode = match self.mode {
            Mode::Skip => generation::Mode::Skip,
            Mode::Regenerate => generation::Mode::Regenerate,
            Mode::Force => generation::Mode::Force,
        };
        let generated = agents::generate(ctx, mode, self.dry_run)?;
        for OfDomain { domain, lacks_profile, .. } in &generated.domains {
            if let Some(why) = lacks_profile {
                ui.warn(&format!("{why}; '{domain}' is left out"))?;
            }
        }
        if generated.lacks_all_profiles() {
            return Err(no_profiles(&generated));
        }
        for notice in &generated.notices {
            ui.warn(notice)?;
        }
        let failed = self.strict && generated.has_failures();
        if ui.is_json() {
            ui.answer(!failed, self.json_fields(&generated))?;
        } else {
            self.print(ui, &generated)?;
        }
        Ok(if failed { ExitCode::No } else { ExitCode::Done })
    }

    fn json_fields(&self, generated: &Generated) -> Map<String, Value> {
        let mut answer = Map::new();
        let domains: Vec<Value> = generated.domains.iter().map(domain_json).collect();
        answer.insert("domains".to_owned(), json!(domains));
        let orphaned: Vec<&str> = generated.orphaned.iter().map(|o| o.path.as_str()).collect();
        answer.insert("orphaned".to_owned(), json!(orphaned));
        answer.insert("dry_run".to_owned(), json!(self.dry_run));
        if let Some(entry) = generated.entry {
            answer.insert("entry".to_owned(), json!(entry.to_string()));
        }
        answer
    }

    fn print(&self, ui: &mut Ui, generated: &Generated) -> Result<(), Problem> {
        if self.dry_run {
            ui.note("nothing is written; this is what would be:")?;
        }
        for of in &generated.domains {
            let (count, all) = (of.succeeded(), of.agents.len());
            ui.line(&format!("{}: {count} of {all} agents", of.domain))?;
            let rows: Vec<Vec<Cell>> = of.agents.iter().map(row).collect();
            for line in aligned(&rows) {
                ui.line(&line)?;
            }
        }
        for made in &generated.orphaned {
            let path = shown(made.path.as_str());
            ui.line(&format!("orphaned: {path}, made for '{}'; it is kept", made.domain))?;
        }
        Ok(())
    }
}

fn no_profiles(generated: &Generated) -> Problem {
    let detect = next(&["domain", "detect", "--force"]);
    let names: Vec<&str> = generated.domains.iter().map(|of| of.domain.as_str()).collect();
    let message = if names.is_empty() {
        "no domain of this project is known, so there is no agent to make".to_owned()
    } else {
        format!("none of these domains has a profile: {}", names.join(", "))
    };
    Problem::new(Kind::Refused, message)
        .with_hint(Hint::plain("nothing was written. To look at the project again:"))
        .with_hint(Hint::plain("  git coord domain detect --force"))
        .with_next(detect)
}

fn domain_json(of: &OfDomain) -> Value {
    let agent = |outcome: &Outcome| {
        let mut value = json!({ "agent": outcome.agent });
        if let Some(path) = &outcome.path {
            value["path"] = json!(path);
        }
        match &outcome.done {
            Ok(action) => value["action"] = json!(action),
            Err(why) => value["error"] = json!(why),
        }
        value
    };
    let agents: Vec<Value> = of.agents.iter().map(agent).collect();
    json!({
        "domain": of.domain,
        "profile": of.lacks_profile.is_none(),
        "succeeded": of.succeeded(),
        "total": of.agents.len(),
        "agents": agents,
    })
}

fn row(outcome: &Outcome) -> Vec<Cell> {
    let place = outcome.path.as_ref().map_or("", |path| path.as_str());
    let words = match &outcome.done {
        Ok(action) => action.words().to_owned(),
        Err(why) => format!("failed: {why}"),
    };
    vec![
        Cell::plain(&format!("  {}", shown(&outcome.agent))),
        Cell::plain(&shown(&words)),
        Cell::plain(&shown(place)),
    ]
}

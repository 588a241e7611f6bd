//! `git coord install`

use serde_json::{Value, json};

use crate::app::Ctx;
use crate::app::config::parse_boolean;
use crate::app::install::found::Host;
use crate::app::install::plan::{Item, Need};
use crate::app::install::{self, Agents, Asked};
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::generate;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::open;
use crate::cli::term::Ui;
use crate::core::text::shown;

const EXAMPLES: &str = "\
Examples:
  git coord install --dry-run
  git coord install --agents claude --allow";

/// Make git and coding agents call 'git coord' by themselves
///
/// Sets up the git hooks beside those that are there, the hooks of Claude Code where it is used,
/// the manual and completions beside the program, and keeps refs/coord out of 'git log'. Says what
/// it did, line by line; what is so already is left as it is. 'git coord uninstall' is the way
/// back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Which coding agents, instead of those that are found
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) agents: Vec<Agent>,

    /// Use the agents' settings that are part of the project, not your own
    #[arg(long)]
    pub(crate) shared: bool,

    /// Let agents run those commands of 'git coord' without asking that run no others
    #[arg(long)]
    pub(crate) allow: bool,

    /// Tell what would be done, and leave it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// An agent that hooks are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code
    Claude,
    /// No agent at all
    None,
}

impl Args {
    /// What the parser cannot say.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if self.agents.contains(&Agent::None) && self.agents.contains(&Agent::Claude) {
            return Err("--agents none goes with no other agent");
        }
        Ok(())
    }

    /// Installs, and says what it did.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = open(context)?;
        let agents = match self.agents.first() {
            None => Agents::WhereFound,
            Some(Agent::Claude) => Agents::Claude,
            Some(Agent::None) => Agents::Nobody,
        };
        let asked = Asked { agents, shared: self.shared, allow: self.allow };
        let documents = generate::documents();
        let items = install::plan_install(&ctx, &host(context), asked, &documents)?;
        follow(ui, &ctx, &items, self.dry_run)?;
        let has_agents = |item: &Item| item.is_change() && item.what.contains("Claude Code");
        if !self.dry_run && items.iter().any(has_agents) {
            ui.note("restart open sessions: agents read their settings when they start")?;
        }
        Ok(ExitCode::Done)
    }
}

/// Reads the host from the process and its configuration.
pub(crate) fn host(context: &Context<'_>) -> Host {
    let path = context.environment.os("PATH").unwrap_or_default();
    let program = std::env::current_exe().ok();
    let fail_closed = (context.config)("coord.hook.failClosed");
    Host {
        hooks_path: (context.config)("core.hooksPath").filter(|path| !path.is_empty()),
        fail_closed: fail_closed.as_deref().and_then(parse_boolean) == Some(true),
        home: context.environment.os("HOME").map(Into::into),
        search_path: std::env::split_paths(path).collect(),
        program: program.map(|program| program.canonicalize().unwrap_or(program)),
    }
}

/// Carries a plan out, or only shows it. What was done is said even if the rest fails.
pub(crate) fn follow(ui: &mut Ui, ctx: &Ctx, items: &[Item], dry_run: bool) -> Result<(), Problem> {
    let mut failed = None;
    let mut done = items.len();
    for (index, item) in items.iter().enumerate().filter(|_| !dry_run) {
        if let Err(error) = install::carry_out(ctx, item) {
            failed = Some(Problem::from(error));
            done = index;
            break;
        }
    }
    let rows: Vec<(&str, &Item)> =
        items[..done].iter().map(|item| (word(item, dry_run), item)).collect();
    match failed {
        Some(error) if ui.is_json() => return Err(error),
        None if ui.is_json() => {
            let row = |(word, item): &(&str, &Item)| json!({ "state": word, "what": item.what });
            let rows: Vec<Value> = rows.iter().map(row).collect();
            let answer = [("items", json!(rows)), ("dry_run", json!(dry_run))];
            ui.answer(true, fields(answer))?;
        }
        _ => print(ui, &rows)?,
    }
    failed.map_or(Ok(()), Err)
}

fn word(item: &Item, dry_run: bool) -> &'static str {
    match item.need {
        Need::AlreadySo => "already so",
        Need::Note => "note",
        Need::Change(_) if dry_run => "would do",
        Need::Change(_) => "done",
    }
}

fn print(ui: &mut Ui, rows: &[(&str, &Item)]) -> Result<(), Problem> {
    let row = |(word, item): &(&str, &Item)| {
        let painted = match item.need {
            Need::AlreadySo => ui.paint(Slot::Dim, word),
            Need::Note => ui.paint(Slot::Warning, word),
            Need::Change(_) => (*word).to_owned(),
        };
        let what = shown(&item.what);
        vec![Cell::painted(word, painted), Cell::plain(&what)]
    };
    let rows: Vec<Vec<Cell>> = rows.iter().map(row).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

//! `git coord agents`

use serde_json::{Value, json};

use crate::app::agents::{self, Agent, Agents};
use crate::app::presence::Seen;
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{fields, ids_json};
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::open;
use crate::cli::requests::{insert_damaged, warn_of_damage};
use crate::cli::term::Ui;
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, relative};

const EXAMPLES: &str = "\
Examples:
  git coord agents
  git coord agents --json";

/// Show who is here, and whether they are still alive
///
/// Everybody who holds something, asks for something or was seen on this machine within a day:
/// when and where it was last seen, what it holds since when, its task, and requests. Whether an
/// agent is alive is known only on its own machine: it is if it gave a sign within 20 minutes, if a
/// tool call of its is open, for an hour at most, or if a command of its runs under 'with'.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {}

impl Args {
    /// Shows them.
    pub(crate) fn run(ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = open(context)?;
        let Agents { agents, damaged, now } = agents::agents(&ctx)?;
        if ui.is_json() {
            let all: Vec<Value> = agents.iter().map(|agent| agent_json(agent, now)).collect();
            let mut answer = fields([("agents", json!(all))]);
            insert_damaged(&mut answer, &damaged);
            ui.answer(true, answer)?;
            return Ok(ExitCode::Done);
        }
        let rows: Vec<Vec<Cell>> = agents.iter().map(|agent| row(ui, agent, now)).collect();
        for line in aligned(&rows) {
            ui.line(&line)?;
        }
        warn_of_damage(ui, &damaged)?;
        Ok(ExitCode::Done)
    }
}

fn agent_json(agent: &Agent, now: Timestamp) -> Value {
    let mut found = fields([
        ("agent", json!(agent.name)),
        ("holds", json!(agent.holds.len())),
        ("ids", ids_json(&agent.holds)),
        ("to_answer", json!(agent.to_answer)),
        ("overdue", json!(agent.overdue)),
        ("asks", json!(agent.made)),
    ]);
    let mut add = |name: &str, value: Option<Value>| {
        found.extend(value.map(|value| (name.to_owned(), value)));
    };
    add("alive", agent.is_alive.map(Value::from));
    add("holds_since", agent.holds_since().map(|at| json!(at)));
    add("task", agent.task().map(|task| json!(task)));
    if let Some(Seen { presence: seen, evidence }) = &agent.seen {
        add("last_seen", Some(json!(seen.last_seen)));
        add("host", Some(json!(seen.host)));
        add("worktree", seen.worktree.as_ref().map(|name| json!(name)));
        add("branch", seen.branch.as_ref().map(|name| json!(name)));
        add("terminal", seen.terminal.as_ref().map(|name| json!(name)));
        add("busy_since", evidence.busy(now).map(|at| json!(at)));
    }
    Value::Object(found)
}

fn row(ui: &Ui, agent: &Agent, now: Timestamp) -> Vec<Cell> {
    let ago = |at: Timestamp| relative(at.as_seconds(), now.as_seconds());
    let alive = match agent.is_alive {
        Some(true) => "alive",
        Some(false) => "silent",
        None => "elsewhere",
    };
    let seen = agent.seen.as_ref().map(|seen| &seen.presence);
    let last = seen.map_or_else(String::new, |seen| format!("seen {}", ago(seen.last_seen)));
    let place = seen.map_or_else(String::new, |seen| {
        let worktree = seen.worktree.as_ref().map_or("main worktree", |name| name.as_str());
        let parts = [Some(worktree), seen.branch.as_ref().map(Line::as_str)];
        let terminal = seen.terminal.as_ref().map(Line::as_str);
        parts.into_iter().chain([terminal]).flatten().map(shown).collect::<Vec<_>>().join(", ")
    });
    let holds = match (agent.holds.len(), agent.holds_since()) {
        (0, _) | (_, None) => "holds nothing".to_owned(),
        (count, Some(since)) => format!("holds {count} since {}", ago(since)),
    };
    let asks = match (agent.to_answer, agent.overdue, agent.made) {
        (0, _, 0) => String::new(),
        (0, _, made) => format!("asks {made}"),
        (open, 0, made) => format!("asked {open}, asks {made}"),
        (open, overdue, made) => format!("asked {open} ({overdue} overdue), asks {made}"),
    };
    let task =
        agent.task().map_or_else(String::new, |task| format!("task {}", shown(task.as_str())));
    vec![
        Cell::painted(agent.name.as_str(), ui.paint(Slot::Holder, agent.name.as_str())),
        Cell::plain(alive),
        Cell::plain(&last),
        Cell::plain(&place),
        Cell::plain(&holds),
        Cell::plain(&asks),
        Cell::plain(&task),
    ]
}

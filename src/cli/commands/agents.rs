//! `git coord agents`

use crate::app::agents::{AgentView, PresenceView, agents};
use crate::app::presence::liveness_word;
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, relative};

const EXAMPLES: &str = "\
Examples:
  git coord agents
  git coord agents --json";

/// Show the agents in this repository, and whether they are alive
///
/// Shows every agent that holds something, asks for something, or was seen on this machine within a
/// day: when and where it was last seen, its reservations, its task and its requests. Only its own
/// machine knows whether an agent is alive. It is alive if it gave a sign of life within 20
/// minutes, if it opened a tool call within an hour that has not ended, or if it runs a command
/// under 'git coord with'.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {}

impl Args {
    pub(crate) fn run(ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let answer = agents(&ctx)?;
        let agents = &answer.body.agents;
        show(ui, &answer, |ui| ui.table(agents.iter().map(|agent| row(agent, answer.at))))
    }
}

fn row(agent: &AgentView, now: Timestamp) -> Vec<Cell> {
    let ago = |at: Timestamp| relative(at.as_seconds(), now.as_seconds());
    let alive = agent.alive.map_or("elsewhere", |alive| liveness_word(alive, agent.ended));
    let seen = agent.presence.as_ref();
    let last = seen.map_or_else(String::new, |seen| format!("seen {}", ago(seen.last_seen)));
    let place =
        seen.map_or_else(String::new, |PresenceView { worktree, branch, terminal, .. }| {
            let worktree = worktree.as_ref().map_or("main worktree", Line::as_str);
            let others = [branch, terminal].into_iter().flatten().map(Line::as_str);
            [worktree].into_iter().chain(others).map(shown).collect::<Vec<_>>().join(", ")
        });
    let holds = match (agent.holds, agent.holds_since) {
        (0, _) | (_, None) => "holds nothing".to_owned(),
        (count, Some(since)) => format!("holds {count} since {}", ago(since)),
    };
    let asks = match (agent.to_answer, agent.overdue, agent.asks) {
        (0, _, 0) => String::new(),
        (0, _, made) => format!("asks {made}"),
        (open, 0, made) => format!("asked {open}, asks {made}"),
        (open, overdue, made) => format!("asked {open} ({overdue} overdue), asks {made}"),
    };
    let task = |task: &Line| format!("task {}", shown(task.as_str()));
    let task = agent.task.as_ref().map_or_else(String::new, task);
    vec![
        Cell::painted(Slot::Holder, agent.agent.as_str()),
        Cell::plain(alive),
        Cell::plain(last),
        Cell::plain(place),
        Cell::plain(holds),
        Cell::plain(asks),
        Cell::plain(task),
    ]
}

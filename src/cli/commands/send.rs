//! `git coord send`

use crate::app::negotiation::send::{self, Request, send};
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::AgentName;
use crate::core::negotiation::body::Body;
use crate::core::negotiation::ids::ThreadPrefix;
use crate::core::text::Line;

const EXAMPLES: &str = "\
Examples:
  git coord send claude:7f3a91c2 --subject 'the schema changes today'
  git coord send mia@laptop codex:1b2c3d4e --subject 'please look' --body 'at branch fix' --ack
  git coord send claude:7f3a91c2 --thread mfq4x7yn --subject 'five more minutes'";

/// Send a message to agents
///
/// The agents find the message in their inbox. A message in the thread of a request changes nothing
/// about the request. Everybody who can read the repository can read the message: send no secrets.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Agents that get the message
    #[arg(value_name = "AGENT", required = true)]
    pub(crate) agents: Vec<AgentName>,

    /// Subject of the message, in one line
    #[arg(long, value_name = "TEXT")]
    pub(crate) subject: Line,

    /// Text of the message, at most 100 KB
    #[arg(long, value_name = "TEXT")]
    pub(crate) body: Option<Body>,

    /// Thread of the message [default: a new one]
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<ThreadPrefix>,

    /// Mark the message as urgent
    #[arg(long)]
    pub(crate) urgent: bool,

    /// Ask for an acknowledgement
    #[arg(long)]
    pub(crate) ack: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request {
            to: self.agents.clone(),
            subject: self.subject.clone(),
            body: self.body.clone(),
            thread: self.thread.clone(),
            urgent: self.urgent,
            ack: self.ack,
        };
        let answer = send(&ctx, &request)?;
        let send::Body { message, thread } = &answer.body;
        show(ui, &answer, |ui| ui.line(&format!("sent {} in thread {thread}", message.id)))
    }
}

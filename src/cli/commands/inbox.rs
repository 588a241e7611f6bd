//! `git coord inbox`

use crate::app::negotiation::Requests;
use crate::app::negotiation::inbox::{Body, PageLimit, Request, inbox};
use crate::app::negotiation::view::{REQUESTS_MAX, RequestView};
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::requests::{answers, print_message, request_text, taking};
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::negotiation::MessageKind;
use crate::core::negotiation::ids::{MessageId, ThreadPrefix};
use crate::core::time::Timestamp;

const EXAMPLES: &str = "\
Examples:
  git coord inbox --unread
  git coord inbox --ack mk5x03c2
  git coord inbox --thread mfq4x7yn
  git coord inbox --type ask --since mk5x03c2 --limit 20";

/// Show the messages to you
///
/// Shows the newest messages, or with --since the messages after that one, oldest first. '*' marks
/// a message that you have not acknowledged. The number of messages is limited: the last line has
/// the command for the next ones. Also shows requests that wait for your answer, and requests of
/// yours that have waited long enough.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only messages after this one
    #[arg(long, value_name = "MESSAGE")]
    pub(crate) since: Option<MessageId>,

    /// At most this many messages [default: 50]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) limit: Option<PageLimit>,

    /// Only messages of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = parse_kind)]
    pub(crate) kind: Option<MessageKind>,

    /// Only messages that you have not acknowledged
    #[arg(long)]
    pub(crate) unread: bool,

    /// Acknowledge this message first
    #[arg(long = "ack", value_name = "MESSAGE")]
    pub(crate) acks: Vec<MessageId>,

    /// All messages of this thread, also those to other agents
    #[arg(long, value_name = "THREAD", conflicts_with = "unread")]
    pub(crate) thread: Option<ThreadPrefix>,
}

fn parse_kind(text: &str) -> Result<MessageKind, String> {
    let names = MessageKind::ALL.map(MessageKind::name).join(", ");
    let found = MessageKind::ALL.into_iter().find(|kind| kind.name() == text);
    found.ok_or_else(|| format!("expected one of {names}"))
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = Request {
            since: self.since.as_ref(),
            limit: self.limit,
            kind: self.kind,
            unread: self.unread,
            acks: &self.acks,
            thread: self.thread.as_ref(),
        };
        let answer = inbox(&ctx, &request)?;
        show(ui, &answer, |ui| print(ui, &answer.body, answer.at))
    }
}

fn print(ui: &mut Ui, body: &Body, now: Timestamp) -> std::io::Result<()> {
    if let Some(thread) = &body.thread {
        ui.line(&request_text(ui, thread, now))?;
    }
    for message in &body.messages {
        print_message(ui, message, now)?;
    }
    if body.messages.is_empty() {
        ui.note("no messages")?;
    }
    print_requests(ui, &body.requests, REQUESTS_MAX, now)?;
    if body.has_older {
        ui.note("there are older ones: git coord inbox --since 00000000")?;
    }
    if let Some(next) = &body.cursor {
        let more = if body.has_more { "there is more" } else { "next" };
        let name = |thread: &RequestView| format!(" --thread {}", thread.thread.short());
        let thread = body.thread.as_ref().map_or_else(String::new, name);
        ui.note(&format!("{more}: git coord inbox{thread} --since {next}"))?;
    }
    Ok(())
}

/// Prints the requests that wait for an answer and those that can be taken, with the commands for
/// them.
pub(crate) fn print_requests(
    ui: &mut Ui,
    requests: &Requests,
    most: usize,
    now: Timestamp,
) -> std::io::Result<()> {
    if !requests.to_answer.is_empty() {
        ui.line("Asked of you:")?;
    }
    for request in requests.to_answer.iter().take(most) {
        ui.line(&format!("  {}", request_text(ui, request, now)))?;
        ui.line(&format!("    {}", answers(&request.thread)))?;
    }
    if !requests.made.is_empty() {
        ui.line("Asked by you:")?;
    }
    for request in requests.made.iter().take(most) {
        ui.line(&format!("  {}", request_text(ui, request, now)))?;
        if request.can_take() {
            ui.line(&format!("    {}", taking(&request.thread)))?;
        }
    }
    let hidden =
        requests.to_answer.len().saturating_sub(most) + requests.made.len().saturating_sub(most);
    if hidden > 0 {
        ui.line(&format!("  and {hidden} more"))?;
    }
    Ok(())
}

//! `git coord inbox`

use serde_json::{Map, Value, json};

use crate::app::Ctx;
use crate::app::negotiation::{self, Request, Requests};
use crate::app::problem::Problem;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::{open, told};
use crate::cli::requests::{
    REQUESTS_MAX, answers, bounded_json, insert_damaged, message_json, print_message, request_json,
    request_text, short, taking, warn_of_damage,
};
use crate::cli::term::Ui;
use crate::core::negotiation::MessageKind;
use crate::core::negotiation::ids::{MessageId, ThreadPrefix};
use crate::core::negotiation::inbox::{LOOKED_AT_MAX, Page, Wanted};

const EXAMPLES: &str = "\
Examples:
  git coord inbox --unread
  git coord inbox --ack mk5x03c2
  git coord inbox --thread mfq4x7yn
  git coord inbox --type ask --since mk5x03c2 --limit 20";

/// Bytes of messages that one answer has at most, unless one message alone has more: what agents
/// get from a tool is cut or refused when it is longer.
const ANSWER_BYTES_MAX: usize = 48 * 1024;

/// Read the messages to you
///
/// The newest, or with --since those after a message, oldest first; one marked with '*' has not
/// been acknowledged. The answer is bounded: the line at its end says where the next one begins.
/// Requests that wait for your answer, and your own that have waited for long enough, are shown as
/// well.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only messages after this one
    #[arg(long, value_name = "MESSAGE")]
    pub(crate) since: Option<MessageId>,

    /// At most this many messages [default: 50]
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u32).range(1..=1_000),
        allow_hyphen_values = true
    )]
    pub(crate) limit: Option<u32>,

    /// Only messages of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = parse_kind)]
    pub(crate) kind: Option<MessageKind>,

    /// Only messages that you have not acknowledged
    #[arg(long)]
    pub(crate) unread: bool,

    /// Acknowledge this message first
    #[arg(long = "ack", value_name = "MESSAGE")]
    pub(crate) acks: Vec<MessageId>,

    /// All messages of this thread, whoever got them
    #[arg(long, value_name = "THREAD", conflicts_with = "unread")]
    pub(crate) thread: Option<ThreadPrefix>,
}

fn parse_kind(text: &str) -> Result<MessageKind, String> {
    let names = MessageKind::ALL.map(MessageKind::name).join(", ");
    let found = MessageKind::ALL.into_iter().find(|kind| kind.name() == text);
    found.ok_or_else(|| format!("expected one of {names}"))
}

impl Args {
    /// How many messages are shown where `--limit` is not given.
    const LIMIT_DEFAULT: u32 = 50;

    /// Shows the messages.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = open(context)?;
        negotiation::require(&ctx)?;
        let (reading, acknowledged) = if self.acks.is_empty() {
            (ctx.read()?, Vec::new())
        } else {
            let committed = negotiation::acknowledge(&ctx, self.acks.clone())?;
            (ctx.read_after(&committed)?, told(ui, committed)?)
        };
        let wanted = Wanted {
            since: self.since.clone(),
            kind: self.kind,
            unread: self.unread,
            limit: self.limit.unwrap_or(Self::LIMIT_DEFAULT) as usize,
            look_at: LOOKED_AT_MAX,
            bytes: ANSWER_BYTES_MAX,
        };
        let (request, page) = match &self.thread {
            Some(prefix) => {
                let (request, page) = negotiation::thread(&ctx, &reading, prefix, &wanted)?;
                (Some(request), page)
            }
            None => (None, negotiation::inbox(&ctx, &reading, &wanted)?),
        };
        let shown = Shown { request, page, requests: negotiation::requests(&ctx, &reading)? };
        if ui.is_json() {
            let mut answer = shown.json();
            answer.insert("acknowledged".to_owned(), json!(acknowledged));
            ui.answer(true, answer)?;
        } else {
            shown.print(ui, &ctx)?;
        }
        Ok(ExitCode::Done)
    }
}

/// Everything that one answer has.
struct Shown {
    request: Option<Request>,
    page: Page,
    requests: Requests,
}

impl Shown {
    /// Own requests that can be taken.
    fn ripe(&self) -> impl Iterator<Item = &Request> {
        let can_take = |request: &&Request| request.standing.is_some_and(|found| found.can_take);
        self.requests.made.iter().filter(can_take)
    }

    fn json(&self) -> Map<String, Value> {
        let mut answer = fields([
            ("messages", self.page.messages.iter().map(message_json).collect()),
            ("has_more", json!(self.page.has_more)),
            ("has_older", json!(self.page.has_older)),
            ("to_answer", bounded_json(&self.requests.to_answer)),
            ("can_take", bounded_json(self.ripe())),
        ]);
        if let Some(next) = &self.page.next {
            answer.insert("next".to_owned(), json!(next));
        }
        if let Some(request) = &self.request {
            answer.insert("thread".to_owned(), Value::Object(request_json(request)));
        }
        insert_damaged(&mut answer, &self.requests.damaged);
        answer
    }

    fn print(&self, ui: &mut Ui, ctx: &Ctx) -> Result<(), Problem> {
        if let Some(request) = &self.request {
            ui.line(&request_text(ui, request))?;
        }
        for message in &self.page.messages {
            print_message(ui, message, ctx.clock())?;
        }
        if self.page.messages.is_empty() {
            ui.note("no messages")?;
        }
        print_requests(ui, &self.requests, REQUESTS_MAX)?;
        warn_of_damage(ui, &self.requests.damaged)?;
        if self.page.has_older {
            ui.note("there are older ones: git coord inbox --since 00000000")?;
        }
        if let Some(next) = &self.page.next {
            let more = if self.page.has_more { "there is more" } else { "next" };
            let thread = self.request.as_ref().map_or_else(String::new, |request| {
                format!(" --thread {}", short(&request.thread.id))
            });
            ui.note(&format!("{more}: git coord inbox{thread} --since {next}"))?;
        }
        Ok(())
    }
}

/// What waits for an answer, and what can be taken, with the commands for it.
pub(crate) fn print_requests(ui: &mut Ui, requests: &Requests, most: usize) -> Result<(), Problem> {
    if !requests.to_answer.is_empty() {
        ui.line("Asked of you:")?;
    }
    for request in requests.to_answer.iter().take(most) {
        ui.line(&format!("  {}", request_text(ui, request)))?;
        ui.line(&format!("    {}", answers(&request.thread.id)))?;
    }
    if !requests.made.is_empty() {
        ui.line("Asked by you:")?;
    }
    for request in requests.made.iter().take(most) {
        ui.line(&format!("  {}", request_text(ui, request)))?;
        if request.standing.is_some_and(|standing| standing.can_take) {
            ui.line(&format!("    {}", taking(&request.thread.id)))?;
        }
    }
    let hidden =
        requests.to_answer.len().saturating_sub(most) + requests.made.len().saturating_sub(most);
    if hidden > 0 {
        ui.line(&format!("  and {hidden} more"))?;
    }
    Ok(())
}

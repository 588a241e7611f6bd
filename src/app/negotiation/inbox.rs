//! Reads messages a page at a time, and the open requests beside them.

use schemars::JsonSchema;
use serde::Serialize;

use super::view::{MessageView, RequestView};
use super::{Requests, no_thread, requests, require};
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::next::command;
use crate::app::presence::LivenessProbe;
use crate::app::problem::Problem;
use crate::app::{Ctx, Reading, WriteMode};
use crate::core::bounded::bounded;
use crate::core::damage::Damage;
use crate::core::ledger::LedgerName;
use crate::core::negotiation::MessageKind;
use crate::core::negotiation::acknowledge::Acknowledge;
use crate::core::negotiation::find;
use crate::core::negotiation::ids::{MessageId, ThreadPrefix};
use crate::core::negotiation::inbox::{self as mail, LOOKED_AT_MAX, Page, Wanted};

bounded! {
    /// The largest number of messages in an answer.
    PageLimit: u32, 1, 1_000
}

/// The number of messages in an answer if the request gives no limit.
const LIMIT_DEFAULT: u32 = 50;
/// The limit for the messages of one answer in bytes, which a single message may exceed. Agents cut
/// or refuse a longer output of a tool.
const ANSWER_BYTES_MAX: usize = 48 * 1024;

/// A choice of messages.
pub struct Request<'r> {
    /// Only messages after this one, the oldest first; the newest messages if absent.
    pub since: Option<&'r MessageId>,
    pub limit: Option<PageLimit>,
    pub kind: Option<MessageKind>,
    /// Only those that the caller has not acknowledged.
    pub unread: bool,
    /// Messages that the caller acknowledges before it reads.
    pub acks: &'r [MessageId],
    /// All messages of this thread instead of those to the caller.
    pub thread: Option<&'r ThreadPrefix>,
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        if self.thread.is_some() && self.unread {
            // A thread is shown whole: others read it as well.
            return Err(AppError::usage("--thread goes with no --unread"));
        }
        Ok(())
    }
}

/// The answer to `inbox`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The messages, the oldest first.
    pub messages: Vec<MessageView>,
    /// True if there are messages after these.
    pub has_more: bool,
    /// True if there are messages before these.
    pub has_older: bool,
    /// The oldest requests that wait for the caller's answer.
    pub to_answer: Vec<RequestView>,
    /// The oldest requests of the caller that it may take now.
    pub can_take: Vec<RequestView>,
    /// The last message that was looked at; `--since` with it reads the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<MessageId>,
    /// The command that reads the next page, as a list of words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Vec<String>>,
    /// The thread that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<RequestView>,
    /// Documents that cannot be read, and are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<Damage>,
    /// The messages that were acknowledged.
    pub acknowledged: Vec<MessageId>,
    /// All open requests that concern the caller, for people.
    #[serde(skip)]
    pub requests: Requests,
}

/// Acknowledges messages, then reads.
pub fn inbox(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    require(ctx)?;
    if request.acks.is_empty() {
        let reading = ctx.read()?;
        let body = look(ctx, &reading, request)?;
        let notes = Note::of_damage(&body.damaged);
        return Ok(Answer::read(body, reading.now).noting(notes));
    }
    let command = Acknowledge { messages: request.acks.to_vec() };
    let committed = ctx.transact(LedgerName::Reservations, command, WriteMode::Plain)?;
    let reading = ctx.read_after(&committed)?;
    let body = look(ctx, &reading, request)?;
    let notes = Note::of_damage(&body.damaged);
    let answer = Answer::committed(committed, |acknowledged| Body { acknowledged, ..body });
    Ok(Answer { at: reading.now, ..answer }.noting(notes))
}

fn look(ctx: &Ctx, reading: &Reading<'_>, request: &Request<'_>) -> Result<Body, AppError> {
    let wanted = Wanted {
        since: request.since.cloned(),
        kind: request.kind,
        unread: request.unread,
        limit: request.limit.map_or(LIMIT_DEFAULT, PageLimit::get) as usize,
        look_at: LOOKED_AT_MAX,
        bytes: ANSWER_BYTES_MAX,
    };
    let (thread, page) = match request.thread {
        Some(prefix) => {
            let (thread, page) = of_thread(ctx, reading, prefix, &wanted)?;
            (Some(thread), page)
        }
        None => (None, mail::page(&reading.base.snapshot, ctx.actor(), &wanted)?),
    };
    let requests = requests(ctx, reading)?;
    let ripe = requests.made.iter().filter(|request| request.can_take());
    Ok(Body {
        messages: page.messages.into_iter().map(MessageView::from).collect(),
        has_more: page.has_more,
        has_older: page.has_older,
        to_answer: RequestView::bounded(&requests.to_answer),
        can_take: RequestView::bounded(ripe),
        next: page.next.iter().map(|cursor| next_page(request, cursor)).collect(),
        cursor: page.next,
        thread,
        damaged: requests.damaged.clone(),
        acknowledged: Vec::new(),
        requests,
    })
}

/// Builds the command that reads the next page with the same filters.
fn next_page(request: &Request<'_>, cursor: &MessageId) -> Vec<String> {
    let mut words = vec!["inbox".to_owned(), "--since".to_owned(), cursor.to_string()];
    words.extend(request.thread.map(|thread| format!("--thread={thread}")));
    words.extend(request.kind.map(|kind| format!("--type={}", kind.name())));
    words.extend(request.unread.then(|| "--unread".to_owned()));
    words.extend(request.limit.map(|limit| format!("--limit={limit}")));
    command(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Reads a thread with all its messages, of any sender and recipient.
fn of_thread(
    ctx: &Ctx,
    reading: &Reading<'_>,
    prefix: &ThreadPrefix,
    wanted: &Wanted,
) -> Result<(RequestView, Page), AppError> {
    let documents = &reading.base.snapshot;
    let thread = find::by_prefix(documents, prefix)?.ok_or_else(|| no_thread(prefix))?;
    let page = mail::of_thread(documents, ctx.actor(), &thread.id, wanted)?;
    Ok((RequestView::of(&LivenessProbe::new(ctx), thread, reading.now), page))
}

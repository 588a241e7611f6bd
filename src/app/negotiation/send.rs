//! Sends a message to agents.

use schemars::JsonSchema;
use serde::Serialize;

use super::{no_thread, require, whole};
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::negotiation::body::Body as Text;
use crate::core::negotiation::find::by_prefix;
use crate::core::negotiation::ids::{ThreadId, ThreadPrefix};
use crate::core::negotiation::send::Send;
use crate::core::negotiation::{Message, MessageKind};
use crate::core::text::Line;

/// A message to send.
pub struct Request {
    pub to: Vec<AgentName>,
    pub subject: Line,
    pub body: Option<Text>,
    /// The thread that it belongs to; a new one if none is named.
    pub thread: Option<ThreadPrefix>,
    pub urgent: bool,
    /// Set to ask for an acknowledgement.
    pub ack: bool,
}

/// The answer to `send`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The message without its text.
    pub message: Message,
    /// The thread that it belongs to.
    pub thread: ThreadId,
}

/// Sends the message.
pub fn send(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    require(ctx)?;
    let thread = request.thread.as_ref().map(|typed| thread(ctx, typed)).transpose()?;
    let command = Send {
        to: request.to.clone(),
        kind: MessageKind::Note,
        subject: request.subject.clone(),
        body: request.body.clone(),
        thread,
        urgent: request.urgent,
        ack: request.ack,
        patterns: Vec::new(),
    };
    let committed = ctx.transact(LedgerName::Reservations, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |message| Body { thread: message.thread.clone(), message }))
}

/// Finds the whole name of a thread.
fn thread(ctx: &Ctx, typed: &ThreadPrefix) -> Result<ThreadPrefix, AppError> {
    let found = by_prefix(&ctx.read()?.base.snapshot, typed)?;
    found.map(|thread| whole(&thread.id)).ok_or_else(|| no_thread(typed))
}

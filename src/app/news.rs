//! Messages to an agent while it works, and to others when it commits.
//!
//! All of it is advice. A document that cannot be read gives none, and nothing here releases
//! anything.

use std::collections::BTreeMap;

use crate::app::error::AppError;
use crate::app::negotiation::{self, view::RequestView};
use crate::app::{Ctx, Reading, WriteMode, presence};
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::negotiation::inbox::{self, Wanted};
use crate::core::negotiation::send::Send;
use crate::core::negotiation::thread_index::{self, Found, line};
use crate::core::negotiation::{Message, MessageKind};
use crate::core::pattern::{Matcher, Pattern};
use crate::core::refusal::Conflict;
use crate::core::reservation::Target;
use crate::core::reservation::check::{self, Asker};
use crate::core::reservation::target::files;
use crate::store::ledger::transact::Committed;

/// The largest number of unread messages that an edit looks at.
const LOOKED_AT_MAX: usize = 50;
/// The largest number of agents that are told of one commit.
const TOLD_AGENTS_MAX: usize = 20;
/// The largest number of paths of a commit that are looked at.
const COMMITTED_PATHS_MAX: usize = 500;
const TOLD_PATHS_MAX: usize = 20;

/// The news for an agent before an edit, or between two calls.
#[derive(Default)]
pub struct News {
    /// Requests to the agent that it was not told of at their present stage.
    pub requests: Vec<RequestView>,
    /// Messages that a reservation of the file was taken from the agent.
    pub taken: Vec<Message>,
    /// The news that the agent was told before.
    told: BTreeMap<String, String>,
}

/// Collects the news for an agent that is about to edit a file.
pub fn before_edit(ctx: &Ctx, reading: &Reading<'_>, file: &Pattern) -> News {
    if !ctx.settings().negotiation {
        return News::default();
    }
    look(ctx, reading, file).unwrap_or_default()
}

/// Collects the requests that an agent is to hear of between two calls.
pub fn in_between(ctx: &Ctx) -> News {
    if !ctx.settings().negotiation {
        return News::default();
    }
    ctx.read().and_then(|reading| with_requests(ctx, &reading, Vec::new())).unwrap_or_default()
}

fn look(ctx: &Ctx, reading: &Reading<'_>, file: &Pattern) -> Result<News, AppError> {
    let taken = taken(ctx, reading, file)?;
    with_requests(ctx, reading, taken)
}

fn with_requests(ctx: &Ctx, reading: &Reading<'_>, taken: Vec<Message>) -> Result<News, AppError> {
    let mut requests = negotiation::requests(ctx, reading)?.to_answer;
    if requests.is_empty() && taken.is_empty() {
        return Ok(News::default());
    }
    let told = ctx.presences().get(ctx.actor()).map(|seen| seen.told).unwrap_or_default();
    requests.retain(|request| told.get(request.thread.as_str()) != stage(request).as_ref());
    Ok(News { requests, taken, told })
}

/// Finds the unread messages that this file was taken.
fn taken(ctx: &Ctx, reading: &Reading<'_>, file: &Pattern) -> Result<Vec<Message>, AppError> {
    let wanted = Wanted {
        since: None,
        kind: Some(MessageKind::Taken),
        unread: true,
        limit: LOOKED_AT_MAX,
        look_at: LOOKED_AT_MAX,
        bytes: 0,
    };
    let page = inbox::page(&reading.base.snapshot, ctx.actor(), &wanted)?;
    let messages = page.messages.into_iter().filter_map(|found| match found.message {
        Found::Whole(message) => Some(message),
        Found::Damaged(_) => None,
    });
    let matcher = file.matcher(reading.case);
    let meets = |message: &Message| {
        message.patterns.iter().any(|pattern| pattern.matcher(reading.case).overlaps(&matcher))
    };
    Ok(messages.filter(meets).collect())
}

fn stage(request: &RequestView) -> Option<String> {
    request.asked.as_ref()?.stage.map(|stage| stage.name().to_owned())
}

impl News {
    /// Lists the messages of taken files that the agent was not told yet.
    pub fn untold_taken(&self) -> Vec<&Message> {
        let is_new = |message: &&Message| !self.told.contains_key(message.id.as_str());
        self.taken.iter().filter(is_new).collect()
    }

    /// Notes that the agent was told. If the note is lost, the agent is told again.
    pub fn remember(&self, ctx: &Ctx) {
        let untold = self.untold_taken();
        if self.requests.is_empty() && untold.is_empty() {
            return;
        }
        presence::touch_telling(ctx, self.notes());
    }

    fn notes(&self) -> BTreeMap<String, String> {
        let requests = self
            .requests
            .iter()
            .filter_map(|request| stage(request).map(|stage| (request.thread.to_string(), stage)));
        let taken = self.taken.iter().map(|message| (message.id.to_string(), String::new()));
        requests.chain(taken).collect()
    }
}

/// Sends a message to agents whose reservations or requests a commit touches. It prints nothing,
/// and tells a few agents only.
pub fn after_commit(
    ctx: &Ctx,
    committed: &[Pattern],
) -> Result<Option<Committed<Message>>, AppError> {
    if !ctx.settings().negotiation || committed.is_empty() {
        return Ok(None);
    }
    let reading = ctx.read()?;
    let paths = &committed[..committed.len().min(COMMITTED_PATHS_MAX)];
    let (agent, now) = (ctx.actor(), reading.now);
    let by = Asker::exclusive(agent, now);
    let conflicts = check::check(&reading.base.snapshot, &files(paths), by, reading.case)?;
    let met = conflicts.into_iter().filter_map(|Conflict { target, held }| match target {
        Target::Paths(paths) => Some((held.holder, paths.pattern)),
        Target::Lock(_) => None,
    });
    let mut met: Vec<(AgentName, Pattern)> = met.collect();
    let matchers: Vec<(&Pattern, Matcher)> =
        paths.iter().map(|path| (path, path.matcher(reading.case))).collect();
    // Askers are told even if they asked another agent: the file that they wait for has changed.
    for thread in thread_index::open(&reading.base.snapshot)?.into_iter().filter_map(Found::whole) {
        let Some(asked) = thread.open().filter(|_| !thread.opened_by.is_one_with(agent)) else {
            continue;
        };
        let wanted: Vec<Matcher> =
            asked.patterns.iter().map(|pattern| pattern.matcher(reading.case)).collect();
        let meeting =
            matchers.iter().filter(|(_, path)| wanted.iter().any(|wanted| wanted.overlaps(path)));
        met.extend(meeting.map(|(path, _)| (thread.opened_by.clone(), (*path).clone())));
    }
    let mut to: Vec<AgentName> = met.iter().map(|(agent, _)| agent.clone()).collect();
    to.sort();
    to.dedup();
    to.truncate(TOLD_AGENTS_MAX);
    if to.is_empty() {
        return Ok(None);
    }
    let mut patterns: Vec<Pattern> = met.into_iter().map(|(_, path)| path).collect();
    patterns.sort();
    patterns.dedup();
    patterns.truncate(TOLD_PATHS_MAX);
    let commit = ctx.repository().changes().newest_commit()?;
    let message = Send {
        to,
        kind: MessageKind::Commit,
        subject: line(&format!("{} committed {commit}", ctx.actor())),
        body: None,
        thread: None,
        urgent: false,
        ack: false,
        patterns,
    };
    ctx.transact(LedgerName::Reservations, message, WriteMode::Plain).map(Some)
}

//! Lists the entries of all ledgers in order of time, the newest first.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::ledgers::{self, EntryView};
use crate::app::problem::Problem;
use crate::core::bounded::Limit;
use crate::core::ledger::LedgerName;
use crate::core::merge::Merged;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::Ledger;
use crate::store::ledger::entry::Entry;
use crate::store::ledger::history::History;

/// A part of the history.
pub struct Request {
    /// The largest number of entries.
    pub limit: Option<Limit>,
    /// Only entries that are no older than this.
    pub since: Option<Duration>,
}

/// The answer to `log`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// True if there are older entries.
    pub more: bool,
    /// The entries of all ledgers, the newest first.
    pub entries: Vec<LoggedView>,
}

/// The answer before its entries, which are read one by one: there may be more than fit in memory.
#[derive(Debug, Serialize)]
pub struct Head {
    pub more: bool,
    /// True if there is no entry at all.
    #[serde(skip)]
    pub is_empty: bool,
}

/// An entry of one of the ledgers, in short.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LoggedEntry")]
pub struct LoggedView {
    pub ledger: LedgerName,
    #[serde(flatten)]
    pub entry: EntryView,
}

/// The history as it was when the request began.
pub struct Log<'c> {
    ctx: &'c Ctx,
    /// Each ledger with its newest entry.
    ledgers: Vec<(Ledger<'c>, Option<ObjectId>)>,
    limit: usize,
    since: Option<Duration>,
}

/// A step back through one of the ledgers.
type Step = Result<(LedgerName, ObjectId, Timestamp), StoreError>;

impl<'c> Log<'c> {
    /// Opens the ledgers.
    pub fn begin(ctx: &'c Ctx, request: &Request) -> Result<Log<'c>, Problem> {
        let mut ledgers = Vec::new();
        for name in LedgerName::ALL {
            let ledger = ctx.ledger(name);
            let tip = ledger.now().map_err(AppError::from)?.id();
            ledgers.push((ledger, tip));
        }
        let limit = request.limit.unwrap_or(Limit::FIFTY).rows();
        Ok(Log { ctx, ledgers, limit, since: request.since })
    }

    /// Answers without the entries, and checks that all of them can be read.
    pub fn answer(&self) -> Result<Answer<Head>, Problem> {
        let mut count = 0;
        for step in self.steps().take(self.limit + 1) {
            step.map_err(AppError::from)?;
            count += 1;
        }
        let head = Head { more: count > self.limit, is_empty: count == 0 };
        Ok(Answer::read(head, self.ctx.clock()))
    }

    /// Reads the entries one by one.
    pub fn entries(&self) -> impl Iterator<Item = Result<LoggedView, Problem>> + '_ {
        self.steps().take(self.limit).map(|step| {
            let (ledger, id, _) = step.map_err(AppError::from)?;
            Ok(LoggedView { ledger, entry: ledgers::entry(self.ctx, ledger, id)? })
        })
    }

    fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        let now = self.ctx.clock();
        let since = self.since.map(|since| since.as_secs());
        let is_young = move |at| since.is_none_or(|since| now.seconds_since(at) <= since);
        // An error comes first, because nothing behind it can be read.
        let key = |step: &Step| step.as_ref().map_or((true, None), |step| (false, Some(step.2)));
        Merged::of(self.ledgers.iter().map(|(ledger, tip)| history(ledger, *tip, is_young)), key)
    }
}

/// Walks back through a ledger as long as its entries are young.
fn history(
    ledger: &Ledger<'_>,
    tip: Option<ObjectId>,
    is_young: impl Fn(Timestamp) -> bool,
) -> impl Iterator<Item = Step> {
    let name = ledger.name();
    let step = move |(id, entry): (ObjectId, Entry)| (name, id, entry.message.counters.at);
    let steps = History::from(ledger, tip).map(move |item| item.map(step));
    steps.take_while(move |item| item.as_ref().map_or(true, |(_, _, at)| is_young(*at)))
}

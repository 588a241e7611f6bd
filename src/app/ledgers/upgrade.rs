//! Brings ledgers to the newest format.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::{self, Answer, Note};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::documents::FORMAT_VERSION;
use crate::core::ledger::LedgerName;
use crate::core::upgrade::{Upgrade, Upgraded};
use crate::store::ledger::snapshot::read_entry;
use crate::store::ledger::transact::Committed;

/// A request to upgrade ledgers.
pub struct Request {
    /// The ledger; all of them where none is named.
    pub ledger: Option<LedgerName>,
    pub dry_run: bool,
}

/// The answer to `ledger upgrade`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub ledgers: Vec<UpgradeView>,
    pub dry_run: bool,
}

/// A ledger with its format.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Upgrade")]
pub struct UpgradeView {
    pub ledger: LedgerName,
    /// The format that the ledger had; absent if it has no entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The format that the ledger has now or, in a dry run, would have.
    pub to: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub written: Option<WrittenView>,
}

impl UpgradeView {
    /// Tells whether the ledger had an earlier format.
    pub fn is_needed(&self) -> bool {
        self.from.is_some_and(|from| from < self.to)
    }
}

/// The entry of an upgrade, and the archive of the state before it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrittenView {
    #[serde(flatten)]
    pub upgrade: answer::Written,
    /// The ref that keeps the ledger as it was.
    pub archive: String,
}

/// Upgrades a ledger, or all of them.
pub fn upgrade(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let is_meant = |one: &LedgerName| request.ledger.is_none_or(|ledger| ledger == *one);
    let (mut ledgers, mut notes) = (Vec::new(), Vec::new());
    for ledger in LedgerName::ALL.into_iter().filter(is_meant) {
        let format = ctx.read_ledger(ledger)?.base.format;
        let from = format.map(|format| format.version);
        let mut view = UpgradeView { ledger, from, to: FORMAT_VERSION, written: None };
        if view.is_needed() && !request.dry_run {
            let committed = ctx.transact(ledger, Upgrade { to: view.to }, WriteMode::Plain)?;
            notes.extend(committed.notices.iter().map(Note::warning));
            view = upgraded(ctx, view, committed)?;
        }
        ledgers.push(view);
    }
    let body = Body { ledgers, dry_run: request.dry_run };
    Ok(Answer::read(body, ctx.clock()).noting(notes))
}

/// Adds the entry of an upgrade. Another process may have upgraded the ledger before.
fn upgraded(
    ctx: &Ctx,
    view: UpgradeView,
    committed: Committed<Upgraded>,
) -> Result<UpgradeView, AppError> {
    let UpgradeView { ledger, .. } = view;
    let Committed { answer, at, op, entry, .. } = committed;
    let view = UpgradeView { from: Some(answer.from), ..view };
    let Some(entry) = entry else { return Ok(view) };
    let opened = ctx.ledger(ledger);
    let before = read_entry(opened.backend(), &ledger.reference(), &entry)?.parent;
    let written = before.map(|before| WrittenView {
        upgrade: answer::Written { op, entry },
        archive: ledger.archive(at, &before),
    });
    Ok(UpgradeView { written, ..view })
}

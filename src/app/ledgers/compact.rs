//! Replaces old entries by a checkpoint, or drops the chains that were replaced before.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::answer::{self, Answer, Note};
use crate::app::error::AppError;
use crate::app::ledgers::archives::{DroppedView, drop_old};
use crate::app::problem::Problem;
use crate::core::ids::OpId;
use crate::core::ledger::LedgerName;
use crate::store::git::object::ObjectId;
use crate::store::ledger::compact::{Compacted, Compaction, Written};

/// The age up to which entries stay if the caller gives none.
pub const KEEP_DEFAULT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A request to compact ledgers.
pub struct Request {
    /// The ledger; all of them where none is named.
    pub ledger: Option<LedgerName>,
    /// Entries younger than this stay; those of [`KEEP_DEFAULT`] if absent.
    pub keep: Option<Duration>,
    /// Set to drop archives older than that, and to set nothing aside.
    pub drops_archives: bool,
    pub dry_run: bool,
}

/// The answer to `ledger compact`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub ledgers: Vec<CompactedView>,
    pub dry_run: bool,
}

/// A ledger that was compacted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Compacted")]
pub struct CompactedView {
    pub ledger: LedgerName,
    /// The number of entries that were set aside or, in a dry run, would be.
    pub set_aside: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanView>,
    /// The archives that were dropped, if that was asked for.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DroppedView>,
}

/// The effect of a compaction on a ledger.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanView {
    /// The number of entries that stay.
    pub kept: usize,
    /// The entry whose state the checkpoint has.
    pub stands_for: ObjectId,
    /// The size of the entries that would be set aside; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub written: Option<WrittenView>,
}

/// The checkpoint and the archive that a compaction wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrittenView {
    #[serde(flatten)]
    pub checkpoint: answer::Written,
    /// The ref that keeps the chain as it was.
    pub archive: String,
    /// The commands that delete that chain and free its room; each is a list of words.
    pub next: Vec<Vec<String>>,
}

/// Compacts a ledger, or all of them.
pub fn compact(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let is_meant = |one: &LedgerName| request.ledger.is_none_or(|ledger| ledger == *one);
    let (mut ledgers, mut notes) = (Vec::new(), Vec::new());
    for ledger in LedgerName::ALL.into_iter().filter(is_meant) {
        if request.drops_archives {
            let dropped = Some(drop_old(ctx, ledger, request, &mut notes)?);
            ledgers.push(CompactedView { ledger, set_aside: 0, plan: None, dropped });
            continue;
        }
        let op = Ctx::new_op().map_err(AppError::from)?;
        let outcome = compact_one(ctx, ledger, request, &op)?;
        let notices = outcome.iter().flat_map(|compacted| &compacted.notices);
        notes.extend(notices.map(Note::warning));
        ledgers.push(CompactedView {
            ledger,
            set_aside: outcome.as_ref().map_or(0, |compacted| compacted.plan.set_aside),
            plan: outcome.map(|compacted| PlanView::new(compacted, op)),
            dropped: None,
        });
    }
    let body = Body { ledgers, dry_run: request.dry_run };
    Ok(Answer::read(body, ctx.clock()).noting(notes))
}

/// Compacts a ledger; returns none if the chain would not become shorter.
fn compact_one(
    ctx: &Ctx,
    ledger: LedgerName,
    request: &Request,
    op: &OpId,
) -> Result<Option<Compacted>, AppError> {
    let opened = ctx.ledger(ledger);
    let wanted = Compaction {
        actor: ctx.actor().clone(),
        host: ctx.host().clone(),
        clock: ctx.clock(),
        keep_seconds: request.keep.unwrap_or(KEEP_DEFAULT).as_secs(),
    };
    if request.dry_run {
        return Ok(opened.dry_run(&wanted)?);
    }
    Ok(opened.compact(&wanted, op)?)
}

impl PlanView {
    fn new(Compacted { plan, written, bytes, .. }: Compacted, op: OpId) -> PlanView {
        let view = |Written { tip, archive }| {
            // No ref has a space in its name.
            let words = |text: &str| text.split(' ').map(str::to_owned).collect();
            let delete = words(&format!("git update-ref -d {archive}"));
            let next = vec![delete, words("git gc --prune=now")];
            WrittenView { checkpoint: answer::Written { op, entry: tip }, archive, next }
        };
        PlanView {
            kept: plan.kept.len(),
            stands_for: plan.stands_for,
            bytes,
            written: written.map(view),
        }
    }
}

//! What `doctor` found and mended, in the form that programs read.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Check, Cleared, Outcome, TakenOut};
use crate::core::ledger::LedgerName;
use crate::store::git::object::ObjectId;
use crate::store::ledger::repair::{DroppedEntry, Plan, Repaired};

/// The answer to `doctor`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub checks: Vec<Check>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairView>,
}

/// What a repair came to, or would.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RepairView {
    /// A dry run.
    Planned {
        /// The ledgers that a repair would mend.
        would_repair: Vec<PlanView>,
        /// The reservations that it would take out.
        #[serde(skip_serializing_if = "Option::is_none")]
        taken_out: Option<TakenOutView>,
    },
    /// A repair.
    Done {
        /// The ledgers that were mended.
        repaired: Vec<RepairedView>,
        /// The lock files that were in the way.
        locks: Vec<LockView>,
        /// The reservations that were taken out.
        #[serde(skip_serializing_if = "Option::is_none")]
        taken_out: Option<TakenOutView>,
    },
}

/// The repair of a ledger.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RepairPlan")]
pub struct PlanView {
    pub ledger: LedgerName,
    /// The damage.
    pub why: String,
    /// The entry that it goes on from; null if there is no whole one.
    pub whole: Option<ObjectId>,
    /// Whether that entry is known to have been the newest once.
    pub known: bool,
    /// Published entries that are lost, the newest first.
    pub lost: Vec<LeftView>,
    /// Entries that are left out and may have been published, the newest first.
    pub doubtful: Vec<LeftView>,
}

/// An entry that a repair leaves behind.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LeftEntry")]
pub struct LeftView {
    pub entry: ObjectId,
    /// What happened; null if it cannot be read.
    pub summary: Option<String>,
}

/// A ledger that was mended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Repaired")]
pub struct RepairedView {
    #[serde(flatten)]
    pub plan: PlanView,
    /// The entry that says so.
    pub entry: ObjectId,
    /// The ref or the file that has what was damaged.
    pub kept_at: String,
}

/// A lock file that was in the way.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Lock")]
pub struct LockView {
    /// Its path.
    pub lock: String,
    /// Its owner, as far as that is known.
    pub whose: String,
    /// Where it was moved to; null if it was not.
    pub kept_at: Option<String>,
    /// Why it stays; null if it does not.
    pub stays: Option<String>,
}

/// Reservations that cannot be read, and were taken out.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TakenOut")]
pub struct TakenOutView {
    pub ledger: LedgerName,
    /// Their paths in the tree of the ledger.
    pub documents: Vec<String>,
    /// The entry that took them out; null in a dry run.
    pub entry: Option<ObjectId>,
}

impl PlanView {
    /// Shows a plan for a ledger.
    pub fn new(ledger: LedgerName, plan: &Plan) -> PlanView {
        let left = |entries: &[DroppedEntry]| -> Vec<LeftView> {
            let view =
                |left: &DroppedEntry| LeftView { entry: left.id, summary: left.summary.clone() };
            entries.iter().map(view).collect()
        };
        PlanView {
            ledger,
            why: plan.damage.why.clone(),
            whole: plan.whole,
            known: plan.is_known,
            lost: left(&plan.lost),
            doubtful: left(&plan.doubtful),
        }
    }
}

impl RepairedView {
    /// Shows the repair of a ledger.
    pub fn new(ledger: LedgerName, repaired: &Repaired) -> RepairedView {
        let Repaired { plan, entry, kept_at, .. } = repaired;
        let plan = PlanView::new(ledger, plan);
        RepairedView { plan, entry: *entry, kept_at: kept_at.clone() }
    }
}

impl From<&Cleared> for LockView {
    fn from(cleared: &Cleared) -> LockView {
        let kept_at = match &cleared.outcome {
            Outcome::Moved(kept_at) => Some(kept_at.display().to_string()),
            _ => None,
        };
        LockView {
            lock: cleared.lock.display().to_string(),
            whose: cleared.whose.clone(),
            kept_at,
            stays: cleared.outcome.stays().map(str::to_owned),
        }
    }
}

impl From<&TakenOut> for TakenOutView {
    fn from(taken_out: &TakenOut) -> TakenOutView {
        TakenOutView {
            ledger: LedgerName::Reservations,
            documents: taken_out.documents.iter().map(ToString::to_string).collect(),
            entry: taken_out.entry,
        }
    }
}

//! The findings and repairs of `doctor`, in the form that programs read.

use std::fmt::{self, Display, Formatter};

use schemars::JsonSchema;
use serde::Serialize;

use super::Check;
use super::locks::{Cleared, Outcome};
use super::repair::{Continued, TakenOut};
use crate::app::answer::Written;
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

/// The result of a repair, or its plan.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RepairView {
    /// The plan, in a dry run.
    Planned {
        /// The ledgers that a repair would mend.
        would_repair: Vec<PlanView>,
        /// The reservations that it would take out.
        #[serde(skip_serializing_if = "Option::is_none")]
        taken_out: Option<TakenOutView>,
    },
    /// The result of a repair.
    Done {
        /// The ledgers that were repaired.
        repaired: Vec<RepairedView>,
        /// The lock files that were in the way.
        locks: Vec<LockView>,
        /// The reservations that were taken out.
        #[serde(skip_serializing_if = "Option::is_none")]
        taken_out: Option<TakenOutView>,
    },
}

/// The plan of the repair of a ledger.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RepairPlan")]
pub struct PlanView {
    pub ledger: LedgerName,
    /// The damage, in a sentence.
    pub why: String,
    /// The newest whole entry, from which the ledger continues; null if there is none.
    pub whole: Option<ObjectId>,
    /// True if that entry is known to have been the newest once.
    pub known: bool,
    /// Published entries that are lost, the newest first.
    pub lost: Vec<LeftView>,
    /// Entries that are left out because nothing shows whether they were published, the newest
    /// first.
    pub doubtful: Vec<LeftView>,
}

/// An entry that a repair leaves behind.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LeftEntry")]
pub struct LeftView {
    pub entry: ObjectId,
    /// The summary of the entry; null if it cannot be read.
    pub summary: Option<String>,
}

/// A ledger that was repaired.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Repaired")]
pub struct RepairedView {
    #[serde(flatten)]
    pub plan: PlanView,
    #[serde(flatten)]
    pub written: Written,
    /// The ref or the file that keeps the damaged state.
    pub kept_at: String,
}

/// A lock file that stopped every writer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Lock")]
pub struct LockView {
    /// Its path.
    pub lock: String,
    /// Its owner, as far as that is known.
    pub whose: String,
    /// The path that it was moved to; null if it was not moved.
    pub kept_at: Option<String>,
    /// The reason why it stays; null if it does not.
    pub stays: Option<String>,
}

/// Reservations that cannot be read, and were taken out.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TakenOut")]
pub struct TakenOutView {
    pub ledger: LedgerName,
    /// Their paths in the tree of the ledger.
    pub documents: Vec<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub written: Option<Written>,
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

    /// Groups the entries that a repair leaves behind, each group with the words for it. No group
    /// is empty.
    pub fn losses(&self) -> Vec<(&'static str, &[LeftView])> {
        let doubtful = if self.known {
            "left out, because nothing shows that it was published"
        } else {
            "left out, because it is earlier, and nothing shows which was published"
        };
        let groups = [("lost", self.lost.as_slice()), (doubtful, self.doubtful.as_slice())];
        groups.into_iter().filter(|(_, left)| !left.is_empty()).collect()
    }
}

impl Display for LeftView {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let summary = self.summary.as_deref().unwrap_or("cannot be read");
        write!(f, "entry {} ({summary})", self.entry.short())
    }
}

impl RepairedView {
    /// Shows the repair of a ledger.
    pub(super) fn new(continued: &Continued) -> RepairedView {
        let Continued { ledger, op, repaired } = continued;
        let Repaired { plan, entry, kept_at, .. } = repaired;
        let written = Written { op: op.clone(), entry: *entry };
        RepairedView { plan: PlanView::new(*ledger, plan), written, kept_at: kept_at.clone() }
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
            written: taken_out.written.clone(),
        }
    }
}

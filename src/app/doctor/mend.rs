//! Repairs everything that can be repaired, or plans that.

use super::locks::{Cleared, Outcome, clear_locks};
use super::repair::{Continued, TakenOut, plan, repair, take_out};
use super::view::{LockView, PlanView, RepairView, RepairedView, TakenOutView};
use crate::app::Ctx;
use crate::app::answer::Note;
use crate::app::error::AppError;
use crate::core::ledger::LedgerName;
use crate::store::ledger::repair::Plan;

/// The result of a repair, or its plan.
#[derive(Default)]
pub(super) struct Mended {
    pub cleared: Vec<Cleared>,
    pub repaired: Vec<Continued>,
    pub planned: Vec<(LedgerName, Plan)>,
    pub taken_out: Option<TakenOut>,
}

impl Mended {
    /// Repairs, or plans a repair.
    pub(super) fn by(ctx: &Ctx, dry_run: bool) -> Result<Mended, AppError> {
        let mut mended = Mended::default();
        if !dry_run {
            mended.cleared = clear_locks(ctx)?;
        }
        for ledger in LedgerName::ALL {
            if dry_run {
                mended.planned.extend(plan(ctx, ledger)?.map(|plan| (ledger, plan)));
            } else {
                mended.repaired.extend(repair(ctx, ledger)?);
            }
        }
        // A ledger that is damaged as a whole has no documents to look at.
        if mended.planned.is_empty() {
            mended.taken_out = take_out(ctx, dry_run)?;
        }
        Ok(mended)
    }

    /// Tells whether a lock stays that is in the way.
    pub(super) fn leaves_some(&self) -> bool {
        self.cleared.iter().any(|lock| matches!(lock.outcome, Outcome::Stays(_)))
    }

    /// Lists the warnings of the repairs, and the locks that stay.
    pub(super) fn notes(&self) -> Vec<Note> {
        let of_repairs = self.repaired.iter().flat_map(|it| it.repaired.notices.clone());
        let stays = |lock: &Cleared| {
            let why = lock.outcome.stays()?;
            Some(format!("'{}' stays: {why}", lock.lock.display()))
        };
        of_repairs.chain(self.cleared.iter().filter_map(stays)).map(Note::warning).collect()
    }

    /// Shows the repair, or its plan, to programs.
    pub(super) fn view(&self, dry_run: bool) -> RepairView {
        let taken_out = self.taken_out.as_ref().map(TakenOutView::from);
        if dry_run {
            let view = |(ledger, plan): &(LedgerName, Plan)| PlanView::new(*ledger, plan);
            return RepairView::Planned {
                would_repair: self.planned.iter().map(view).collect(),
                taken_out,
            };
        }
        RepairView::Done {
            repaired: self.repaired.iter().map(RepairedView::new).collect(),
            locks: self.cleared.iter().map(LockView::from).collect(),
            taken_out,
        }
    }
}

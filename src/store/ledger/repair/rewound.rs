//! Detects a ref that was deleted or reset to an older entry. Reports it and changes nothing.
//!
//! Users may do that on purpose, and every earlier entry is a valid state. If it was an accident,
//! nothing else shows that entries are missing.

use std::collections::HashSet;

use super::choice::Candidate;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::Ledger;

/// A ref that is behind the log of published entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewoundRef {
    /// The entry that the ref points at; `None` if the ref is gone.
    pub tip: Option<ObjectId>,
    /// The entry that was published last.
    pub published: ObjectId,
    /// Set if the ledger can continue from the published entry.
    pub is_whole: bool,
}

impl Ledger<'_> {
    /// Compares the ref with this repository's log of published entries. Returns `None` if the ref
    /// is not behind. The next write ends the condition, because its entry is logged too.
    pub fn rewound(&self) -> Result<Option<RewoundRef>, StoreError> {
        // The log is read before the ref: an entry that is logged in between is not missing.
        let logged = self.backend.published(self.name).unwrap_or_default();
        let tip = self.tip()?;
        let Some(newest) = self.newest_of(&logged) else {
            let gone = |id: &ObjectId| RewoundRef { tip, published: *id, is_whole: false };
            return Ok(logged.last().filter(|_| tip.is_none()).map(gone));
        };
        let tip_seq = tip.map(|id| self.candidate(id).map_or(u64::MAX, |one| one.seq));
        if !is_behind(tip_seq, newest.seq) {
            return Ok(None);
        }
        let is_whole = self.check_whole(newest.id).is_ok();
        Ok(Some(RewoundRef { tip, published: newest.id, is_whole }))
    }

    /// Finds the newest logged entry that still exists. It is not always the last of the log:
    /// entries that are published together or shortly after each other may be logged in another
    /// order.
    fn newest_of(&self, logged: &[ObjectId]) -> Option<Candidate<ObjectId>> {
        let here = |id: ObjectId| Candidate::of(id, &self.backend.look(&id).ok()??);
        let mut newest = here(*logged.last()?)?;
        let mut seen = HashSet::new();
        // An entry that no longer exists is older than any that matters.
        for first in logged.iter().rev().map_while(|id| here(*id)) {
            let mut next = Some(first.clone());
            while let Some(one) = next.filter(|one| one.seq > newest.seq && seen.insert(one.id)) {
                if one.parent == Some(newest.id) {
                    newest = first;
                    break;
                }
                next = one.parent.and_then(here);
            }
        }
        Some(newest)
    }
}

/// Compares the numbers of the last events. A compaction does not change those.
fn is_behind(tip: Option<u64>, published: u64) -> bool {
    tip.is_none_or(|tip| tip < published)
}

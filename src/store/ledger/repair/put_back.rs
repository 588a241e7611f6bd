//! A ledger whose ref somebody has deleted or put back: told, and left as it is.
//!
//! That is allowed, and every earlier entry is a whole state. But it may not have been meant, and
//! then nothing else shows that something is missing.

use std::collections::HashSet;

use super::choice::Candidate;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::Ledger;

/// A ref that is behind what was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PutBack {
    /// The entry that it names; none if it is gone.
    pub tip: Option<ObjectId>,
    /// The entry that was published last.
    pub published: ObjectId,
    /// Its entry can be continued from.
    pub is_whole: bool,
}

impl Ledger<'_> {
    /// Tells whether the ref is behind the entry that was published last, by the record of this
    /// repository. Ends with the next write, which is published as well.
    pub fn put_back(&self) -> Result<Option<PutBack>, StoreError> {
        // Before the ref is read: what is noted afterwards is no news.
        let noted = self.backend.published(self.name).unwrap_or_default();
        let tip = self.tip()?;
        let Some(newest) = self.newest_of(&noted) else {
            let gone = |id: &ObjectId| PutBack { tip, published: *id, is_whole: false };
            return Ok(noted.last().filter(|_| tip.is_none()).map(gone));
        };
        let tip_seq = tip.map(|id| self.candidate(id).map_or(u64::MAX, |one| one.seq));
        if !is_behind(tip_seq, newest.seq) {
            return Ok(None);
        }
        let is_whole = self.check_whole(newest.id).is_ok();
        Ok(Some(PutBack { tip, published: newest.id, is_whole }))
    }

    /// The newest of the noted entries, if it is still there. That is not always the last: not of
    /// those that were published together, nor of those that followed each other closely.
    fn newest_of(&self, noted: &[ObjectId]) -> Option<Candidate<ObjectId>> {
        let here = |id: ObjectId| Candidate::of(id, &self.backend.look(&id).ok()??);
        let mut newest = here(*noted.last()?)?;
        let mut seen = HashSet::new();
        // An entry that is no longer there is older than any that counts.
        for first in noted.iter().rev().map_while(|id| here(*id)) {
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

/// Tells by the numbers of the last events that a ref is behind. A compaction does not change them.
fn is_behind(tip: Option<u64>, published: u64) -> bool {
    tip.is_none_or(|tip| tip < published)
}

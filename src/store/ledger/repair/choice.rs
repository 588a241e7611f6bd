//! Chooses the entry that a damaged ledger continues from, where its ref does not lead to one.
//!
//! The repository has more commits than the ledger: writers that lost a race or were killed left
//! entries that nobody was ever told of. Entries that are known to have been published therefore
//! count first, and the report names those that only may have been.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::core::time::Timestamp;

/// A commit that has the form of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate<I> {
    /// Its name.
    pub id: I,
    /// The entry before it.
    pub parent: Option<I>,
    /// The place of its last event.
    pub seq: u64,
    /// The time of its decision.
    pub at: Timestamp,
    /// A compaction has set it aside.
    pub is_archived: bool,
}

/// The entry that a repair continues from, and the entries that it gives up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice<I> {
    /// The entry.
    pub whole: I,
    /// It is known to have been published.
    pub is_known: bool,
    /// Later entries that were published and are not whole, the newest first.
    pub lost: Vec<I>,
    /// Entries beside it, of which it is not known whether they were published, the newest first.
    pub doubtful: Vec<I>,
}

/// All candidates, and which of them are known to have been published.
struct Candidates<'c, I> {
    by_id: HashMap<I, &'c Candidate<I>>,
}

/// Chooses among all commits. `published` are those that are known to have been the newest, in the
/// order in which that was noted; `is_whole` says whether an entry is one of this ledger and can be
/// read with all that belongs to it.
pub(super) fn choose<I: Copy + Eq + Hash + Ord>(
    candidates: &[Candidate<I>],
    published: &[I],
    mut is_whole: impl FnMut(&I) -> bool,
) -> Option<Choice<I>> {
    let all = Candidates { by_id: candidates.iter().map(|one| (one.id, one)).collect() };
    let mut noted: Vec<I> =
        published.iter().copied().filter(|id| all.by_id.contains_key(id)).collect();
    let mut lost = Vec::new();
    let mut passed = HashSet::new();
    while let Some(newest) = all.newest(&noted) {
        for id in all.back_from(newest).filter(|id| passed.insert(*id)).collect::<Vec<I>>() {
            if is_whole(&id) {
                let doubtful = all.beside(id, &passed);
                return Some(Choice { whole: id, is_known: true, lost, doubtful });
            }
            lost.push(id);
        }
        noted.retain(|id| !passed.contains(id));
    }
    let mut by_time: Vec<&Candidate<I>> = candidates.iter().collect();
    by_time.sort_by_key(|one| (one.at, one.seq, !one.is_archived, one.id));
    let whole = by_time.into_iter().rev().map(|one| one.id).find(is_whole)?;
    let doubtful = all.beside(whole, &passed);
    Some(Choice { whole, is_known: false, lost, doubtful })
}

impl<I: Copy + Eq + Hash + Ord> Candidates<'_, I> {
    /// The entry and those before it, as far as they can be read.
    fn back_from(&self, id: I) -> impl Iterator<Item = I> {
        let parent = |id: &I| self.by_id.get(id)?.parent.filter(|id| self.by_id.contains_key(id));
        std::iter::successors(Some(id), parent)
    }

    /// The last one that was noted, or one that came after it and was noted before.
    fn newest(&self, noted: &[I]) -> Option<I> {
        let mut newest = *noted.last()?;
        for id in noted.iter().rev() {
            let seq = self.by_id[&newest].seq;
            let mut later = self.back_from(*id).take_while(|id| self.by_id[id].seq >= seq);
            if later.any(|id| id == newest) {
                newest = *id;
            }
        }
        Some(newest)
    }

    /// Lists the entries that were decided after the parent of this one, and are neither on the way
    /// to this one nor known to have been published. Losers of old races are older than that.
    fn beside(&self, chosen: I, published: &HashSet<I>) -> Vec<I> {
        let way: HashSet<I> = self.back_from(chosen).collect();
        let before = self.back_from(chosen).nth(1).unwrap_or(chosen);
        let since = self.by_id[&before].at;
        let is_beside = |one: &&&Candidate<I>| {
            let is_known = way.contains(&one.id) || published.contains(&one.id);
            !is_known && !one.is_archived && one.at >= since
        };
        let mut beside: Vec<_> = self.by_id.values().filter(is_beside).collect();
        beside.sort_by_key(|one| (one.at, one.seq, one.id));
        beside.into_iter().rev().map(|one| one.id).collect()
    }
}

#[cfg(test)]
mod tests;

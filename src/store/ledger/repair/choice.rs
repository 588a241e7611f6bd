//! Chooses the entry that a damaged ledger continues from if its ref does not lead to one.
//!
//! The repository has more commits than the ledger: writers that lost a race or were killed left
//! entries that they never reported to anybody. Entries in the log of published entries therefore
//! take precedence, and the report names the entries that may or may not have been published.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::core::time::Timestamp;

/// A commit that has the form of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate<I> {
    pub id: I,
    pub parent: Option<I>,
    /// The number of its last event.
    pub seq: u64,
    /// The time of its decision.
    pub at: Timestamp,
    /// A compaction has set it aside.
    pub is_archived: bool,
}

/// The entry that a repair continues from, and the entries that the repair drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice<I> {
    pub whole: I,
    /// Set if the entry is in the log of published entries.
    pub is_known: bool,
    /// Published entries after it that are not whole, newest first.
    pub lost: Vec<I>,
    /// Entries that compete with it and may have been published, newest first.
    pub doubtful: Vec<I>,
}

/// All candidates by id.
struct Candidates<'c, I> {
    by_id: HashMap<I, &'c Candidate<I>>,
}

/// Chooses among all commits. `published` is the log of published entries, in its order. `is_whole`
/// tells whether an entry belongs to this ledger and all its objects are readable.
pub(super) fn choose<I: Copy + Eq + Hash + Ord>(
    candidates: &[Candidate<I>],
    published: &[I],
    mut is_whole: impl FnMut(&I) -> bool,
) -> Option<Choice<I>> {
    let all = Candidates { by_id: candidates.iter().map(|one| (one.id, one)).collect() };
    let mut logged: Vec<I> =
        published.iter().copied().filter(|id| all.by_id.contains_key(id)).collect();
    let mut lost = Vec::new();
    let mut passed = HashSet::new();
    while let Some(newest) = all.newest(&logged) {
        for id in all.ancestors_of(newest).filter(|id| passed.insert(*id)).collect::<Vec<I>>() {
            if is_whole(&id) {
                let doubtful = all.beside(id, &passed);
                return Some(Choice { whole: id, is_known: true, lost, doubtful });
            }
            lost.push(id);
        }
        logged.retain(|id| !passed.contains(id));
    }
    let mut by_time: Vec<&Candidate<I>> = candidates.iter().collect();
    by_time.sort_by_key(|one| (one.at, one.seq, !one.is_archived, one.id));
    let whole = by_time.into_iter().rev().map(|one| one.id).find(is_whole)?;
    let doubtful = all.beside(whole, &passed);
    Some(Choice { whole, is_known: false, lost, doubtful })
}

impl<I: Copy + Eq + Hash + Ord> Candidates<'_, I> {
    /// Walks from an entry back to the oldest readable one.
    fn ancestors_of(&self, id: I) -> impl Iterator<Item = I> {
        let parent = |id: &I| self.by_id.get(id)?.parent.filter(|id| self.by_id.contains_key(id));
        std::iter::successors(Some(id), parent)
    }

    /// Finds the newest logged entry: the last of the log, or a descendant of it that was logged
    /// before.
    fn newest(&self, logged: &[I]) -> Option<I> {
        let mut newest = *logged.last()?;
        for id in logged.iter().rev() {
            let seq = self.by_id[&newest].seq;
            let mut later = self.ancestors_of(*id).take_while(|id| self.by_id[id].seq >= seq);
            if later.any(|id| id == newest) {
                newest = *id;
            }
        }
        Some(newest)
    }

    /// Lists the entries that were decided after the parent of the chosen one, and are neither
    /// ancestors of it nor known to have been published. Losers of earlier races are older.
    fn beside(&self, chosen: I, published: &HashSet<I>) -> Vec<I> {
        let way: HashSet<I> = self.ancestors_of(chosen).collect();
        let before = self.ancestors_of(chosen).nth(1).unwrap_or(chosen);
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

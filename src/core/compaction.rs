//! The choice of entries that a compaction keeps.
//!
//! The choice is a pure function of the chain: the time of each entry, and the entry that each
//! rollback goes back to. The checkpoint stands for the newest entry that is old enough, that has
//! no younger entry before it, and that no kept rollback reaches behind, so that every kept entry
//! can still be decided again. Wrong clocks can have dated entries in any order: one that is dated
//! ahead is kept if a younger one is, and one that is dated back takes no younger one away.

use std::collections::BTreeSet;
use std::mem;

use crate::core::time::Timestamp;

/// An entry, as far as a compaction needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<I> {
    pub id: I,
    /// The time of the decision.
    pub at: Timestamp,
    /// The earlier entry that the decision read besides the state before it.
    pub goes_back_to: Option<I>,
}

/// The effect of a compaction on a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan<I> {
    pub stands_for: I,
    /// The entries after it, newest first.
    pub kept: Vec<I>,
    /// The number of entries that are set aside: the one that the checkpoint stands for, and those
    /// before it.
    pub set_aside: u64,
}

/// Makes a [`Plan`] while the chain is walked.
#[derive(Debug)]
pub struct Planner<I> {
    now: Timestamp,
    keep_seconds: u64,
    kept: Vec<I>,
    /// Entries that kept rollbacks go back to and that were not met yet.
    awaited: BTreeSet<I>,
    /// The entry that the checkpoint would stand for, and those before it. They are set aside
    /// unless a younger entry is met.
    old: Vec<Link<I>>,
}

impl<I: Copy + Ord> Planner<I> {
    /// Keeps entries that are at most so old at that time.
    pub fn new(now: Timestamp, keep_seconds: u64) -> Planner<I> {
        Planner { now, keep_seconds, kept: Vec::new(), awaited: BTreeSet::new(), old: Vec::new() }
    }

    /// Takes the next entry, from the newest to the first.
    pub fn meet(&mut self, link: Link<I>) {
        let is_old = self.now.seconds_since(link.at) > self.keep_seconds;
        if !self.old.is_empty() {
            if is_old || link.at > self.now {
                self.old.push(link);
                return;
            }
            for not_old in mem::take(&mut self.old) {
                self.keep(not_old);
            }
        }
        self.awaited.remove(&link.id);
        if is_old && self.awaited.is_empty() {
            self.old.push(link);
        } else {
            self.keep(link);
        }
    }

    fn keep(&mut self, link: Link<I>) {
        self.awaited.remove(&link.id);
        self.awaited.extend(link.goes_back_to);
        self.kept.push(link.id);
    }

    /// Returns the plan; `None` if the chain would not become shorter.
    pub fn plan(self) -> Option<Plan<I>> {
        let Planner { kept, old, .. } = self;
        let stands_for = old.first().filter(|_| old.len() > 1)?.id;
        Some(Plan { stands_for, kept, set_aside: old.len() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW_SECONDS: i64 = 1_000_000;

    /// Generates a chain, newest first, of entries named by their place: each at least as old as
    /// the one before unless its clock was wrong, some of them rollbacks to an older one.
    fn chains() -> impl Strategy<Value = Vec<Link<usize>>> {
        let wrong = prop::option::weighted(0.1, -2_000..2_000i64);
        let step = (0..50i64, prop::option::weighted(0.2, 1..6usize), wrong);
        prop::collection::vec(step, 0..40).prop_map(|steps| {
            let (mut age, length) = (0, steps.len());
            let link =
                |(place, (step, back, wrong)): (usize, (i64, Option<usize>, Option<i64>))| {
                    age += step;
                    let age = wrong.unwrap_or(age);
                    let target = back.map(|back| place + back).filter(|to| *to < length);
                    let at = Timestamp::from_millis((NOW_SECONDS - age) * 1000);
                    Link { id: place, at, goes_back_to: target }
                };
            steps.into_iter().enumerate().map(link).collect()
        })
    }

    fn planned(chain: &[Link<usize>], keep_seconds: u64) -> Option<Plan<usize>> {
        let now = Timestamp::from_millis(NOW_SECONDS * 1000);
        let mut planner = Planner::new(now, keep_seconds);
        for link in chain {
            planner.meet(*link);
        }
        planner.plan()
    }

    /// States the rule in plain words: the first place that is old enough and closed, with no young
    /// entry behind it.
    fn by_the_rule(chain: &[Link<usize>], keep_seconds: u64) -> Option<usize> {
        let now = Timestamp::from_millis(NOW_SECONDS * 1000);
        (0..chain.len()).find(|place| {
            let is_old = |link: &Link<usize>| now.seconds_since(link.at) > keep_seconds;
            let is_young = |link: &Link<usize>| !is_old(link) && link.at <= now;
            let reaches = |link: &Link<usize>| link.goes_back_to.is_some_and(|to| to > *place);
            let (kept, rest) = chain.split_at(*place);
            is_old(&rest[0]) && !rest.iter().any(is_young) && !kept.iter().any(reaches)
        })
    }

    proptest! {
        #[test]
        fn a_plan_is_the_newest_closed_place(chain in chains(), keep in 0..600u64) {
            let place = by_the_rule(&chain, keep).filter(|place| place + 1 < chain.len());
            let plan = planned(&chain, keep);
            prop_assert_eq!(plan.as_ref().map(|plan| plan.stands_for), place);
            if let (Some(plan), Some(place)) = (plan, place) {
                prop_assert_eq!(plan.kept, (0..place).collect::<Vec<_>>());
                prop_assert_eq!(plan.set_aside, (chain.len() - place) as u64);
            }
        }

        /// Compacting again at the same time finds nothing: the checkpoint is the root.
        #[test]
        fn a_second_compaction_has_nothing_to_do(chain in chains(), keep in 0..600u64) {
            if let Some(plan) = planned(&chain, keep) {
                let again = &chain[..=plan.kept.len()];
                prop_assert_eq!(planned(again, keep), None);
            }
        }
    }
}

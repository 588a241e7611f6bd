//! Decides whether patterns cover others: whether every path that belongs to both inner patterns
//! belongs to one of the outer ones.
//!
//! Follows the inner patterns one position each at a time, together with all positions that the
//! outer ones can have reached on the same names. There are infinitely many names, but they differ
//! only in which names of the outer patterns accept them; `profiles` finds those differences. A
//! path that both inner patterns accept and no outer one does is a counterexample.

mod profiles;

use std::collections::HashSet;

use super::bounds::COVER_STEPS_MAX;
use super::name::Name;
use super::sequence::{Part, Sequence};
use profiles::{Profile, profiles};

/// Tells whether `outer` accepts every path that `inner` accepts. Answers `false` if that takes too
/// much work to find out.
pub(super) fn covers(outer: &[&Sequence], inner: &[Sequence]) -> bool {
    let every_path = Sequence::new(vec![Part::AnyDepth]);
    common_is_within(inner, std::slice::from_ref(&every_path), outer)
}

/// Tells whether `outer` accepts every path that both `one` and `other` accept. Answers `false` if
/// that takes too much work to find out.
pub(super) fn common_is_within(one: &[Sequence], other: &[Sequence], outer: &[&Sequence]) -> bool {
    let mut work = Work { left: COVER_STEPS_MAX };
    one.iter().all(|one| {
        other
            .iter()
            .all(|other| Search::new(outer, [one, other]).finds_no_counterexample(&mut work))
    })
}

/// The cost of comparing two names.
const MEETING_COST: usize = 256;

/// The work that the search may still do.
struct Work {
    left: u64,
}

/// The work ran out before the answer was found.
struct WorkExceeded;

impl Work {
    fn spend(&mut self, words: usize) -> Result<(), WorkExceeded> {
        self.left = self.left.checked_sub(words as u64).ok_or(WorkExceeded)?;
        Ok(())
    }
}

/// A position of each inner pattern, and all positions of each outer one on the same names.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    inner: [usize; 2],
    outer: Vec<u64>,
}

/// The judgement of a path that was read.
enum Judged {
    /// It shows that the outer patterns do not accept everything.
    Counterexample,
    /// No path that begins like it belongs to both inner patterns.
    Over,
    /// A path that begins like it may be a counterexample.
    Open,
}

struct Search<'m> {
    outer: &'m [&'m Sequence],
    inner: [&'m Sequence; 2],
    any_name: Name,
    seen: HashSet<State>,
    pending: Vec<State>,
}

impl<'m> Search<'m> {
    fn new(outer: &'m [&'m Sequence], inner: [&'m Sequence; 2]) -> Search<'m> {
        let any_name = Name::any();
        Search { outer, inner, any_name, seen: HashSet::new(), pending: Vec::new() }
    }

    fn finds_no_counterexample(mut self, work: &mut Work) -> bool {
        let outer = self.outer.iter().map(|outer| outer.start()).collect();
        self.enter(State { inner: [0, 0], outer });
        while let Some(state) = self.pending.pop() {
            match self.has_counterexample(&state, work) {
                Ok(false) => {}
                Ok(true) | Err(WorkExceeded) => return false,
            }
        }
        true
    }

    /// Reads one more name from `state` in every way that makes a difference.
    fn has_counterexample(&mut self, state: &State, work: &mut Work) -> Result<bool, WorkExceeded> {
        let (Some((one, first)), Some((other, second))) =
            (self.next(state, 0), self.next(state, 1))
        else {
            return Ok(false);
        };
        let rows = state.outer.iter().zip(self.outer);
        let candidates: Vec<&Name> =
            rows.flat_map(|(row, outer)| outer.names_at(*row).map(|(_, name)| name)).collect();
        for profile in profiles([one, other], &candidates, work)? {
            // One step for a pattern, which has two readings at most.
            work.spend(self.outer.len().div_ceil(2))?;
            let outer = self.advance(&state.outer, profile);
            let next = State { inner: [first, second], outer };
            match self.judge(&next, work)? {
                Judged::Counterexample => return Ok(true),
                Judged::Over => {}
                Judged::Open => self.enter(next),
            }
        }
        Ok(false)
    }

    /// Returns the names that an inner pattern accepts next, and its position after them.
    fn next(&self, state: &State, which: usize) -> Option<(&Name, usize)> {
        let position = state.inner[which];
        match self.inner[which].parts().get(position)? {
            Part::AnyDepth => Some((&self.any_name, position)),
            Part::Name(name) => Some((name, position + 1)),
        }
    }

    /// Returns the outer positions after a name that the candidates in `profile` accept.
    fn advance(&self, rows: &[u64], profile: Profile) -> Vec<u64> {
        let mut candidate = 0;
        let next = rows.iter().zip(self.outer).map(|(row, outer)| {
            let mut accepting = 0;
            for (position, _) in outer.names_at(*row) {
                accepting |= u64::from(profile & (1 << candidate) != 0) << position;
                candidate += 1;
            }
            outer.advance(*row, accepting)
        });
        next.collect()
    }

    /// Judges the path that was read: it is a counterexample if both inner patterns accept it and
    /// no outer one does, or if the inner ones accept some path that begins like it and no outer
    /// one can any more.
    fn judge(&self, state: &State, work: &mut Work) -> Result<Judged, WorkExceeded> {
        let [one, other] = self.inner;
        let [first, second] = state.inner;
        let mut rows = state.outer.iter().zip(self.outer);
        let is_lost = if one.accepts_at(first) && other.accepts_at(second) {
            !rows.any(|(row, outer)| outer.accepts(*row))
        } else if rows.all(|(row, _)| *row == 0) {
            work.spend(MEETING_COST * (one.names_from(first) * other.names_from(second)))?;
            if !one.meets_from(first, other, second) {
                return Ok(Judged::Over);
            }
            true
        } else {
            false
        };
        Ok(if is_lost { Judged::Counterexample } else { Judged::Open })
    }

    /// Queues `state`, and the states after a `**` that stands for no name.
    fn enter(&mut self, state: State) {
        if !self.seen.insert(state.clone()) {
            return;
        }
        for which in 0..2 {
            let position = state.inner[which];
            if let Some(Part::AnyDepth) = self.inner[which].parts().get(position) {
                let mut skipped = state.clone();
                skipped.inner[which] = position + 1;
                self.enter(skipped);
            }
        }
        self.pending.push(state);
    }
}

//! Decides whether one pattern covers another: whether every path of the inner pattern belongs to
//! the outer one.
//!
//! Follows the inner pattern one position at a time, together with all positions that the outer one
//! can have reached on the same names. There are infinitely many names, but they differ only in
//! which names of the outer pattern accept them; `profiles` finds those differences. A path that
//! the inner pattern accepts and the outer does not is a counterexample.

mod profiles;

use std::collections::HashSet;

use super::bounds::COVER_STEPS_MAX;
use super::name::Name;
use super::sequence::{Part, Sequence};
use profiles::{Profile, profiles};

/// Most readings that a pattern has.
const READINGS_MAX: usize = 2;

/// Tells whether `outer` accepts every path that `inner` accepts. Answers `false` if that takes too
/// much work to find out.
pub(super) fn covers(outer: &[Sequence], inner: &[Sequence]) -> bool {
    debug_assert!(outer.len() <= READINGS_MAX);
    let mut work = Work { left: COVER_STEPS_MAX };
    inner.iter().all(|inner| Search::new(outer, inner).finds_no_counterexample(&mut work))
}

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

/// A position of the inner pattern, and all positions of the outer one on the same names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    inner: usize,
    outer: [u64; READINGS_MAX],
}

struct Search<'m> {
    outer: &'m [Sequence],
    inner: &'m Sequence,
    any_name: Name,
    seen: HashSet<State>,
    pending: Vec<State>,
}

impl<'m> Search<'m> {
    fn new(outer: &'m [Sequence], inner: &'m Sequence) -> Search<'m> {
        let any_name = Name::any();
        Search { outer, inner, any_name, seen: HashSet::new(), pending: Vec::new() }
    }

    fn finds_no_counterexample(mut self, work: &mut Work) -> bool {
        let mut start = State { inner: 0, outer: [0; READINGS_MAX] };
        for (row, outer) in start.outer.iter_mut().zip(self.outer) {
            *row = outer.start();
        }
        self.enter(start);
        while let Some(state) = self.pending.pop() {
            match self.has_counterexample(state, work) {
                Ok(false) => {}
                Ok(true) | Err(WorkExceeded) => return false,
            }
        }
        true
    }

    /// Reads one more name from `state` in every way that makes a difference.
    fn has_counterexample(&mut self, state: State, work: &mut Work) -> Result<bool, WorkExceeded> {
        let (name, target) = match self.inner.parts().get(state.inner) {
            None => return Ok(false),
            Some(Part::AnyDepth) => (&self.any_name, state.inner),
            Some(Part::Name(name)) => (name, state.inner + 1),
        };
        let rows = state.outer.iter().zip(self.outer);
        let candidates: Vec<&Name> =
            rows.flat_map(|(row, outer)| outer.names_at(*row).map(|(_, name)| name)).collect();
        for profile in profiles(name, &candidates, work)? {
            work.spend(1)?;
            let next = State { inner: target, outer: self.advance(&state.outer, profile) };
            if self.outer_is_lost(next) {
                return Ok(true);
            }
            self.enter(next);
        }
        Ok(false)
    }

    /// Returns the outer positions after a name that the candidates in `profile` accept.
    fn advance(&self, rows: &[u64; READINGS_MAX], profile: Profile) -> [u64; READINGS_MAX] {
        let mut next = [0; READINGS_MAX];
        let mut candidate = 0;
        for (index, outer) in self.outer.iter().enumerate() {
            let mut accepting = 0;
            for (position, _) in outer.names_at(rows[index]) {
                accepting |= u64::from(profile & (1 << candidate) != 0) << position;
                candidate += 1;
            }
            next[index] = outer.advance(rows[index], accepting);
        }
        next
    }

    /// Tells whether the inner pattern accepts the path that was read and the outer does not, or
    /// whether the outer can no longer accept any path that begins like it.
    fn outer_is_lost(&self, state: State) -> bool {
        let mut rows = state.outer.iter().zip(self.outer);
        let inner_accepts = match self.inner.parts().get(state.inner..) {
            None | Some([] | [Part::AnyDepth]) => true,
            Some(_) => false,
        };
        if inner_accepts {
            !rows.any(|(row, outer)| outer.accepts(*row))
        } else {
            rows.all(|(row, _)| *row == 0)
        }
    }

    /// Queues `state`, and the state after a `**` that stands for no name.
    fn enter(&mut self, state: State) {
        if self.seen.insert(state) {
            self.pending.push(state);
            if let Some(Part::AnyDepth) = self.inner.parts().get(state.inner) {
                self.enter(State { inner: state.inner + 1, ..state });
            }
        }
    }
}

//! Profiles: the ways in which names differ for the candidates, which are other sets of names.
//!
//! The profile of a name tells which of the candidates accept it. Only profiles that contain no
//! other matter to the search for a counterexample: a path that is covered with fewer acceptances
//! is also covered with more.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::super::automaton::{Automaton, Row, is_empty};
use super::super::bounds::SEGMENTS_MAX;
use super::super::byte_set::ByteSet;
use super::super::name::{Name, Step, Word};
use super::{READINGS_MAX, Work, WorkExceeded};

/// One bit for each candidate, in their order.
pub(super) type Profile = u128;

const _: () = assert!(SEGMENTS_MAX * READINGS_MAX <= Profile::BITS as usize);

/// The cost of a row beyond its words: it is copied, hashed and stored.
const ROW_OVERHEAD: usize = 16;

/// Finds the smallest profiles that the names in `name` have with regard to `candidates`.
pub(super) fn profiles(
    name: &Name,
    candidates: &[&Name],
    work: &mut Work,
) -> Result<BTreeSet<Profile>, WorkExceeded> {
    let mut found = BTreeSet::new();
    for word in name.words() {
        match word {
            _ if candidates.is_empty() => {
                found.insert(0);
            }
            Word::Exact(exact) => {
                work.spend(exact.len() + candidates.len())?;
                found.insert(profile(candidates.iter().map(|name| name.accepts(exact))));
            }
            Word::Glob(steps) => {
                found.extend(Exploration::new(steps, candidates, work)?.run(work)?);
            }
        }
    }
    Ok(smallest(&found))
}

fn profile(accepts: impl Iterator<Item = bool>) -> Profile {
    accepts
        .enumerate()
        .fold(0, |profile, (index, accepts)| profile | (u128::from(accepts) << index))
}

fn smallest(profiles: &BTreeSet<Profile>) -> BTreeSet<Profile> {
    let contains_another = |&profile: &Profile| {
        profiles.iter().any(|&other| other != profile && other & profile == other)
    };
    profiles.iter().copied().filter(|profile| !contains_another(profile)).collect()
}

/// Follows one word, one position at a time, together with all positions in the candidates.
struct Exploration<'m> {
    steps: &'m [Step],
    automaton: Automaton,
    /// For each word of the automaton, the candidate that it belongs to.
    owners: Vec<usize>,
    /// The bytes that a name can have, grouped by what the automaton does with them.
    alike: Vec<Vec<u8>>,
    seen: HashSet<(usize, Row)>,
    pending: Vec<(usize, Row)>,
    found: BTreeSet<Profile>,
}

impl<'m> Exploration<'m> {
    fn new(
        steps: &'m [Step],
        candidates: &[&Name],
        work: &mut Work,
    ) -> Result<Exploration<'m>, WorkExceeded> {
        let automaton = Automaton::of(candidates.iter().flat_map(|name| name.words()));
        work.spend(256 * automaton.width())?;
        let owners = candidates.iter().enumerate();
        Ok(Exploration {
            steps,
            alike: alike(&automaton),
            automaton,
            owners: owners
                .flat_map(|(owner, name)| name.words().iter().map(move |_| owner))
                .collect(),
            seen: HashSet::new(),
            pending: Vec::new(),
            found: BTreeSet::new(),
        })
    }

    fn run(mut self, work: &mut Work) -> Result<BTreeSet<Profile>, WorkExceeded> {
        self.enter(0, self.automaton.start());
        while let Some((position, row)) = self.pending.pop() {
            let (bytes, target) = match &self.steps.get(position) {
                None => continue,
                Some(Step::Byte(byte)) => (vec![*byte], position + 1),
                Some(Step::OneOf(set)) => (self.representatives(set), position + 1),
                Some(Step::Run) => (self.representatives(&ByteSet::of_names()), position),
            };
            for byte in bytes {
                work.spend(self.automaton.width() + ROW_OVERHEAD)?;
                let mut next = row.clone();
                self.automaton.advance(&mut next, self.automaton.column(byte));
                if is_empty(&next) {
                    // Some name goes on from here and no candidate accepts it: no profile is
                    // smaller.
                    return Ok(BTreeSet::from([0]));
                }
                self.arrive(target, next);
            }
        }
        Ok(self.found)
    }

    /// Records the profile of a name that ends here, and queues the position. At least one byte was
    /// read.
    fn arrive(&mut self, position: usize, row: Row) {
        if let [] | [Step::Run] = self.steps[position..] {
            let accepted = self.automaton.accepting(&row).zip(&self.owners);
            let profile = accepted
                .fold(0, |profile, (accepts, owner)| profile | (u128::from(accepts) << owner));
            self.found.insert(profile);
        }
        self.enter(position, row);
    }

    /// Queues the position, and the position after a run that stands for no byte.
    fn enter(&mut self, position: usize, row: Row) {
        if let Some(Step::Run) = self.steps.get(position)
            && self.seen.insert((position + 1, row.clone()))
        {
            self.pending.push((position + 1, row.clone()));
        }
        if self.seen.insert((position, row.clone())) {
            self.pending.push((position, row));
        }
    }

    /// Picks bytes of `set`, one for each way in which the automaton tells them apart.
    fn representatives(&self, set: &ByteSet) -> Vec<u8> {
        let member = |group: &Vec<u8>| group.iter().copied().find(|&byte| set.contains(byte));
        self.alike.iter().filter_map(member).collect()
    }
}

fn alike(automaton: &Automaton) -> Vec<Vec<u8>> {
    let mut groups: BTreeMap<&[u64], Vec<u8>> = BTreeMap::new();
    for byte in ByteSet::of_names().iter() {
        groups.entry(automaton.column(byte)).or_default().push(byte);
    }
    groups.into_values().collect()
}

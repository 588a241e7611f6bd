//! Profiles: the ways in which names differ for the candidates, which are other sets of names.
//!
//! The profile of a name tells which of the candidates accept it. Only profiles that contain no
//! other matter to the search for a counterexample: a path that is covered with fewer acceptances
//! is also covered with more.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::super::automaton::{Automaton, Row, is_empty};
use super::super::byte_set::ByteSet;
use super::super::name::{Name, Step, Word};
use super::{MEETING_COST, Work, WorkExceeded};

/// One bit for each candidate, in their order. More candidates are too much work.
pub(super) type Profile = u128;

/// The cost of a row beyond its words: it is copied, hashed and stored.
const ROW_OVERHEAD: usize = 16;

/// Finds the smallest profiles that names which belong to both sets have with regard to
/// `candidates`.
pub(super) fn profiles(
    [one, other]: [&Name; 2],
    candidates: &[&Name],
    work: &mut Work,
) -> Result<BTreeSet<Profile>, WorkExceeded> {
    if candidates.len() > Profile::BITS as usize {
        return Err(WorkExceeded);
    }
    let mut found = BTreeSet::new();
    let (name, required) = if one.is_any() { (other, one) } else { (one, other) };
    for word in name.words() {
        for its in required.words() {
            let its = (!required.is_any()).then_some(its);
            if its.is_some_and(|its| !word.meets(its)) {
                work.spend(MEETING_COST)?;
                continue;
            }
            found.extend(profiles_of(word, its, candidates, work)?);
        }
    }
    Ok(smallest(&found))
}

/// Finds profiles of the names that both words accept, of which there is at least one: the smallest
/// ones, and perhaps others.
fn profiles_of(
    accepted: &Word,
    required: Option<&Word>,
    candidates: &[&Name],
    work: &mut Work,
) -> Result<BTreeSet<Profile>, WorkExceeded> {
    if candidates.is_empty() {
        return Ok(BTreeSet::from([0]));
    }
    match (accepted, required) {
        (Word::Exact(exact), _) | (_, Some(Word::Exact(exact))) => {
            work.spend(exact.len() + candidates.len())?;
            Ok(BTreeSet::from([profile(candidates.iter().map(|name| name.accepts(exact)))]))
        }
        (Word::Glob(steps), required) => {
            Exploration::new(steps, required, candidates, work)?.run(work)
        }
    }
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

/// Follows one word, one position at a time, together with all positions in the other word that the
/// name must belong to, and all positions in the candidates.
struct Exploration<'m> {
    steps: &'m [Step],
    required: Option<Automaton>,
    automaton: Automaton,
    /// For each word of the automaton, the candidate that it belongs to.
    owners: Vec<usize>,
    /// The bytes that a name can have, grouped by what the automata do with them.
    alike: Vec<Vec<u8>>,
    seen: HashSet<Reached>,
    pending: Vec<Reached>,
    found: BTreeSet<Profile>,
}

/// The positions that a name has reached.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Reached {
    position: usize,
    required: Row,
    candidates: Row,
}

impl<'m> Exploration<'m> {
    fn new(
        steps: &'m [Step],
        required: Option<&Word>,
        candidates: &[&Name],
        work: &mut Work,
    ) -> Result<Exploration<'m>, WorkExceeded> {
        let automaton = Automaton::of(candidates.iter().flat_map(|name| name.words()));
        let required = required.map(|word| Automaton::of([word]));
        let width = automaton.width() + required.as_ref().map_or(0, Automaton::width);
        work.spend(256 * width)?;
        let owners = candidates.iter().enumerate();
        Ok(Exploration {
            steps,
            alike: alike(required.as_ref(), &automaton),
            required,
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
        let required = self.required.as_ref().map(Automaton::start).unwrap_or_default();
        self.enter(Reached { position: 0, required, candidates: self.automaton.start() });
        while let Some(reached) = self.pending.pop() {
            let position = reached.position;
            let (bytes, target) = match &self.steps.get(position) {
                None => continue,
                Some(Step::Byte(byte)) => (vec![*byte], position + 1),
                Some(Step::OneOf(set)) => (self.representatives(set), position + 1),
                Some(Step::Run) => (self.representatives(&ByteSet::of_names()), position),
            };
            for byte in bytes {
                work.spend(self.automaton.width() + reached.required.len() + ROW_OVERHEAD)?;
                let mut next = Reached { position: target, ..reached.clone() };
                if let Some(required) = &self.required {
                    required.advance(&mut next.required, required.column(byte));
                    if is_empty(&next.required) {
                        continue;
                    }
                }
                self.automaton.advance(&mut next.candidates, self.automaton.column(byte));
                if is_empty(&next.candidates) && self.goes_on(&next, work)? {
                    // Some name goes on from here and no candidate accepts it: no profile is
                    // smaller.
                    return Ok(BTreeSet::from([0]));
                }
                self.arrive(next);
            }
        }
        Ok(self.found)
    }

    /// Tells whether some name that begins like this belongs to both words.
    fn goes_on(&self, reached: &Reached, work: &mut Work) -> Result<bool, WorkExceeded> {
        let Some(required) = &self.required else { return Ok(true) };
        let rest = &self.steps[reached.position..];
        let cost = |step: &Step| if matches!(step, Step::OneOf(_)) { 256 } else { 1 };
        work.spend(required.width() * rest.iter().map(cost).sum::<usize>())?;
        Ok(required.meets_from(reached.required.clone(), rest))
    }

    /// Records the profile of a name that ends here, and queues the position. At least one byte was
    /// read.
    fn arrive(&mut self, reached: Reached) {
        let is_required = self
            .required
            .as_ref()
            .is_none_or(|required| required.accepting(&reached.required).any(|accepts| accepts));
        if let [] | [Step::Run] = self.steps[reached.position..]
            && is_required
        {
            let accepted = self.automaton.accepting(&reached.candidates).zip(&self.owners);
            let profile = accepted
                .fold(0, |profile, (accepts, owner)| profile | (u128::from(accepts) << owner));
            self.found.insert(profile);
        }
        self.enter(reached);
    }

    /// Queues the position, and the position after a run that stands for no byte.
    fn enter(&mut self, reached: Reached) {
        if let Some(Step::Run) = self.steps.get(reached.position) {
            let after = Reached { position: reached.position + 1, ..reached.clone() };
            if self.seen.insert(after.clone()) {
                self.pending.push(after);
            }
        }
        if self.seen.insert(reached.clone()) {
            self.pending.push(reached);
        }
    }

    /// Picks bytes of `set`, one for each way in which the automaton tells them apart.
    fn representatives(&self, set: &ByteSet) -> Vec<u8> {
        let member = |group: &Vec<u8>| group.iter().copied().find(|&byte| set.contains(byte));
        self.alike.iter().filter_map(member).collect()
    }
}

fn alike(required: Option<&Automaton>, automaton: &Automaton) -> Vec<Vec<u8>> {
    let mut groups: BTreeMap<(&[u64], &[u64]), Vec<u8>> = BTreeMap::new();
    for byte in ByteSet::of_names().iter() {
        let required = required.map_or([].as_slice(), |required| required.column(byte));
        groups.entry((required, automaton.column(byte))).or_default().push(byte);
    }
    groups.into_values().collect()
}

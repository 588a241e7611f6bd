//! Sweeping: what a turn looks at, and what a wrong clock must not end.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::core::command::decide;
use crate::core::decision::RULES;
use crate::core::documents::{Key, apply};
use crate::core::ids::OpId;
use crate::core::ledger::LedgerName;
use crate::core::pattern::{Case, Pattern};
use crate::core::place::Place;
use crate::core::refusal::Refusal;
use crate::core::reservation::release::Release;
use crate::core::reservation::reserve::Reserve;
use crate::core::reservation::select::Selection;
use crate::core::reservation::{About, Via};
use crate::core::text::Line;
use crate::core::time::Ttl;

/// Whatever bits of a turn choose a share, every document of it gets its turn, and a
/// write looks at few.
#[test]
fn every_document_of_a_share_gets_its_turn() {
    for shift in [0, 16, 32, 48, 56] {
        for share in 1..=16_usize {
            let mut seen = vec![false; share];
            let mut random = 1_u64;
            for _ in 0..500 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // The byte that chose the share is always the same.
                let turn = (random ^ random >> 33) & !(0xff << shift) | 0x5a << shift;
                let mut chosen: Vec<usize> = (0..share).collect();
                few(&mut chosen, SWEPT_IN_PASSING_MAX, turn);
                assert!(chosen.len() <= SWEPT_IN_PASSING_MAX);
                for index in chosen {
                    seen[index] = true;
                }
            }
            assert!(seen.iter().all(|seen| *seen), "{seen:?} of {share}, byte at {shift}");
        }
    }
}

const HOUR: u64 = 60 * 60;
const TOLERANCE: u64 = 300;

/// The start of every sequence: 2026-01-05T10:00:00Z.
const START_MILLIS: i64 = 1_767_607_200_000;

/// A ledger in memory, with what the newest entry hands on to the next.
#[derive(Default)]
struct World {
    documents: BTreeMap<Key, Vec<u8>>,
    last: Option<(Timestamp, Option<Leap>, AgentName)>,
    fence: u64,
    ops: u128,
    place: Option<Place>,
}

impl World {
    /// Decides at a clock, and returns the time of the decision with its answer.
    fn act<C: Decide>(
        &mut self,
        clock: Timestamp,
        actor: &AgentName,
        command: &C,
    ) -> (Timestamp, Result<C::Answer, No>) {
        self.ops += 1;
        let before = self.last.as_ref().map(|last| last.0);
        let now = clock::now(clock, before, Some(TOLERANCE));
        let leap = clock::leap(now, self.last.as_ref().map(|last| (last.0, last.1)));
        let env = Env {
            ledger: LedgerName::Reservations,
            rules: RULES,
            actor,
            host: &Line::new("host").unwrap(),
            place: self.place.as_ref(),
            now,
            asked_at: None,
            before,
            leap,
            skew: Skew { place: self.place.as_ref(), tolerance_seconds: TOLERANCE },
            before_by: self.last.as_ref().map(|last| &last.2),
            last: None,
            op: &OpId::from_bits((self.ops << 64) | (self.ops * 0x9e37_79b9)),
            fence: self.fence,
            case: Case::Sensitive,
            gone: &Gone::NOTHING,
            earlier: None,
        };
        let decided = decide(command, &self.documents, env);
        let answer = decided.map(|decided| {
            if let Some(changes) = decided.changes {
                apply(&mut self.documents, &changes.edits);
                self.fence = changes.fence;
                self.last = Some((now, leap, actor.clone()));
            }
            decided.answer
        });
        (now, answer)
    }

    fn holds(&self) -> Vec<Hold> {
        index::all(&self.documents).unwrap()
    }
}

fn agent(number: usize) -> AgentName {
    ["alice", "bob", "evil", "mallory"][number % 4].parse().unwrap()
}

fn reserve(path: usize, seconds: u64) -> Reserve {
    let pattern =
        Pattern::canonical(["src", "src/a", "docs", "nobody/else"][path].as_bytes()).unwrap();
    let via = Via::Command;
    let about = About { reason: None, task: None, run: None, via, worktree: None, place: None };
    Reserve::asked(vec![pattern], Vec::new(), Ttl::from_seconds(seconds).unwrap(), about)
}

/// A step of a sequence: seconds that pass, the clock, the agent, and what it does.
#[derive(Clone, Copy, Debug)]
struct Step {
    passes: u64,
    /// The number of the wrong clock; none for the right one.
    wrong: Option<usize>,
    agent: usize,
    deed: Deed,
}

#[derive(Clone, Copy, Debug)]
enum Deed {
    Reserve(usize, u64),
    Sweep,
    ReleaseOwn,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let passes = prop_oneof![4 => 0..HOUR, 1 => HOUR..30 * HOUR];
    let ttl = prop_oneof![1..HOUR, Just(24 * HOUR)];
    let deed = prop_oneof![
        4 => (0..3_usize, ttl).prop_map(|(path, seconds)| Deed::Reserve(path, seconds)),
        1 => Just(Deed::Sweep),
        1 => Just(Deed::ReleaseOwn),
    ];
    let wrong = prop::option::weighted(0.5, 0..2_usize);
    let step = (passes, wrong, 0..4_usize, deed);
    let step = step.prop_map(|(passes, wrong, agent, deed)| Step { passes, wrong, agent, deed });
    prop::collection::vec(step, 1..40)
}

/// Chooses the hours by which two clocks are ahead: so far that it shows, and far apart.
fn wrong_by() -> impl Strategy<Value = [u64; 2]> {
    let hours: [u64; 5] = [26, 27, 72, 24 * 365, 24 * 365 * 7_900];
    let far = prop::sample::select(hours.to_vec());
    (far.clone(), far).prop_map(|(one, other)| match one.abs_diff(other) {
        0 | 26.. => [one, other],
        _ => [one, one],
    })
}

proptest! {
    /// 1/CLOCK-HOLDS: no entry dated ahead ends a hold of another that is live by the right clock,
    /// whoever else has written with a wrong clock before, and how often. A hold that is over by
    /// the own clock is in nobody's way, and in the end everything that is over goes.
    #[test]
    fn no_entry_dated_ahead_ends_what_is_live(steps in steps(), ahead in wrong_by()) {
        // The holds that the right clock has set.
        let (mut world, mut honest) = (World::default(), Vec::new());
        let mut right = Timestamp::from_millis(START_MILLIS);
        for Step { passes, wrong, agent: number, deed } in steps {
            right = right.plus_seconds(passes);
            let offset = wrong.map_or(0, |number| ahead[number] * HOUR);
            let (clock, actor) = (right.plus_seconds(offset), agent(number));
            let before = world.holds();
            let is_kept = |hold: &&Hold| hold.is_live(right) && hold.holder != actor;
            let kept: Vec<Hold> = honest.iter().filter(is_kept).cloned().collect();
            match deed {
                Deed::Reserve(path, seconds) => {
                    let (now, answer) = world.act(clock, &actor, &reserve(path, seconds));
                    if let Err(No::Refused(Refusal::Held { conflicts, .. })) = answer {
                        let is_live = |hold: &Hold| hold.is_live(now);
                        prop_assert!(conflicts.iter().all(|conflict| is_live(&conflict.held)));
                    }
                }
                Deed::Sweep => {
                    world.act(clock, &actor, &Sweep { older_than_seconds: 0 }).1.unwrap();
                }
                Deed::ReleaseOwn => {
                    let which = Selection { mine: true, ..Selection::default() };
                    world.act(clock, &actor, &Release { which, force: None }).1.unwrap();
                }
            }
            let left = world.holds();
            for hold in kept {
                prop_assert!(left.contains(&hold), "{deed:?} of {actor} ended {hold:?}");
            }
            honest.retain(|hold| left.contains(hold));
            let is_new = |hold: &&Hold| wrong.is_none() && !before.contains(hold);
            honest.extend(left.iter().filter(is_new).cloned());
        }
        for _ in 0..4 {
            right = right.plus_seconds(13 * HOUR);
            world.act(right, &agent(0), &reserve(3, 1)).1.unwrap();
        }
        right = right.plus_seconds(HOUR);
        world.act(right, &agent(0), &Sweep { older_than_seconds: 0 }).1.unwrap();
        let left: Vec<Hold> = world.holds().into_iter().filter(|it| it.is_over(right)).collect();
        prop_assert_eq!(left, []);
    }

    /// 1/CLOCK-PLACES: a hold of another place is in the way, and is not swept, until the
    /// tolerance after its end. One of this place ends on time, and so does an own one.
    #[test]
    fn a_hold_of_another_place_counts_for_the_tolerance(
        later in 0..2 * TOLERANCE,
        is_apart in any::<bool>(),
        is_own in any::<bool>(),
        sweeps in any::<bool>(),
    ) {
        let (here, there) = (Place::from_bits(1), Place::from_bits(2));
        let mut world = World { place: Some(there.clone()), ..World::default() };
        let start = Timestamp::from_millis(START_MILLIS);
        world.act(start, &agent(0), &reserve(0, 60)).1.unwrap();
        world.place = Some(if is_apart { here } else { there });
        let (clock, actor) = (start.plus_seconds(60 + later), agent(usize::from(!is_own)));
        let counts = is_apart && !is_own && later < TOLERANCE;
        if sweeps {
            world.act(clock, &actor, &Sweep { older_than_seconds: 0 }).1.unwrap();
            prop_assert_eq!(world.holds().len(), usize::from(counts));
        } else {
            let answer = world.act(clock, &actor, &reserve(1, 60)).1;
            prop_assert_eq!(answer.is_err(), counts);
            prop_assert_eq!(world.holds().len(), 1);
        }
    }
}

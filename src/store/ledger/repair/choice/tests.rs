//! A ledger that is written to, with races, kills and compactions, and then loses its ref.

use proptest::prelude::*;

use super::*;

/// An event in the life of a ledger.
#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A writer publishes this many events, and entries for this many requests of others.
    Written { events: u64, requests: u64 },
    /// A writer is killed before the move.
    Killed { events: u64, requests: u64 },
    /// A writer is killed after the move, before it logs its entry.
    Unlogged { events: u64 },
    /// Seconds pass.
    Time(u64),
}

#[derive(Default)]
struct World {
    entries: Vec<Candidate<u32>>,
    tip: Option<u32>,
    logged: Vec<u32>,
    now: u64,
}

impl World {
    fn chain(&mut self, events: u64, requests: u64) -> u32 {
        let mut parent = self.tip;
        for _ in 0..=requests {
            let seq = parent.map_or(0, |id| self.entries[id as usize].seq) + events;
            let id = u32::try_from(self.entries.len()).unwrap();
            let at = Timestamp::from_millis(i64::try_from(self.now).unwrap());
            self.entries.push(Candidate { id, parent, seq, at, is_archived: false });
            parent = Some(id);
        }
        parent.unwrap()
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Written { events, requests } => {
                let tip = self.chain(events, requests);
                self.tip = Some(tip);
                self.logged.push(tip);
            }
            Happening::Killed { events, requests } => drop(self.chain(events, requests)),
            Happening::Unlogged { events } => self.tip = Some(self.chain(events, 0)),
            Happening::Time(passed) => self.now += passed,
        }
    }

    fn way_to(&self, tip: u32) -> HashSet<u32> {
        let before = |id: &u32| self.entries[*id as usize].parent;
        std::iter::successors(Some(tip), before).collect()
    }
}

fn world(happenings: &[Happening]) -> World {
    let mut world = World { now: 1_000, ..World::default() };
    for happening in happenings {
        world.happen(*happening);
    }
    world
}

fn happening() -> impl Strategy<Value = Happening> {
    let (events, requests) = (1..6_u64, 0..3_u64);
    prop_oneof![
        (events.clone(), requests.clone())
            .prop_map(|(events, requests)| Happening::Written { events, requests }),
        (events, requests).prop_map(|(events, requests)| Happening::Killed { events, requests }),
        (0..3_u64).prop_map(Happening::Time),
    ]
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    prop::collection::vec(happening(), 1..30)
}

proptest! {
    /// A repair continues from the newest entry that is logged and whole, regardless of killed
    /// attempts.
    #[test]
    fn the_newest_published_entry_is_found(happenings in happenings()) {
        let world = world(&happenings);
        let Some(tip) = world.tip else { return Ok(()) };
        let choice = choose(&world.entries, &world.logged, |_| true).unwrap();
        prop_assert_eq!((choice.whole, choice.is_known), (tip, true));
        prop_assert!(choice.lost.is_empty());
    }

    /// An entry that was never published is not chosen, no published one is dropped in silence, and
    /// every dropped one is named, wherever the damage is.
    #[test]
    fn what_is_lost_was_published_and_is_named(
        happenings in happenings(),
        damaged in prop::collection::hash_set(0..60_u32, 0..20),
    ) {
        let world = world(&happenings);
        let Some(tip) = world.tip else { return Ok(()) };
        let published = world.way_to(tip);
        let is_whole = |id: &u32| !damaged.contains(id);
        let Some(choice) = choose(&world.entries, &world.logged, is_whole) else {
            prop_assert!(world.entries.iter().all(|one| damaged.contains(&one.id)));
            return Ok(());
        };
        prop_assert!(is_whole(&choice.whole));
        if published.iter().any(is_whole) {
            prop_assert!(choice.is_known && published.contains(&choice.whole));
            let kept = world.way_to(choice.whole);
            let lost: HashSet<u32> = choice.lost.iter().copied().collect();
            prop_assert_eq!(lost, published.difference(&kept).copied().collect::<HashSet<_>>());
        } else {
            prop_assert!(!choice.is_known);
        }
        for id in &choice.doubtful {
            prop_assert!(!published.contains(id));
        }
    }

    /// Two writers that publish shortly after each other may log in the opposite order.
    #[test]
    fn the_order_of_two_notes_does_not_matter(happenings in happenings()) {
        let mut world = world(&happenings);
        let Some(tip) = world.tip else { return Ok(()) };
        let last = world.logged.len() - 1;
        world.logged.swap(last, last.saturating_sub(1));
        let choice = choose(&world.entries, &world.logged, |_| true).unwrap();
        prop_assert_eq!((choice.whole, choice.is_known), (tip, true));
    }

    /// Without the log the choice is a guess, is marked as one, and names the alternatives.
    #[test]
    fn without_notes_the_tip_is_chosen_or_named(happenings in happenings()) {
        let world = world(&happenings);
        let Some(tip) = world.tip else { return Ok(()) };
        let choice = choose(&world.entries, &[], |_| true).unwrap();
        prop_assert!(!choice.is_known);
        let is_kept = world.way_to(choice.whole).contains(&tip);
        prop_assert!(is_kept || choice.doubtful.contains(&tip), "{:?}", choice);
    }
}

/// 8/NO-HARM: a killed attempt with five events has a higher number than the entries that follow
/// it.
#[test]
fn a_killed_attempt_is_named_and_not_chosen() {
    let world = world(&[
        Happening::Written { events: 1, requests: 0 },
        Happening::Killed { events: 5, requests: 0 },
        Happening::Written { events: 1, requests: 0 },
    ]);
    let choice = choose(&world.entries, &world.logged, |_| true).unwrap();
    let expected = Choice { whole: 2, is_known: true, lost: vec![], doubtful: vec![1] };
    assert_eq!(choice, expected);
}

/// Nobody was told of an entry whose writer was killed right after the move, unless another entry
/// follows it.
#[test]
fn what_was_not_noted_is_named_until_another_goes_on_from_it() {
    let first = Happening::Written { events: 1, requests: 0 };
    let unnoted = Happening::Unlogged { events: 1 };
    let then = Happening::Written { events: 1, requests: 0 };
    let short = world(&[first, unnoted]);
    let choice = choose(&short.entries, &short.logged, |_| true).unwrap();
    assert_eq!((choice.whole, choice.doubtful), (0, vec![1]));
    let gone_on = world(&[first, unnoted, then]);
    let choice = choose(&gone_on.entries, &gone_on.logged, |_| true).unwrap();
    assert_eq!((choice.whole, choice.doubtful), (2, vec![]));
}

/// A compaction changes the ids of the entries that it keeps, but not their numbers.
#[test]
fn of_two_with_the_same_number_the_ledgers_own_is_meant() {
    let entry = |id, is_archived| Candidate {
        id,
        parent: None,
        seq: 7,
        at: Timestamp::from_millis(5),
        is_archived,
    };
    for (own, other) in [(1_u32, 2), (2, 1)] {
        let entries = [entry(own, false), entry(other, true)];
        let choice = choose(&entries, &[], |_| true).unwrap();
        assert_eq!((choice.whole, choice.doubtful), (own, vec![]));
    }
}

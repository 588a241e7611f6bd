//! Laws that every state keeps, after any sequence of commands.

use std::collections::{BTreeMap, BTreeSet};

use git_coord::core::command::Command;
use git_coord::core::event::Event;
use git_coord::core::negotiation::{Asked as Wanted, Thread, thread_index};
use git_coord::core::negotiation::{events as thread_events, laws as promises};
use git_coord::core::pattern::{Case, Pattern};
use git_coord::core::reservation::check::Asker;
use git_coord::core::reservation::reserve::Reserve;
use git_coord::core::reservation::{Hold, Mode, events, index, laws, tickets};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::scenario::negotiation::unread;
use crate::scenario::{Asked, Deed, MemoryLedger, PATTERNS, Step, reserving, rollback_by, steps};

/// Reads the holds of a state from their documents.
fn stored(ledger: &MemoryLedger) -> BTreeMap<String, Map<String, Value>> {
    let document = |hold: Hold| match serde_json::to_value(&hold).unwrap() {
        Value::Object(fields) => (hold.id.to_string(), fields),
        _ => unreachable!(),
    };
    index::all(&ledger.documents).unwrap().into_iter().map(document).collect()
}

/// The threads and messages of a state as their documents say them.
fn spoken(ledger: &MemoryLedger) -> thread_events::Folded {
    let mut spoken = thread_events::Folded::default();
    for thread in ledger.threads() {
        let id = thread.id.to_string();
        spoken.threads.insert(id, object(&thread));
        for message in thread_index::messages_of(&ledger.documents, &thread.id).unwrap() {
            let found = thread_index::message(&ledger.documents, &thread.id, &message).unwrap();
            let message = found.and_then(thread_index::Found::whole).unwrap();
            spoken.messages.insert(message.id.to_string(), object(&message));
        }
    }
    spoken.unread = unread(ledger).into_iter().collect();
    spoken
}

fn object(document: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(document).unwrap() {
        Value::Object(fields) => fields,
        _ => unreachable!(),
    }
}

/// Finds the hold of the old holder that contradicts an acknowledgement.
fn untrue(ledger: &MemoryLedger, event: &Event) -> Option<Hold> {
    if !matches!(event.kind.as_str(), "answered" | "taken") {
        return None;
    }
    let mut data = event.data.clone();
    data.shift_remove("audit");
    let thread: Thread = serde_json::from_value(data.into()).unwrap();
    let asked = thread.asked.unwrap();
    let (agent, now) = (&thread.opened_by, ledger.at);
    let by = Asker::exclusive(agent, now);
    let all = index::all(&ledger.documents).unwrap();
    all.into_iter().find(|hold| {
        let held = hold.target.reach(ledger.case);
        let meets = asked.targets().iter().any(|target| target.reach(ledger.case).meets(&held));
        hold.holder == asked.holder && by.is_blocked_by(hold) && meets
    })
}

/// Finds the pin of an open request that no hold of its holder matches.
fn dangling(ledger: &MemoryLedger, thread: &Thread) -> Option<String> {
    let Wanted { holder, pinned, .. } = thread.open()?;
    let is_there = |hold: Option<Hold>| hold.is_some_and(|hold| hold.holder == *holder);
    let find = |id| index::by_id(&ledger.documents, id).unwrap();
    pinned.iter().find(|id| !is_there(find(id))).map(ToString::to_string)
}

/// Lists the holds that a rollback restores: those bound to a process end with it.
fn holds_of(ledger: &MemoryLedger) -> Vec<(String, String, &'static str)> {
    let mut holds: Vec<_> = index::all(&ledger.documents)
        .unwrap()
        .into_iter()
        .filter(|hold| hold.is_live(ledger.at) && hold.process.is_none())
        .map(|hold| (hold.holder.to_string(), hold.target.shown(), hold.mode.name()))
        .collect();
    holds.sort();
    holds
}

/// 8/SHARED-IS-SHARED: an edit under a shared hold that goes with a process gets no exclusive hold
/// of its own, which would stand against the others who share the path.
#[test]
fn an_edit_beside_a_shared_process_stays_shared() {
    let number_of = |text: &str| PATTERNS.iter().position(|pattern| *pattern == text).unwrap();
    let reserve = |pattern: usize, process| Deed::Reserve {
        patterns: vec![pattern],
        locks: Vec::new(),
        shared: true,
        ttl: 60,
        each: false,
        request: None,
        process,
    };
    let deeds = [
        (1, reserve(number_of("docs/x.md"), None)),
        (2, reserve(number_of("**"), Some(0))),
        (2, Deed::Edit { pattern: number_of("docs/x.md"), ttl: 60, worktree: None }),
    ];
    let mut ledger = MemoryLedger::new(Case::Sensitive);
    for (number, (agent, deed)) in deeds.into_iter().enumerate() {
        let step = Step { agent, seconds_later: 0, is_alone: false, deed };
        let asked = ledger.ask(&step).unwrap();
        ledger.transact(&asked, || format!("{number:040x}").parse().unwrap());
        let faults = laws::faults(&ledger.documents, ledger.at, ledger.case).unwrap();
        assert!(faults.is_empty(), "{faults:?}");
    }
    assert_eq!(holds_of(&ledger), [("ann/x".to_owned(), "docs/x.md".to_owned(), "shared")]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// 1/C1, 1/H1, 1/H3, 1/ARCH-3, 3/CONCURRENT, 3/GAPS-1: no two live holds of strangers overlap
    /// unless both are shared, the tree is a function of the documents, every change has its event,
    /// the events alone lead to the same state, and no acknowledgement is untrue.
    #[test]
    fn laws_hold_after_every_step(steps in steps(30)) {
        let mut ledger = MemoryLedger::new(Case::Sensitive);
        let mut folded = BTreeMap::new();
        let mut said = thread_events::Folded::default();
        let mut seen = 0;
        for step in &steps {
            let Some(asked) = ledger.ask(step) else { continue };
            let fences_before = fences(&ledger);
            let is_held_up = is_held_up(&ledger, &asked);
            let ended = ended(&ledger, &asked);
            let number = ledger.history.len();
            let outcome = ledger.transact(&asked, || format!("{number:040x}").parse().unwrap());
            let mut faults = laws::faults(&ledger.documents, ledger.at, ledger.case).unwrap();
            faults.extend(promises::faults(&ledger.documents, ledger.at).unwrap());
            prop_assert!(faults.is_empty(), "{faults:?} after {asked:?}", asked = asked.command);
            for event in &ledger.events[seen..] {
                events::fold(&mut folded, event);
                thread_events::fold(&mut said, event);
                prop_assert_eq!(untrue(&ledger, event), None, "{:?}", asked.command);
            }
            let news: Vec<&Event> = ledger.events[seen..].iter().collect();
            let has = |kind: &str| news.iter().any(|event| event.kind == kind);
            prop_assert!(!(is_held_up && has("granted")), "its turn has not come: {:?}", news);
            for event in news.iter().filter(|event| event.kind == "expired") {
                let subject = event.subject.as_deref().unwrap();
                prop_assert!(ended.contains(subject), "1/SAFETY-2-live: it lives: {event:?}");
            }
            seen = ledger.events.len();
            prop_assert_eq!(&folded, &stored(&ledger), "events against documents");
            prop_assert_eq!(&said, &spoken(&ledger), "events against threads and messages");
            for thread in ledger.threads() {
                prop_assert_eq!(dangling(&ledger, &thread), None, "{:?}", asked.command);
            }
            prop_assert!(outcome == "done" || fences_before == fences(&ledger));
        }
    }

    /// Rollback restores: right after any step, going back to the entry before it gives the holds
    /// that were live then and still would be.
    #[test]
    fn rollback_restores(steps in steps(20)) {
        let mut ledger = MemoryLedger::new(Case::Sensitive);
        for step in &steps {
            let Some(asked) = ledger.ask(step) else { continue };
            let before = holds_of(&ledger);
            let number = ledger.history.len();
            let outcome = ledger.transact(&asked, || format!("{number:040x}").parse().unwrap());
            // Without an entry there is nothing to undo; with a passing of time, holds end.
            let no_time_passed = number > 0 && asked.clock == ledger.times[number - 1];
            if outcome != "done" || !no_time_passed {
                continue;
            }
            let back = rollback_by(&mut ledger, 1);
            let number = ledger.history.len();
            ledger.transact(&back, || format!("{number:040x}").parse().unwrap());
            prop_assert_eq!(&before, &holds_of(&ledger), "undoing {:?}", asked.command);
        }
    }
}

/// Tells whether a caller that would wait has to, because an earlier waiter wants the same.
fn is_held_up(ledger: &MemoryLedger, asked: &Asked) -> bool {
    let Command::Reserve(Reserve { wait: Some(wait), patterns, locks, mode, .. }) = &asked.command
    else {
        return false;
    };
    let now = asked.clock.max(ledger.at);
    let all = tickets::all(&ledger.documents).unwrap();
    let own = all.iter().find(|it| Some(&it.id) == wait.ticket.as_ref() && it.agent == asked.actor);
    let place = own.map_or(u64::MAX, |ticket| ticket.place);
    let meets = |one: &Pattern, other: &Pattern| {
        one.matcher(Case::Sensitive).overlaps(&other.matcher(Case::Sensitive))
    };
    all.iter().any(|other| {
        let wants_same = other.locks.iter().any(|lock| locks.contains(lock))
            || other.patterns.iter().any(|one| patterns.iter().any(|two| meets(one, two)));
        let is_there = now < other.until && !asked.gone.tickets.contains(&other.id);
        let both_shared = other.mode == Mode::Shared && *mode == Mode::Shared;
        let is_stranger = !other.agent.is_one_with(&asked.actor);
        wants_same && is_there && !both_shared && is_stranger && other.place < place
    })
}

/// Lists the ids of the holds that have ended: by time, or with a process that is known to be gone.
fn ended(ledger: &MemoryLedger, asked: &Asked) -> BTreeSet<String> {
    let now = asked.clock.max(ledger.at);
    let gone = |hold: &Hold| asked.gone.holds.iter().any(|gone| gone.id == hold.id);
    let holds = index::all(&ledger.documents).unwrap().into_iter();
    holds.filter(|it| !it.is_live(now) || gone(it)).map(|it| it.id.to_string()).collect()
}

fn fences(ledger: &MemoryLedger) -> Vec<u64> {
    index::all(&ledger.documents).unwrap().iter().map(|hold| hold.fence).collect()
}

/// 1/ARCH-2: an id that is taken is noticed inside the decision, and another one is derived.
#[test]
fn an_id_that_is_taken_is_not_given_again() {
    let mut ledger = MemoryLedger::new(Case::Sensitive);
    let first = reserving(&mut ledger, "docs");
    let mut second = reserving(&mut ledger, "src/a");
    second.op = first.op.clone();
    for (number, asked) in [first, second].iter().enumerate() {
        ledger.transact(asked, || format!("{number:040x}").parse().unwrap());
    }
    let held: Vec<String> = holds_of(&ledger).into_iter().map(|(_, pattern, _)| pattern).collect();
    assert_eq!(held, ["docs", "src/a"]);
    assert_eq!(stored(&ledger).len(), 2, "two ids");
}

/// A rollback leaves a whole tree, whatever it found: links without a hold, holds without a link,
/// links that say something else. Each is an event.
#[test]
fn a_rollback_mends_the_tree() {
    for damage in 0..3 {
        let mut ledger = MemoryLedger::new(Case::Sensitive);
        for (number, pattern) in ["docs", "src/a"].into_iter().enumerate() {
            let asked = reserving(&mut ledger, pattern);
            ledger.transact(&asked, || format!("{number:040x}").parse().unwrap());
        }
        let holds = index::all(&ledger.documents).unwrap();
        let docs = holds.iter().find(|hold| hold.target.shown() == "docs").unwrap();
        let source = holds.iter().find(|hold| hold.target.shown() == "src/a").unwrap();
        let [id, _, _] = index::keys(source, ledger.case);
        let [_, holder, path] = index::keys(docs, ledger.case);
        match damage {
            0 => drop(ledger.documents.remove(&id)),
            1 => drop(ledger.documents.remove(&holder)),
            _ => drop(ledger.documents.insert(path, b"{ no json".to_vec())),
        }
        let events_before = ledger.events.len();
        let back = rollback_by(&mut ledger, 1);
        assert_eq!(ledger.transact(&back, || format!("{:040x}", 9).parse().unwrap()), "done");
        assert!(ledger.events.len() > events_before);
        assert_eq!(laws::faults(&ledger.documents, ledger.at, ledger.case).unwrap(), []);
        let held: Vec<String> = holds_of(&ledger).into_iter().map(|hold| hold.1).collect();
        assert_eq!(held, ["docs"], "damage {damage}");
    }
}

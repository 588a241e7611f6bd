//! Laws of `undo` after any sequence of commands, in memory.

use std::collections::{BTreeMap, BTreeSet};

use git_coord::core::documents::Key;
use git_coord::core::event::Event;
use git_coord::core::ids::{AgentName, HoldId, OpId};
use git_coord::core::pattern::Case;
use git_coord::core::reservation::process::Gone;
use git_coord::core::reservation::undo::{Change, Undo, Verdict, changed, verdict};
use git_coord::core::reservation::{Hold, events, index, laws};
use proptest::prelude::*;

use crate::scenario::{Asked, MemoryLedger, Step, steps};

type Documents = BTreeMap<Key, Vec<u8>>;

/// An act that an agent may take back.
struct Deed {
    actor: AgentName,
    changes: Vec<Change>,
}

impl Deed {
    /// Collects what an act has changed, as the program does for an entry.
    fn of(asked: &Asked, before: &Documents, after: &Documents, events: &[Event]) -> Option<Deed> {
        if verdict(&asked.command, events) != Verdict::Undoable {
            return None;
        }
        let read = |documents: &Documents, id: &HoldId| index::by_id(documents, id).unwrap();
        let change = |id: HoldId| Change { before: read(before, &id), after: read(after, &id) };
        let mut changes: Vec<Change> = changed(events).into_iter().map(change).collect();
        changes.retain(|change| !change.is_of_process());
        (!changes.is_empty()).then(|| Deed { actor: asked.actor.clone(), changes })
    }

    /// Tells whether a hold was given to another agent by the act.
    fn gave(&self, id: &HoldId) -> bool {
        self.changes.iter().any(|change| change.before.as_ref().is_some_and(|hold| hold.id == *id))
    }

    fn taken_back(&self, ledger: &MemoryLedger) -> Asked {
        let act = OpId::from_bits(1);
        let undo = Undo { act, changes: self.changes.clone(), reason: None };
        Asked {
            actor: self.actor.clone(),
            clock: ledger.at,
            op: OpId::from_bits(u128::MAX / 2 - ledger.history.len() as u128),
            command: undo.into(),
            gone: Gone::NOTHING,
        }
    }
}

fn act(ledger: &mut MemoryLedger, asked: &Asked) -> &'static str {
    let number = ledger.history.len();
    ledger.transact(asked, || format!("{number:040x}").parse().unwrap())
}

/// Lists the live holds that do not go with a process, without their fences.
fn rights(ledger: &MemoryLedger) -> Vec<Hold> {
    let holds = index::all(&ledger.documents).unwrap().into_iter();
    let live = holds.filter(|hold| hold.is_live(ledger.at) && hold.process.is_none());
    let mut rights: Vec<Hold> = live.map(|hold| Hold { fence: 0, shell: None, ..hold }).collect();
    rights.sort_by(|one, other| one.id.cmp(&other.id));
    rights
}

fn runs_commands(ledger: &MemoryLedger) -> bool {
    let holds = index::all(&ledger.documents).unwrap();
    holds.iter().any(|hold| hold.is_live(ledger.at) && hold.process.is_some())
}

fn fences(ledger: &MemoryLedger) -> BTreeSet<u64> {
    index::all(&ledger.documents).unwrap().iter().map(|hold| hold.fence).collect()
}

/// Plays a step, and returns the act if it can be taken back.
fn play(ledger: &mut MemoryLedger, step: &Step) -> Option<Deed> {
    let asked = ledger.ask(step)?;
    let (before, seen) = (ledger.documents.clone(), ledger.events.len());
    if act(ledger, &asked) != "done" {
        return None;
    }
    Deed::of(&asked, &before, &ledger.documents, &ledger.events[seen..])
}

fn check_laws(ledger: &MemoryLedger, folded: &BTreeSet<String>) -> Result<(), TestCaseError> {
    let faults = laws::faults(&ledger.documents, ledger.at, ledger.case).unwrap();
    prop_assert!(faults.is_empty(), "{faults:?}");
    let stored = index::all(&ledger.documents).unwrap();
    let stored: BTreeSet<String> = stored.iter().map(|hold| hold.id.to_string()).collect();
    prop_assert_eq!(&stored, folded, "events against documents");
    Ok(())
}

fn folded(ledger: &MemoryLedger) -> BTreeSet<String> {
    let mut holds = BTreeMap::new();
    ledger.events.iter().for_each(|event| events::fold(&mut holds, event));
    holds.into_keys().collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// 1/UNDO: right after an act, its undo gives every right that was there before, and no other.
    /// It may be refused only because of a hold under which a command runs: that excludes every
    /// other, also one of the same agent.
    #[test]
    fn undo_restores(steps in steps(25)) {
        let mut ledger = MemoryLedger::new(Case::Sensitive);
        for step in &steps {
            let at = ledger.at;
            let before = rights(&ledger);
            let Some(deed) = play(&mut ledger, step) else { continue };
            // Meanwhile, holds end: with time, and with the sessions that are known to be over.
            if ledger.at != at || step.is_alone {
                continue;
            }
            let seen = fences(&ledger);
            let undo = deed.taken_back(&ledger);
            let answer = act(&mut ledger, &undo);
            if answer == "held" && runs_commands(&ledger) {
                continue;
            }
            prop_assert_eq!(answer, "done", "{:?}", step);
            prop_assert_eq!(rights(&ledger), before, "undoing {:?}", step);
            let newest = seen.iter().max().copied().unwrap_or_default();
            let is_new = |fence: &&u64| **fence > newest || seen.contains(*fence);
            prop_assert!(fences(&ledger).iter().all(|fence| is_new(&fence)), "fences only grow");
            check_laws(&ledger, &folded(&ledger))?;
        }
    }

    /// 1/UNDO: an undo at any later time keeps every law, and ends no hold of a stranger but one
    /// that the act itself gave away. A refused one changes nothing.
    #[test]
    fn a_late_undo_hurts_nobody(steps in steps(25), which in any::<prop::sample::Index>()) {
        let mut ledger = MemoryLedger::new(Case::Sensitive);
        let deeds: Vec<Deed> = steps.iter().filter_map(|step| play(&mut ledger, step)).collect();
        prop_assume!(!deeds.is_empty());
        let deed = &deeds[which.index(deeds.len())];
        let (before, documents) = (rights(&ledger), ledger.documents.clone());
        let undo = deed.taken_back(&ledger);
        if act(&mut ledger, &undo) != "done" {
            prop_assert_eq!(&ledger.documents, &documents);
            return Ok(());
        }
        check_laws(&ledger, &folded(&ledger))?;
        let after = rights(&ledger);
        let is_strange = |hold: &&Hold| !deed.actor.covers(&hold.holder) && !deed.gave(&hold.id);
        for hold in before.iter().filter(is_strange) {
            prop_assert!(after.contains(hold), "{hold:?}");
        }
        let again = deed.taken_back(&ledger);
        let now = ledger.documents.clone();
        if act(&mut ledger, &again) != "done" {
            prop_assert_eq!(&ledger.documents, &now);
        }
        check_laws(&ledger, &folded(&ledger))?;
    }
}

//! Laws that every state keeps, after any sequence of commands about overrides.

use std::collections::BTreeMap;

use git_coord::core::command::Command;
use git_coord::core::ids::OpId;
use git_coord::core::routing::{events, index, laws};
use proptest::prelude::*;
use serde_json::Value;

use super::scenario::{Ledger, Memory, steps};

/// Replays the documents from the events.
fn told(documents: &Memory) -> BTreeMap<String, Value> {
    let document = |(key, bytes): (&_, &Vec<u8>)| {
        let key: &git_coord::core::documents::Key = key;
        (key.as_str().to_owned(), serde_json::from_slice(bytes).unwrap())
    };
    documents.iter().map(document).collect()
}

/// 0/RACE-01: every record in force names an entry whose tree holds its override in force.
fn names_its_entry(ledger: &Ledger) -> Result<(), TestCaseError> {
    for record in index::modifications(&ledger.documents).unwrap() {
        if !record.is_applied() {
            continue;
        }
        let is_its = |(op, _): &&(OpId, Memory)| *op == record.op;
        let (_, state) = ledger.history.iter().find(is_its).expect("an entry of that act");
        if record.target.as_str().starts_with("overrides/") {
            let held = index::override_of(state, &record.agent).unwrap();
            prop_assert!(held.is_some_and(|entry| entry.is_in_force()), "{record:?}");
        }
    }
    Ok(())
}

/// 0/RACE-02: who did not see the override that is there by now writes nothing, whatever its
/// reason; who did see it updates it; who saw one that is gone is told so.
#[test]
fn an_apply_knows_what_its_asker_saw() {
    let mut ledger = Ledger::default();
    let apply = |reason: &str, seen: Option<&str>| {
        let mut input = serde_json::json!({ "agent": "fd-a", "reason": reason, "source": "human" });
        if let Some(seen) = seen {
            input["seen"] = seen.into();
        }
        serde_json::json!({ "command": "override apply", "input": input })
    };
    let first = ledger.asked(apply("one", None));
    let changes = ledger.decided(&first).unwrap().expect("an entry");
    ledger.write(&first, &changes);
    let blind = ledger.asked(apply("two", None));
    assert_eq!(ledger.decided(&blind), Ok(None));
    let stale = ledger.asked(apply("two", Some("zzzzzzzz")));
    assert_eq!(ledger.decided(&stale), Ok(None), "another one than the asker saw");
    let record = index::modifications(&ledger.documents).unwrap()[0].id.to_string();
    let seeing = ledger.asked(apply("two", Some(&record)));
    let changes = ledger.decided(&seeing).unwrap().expect("an update");
    assert_eq!(changes.events[0].kind, "updated");
    let mut empty = Ledger::default();
    let gone = empty.asked(apply("two", Some(&record)));
    assert_eq!(empty.decided(&gone), Err("withdrawn".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// 0/RACE-01, 0/DATA-02, 0/DATA-03: the laws hold after every step, at most one trial of an
    /// agent goes on, records name their entries, and the events alone lead to the same state.
    #[test]
    fn laws_hold_after_every_step(steps in steps(40)) {
        let mut ledger = Ledger::default();
        let mut folded = BTreeMap::new();
        for step in &steps {
            let Some(asked) = ledger.ask(step) else { continue };
            let first = ledger.decided(&asked);
            prop_assert_eq!(&first, &ledger.decided(&asked), "a decision is a function");
            let Ok(Some(changes)) = first else { continue };
            ledger.write(&asked, &changes);
            let faults = laws::faults(&ledger.documents).unwrap();
            prop_assert!(faults.is_empty(), "{:?} after {:?}", faults, asked.command);
            names_its_entry(&ledger)?;
            for event in &changes.events {
                events::fold(&mut folded, event);
            }
            if matches!(asked.command, Command::Rollback(_)) {
                // A rollback says where to, not what.
                folded = told(&ledger.documents);
            }
            prop_assert_eq!(&folded, &told(&ledger.documents), "after {:?}", asked.command);
        }
    }

    /// Deciding the same again changes nothing; only evidence is one row more each time.
    #[test]
    fn twice_is_once(steps in steps(40)) {
        let mut ledger = Ledger::default();
        for step in &steps {
            let Some(mut asked) = ledger.ask(step) else { continue };
            let Ok(Some(changes)) = ledger.decided(&asked) else { continue };
            ledger.write(&asked, &changes);
            asked.op = OpId::from_bits(u128::MAX - ledger.history.len() as u128);
            let again = ledger.decided(&asked);
            let is_evidence = matches!(asked.command, Command::AddEvidence(_));
            let changes = again.ok().flatten();
            prop_assert_eq!(changes.is_some(), is_evidence, "{:?}", asked.command);
        }
    }

    /// Undo is exact: a rollback to the entry before gives its documents back, evidence aside.
    #[test]
    fn a_rollback_restores(steps in steps(30)) {
        let mut ledger = Ledger::default();
        let ours = |documents: &Memory| -> Memory {
            let kept = documents.iter().filter(|(key, _)| !index::is_append_only(key));
            kept.map(|(key, bytes)| (key.clone(), bytes.clone())).collect()
        };
        for step in &steps {
            let Some(asked) = ledger.ask(step) else { continue };
            if let Ok(Some(changes)) = ledger.decided(&asked) {
                ledger.write(&asked, &changes);
                if matches!(asked.command, Command::Rollback(_)) {
                    let to = asked.command.reads_entry().unwrap().as_str();
                    let place = usize::from_str_radix(to, 16).unwrap();
                    prop_assert_eq!(ours(&ledger.documents), ours(&ledger.history[place].1));
                }
            }
        }
    }
}

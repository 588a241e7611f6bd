use std::collections::BTreeMap;

use super::*;
use crate::core::command::decide;
use crate::core::documents::{Documents, Key, apply, encode};
use crate::core::domain::cache::Cache;
use crate::core::domain::classify::{Classify, Declassify};
use crate::core::domain::confidence::Confidence;
use crate::core::domain::freshness::{Reason, Verdict, judge};
use crate::core::domain::laws::faults;
use crate::core::domain::structure::Basis;
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::refusal::Refusal as AnyRefusal;
use crate::core::reservation::process::Gone;
use crate::core::time::Timestamp;

type Memory = BTreeMap<Key, Vec<u8>>;

const LIST: &str = "00000000aaaa";

fn structure(manifest: &str) -> Structure {
    let manifests = BTreeMap::from([("Cargo.toml".to_owned(), manifest.to_owned())]);
    Structure { manifests, ..Structure::default() }
}

fn command(manifest: &str, list: &str, after: Option<&Recorded>) -> Detect {
    let structure = structure(manifest);
    Detect {
        after: after.map(|before| before.detected.op.clone()),
        domains: Vec::new(),
        fingerprint: structure.fingerprint(list),
        structure,
        cut_short: false,
        head: None,
        force: false,
    }
}

fn act<C: Decide>(memory: &mut Memory, op: u128, command: &C) -> Result<C::Answer, No> {
    let env = Env {
        ledger: LedgerName::Domains,
        actor: &"ada".parse().unwrap(),
        host: &Line::new("host").unwrap(),
        now: Timestamp::from_millis(1_767_607_200_000 + i64::try_from(op).unwrap()),
        op: &OpId::from_bits(op),
        fence: 0,
        case: Case::Sensitive,
        gone: &Gone::NOTHING,
        earlier: None,
    };
    let decided = decide(command, memory, env)?;
    if let Some(changes) = &decided.changes {
        apply(memory, &changes.edits);
    }
    assert_eq!(faults(memory).unwrap(), []);
    Ok(decided.answer)
}

fn basis(list: &str) -> Basis {
    structure("").fingerprint(list).basis()
}

/// 2/P0-1-writer: whoever began before another has ended is out of date, whichever wrote first.
#[test]
fn a_detection_that_was_overtaken_is_refused() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let newer = act(&mut memory, 2, &command("three", LIST, Some(&first))).unwrap();
    let older = act(&mut memory, 3, &command("two", LIST, Some(&first))).unwrap_err();
    assert!(matches!(older, No::Refused(AnyRefusal::Domain(Refusal::OutOfDate))), "{older:?}");
    let cache = Cache::read(&memory, &basis(LIST)).unwrap();
    assert_eq!(cache.own.unwrap(), newer.detected);
    // Who began before there was anything is out of date as well.
    assert!(act(&mut memory, 4, &command("two", LIST, None)).is_err());
}

#[test]
fn what_says_nothing_new_is_not_written_unless_it_must_be() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let again = act(&mut memory, 2, &command("one", LIST, None)).unwrap();
    assert!(first.is_new && !again.is_new);
    assert_eq!(again.detected, first.detected);
    let forced = Detect { force: true, ..command("one", LIST, Some(&first)) };
    assert!(act(&mut memory, 3, &forced).unwrap().is_new);
}

/// 2/P1-3-format, 2/P1-2-upgrade: two programs with two lists do not take turns.
#[test]
fn every_list_has_its_own_answer() {
    let mut memory = Memory::new();
    let (old, new) = (LIST, "00000000bbbb");
    act(&mut memory, 1, &command("one", old, None)).unwrap();
    let seen = Cache::read(&memory, &basis(new)).unwrap();
    let verdict = judge(&seen, &structure("one"), &basis(new));
    let reason = Reason::List { was: old.to_owned(), is: new.to_owned() };
    assert_eq!(verdict, Verdict::Stale(vec![reason]), "2/P1-2: with that reason");
    act(&mut memory, 2, &command("one", new, None)).unwrap();
    for list in [old, new] {
        let seen = Cache::read(&memory, &basis(list)).unwrap();
        let verdict = judge(&seen, &structure("one"), &basis(list));
        assert_eq!(verdict, Verdict::NoDomain, "{list}: fresh, and of no known kind");
    }
}

/// 2/P1-2: another algorithm is a reason of its own.
#[test]
fn another_algorithm_is_named() {
    let mut memory = Memory::new();
    act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let later = Basis { algorithm: 2, ..basis(LIST) };
    let seen = Cache::read(&memory, &later).unwrap();
    let verdict = judge(&seen, &structure("one"), &later);
    assert_eq!(verdict, Verdict::Stale(vec![Reason::Algorithm { was: 1, is: 2 }]));
}

#[test]
fn only_so_many_lists_are_kept_and_the_oldest_goes() {
    let mut memory = Memory::new();
    for number in 0..6u128 {
        let list = format!("{number:012}");
        act(&mut memory, number + 1, &command("one", &list, None)).unwrap();
    }
    let kept: Vec<String> =
        cache::bases(&memory).unwrap().into_iter().map(|basis| basis.list).collect();
    let expected: Vec<String> = (2..6).map(|number| format!("{number:012}")).collect();
    assert_eq!(kept, expected);
}

/// 2/P1-3-format: fields of a later version survive, in what is detected and what is classified.
#[test]
fn fields_of_a_later_version_survive() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let key = detected_key(&basis(LIST));
    let mut value = serde_json::to_value(&first.detected).unwrap();
    value["of_a_later_version"] = json!([1, 2]);
    memory.insert(key.clone(), encode(&value));
    act(&mut memory, 2, &command("two", LIST, Some(&first))).unwrap();
    let after: serde_json::Value = serde_json::from_slice(&memory[&key]).unwrap();
    assert_eq!(after["of_a_later_version"], json!([1, 2]));
    assert_eq!(after["structure"]["manifests"]["Cargo.toml"], "two");
}

/// 2/IMP-3: a damaged document is replaced, and the event says so.
#[test]
fn a_damaged_document_is_replaced() {
    let mut memory = Memory::new();
    act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    memory.insert(detected_key(&basis(LIST)), b"{".to_vec());
    assert_eq!(faults(&memory).unwrap().len(), 1);
    assert!(act(&mut memory, 2, &command("one", LIST, None)).unwrap().is_new);
    // A classification that says nothing goes as well, also where nothing else is new.
    memory.insert(classified_key(), b"[".to_vec());
    assert!(Cache::read(&memory, &basis(LIST)).is_err());
    act(&mut memory, 3, &command("one", LIST, None)).unwrap();
    assert!(Cache::read(&memory, &basis(LIST)).is_ok());
}

#[test]
fn a_classification_goes_before_what_is_detected_and_is_taken_back() {
    let mut memory = Memory::new();
    let line = |text: &str| Line::new(text).unwrap();
    let set = Classify {
        domains: vec!["web-api".parse().unwrap(), "web-api".parse().unwrap()],
        source: line("human"),
        reason: line("I know it"),
        confidence: Confidence::FULL,
    };
    let classified: Classified = act(&mut memory, 1, &set).unwrap();
    assert_eq!(classified.domains.len(), 1, "what is named twice counts once");
    act(&mut memory, 2, &command("one", LIST, None)).unwrap();
    let cache = Cache::read(&memory, &basis(LIST)).unwrap();
    assert_eq!(cache.domains()[0].name.as_str(), "web-api");
    assert_eq!(judge(&cache, &structure("other"), &basis(LIST)), Verdict::Fresh);
    let clear = Declassify { reason: line("no more") };
    act(&mut memory, 3, &clear).unwrap();
    assert!(act(&mut memory, 4, &clear).is_err(), "there is nothing to take back");
    assert_eq!(Documents::get(&memory, &classified_key()).unwrap(), None);
}

#[test]
fn a_state_that_breaks_a_law_is_named() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let key = detected_key(&basis(LIST));
    let told = |detected: &Detected| {
        let state = Memory::from([(key.clone(), encode(detected))]);
        faults(&state).unwrap().into_iter().map(|fault| fault.what).collect::<Vec<_>>().join(", ")
    };
    let mut other = first.detected.clone();
    other.structure = structure("forged");
    assert!(told(&other).contains("not that of its structure"));
    let mut elsewhere = first.detected.clone();
    elsewhere.fingerprint = structure("one").fingerprint("00000000cccc");
    assert!(told(&elsewhere).contains("another list"));
    let mut twice = first.detected;
    let found = |primary| Found {
        name: "x".parse().unwrap(),
        confidence: Confidence::FULL,
        primary,
        paths: Vec::new(),
        signals: Vec::new(),
    };
    twice.domains = vec![found(true), found(true)];
    assert!(told(&twice).contains("primary"));
}

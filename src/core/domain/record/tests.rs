use std::collections::BTreeMap;

use super::*;
use crate::core::command::decide;
use crate::core::decision::RULES;
use crate::core::documents::{Documents, Key, apply, encode};
use crate::core::domain::cache::Cache;
use crate::core::domain::classify::{Classify, Declassify};
use crate::core::domain::confidence::Confidence;
use crate::core::domain::freshness::{Reason, Verdict, judge};
use crate::core::domain::laws::faults;
use crate::core::domain::structure::Basis;
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::place::Skew;
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
        rules: RULES,
        actor: &"ada".parse().unwrap(),
        host: &Line::new("host").unwrap(),
        now: Timestamp::from_millis(1_767_607_200_000 + i64::try_from(op).unwrap()),
        before: None,
        leap: None,
        skew: Skew::default(),
        before_by: None,
        asked_at: None,
        last: None,
        place: None,
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

/// What a reader sees whose tree has that manifest.
fn seen(memory: &Memory, manifest: &str, list: &str) -> Cache {
    Cache::read(memory, &basis(list), &structure(manifest)).unwrap()
}

fn verdict(memory: &Memory, manifest: &str, list: &str) -> Verdict {
    judge(&seen(memory, manifest, list), &structure(manifest), &basis(list))
}

/// 2/P0-1-writer: whoever began before another has ended is out of date, whichever wrote first.
#[test]
fn a_detection_that_was_overtaken_is_refused() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let newer = act(&mut memory, 2, &command("three", LIST, Some(&first))).unwrap();
    let older = act(&mut memory, 3, &command("two", LIST, Some(&first))).unwrap_err();
    assert!(matches!(older, No::Refused(AnyRefusal::Domain(Refusal::OutOfDate))), "{older:?}");
    assert_eq!(seen(&memory, "three", LIST).exact.unwrap(), newer.detected);
    assert_eq!(seen(&memory, "two", LIST).exact, None);
    // A detection that began before the first answer is out of date too.
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
    let reason = Reason::List { was: old.to_owned(), is: new.to_owned() };
    assert_eq!(verdict(&memory, "one", new), Verdict::Stale(vec![reason]), "2/P1-2: with a reason");
    act(&mut memory, 2, &command("one", new, None)).unwrap();
    for list in [old, new] {
        assert_eq!(verdict(&memory, "one", list), Verdict::NoDomain, "{list}: fresh, of no kind");
    }
}

/// 2/P1-2: another algorithm is a reason of its own.
#[test]
fn another_algorithm_is_named() {
    let mut memory = Memory::new();
    act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let later = Basis { algorithm: 2, ..basis(LIST) };
    let seen = Cache::read(&memory, &later, &structure("one")).unwrap();
    let verdict = judge(&seen, &structure("one"), &later);
    assert_eq!(verdict, Verdict::Stale(vec![Reason::Algorithm { was: 1, is: 2 }]));
}

/// Trees that differ each have their own answer, and none makes another's stale.
#[test]
fn every_structure_has_its_own_answer() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    act(&mut memory, 2, &command("two", LIST, Some(&first))).unwrap();
    for manifest in ["one", "two"] {
        assert_eq!(verdict(&memory, manifest, LIST), Verdict::NoDomain, "{manifest}");
    }
    let changed = Reason::ManifestChanged { path: "Cargo.toml".to_owned() };
    assert_eq!(verdict(&memory, "three", LIST), Verdict::Stale(vec![changed]));
    let near = seen(&memory, "three", LIST).nearest.unwrap();
    assert_eq!(near.structure, structure("two"), "of two that are equally near the newest");
}

#[test]
fn only_so_many_answers_are_kept_and_the_first_goes() {
    let mut memory = Memory::new();
    let mut last: Option<Recorded> = None;
    for number in 0..ANSWERS_KEPT_MAX as u128 + 2 {
        let manifest = number.to_string();
        let recorded = act(&mut memory, number + 1, &command(&manifest, LIST, last.as_ref()));
        last = Some(recorded.unwrap());
    }
    assert_eq!(cache::answers(&memory).unwrap().len(), ANSWERS_KEPT_MAX);
    assert_eq!(seen(&memory, "1", LIST).exact, None);
    assert!(seen(&memory, "2", LIST).exact.is_some());
    // Another list makes room in the same place, and is not driven out by its own age.
    act(&mut memory, 99, &command("0", "00000000bbbb", None)).unwrap();
    assert_eq!(cache::answers(&memory).unwrap().len(), ANSWERS_KEPT_MAX);
    assert_eq!(seen(&memory, "2", LIST).exact, None);
}

/// 2/P1-3-format: fields of a later version survive, in what is detected and what is classified.
#[test]
fn fields_of_a_later_version_survive() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let key = detected_key(&first.detected.fingerprint);
    let mut value = serde_json::to_value(&first.detected).unwrap();
    value["of_a_later_version"] = json!([1, 2]);
    memory.insert(key.clone(), encode(&value));
    let again = Detect { force: true, ..command("one", LIST, Some(&first)) };
    let again = act(&mut memory, 2, &again).unwrap();
    act(&mut memory, 3, &command("two", LIST, Some(&again))).unwrap();
    let after: serde_json::Value = serde_json::from_slice(&memory[&key]).unwrap();
    assert_eq!(after["of_a_later_version"], json!([1, 2]));
    assert_eq!(after["number"], 2, "it was written anew");
}

/// 2/IMP-3: a damaged document is replaced, and the event says so.
#[test]
fn a_damaged_document_is_replaced() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    memory.insert(detected_key(&first.detected.fingerprint), b"{".to_vec());
    assert_eq!(faults(&memory).unwrap().len(), 1);
    assert!(act(&mut memory, 2, &command("one", LIST, None)).unwrap().is_new);
    // A classification that says nothing goes as well, also where nothing else is new.
    memory.insert(classified_key(), b"[".to_vec());
    assert!(Cache::read(&memory, &basis(LIST), &structure("one")).is_err());
    let legible = Cache::read_legible(&memory, &basis(LIST), &structure("one")).unwrap();
    assert!(legible.exact.is_some() && legible.classified.is_none());
    act(&mut memory, 3, &command("one", LIST, None)).unwrap();
    seen(&memory, "one", LIST);
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
    assert_eq!(seen(&memory, "one", LIST).domains()[0].name.as_str(), "web-api");
    assert_eq!(verdict(&memory, "other", LIST), Verdict::Fresh);
    let clear = Declassify { reason: line("no more") };
    act(&mut memory, 3, &clear).unwrap();
    assert!(act(&mut memory, 4, &clear).is_err(), "there is nothing to take back");
    assert_eq!(Documents::get(&memory, &classified_key()).unwrap(), None);
}

#[test]
fn a_state_that_breaks_a_law_is_named() {
    let mut memory = Memory::new();
    let first = act(&mut memory, 1, &command("one", LIST, None)).unwrap();
    let key = detected_key(&first.detected.fingerprint);
    let told = |detected: &Detected| {
        let state = Memory::from([(key.clone(), encode(detected))]);
        faults(&state).unwrap().into_iter().map(|fault| fault.what).collect::<Vec<_>>().join(", ")
    };
    let mut other = first.detected.clone();
    other.structure = structure("forged");
    assert!(told(&other).contains("not that of its structure"));
    let mut elsewhere = first.detected.clone();
    elsewhere.fingerprint = structure("one").fingerprint("00000000cccc");
    assert!(told(&elsewhere).contains("another structure or list"));
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

//! Single cases, each shown in a few lines.

use serde_json::{Value, json};

use super::world::World;
use crate::core::documents::{Key, encode, read, walk};
use crate::core::limits::{DOCUMENT_BYTES_MAX, GATE_RULES_MAX, PHASES_MAX};
use crate::core::run::artifact::Artifact;
use crate::core::run::record::{self, Category, Outcome, Override, Record, Tier, signals};
use crate::core::run::set::Set;
use crate::core::run::{Standing, Status, index, laws};
use crate::core::text::Line;

const RUN: &str = "k3v9x2ab";

/// Changes every document below a directory as somebody else's program might have written it.
fn rewrite(world: &mut World, dir: &Key, change: impl Fn(&mut Value)) {
    for key in walk(&world.documents, dir).unwrap() {
        let mut value: Value = read(&world.documents, &key).unwrap().unwrap();
        change(&mut value);
        world.documents.insert(key, encode(&value));
    }
}

/// 4/INV-7, 4/INV-8: a document without a status counts, and unknown fields survive.
#[test]
fn documents_of_another_version_are_read_and_kept() {
    let mut world = World::new();
    world.create(RUN, &json!({}));
    world.act("run advance", &json!({ "run": RUN, "priority": 1 })).unwrap();
    world.act("run artifact add", &json!({ "run": RUN, "path": "a.md" })).unwrap();
    world.act("run dispatch add", &json!({ "run": RUN })).unwrap();
    world.act("run agent add", &json!({ "run": RUN, "name": "bob" })).unwrap();
    for root in [index::RUNS, index::ACTIVE] {
        rewrite(&mut world, &Key::of([root]), |document| {
            let Some(fields) = document.as_object_mut() else { return };
            if !fields.contains_key("tokens") {
                fields.remove("status");
            }
            fields.insert("of_a_later_version".to_owned(), json!({ "kept": [1, 2] }));
        });
    }
    assert_eq!(world.run(RUN).status, Status::Active);
    assert_eq!(laws::faults(&world.documents).unwrap(), []);
    let back = json!({ "run": RUN, "to": "draft", "reason": "again" });
    world.act("run rollback", &back).unwrap();
    assert_eq!(laws::faults(&world.documents).unwrap(), []);
    let run = world.run(RUN);
    let artifacts: Vec<Artifact> =
        index::all(&world.documents, &index::artifacts(&run, 1)).unwrap();
    assert_eq!(artifacts[0].status, Standing::RolledBack);
    for key in walk(&world.documents, &Key::of([index::RUNS])).unwrap() {
        let value: Value = read(&world.documents, &key).unwrap().unwrap();
        let is_new =
            ["visits/0002", "rollbacks/0001"].iter().any(|end| key.as_str().ends_with(end));
        assert_eq!(value["of_a_later_version"].is_object(), !is_new, "{key}");
    }
}

/// A setting of a budget that does not exist is refused on the state that would be written. An
/// entry of a program that did not record the need is decided as it was.
#[test]
fn a_run_without_a_budget_has_no_settings_of_one() {
    let mut world = World::new();
    world.create(RUN, &json!({ "complexity": 3 }));
    let set = |input: &Value| serde_json::from_value::<Set>(input.clone()).unwrap();
    for setting in [json!({ "warn_percent": 50 }), json!({ "enforced": true })] {
        let mut input = json!({ "run": RUN, "complexity": 5 });
        input.as_object_mut().unwrap().extend(setting.as_object().unwrap().clone());
        let refusal = world.transact(&set(&input).needing_its_budget()).unwrap_err();
        assert_eq!(refusal.code(), "no_budget");
    }
    assert_eq!(world.run(RUN).complexity, 3);
    let recorded = json!({ "run": RUN, "complexity": 5, "warn_percent": 50 });
    world.transact(&set(&recorded)).unwrap();
    assert_eq!((world.run(RUN).complexity, world.run(RUN).budget), (5, None));
    let brought = json!({ "run": RUN, "budget": 10, "enforced": true });
    world.transact(&set(&brought).needing_its_budget()).unwrap();
    world.transact(&set(&recorded).needing_its_budget()).unwrap();
    assert_eq!(world.run(RUN).budget.map(|budget| budget.warn_percent), Some(50));
}

/// An artifact whose id is taken by another one gets another id.
#[test]
fn a_name_that_is_taken_is_not_given_again() {
    let mut world = World::new();
    world.create(RUN, &json!({}));
    let add = json!({ "run": RUN, "path": "a.md" });
    world.act("run artifact add", &add).unwrap();
    let dir = index::artifacts(&world.run(RUN), 0);
    rewrite(&mut world, &dir, |artifact| artifact["path"] = json!("b.md"));
    world.act("run artifact add", &add).unwrap();
    world.act("run artifact add", &add).unwrap();
    let artifacts: Vec<Artifact> = index::all(&world.documents, &dir).unwrap();
    let mut paths: Vec<String> = artifacts.iter().map(|one| one.path.shown()).collect();
    paths.sort();
    assert_eq!(paths, ["a.md", "b.md"]);
}

/// A damaged document is reported, and the others are read.
#[test]
fn a_damaged_run_is_named_and_the_others_are_listed() {
    let mut world = World::new();
    world.create(RUN, &json!({}));
    world.create("m2p8q0cd", &json!({}));
    let key = index::header(&RUN.parse().unwrap());
    world.documents.insert(key, b"{ no json".to_vec());
    let runs = index::every_run(&world.documents).unwrap();
    assert_eq!((runs.found.len(), runs.damaged.len()), (1, 1));
    assert!(runs.damaged[0].to_string().contains(RUN), "{:?}", runs.damaged);
}

#[test]
fn signals_follow_from_what_gates_said() {
    let record = |step: u32, outcome: Outcome, category: Option<Category>, missed: bool| Record {
        step,
        from: "draft".parse().unwrap(),
        to: "review".parse().unwrap(),
        outcome,
        tier: Tier::Hard,
        evidence: Vec::new(),
        overridden: category.map(|category| Override { reason: Line::new("x").unwrap(), category }),
        at: World::new().at,
        by: "ann".parse().unwrap(),
        missed_at: missed.then(|| World::new().at),
        unknown: serde_json::Map::new(),
    };
    let counts = |records: &[Record]| {
        let judged = signals(records);
        [judged.true_positive, judged.false_positive, judged.true_negative, judged.false_negative]
    };
    let (justified, expedient) = (Some(Category::Justified), Some(Category::Expedient));
    let blocked = |step: u32| record(step, Outcome::Blocked, None, false);
    let past = |step: u32, category| record(step, Outcome::Overridden, category, false);
    for (records, expected) in [
        (vec![blocked(1), past(1, justified)], [0, 1, 0, 0]),
        (vec![blocked(1), past(1, expedient)], [1, 0, 0, 0]),
        (vec![past(1, expedient)], [1, 0, 0, 0]),
        (vec![past(1, justified)], [0, 1, 0, 0]),
        (vec![blocked(1), blocked(1), past(1, justified)], [0, 1, 0, 0]),
        (vec![blocked(1), record(1, Outcome::Passed, None, false)], [1, 0, 1, 0]),
        (vec![record(1, Outcome::Warned, None, false)], [1, 0, 0, 0]),
        (vec![record(1, Outcome::Warned, None, true)], [1, 0, 0, 0]),
        (vec![blocked(1), record(1, Outcome::Warned, None, false)], [1, 0, 0, 0]),
        (vec![record(1, Outcome::Waived, None, false)], [0, 0, 0, 0]),
        // The answers to an earlier visit stand, whatever the next one shows.
        (
            vec![blocked(1), record(1, Outcome::Passed, None, true), past(3, justified)],
            [1, 1, 0, 1],
        ),
    ] {
        assert_eq!(counts(&records), expected, "{records:#?}");
    }
}

/// The answer of a gate fits into a document, however many runs it waits for and however many
/// conditions it has.
#[test]
fn what_the_largest_gate_says_can_be_kept() {
    let mut world = World::new();
    let phase = |number: usize| format!("{number:0>64}");
    let phases: Vec<String> = (0..PHASES_MAX).map(phase).collect();
    let checks = ["artifact_exists", "verdict_clean", "children_at_phase", "upstreams_at_phase"];
    let rules = |from: usize| -> Vec<Value> {
        let rule = |number: usize| {
            let asked = phase((from * 8 + number / 4) % PHASES_MAX);
            json!({ "check": checks[number % 4], "phase": asked })
        };
        (0..GATE_RULES_MAX).map(rule).collect()
    };
    let gates: Vec<Value> = (0..PHASES_MAX - 1)
        .map(|from| json!({ "from": phase(from), "to": phase(from + 1), "rules": rules(from) }))
        .collect();
    let upstreams: Vec<String> = (0..8).map(|number| format!("upstrea{number}")).collect();
    for id in &upstreams {
        world.create(id, &json!({ "phases": phases }));
    }
    world.create(RUN, &json!({ "phases": phases, "gates": gates, "after": upstreams }));
    for number in 0..90 {
        let id = format!("part{number:04}");
        world.create(&id, &json!({ "phases": phases, "parent": RUN }));
    }
    for number in 1..PHASES_MAX - 1 {
        let skip = json!({ "run": RUN, "phase": phase(number), "reason": "x", "skip": true });
        world.act("run skip", &skip).unwrap();
    }
    world.act("run advance", &json!({ "run": RUN, "priority": 1 })).unwrap();
    let records = walk(&world.documents, &record::records(&world.run(RUN), 0)).unwrap();
    let size = world.documents[&records[0]].len();
    assert!(size < DOCUMENT_BYTES_MAX, "{size} bytes");
}

/// 4/F2-callers: a completed child is reopened only while its parent goes on.
#[test]
fn a_part_of_what_is_over_does_not_go_on() {
    let part = "m2p8q0cd";
    let back = json!({ "run": part, "to": "draft", "reason": "again" });
    let on = |run: &str| json!({ "run": run, "priority": 1 });
    for end in ["cancelled", "failed", "completed"] {
        let mut world = World::new();
        world.create(RUN, &json!({}));
        world.create(part, &json!({ "parent": RUN }));
        for _ in 0..3 {
            world.act("run advance", &on(part)).unwrap();
        }
        if end == "completed" {
            for _ in 0..3 {
                world.act("run advance", &on(RUN)).unwrap();
            }
        } else {
            let ending = json!({ "run": RUN, "ending": end, "reason": "over" });
            world.act("run end", &ending).unwrap();
        }
        let refusal = world.act("run rollback", &back).unwrap_err();
        assert_eq!(refusal.code(), "run_over", "{refusal}");
        assert_eq!(world.run(part).status, Status::Completed);
        if end == "completed" {
            let first = json!({ "run": RUN, "to": "ship", "reason": "again" });
            world.act("run rollback", &first).unwrap();
            world.act("run rollback", &back).unwrap();
            let shut = world.act("run advance", &on(RUN)).unwrap();
            assert!(shut.contains("blocked"), "{shut}");
        }
        assert_eq!(laws::faults(&world.documents).unwrap(), []);
    }
}

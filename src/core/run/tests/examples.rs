//! Single cases, each told in a few lines.

use serde_json::{Value, json};

use super::world::World;
use crate::core::documents::{Key, encode, read, walk};
use crate::core::run::artifact::Artifact;
use crate::core::run::record::{Category, Outcome, Override, Record, Tier, signals};
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

/// 4/INV-7, 4/INV-8: what has no status counts, and fields that are not known survive.
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
        let is_new = key.as_str().ends_with("visits/0002");
        assert_eq!(value["of_a_later_version"].is_object(), !is_new, "{key}");
    }
}

/// An artifact whose name another one has is given another name.
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

/// A damaged document is named, and others are read.
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
    let record = |outcome: Outcome, category: Option<Category>, missed: bool| Record {
        step: 1,
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
    let judged = signals(&[
        record(Outcome::Blocked, None, false),
        record(Outcome::Overridden, Some(Category::Justified), false),
        record(Outcome::Blocked, None, false),
        record(Outcome::Overridden, Some(Category::Expedient), false),
        record(Outcome::Passed, None, true),
        record(Outcome::Warned, None, false),
    ]);
    let counts =
        [judged.true_positive, judged.false_positive, judged.true_negative, judged.false_negative];
    assert_eq!(counts, [1, 1, 1, 1]);
}

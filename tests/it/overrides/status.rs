//! `override status`, and overrides on trial in `status`.

use serde_json::json;

use super::{apply, done, tip};
use crate::support::Repo;

#[test]
fn the_screen_says_how_a_trial_stands_and_what_to_type() {
    let repo = Repo::new();
    repo.coord("ann", ["override", "status"]).done().says("No overrides");
    done(&repo, "ann", &["propose", "fd-perf", "--reason", "too slow"]);
    apply(&repo, "bob", "fd-style");
    for (number, rate) in ["0.1", "0.4", "0.2"].into_iter().enumerate() {
        let session = format!("s{number}");
        let words = ["canary", "sample", "fd-style", "--session", &session];
        let numbers = ["--override-rate", rate, "--fp-rate", "0", "--density", "1"];
        done(&repo, "ann", &[&words[..], &numbers].concat());
        repo.pass("1m");
    }
    let before = tip(&repo);
    let screen = repo.coord("ann", ["override", "status"]).done();
    for words in [
        "3/20 samples, ends in 13d, no baseline",
        "by bob",
        "wrong here",
        "git coord override approve fd-perf",
        "git coord override canary check fd-style",
        "0.40 | o",
        "override rate 0.23",
    ] {
        screen.says(words);
    }
    assert_eq!(tip(&repo), before);
    let json = done(&repo, "ann", &["status"]);
    assert_eq!(json["overrides"][0]["next"][0][3], "approve");
    assert_eq!(json["overrides"][1]["trial"]["samples"].as_array().unwrap().len(), 3);
    assert_eq!(json["overrides"][1]["mismatch"], false);
    // The one screen of everything shows what is on trial.
    repo.coord("ann", ["status"]).done().says("On trial").says("fd-style");
    let all = repo.json("ann", ["status"]);
    assert_eq!(all["trials"][0]["agent"], "fd-style");
    assert_eq!(all["trials"][0]["samples"], 3);
    repo.pass("15d");
    repo.coord("ann", ["override", "status"]).done().says("due: unjudged");
    repo.coord("ann", ["status"]).done().says("due: unjudged");
}

#[test]
fn three_exclusions_are_warned_about() {
    let repo = Repo::new();
    for agent in ["a", "b"] {
        apply(&repo, "ann", agent);
    }
    let two = repo.coord("ann", ["override", "status"]).done();
    assert!(!two.stderr.contains("left out"), "{two:#?}");
    apply(&repo, "ann", "c");
    repo.coord("ann", ["override", "status"]).done().says("3 agents are left out");
    let warnings = done(&repo, "ann", &["status"])["warnings"].clone();
    assert_eq!(warnings, json!(["3 agents are left out; who reviews what they did?"]));
}

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
    assert_eq!(all["trials"][0], json["overrides"][1]["trial"], "a trial has one form");
    repo.pass("15d");
    repo.coord("ann", ["override", "status"]).done().says("due: unjudged");
    repo.coord("ann", ["status"]).done().says("due: unjudged");
}

/// What a trial is held against is shown from its first day on, and where an override counts is
/// said wherever it is listed: one that counts for a few paths must not look like one that counts
/// everywhere.
#[test]
fn baseline_and_scope_are_shown() {
    let repo = Repo::new();
    done(&repo, "ann", &["thresholds", "quarantine_hours", "0"]);
    done(&repo, "ann", &["thresholds", "min_baseline", "1"]);
    let row = ["--event", "agent_dispatch", "--findings", "4"];
    super::evidence::add(&repo, "fd-style", "s1", &row);
    let scope = ["--scope-domain", "web", "--scope-path", "gen/**"];
    done(&repo, "ann", &[&["apply", "fd-style", "--reason", "x"], &scope[..]].concat());
    apply(&repo, "ann", "fd-perf");
    let screen = repo.coord("ann", ["override", "status"]).done();
    screen.says("before: override rate 0.00, false positives 0.00, density 4.00 (1 session)");
    screen.says("only for: web, gen/**");
    assert_eq!(screen.stdout.matches("only for").count(), 1, "{screen:#?}");
    let list = repo.coord("ann", ["override", "list"]).done();
    list.says("x (only for: web, gen/**)");
    assert_eq!(list.stdout.matches("only for").count(), 1, "{list:#?}");
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

//! Trials, overlays, and the acts that programs may do on their own.

use serde_json::{Value, json};

use super::evidence::add;
use super::{apply, document, done, entry_count, is_whole, paths, tip};
use crate::support::Repo;
use crate::support::contract::exit;

fn sample(repo: &Repo, agent: &str, session: &str, numbers: [&str; 3]) -> Value {
    let [rate, wrong, density] = numbers;
    let words = ["canary", "sample", agent, "--session", session, "--override-rate", rate];
    done(repo, "ann", &[&words[..], &["--fp-rate", wrong, "--density", density]].concat())
}

/// Records sessions with one use and four findings each, one of them overridden as wrong.
fn history(repo: &Repo, agent: &str, sessions: usize) {
    done(repo, "ann", &["thresholds", "quarantine_hours", "0"]);
    for number in 0..sessions {
        let session = format!("before-{number}");
        add(repo, agent, &session, &["--event", "agent_dispatch", "--findings", "4"]);
        add(repo, agent, &session, &["--event", "override", "--reason", "agent_wrong"]);
        repo.pass("1m");
    }
}

/// A baseline is the last 20 sessions with evidence about the agent, and 15 at least.
#[test]
fn a_baseline_needs_fifteen_sessions() {
    let repo = Repo::new();
    history(&repo, "fd-style", 14);
    let without = apply(&repo, "ann", "fd-style");
    assert_eq!(without["trial"]["status"], "monitoring");
    assert!(without["trial"]["baseline"].is_null());
    done(&repo, "ann", &["revert", "fd-style"]);
    add(&repo, "fd-style", "one-more", &["--event", "agent_dispatch", "--findings", "4"]);
    let with = apply(&repo, "ann", "fd-style");
    assert_eq!(with["trial"]["status"], "active");
    let baseline = &with["trial"]["baseline"];
    assert_eq!(baseline["sessions"], 15);
    assert_eq!(baseline["override_rate"], json!(0.2333), "14 of 15 sessions have 1 of 4");
    assert_eq!(baseline["density"], json!(4.0));
    // Another agent's sessions are not this one's.
    assert_eq!(apply(&repo, "ann", "fd-perf")["trial"]["status"], "monitoring");
    is_whole(&repo);
}

/// One sample a session; 20 bring the verdict, in the same entry. 7/TERMINAL: it is final.
#[test]
fn twenty_samples_bring_a_verdict() {
    for (numbers, verdict, code) in
        [(["0.25", "1", "4"], "passed", exit::DONE), (["0.5", "1", "4"], "alert", exit::NO)]
    {
        let repo = Repo::new();
        history(&repo, "fd-style", 20);
        apply(&repo, "ann", "fd-style");
        let before = entry_count(&repo);
        for number in 0..20 {
            let answer = sample(&repo, "fd-style", &format!("after-{number}"), numbers);
            let again = sample(&repo, "fd-style", &format!("after-{number}"), ["1", "1", "9"]);
            assert_eq!(
                (&again["was_there"], again["trial"]["samples"].as_array().unwrap().len()),
                (&json!(true), number + 1)
            );
            let status = if number == 19 { verdict } else { "active" };
            assert_eq!(answer["trial"]["status"], status, "{answer:#}");
        }
        assert_eq!(entry_count(&repo), before + 20, "a second sample writes nothing");
        let entry = document(&repo, "overrides/fd-style.json").unwrap();
        assert_eq!(entry["canary"]["status"], verdict, "the exported trial is told");
        let check = repo.coord_json("ann", ["override", "canary", "check"]).exits(code).json();
        assert_eq!(check["trials"][0]["status"], verdict);
        if verdict == "alert" {
            assert_eq!(check["trials"][0]["verdict"]["worse"], json!(["override_rate"]));
        }
        let late = ["override", "canary", "sample", "fd-style", "--session", "late"];
        repo.coord("ann", late).exits(exit::NOTHING);
        is_whole(&repo);
    }
}

/// 0/IMP-5: time ends a trial when somebody asks; without a sample it is `expired_unused`, without
/// a baseline it is not judged.
#[test]
fn time_ends_a_trial() {
    let repo = Repo::new();
    apply(&repo, "ann", "fd-style");
    apply(&repo, "ann", "fd-perf");
    sample(&repo, "fd-perf", "s", ["0.9", "0.9", "1"]);
    repo.pass("13d");
    let check = done(&repo, "ann", &["canary", "check"]);
    assert!(check["trials"].as_array().unwrap().iter().all(|one| one["closed"] == false));
    repo.pass("1d");
    let late = ["override", "canary", "sample", "fd-perf", "--session", "late", "--override-rate"];
    let late = [&late[..], &["0", "--fp-rate", "0", "--density", "0"]].concat();
    repo.coord_json("ann", &late).refused("trial_over");
    let before = tip(&repo);
    done(&repo, "ann", &["status"]);
    assert_eq!(tip(&repo), before, "a reader ends nothing");
    let check = done(&repo, "ann", &["canary", "check"]);
    let of = |agent: &str| {
        let trials = check["trials"].as_array().unwrap();
        trials.iter().find(|one| one["agent"] == agent).unwrap()["status"].clone()
    };
    assert_eq!(of("fd-style"), "expired_unused");
    assert_eq!(of("fd-perf"), "unjudged");
    is_whole(&repo);
}

/// Without numbers a sample is what the evidence of its session says.
#[test]
fn a_sample_can_be_taken_from_evidence() {
    let repo = Repo::new();
    apply(&repo, "ann", "fd-style");
    repo.pass("1m");
    let words = ["override", "canary", "sample", "fd-style", "--session", "s"];
    repo.coord_json("ann", words).refused("no_numbers");
    add(&repo, "fd-other", "s", &["--event", "agent_dispatch", "--findings", "4"]);
    add(&repo, "fd-other", "s", &["--event", "override", "--reason", "agent_wrong"]);
    add(&repo, "fd-other", "s", &["--event", "override", "--reason", "already_fixed"]);
    let sample = done(&repo, "ann", &words[1..])["sample"].clone();
    assert_eq!(sample["override_rate"], json!(0.5));
    assert_eq!(sample["fp_rate"], json!(0.5));
    assert_eq!(sample["density"], json!(4.0));
}

/// What was before a trial says nothing about it: neither a session of its baseline nor one that an
/// earlier trial has sampled is taken, with numbers or without.
#[test]
fn a_session_from_before_is_no_sample() {
    let repo = Repo::new();
    for (name, value) in [("canary_uses", "3"), ("min_baseline", "2")] {
        done(&repo, "ann", &["thresholds", name, value]);
    }
    history(&repo, "fd-style", 2);
    // Recorded in the very moment of the apply, it is still of before.
    add(&repo, "fd-style", "before-2", &["--event", "agent_dispatch", "--findings", "4"]);
    let applied = apply(&repo, "ann", "fd-style");
    assert_eq!(applied["trial"]["baseline"]["sessions"], 3);
    let before = tip(&repo);
    let numbers = ["--override-rate", "0", "--fp-rate", "0", "--density", "9"];
    for session in ["before-0", "before-1", "before-2"] {
        let words = ["override", "canary", "sample", "fd-style", "--session", session];
        repo.coord_json("ann", words).refused("session_before");
        repo.coord_json("ann", [&words[..], &numbers].concat()).refused("session_before");
    }
    assert_eq!(tip(&repo), before);
    sample(&repo, "fd-style", "after", ["0", "0", "4"]);
    done(&repo, "ann", &["revert", "fd-style"]);
    apply(&repo, "ann", "fd-style");
    let words = ["override", "canary", "sample", "fd-style", "--session", "after"];
    repo.coord_json("ann", [&words[..], &numbers].concat()).refused("session_before");
    is_whole(&repo);
}

/// 7/NUMBERS
#[test]
fn numbers_of_a_sample_are_checked() {
    let repo = Repo::new();
    apply(&repo, "ann", "fd-style");
    for bad in ["abc", "-1", "1e3", "NaN", "inf", "", "1.0001", "500"] {
        let words = ["override", "canary", "sample", "fd-style", "--session", "s"];
        let numbers = ["--override-rate", bad, "--fp-rate", "0", "--density", "0"];
        repo.coord("ann", [&words[..], &numbers].concat()).exits(exit::USAGE);
        let numbers = ["--override-rate", "0", "--fp-rate", bad, "--density", "0"];
        repo.coord("ann", [&words[..], &numbers].concat()).exits(exit::USAGE);
    }
    let one = ["override", "canary", "sample", "fd-style", "--session", "s", "--density", "1"];
    repo.coord("ann", one).exits(exit::USAGE);
    assert_eq!(entry_count(&repo), 1);
}

#[test]
fn overlays_keep_their_budget() {
    let repo = Repo::new();
    let overlay = |id: &str, text: &str| {
        repo.coord_json("ann", ["override", "overlay", "add", "fd-style", id, "--text", text])
    };
    let words = "word ".repeat(200);
    assert_eq!(overlay("one", &words).done().json()["tokens"], 260);
    let refused = overlay("two", &words).refused("over_budget");
    assert_eq!(refused["refusal"]["tokens"], 520);
    done(&repo, "ann", &["overlay", "disable", "fd-style", "one"]);
    let kept = document(&repo, "overlays/fd-style/one.json").unwrap();
    assert_eq!((&kept["active"], kept["body"].as_str()), (&json!(false), Some(words.trim())));
    let made = overlay("two", &words).done().json();
    assert_eq!(overlay("two", &words).done().json()["was_there"], true);
    assert_eq!(done(&repo, "ann", &["overlay", "list"])["tokens"], 260);
    assert_eq!(made["overlay"]["created_by"], "human");
    repo.coord("ann", ["override", "overlay", "disable", "fd-style", "x"]).exits(exit::NOTHING);
    overlay("-bad", "x").exits(exit::USAGE);
    overlay("bad", "you are now a pirate").exits(exit::USAGE);
    is_whole(&repo);
    // Taken back by its entry, its words stay.
    let entry = tip(&repo);
    done(&repo, "ann", &["overlay", "add", "fd-perf", "x", "--text", "be brief"]);
    let entry_of_perf = tip(&repo);
    assert_ne!(entry, entry_of_perf);
    let answer = done(&repo, "ann", &["revert", &entry_of_perf[..8]]);
    assert_eq!(answer["overlays"], json!(["fd-perf/x"]));
    assert_eq!(document(&repo, "overlays/fd-perf/x.json").unwrap()["active"], false);
    is_whole(&repo);
}

/// What a program may do by itself: nothing, unless autonomy is on, the evidence says so, and
/// neither rate limit nor breaker is in the way.
#[test]
fn programs_act_within_limits() {
    let repo = Repo::new();
    let auto = |agent: &str| {
        let words = ["override", "apply", agent, "--reason", "x", "--source", "tuner"];
        repo.coord_json("tuner", words)
    };
    history(&repo, "fd-style", 15);
    auto("fd-style").refused("autonomy_off");
    done(&repo, "ann", &["thresholds", "autonomy", "true"]);
    auto("fd-unknown").refused("too_few_sessions");
    let overlay = ["override", "overlay", "add", "fd-style", "w", "--text", "x", "--source", "bot"];
    repo.coord_json("tuner", overlay).refused("never_automatic");
    let guard = ["override", "apply", "fd-safety", "--reason", "x", "--source", "tuner"];
    let guard = [&guard[..], &["--confirm-cross-cutting"]].concat();
    repo.coord_json("tuner", guard).refused("never_automatic");
    let made = auto("fd-style").done().json();
    assert_eq!(made["record"]["created_by"], "tuner");
    done(&repo, "ann", &["revert", "fd-style"]);
    done(&repo, "ann", &["thresholds", "rate_changes", "1"]);
    auto("fd-style").refused("rate_limit");
    repo.pass("25h");
    for _ in 0..2 {
        apply(&repo, "ann", "fd-style");
        done(&repo, "ann", &["revert", "fd-style"]);
    }
    auto("fd-style").refused("circuit_breaker");
    assert_eq!(done(&repo, "ann", &["thresholds"])["thresholds"]["autonomy"], true);
    // Half of at least three agents taken back too often: autonomy goes off, and people go on.
    let mut switched_off = 0;
    for agent in ["fd-a", "fd-b"] {
        for _ in 0..3 {
            apply(&repo, "ann", agent);
            let answer = done(&repo, "ann", &["revert", agent]);
            switched_off += usize::from(answer["autonomy_off"] == true);
        }
    }
    assert_eq!(switched_off, 1, "once, with the revert that was too much");
    assert_eq!(done(&repo, "ann", &["thresholds"])["thresholds"]["autonomy"], false);
    auto("fd-style").refused("autonomy_off");
    apply(&repo, "ann", "fd-style");
    is_whole(&repo);
    assert!(paths(&repo, "modifications/fd-style/").len() >= 4, "records of the past are kept");
}

/// To change what a person put in force is no smaller thing than to put it in force: a program's
/// update is held to the same limits, and counts as a change.
#[test]
fn programs_update_within_limits() {
    let repo = Repo::new();
    let auto = |agent: &str, reason: &str| {
        let words = ["override", "apply", agent, "--reason", reason, "--source", "bot"];
        repo.coord_json("bot", words)
    };
    history(&repo, "fd-style", 15);
    apply(&repo, "ann", "fd-style");
    apply(&repo, "ann", "fd-perf");
    let before = tip(&repo);
    auto("fd-style", "by itself").refused("autonomy_off");
    assert_eq!(tip(&repo), before);
    done(&repo, "ann", &["thresholds", "autonomy", "true"]);
    auto("fd-perf", "by itself").refused("too_few_sessions");
    let updated = auto("fd-style", "by itself").done().json();
    assert_eq!(updated["outcome"], "updated");
    let row = super::listed(&repo)[1].clone();
    assert_eq!(row["record"]["updated"]["source"], "bot", "{row:#}");
    assert_eq!(
        (&row["record"]["created_by"], &row["record"]["by"]),
        (&json!("human"), &json!("ann"))
    );
    done(&repo, "ann", &["thresholds", "rate_changes", "2"]);
    auto("fd-style", "again").done();
    // A person between two of a program's changes does not make it fewer.
    done(&repo, "ann", &["apply", "fd-style", "--reason", "by a person"]);
    auto("fd-style", "once more").refused("rate_limit");
    repo.pass("25h");
    auto("fd-style", "once more").done();
    let guard = ["apply", "fd-safety", "--confirm-cross-cutting", "--reason"];
    done(&repo, "ann", &[&guard[..], &["x"]].concat());
    let words = [&["override"], &guard[..], &["y", "--source", "bot"]].concat();
    repo.coord_json("bot", words).refused("never_automatic");
    is_whole(&repo);
}

/// 0/DATA-02-overlay: what another agent wrote is replaced only by who wants to.
#[test]
fn an_overlay_of_another_is_replaced_on_request_only() {
    let repo = Repo::new();
    let words = ["override", "overlay", "add", "fd-style", "w", "--text"];
    let add = |actor: &str, more: &[&str]| repo.coord_json(actor, [&words[..], more].concat());
    add("ann", &["be brief"]).done();
    add("ann", &["be very brief"]).done();
    add("ann/helper", &["be quite brief"]).done();
    add("bob", &["be quite brief"]).done();
    let before = tip(&repo);
    let refused = add("bob", &["be verbose", "--evidence", "e1"]).refused("overlay_of_another");
    assert_eq!(refused["refusal"]["by"], "ann/helper", "{refused:#}");
    repo.coord("bob", [&words[..], &["be verbose"]].concat())
        .exits(exit::NO)
        .says("'ann/helper' wrote the overlay 'w' of 'fd-style'")
        .says("--replace");
    assert_eq!(tip(&repo), before);
    let next = refused["refusal"]["next"].as_array().unwrap().last().unwrap().clone();
    let next: Vec<&str> = next.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let answer = repo.coord_json("bob", &next[2..]).done().json();
    assert_eq!(answer["replaced"], "ann/helper", "{answer:#}");
    let kept = document(&repo, "overlays/fd-style/w.json").unwrap();
    assert_eq!((&kept["body"], &kept["by"]), (&json!("be verbose"), &json!("bob")));
    assert_eq!(kept["evidence_ids"], json!(["e1"]));
    // A text that is switched off would be lost as well.
    done(&repo, "bob", &["overlay", "disable", "fd-style", "w"]);
    add("carol", &["be loud"]).refused("overlay_of_another");
    repo.coord("carol", [&words[..], &["be loud", "--replace"]].concat())
        .done()
        .says("in place of the one by 'bob'");
    is_whole(&repo);
}

//! Agents whose files cannot be written, and commands that are killed while they write.

#[cfg(debug_assertions)]
use std::fs;

use super::super::project::{detected, tip};
use super::{DIRECTORY, WEB_AGENTS, agents, generate, state, states};
use crate::support::contract::exit;

/// 2/P2-3, 2/P2-3-atomic: one that cannot be written is named with the reason, the others are made,
/// and what was not written is not listed.
#[test]
fn one_bad_agent_does_not_stop_the_others() {
    let repo = detected();
    repo.git(["config", "coord.domainProfiles", "own"]);
    let good = "Focus: f\nPersona: p\nKey review areas:\n- a\n";
    let profile = format!(
        "## Agent Specifications\n### fd-one\n{good}### Bad Name\n{good}### fd-two\n{good}"
    );
    repo.write("own/web-api.md", &profile);
    let answer = agents(&repo, &["generate"]).done().json();
    let domain = &answer["domains"][0];
    assert_eq!((&domain["succeeded"], &domain["total"]), (&2.into(), &3.into()), "{answer:#}");
    assert_eq!(states(&repo).len(), 2);
    let text = repo.call("ada").args(["domain", "agents", "generate"]).run_unproven().done();
    text.says("web-api: 2 of 3 agents").says("Bad Name").says("failed: ");
    agents(&repo, &["generate", "--strict"]).exits(exit::NO);
}

/// 2/P2-3: permission and a full disk, at every step of the first file that is written.
#[cfg(debug_assertions)]
#[test]
fn a_disk_that_refuses_fails_one_agent_alone() {
    for error in ["EACCES", "ENOSPC"] {
        let prepared = detected();
        for number in steps_of_files(&prepared) {
            let repo = prepared.copy();
            let call = repo.call("ada").env("GIT_COORD_FAULT", format!("{number}:{error}"));
            let output = call.args(["--json", "domain", "agents", "generate"]).run_unproven();
            let case = format!("{error} at {number}: {output:#?}");
            assert_eq!(output.code, exit::DONE, "{case}");
            let succeeded = output.json()["domains"][0]["succeeded"].as_u64().unwrap();
            assert!(succeeded >= 2, "{case}");
            // Listed files were written, and written files can be read.
            for (name, state) in states(&repo) {
                assert!(state == "ok" || state == "unknown", "{name} is {state}: {case}");
            }
            generate(&repo, "skip");
            for name in WEB_AGENTS {
                assert_eq!(state(&repo, name), "ok", "{case}");
            }
        }
    }
}

/// 2/P1-3, 2/P2-3-atomic: killed at every step, the ledger lists only what is there, and the same
/// command again finishes it and leaves nothing else behind.
#[cfg(debug_assertions)]
#[test]
fn a_generation_is_killed_at_every_step() {
    let prepared = detected();
    let old = tip(&prepared);
    let mut seen = [0, 0];
    for number in changing_steps(&prepared) {
        for fault in ["kill", "kill-after", "torn"] {
            let case = format!("{fault} at {number}");
            let repo = prepared.copy();
            let call = repo.call("ada").env("GIT_COORD_FAULT", format!("{number}:{fault}"));
            call.args(["domain", "agents", "generate"]).run_unproven();
            seen[usize::from(tip(&repo) != old)] += 1;
            for (name, state) in states(&repo) {
                assert!(state == "ok" || state == "unknown", "{name} is {state}: {case}");
            }
            generate(&repo, "skip");
            for name in WEB_AGENTS {
                assert_eq!(state(&repo, name), "ok", "{case}");
            }
            let left: Vec<_> = fs::read_dir(repo.work().join(DIRECTORY)).unwrap().collect();
            assert_eq!(left.len(), WEB_AGENTS.len(), "{case}: {left:?}");
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both states are seen: {seen:?}");
}

/// 2/P1-3, 2/IMP-3-manifest: a repair is killed at every step, and the same command again ends it.
#[cfg(debug_assertions)]
#[test]
fn a_repair_is_killed_at_every_step() {
    let prepared = detected();
    generate(&prepared, "skip");
    let [first, second, _] = WEB_AGENTS;
    fs::remove_file(prepared.work().join(format!("{DIRECTORY}/{first}.md"))).unwrap();
    prepared.write(&format!("{DIRECTORY}/{second}.md"), "edited\n");
    let old = tip(&prepared);
    let mut seen = [0, 0];
    let steps = recorded_steps(&prepared, "repair").into_iter();
    for (number, ..) in steps.filter(|(_, act, _)| !READING.contains(&act.as_str())) {
        for fault in ["kill", "kill-after", "torn"] {
            let case = format!("{fault} at {number}");
            let repo = prepared.copy();
            let call = repo.call("ada").env("GIT_COORD_FAULT", format!("{number}:{fault}"));
            call.args(["domain", "agents", "repair"]).run_unproven();
            seen[usize::from(tip(&repo) != old)] += 1;
            agents(&repo, &["repair"]).done();
            for name in WEB_AGENTS {
                assert_eq!(state(&repo, name), "ok", "{case}");
            }
            let text = fs::read_to_string(repo.work().join(format!("{DIRECTORY}/{second}.md")));
            assert_eq!(text.unwrap(), "edited\n", "{case}");
            let left: Vec<_> = fs::read_dir(repo.work().join(DIRECTORY)).unwrap().collect();
            assert_eq!(left.len(), WEB_AGENTS.len(), "{case}: {left:?}");
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both states are seen: {seen:?}");
}

#[cfg(debug_assertions)]
fn recorded_steps(prepared: &crate::support::Repo, verb: &str) -> Vec<(usize, String, String)> {
    let repo = prepared.copy();
    let record = repo.world().join("tmp/steps");
    let call = repo.call("ada").env("GIT_COORD_STEPS", &record);
    call.args(["domain", "agents", verb]).run_unproven().done();
    let text = fs::read_to_string(record).unwrap();
    let steps = text.lines().enumerate().map(|(place, line)| {
        let step: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| step[key].as_str().unwrap().to_owned();
        (place + 1, text("step"), text("path"))
    });
    steps.collect()
}

#[cfg(debug_assertions)]
const READING: [&str; 5] = ["Open", "Lock", "Read", "List", "Examine"];

#[cfg(debug_assertions)]
fn changing_steps(prepared: &crate::support::Repo) -> Vec<usize> {
    let steps = recorded_steps(prepared, "generate").into_iter();
    steps.filter(|(_, act, _)| !READING.contains(&act.as_str())).map(|(n, ..)| n).collect()
}

/// Lists the steps that create or change a file of an agent.
#[cfg(debug_assertions)]
fn steps_of_files(prepared: &crate::support::Repo) -> Vec<usize> {
    let steps = recorded_steps(prepared, "generate").into_iter();
    let is_one = |(_, act, path): &(usize, String, String)| {
        !READING.contains(&act.as_str()) && path.contains("/fd-") || path.contains("/.fd-")
    };
    steps.filter(is_one).map(|(number, ..)| number).collect()
}

//! The events of a run lead to its stored state, after any change to the ledger as a whole.

use super::{NONE, id};
use crate::support::Repo;
use crate::support::contract::{RUNS, RUNS_REF};

/// A rollback of the whole ledger restores documents; the replay goes on from what was restored.
#[test]
fn a_ledger_that_was_turned_back_still_replays() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.advance(&run, 1);
    let target = repo.git(["rev-parse", RUNS_REF]);
    repo.run("artifact add", &run, &["--path", "docs/guide.md"]).done();
    let dispatch = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    repo.advance(&run, 2);
    let newer = repo.create_run(&[]);
    let back = ["ledger", "rollback", RUNS, "--to", &target, "--reason", "all wrong"];
    repo.coord("ops", back).done();
    assert_eq!(repo.phase_of(&run), "review");
    repo.replays(&run);
    repo.run("show", &newer, &NONE).exits(4);
    repo.run("dispatch update", &run, &[&dispatch, "--status", "running"]).exits(4);
    repo.advance(&run, 1);
    repo.replays(&run);
    let left = repo.git(["rev-parse", &format!("{RUNS_REF}~2")]);
    repo.coord("ops", ["ledger", "rollback", RUNS, "--to", &left, "--reason", "redo"]).done();
    assert_eq!(repo.run_json("show", &run, &NONE)["run"]["status"], "completed");
    for run in [&run, &newer] {
        repo.replays(run);
    }
}

/// After a compaction the replay begins with the state of the checkpoint, and says so.
#[test]
fn a_ledger_that_was_made_shorter_still_replays() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.advance(&run, 2);
    repo.run("rollback", &run, &["--to", "draft", "--reason", "again"]).done();
    repo.pass("40d");
    repo.advance(&run, 1);
    repo.coord("ops", ["ledger", "compact", RUNS]).done();
    let replayed = repo.run_json("replay", &run, &NONE);
    assert!(replayed["began_at"].is_string(), "{replayed:#}");
    assert_eq!(replayed["events"], 1);
    repo.replays(&run);
    repo.advance(&run, 1);
    repo.replays(&run);
}

/// Replaces a run's own document, behind the program's back.
fn rewrite(repo: &Repo, run: &str, change: impl Fn(&str) -> String) {
    let place = format!("runs/{run}/run");
    let index = repo.world().join("tmp/index-of-damage");
    let git = |args: &[&str]| {
        let call = repo.git_call(args).env("GIT_INDEX_FILE", &index);
        call.run_unproven().done().stdout.trim_end().to_owned()
    };
    let text = git(&["cat-file", "blob", &format!("{RUNS_REF}:{place}")]);
    let blob = repo.store_blob(&change(&text));
    git(&["read-tree", RUNS_REF]);
    git(&["update-index", "--cacheinfo", &format!("100644,{blob},{place}")]);
    let tree = git(&["write-tree"]);
    let message = git(&["log", "-1", "--format=%B", RUNS_REF]);
    let parent = git(&["rev-parse", &format!("{RUNS_REF}~1")]);
    let commit = git(&["commit-tree", &tree, "-p", &parent, "-m", &message]);
    git(&["update-ref", RUNS_REF, &commit]);
}

/// What is stored behind the program's back is found.
#[test]
fn a_difference_is_told() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.advance(&run, 1);
    rewrite(&repo, &run, |text| text.replace("\"phase\": \"review\"", "\"phase\": \"ship\""));
    let told = repo.run("replay", &run, &NONE).exits(1).json();
    assert_eq!(told["differences"][0]["fact"], "phase", "{told:#}");
    repo.coord("ops", ["run", "replay", &run])
        .exits(1)
        .says("phase: review by events, ship stored");
    repo.coord("ops", ["ledger", "verify"]).exits(1);
}

/// 7/MESSAGES: a malformed document is kept and named, others are shown, and the way out is told.
#[test]
fn a_damaged_run_is_named_with_the_way_out() {
    let repo = Repo::new();
    let (run, other) = (repo.create_run(&[]), repo.create_run(&[]));
    rewrite(&repo, &run, |_| "{ no json".to_owned());
    let no = repo.coord("ann", ["run", "advance", &run]).exits(128);
    no.says(&run).says("git coord ledger rollback runs --to <entry>");
    let listed = repo.coord_json("ann", ["run", "list", "--all"]).done();
    assert_eq!(crate::support::texts(&listed.json()["runs"], "id"), [other.as_str()]);
    listed.says("damaged document");
    repo.advance(&other, 1);
}

/// Everything that a ledger can do, this one can.
#[test]
fn the_ledger_of_runs_is_a_ledger_like_any_other() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.advance(&run, 1);
    repo.coord("ops", ["ledger", "show", RUNS]).done().says("run_advanced");
    let diff = repo.json("ops", ["ledger", "diff", RUNS]);
    let paths = crate::support::texts(&diff["changes"], "path");
    assert!(paths.iter().any(|path| path.ends_with("/run")), "{paths:?}");
    assert!(paths.iter().all(|path| !path.starts_with("active/")), "told once: {paths:?}");
    repo.coord("ops", ["doctor"]).done();
    let status = repo.json("ops", ["status"]);
    let ledgers = crate::support::texts(&status["ledgers"], "ledger");
    assert_eq!(ledgers, [RUNS]);
    let damaged = repo.git(["rev-parse", "HEAD"]);
    repo.git(["update-ref", RUNS_REF, &damaged]);
    repo.run("advance", &run, &NONE).exits(128);
    repo.coord("ops", ["doctor", "--repair"]).done();
    repo.replays(&run);
}

/// 4/F1, 4/F5: no field of a run's document is left out of the comparison.
#[test]
fn every_setting_is_compared() {
    let usual = ["--budget", "100", "--budget-warn", "70", "--max-agents", "3", "--scope", "api"];
    for (stored, other, fact) in [
        ("\"complexity\": 3", "\"complexity\": 4", "complexity"),
        ("\"max_agents\": 3", "\"max_agents\": 4", "max_agents"),
        ("\"warn_percent\": 70", "\"warn_percent\": 71", "budget"),
        ("\"in\": 5", "\"in\": 0", "spent"),
        ("\"scope\": \"api\"", "\"scope\": \"cli\"", "scope"),
        ("\"steps\": 2", "\"steps\": 3", "steps"),
    ] {
        let repo = Repo::new();
        let run = repo.create_run(&usual);
        let dispatch = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
        let spend = [dispatch.as_str(), "--status", "running", "--tokens-in", "5"];
        repo.run("dispatch update", &run, &spend).done();
        repo.advance(&run, 1);
        repo.replays(&run);
        rewrite(&repo, &run, |text| {
            assert!(text.contains(stored), "{stored} in {text}");
            text.replace(stored, other)
        });
        let told = repo.run("replay", &run, &NONE).exits(1).json();
        assert_eq!(crate::support::texts(&told["differences"], "fact"), [fact], "{told:#}");
    }
}

//! Artifacts, dispatches, agents, verdicts and budgets.

use serde_json::Value;

use super::{NONE, id};
use crate::support::contract::{RUNS_REF, exit, refusal};
use crate::support::{Repo, texts};

#[test]
fn an_artifact_carries_what_the_file_held() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let add = |path: &str| repo.run_json("artifact add", &run, &["--path", path, "--type", "plan"]);
    let first = add("docs/guide.md");
    // The SHA-256 of "a guide\n".
    let hash = "f482aa00c1f8c89da5a7ba2bb33e718432358eb3fc876f3b80d37586c00e6e72";
    assert_eq!(first["artifact"]["sha256"], hash);
    assert_eq!(
        (&first["artifact"]["type"], &first["artifact"]["phase"]),
        (&"plan".into(), &"draft".into())
    );
    assert_eq!(add("docs/guide.md")["added"], false, "the same one again");
    repo.write("docs/guide.md", "another guide\n");
    let second = add("docs/guide.md");
    assert_eq!(second["added"], true);
    assert_ne!(second["artifact"]["sha256"], first["artifact"]["sha256"]);
    let absent = add("docs/not-there.md");
    assert!(absent["artifact"]["sha256"].is_null());
    let call = repo.call("ann").dir("docs").args(["--json", "run", "artifact", "add", &run]);
    let nested = call.args(["--path", "guide.md"]).run().done().json();
    assert_eq!(nested["artifact"]["path"], "docs/guide.md");
    repo.run("artifact add", &run, &["--path", "../outside"]).exits(exit::USAGE);
    repo.replays(&run);
}

/// A link out of the repository is no way to learn what lies there.
#[test]
fn the_content_of_a_link_that_leads_out_is_not_read() {
    let repo = Repo::new();
    let secret = repo.elsewhere().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    std::os::unix::fs::symlink(&secret, repo.work().join("link")).unwrap();
    std::os::unix::fs::symlink(repo.elsewhere(), repo.work().join("dir")).unwrap();
    let run = repo.create_run(&[]);
    for path in ["link", "dir/secret"] {
        let added = repo.run_json("artifact add", &run, &["--path", path]);
        assert!(added["artifact"]["sha256"].is_null(), "{added:#}");
    }
}

/// 4/F3-list: what was rolled back is left out unless it is asked for.
#[test]
fn lists_say_the_status_and_leave_out_what_was_rolled_back() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.run("artifact add", &run, &["--path", "README.md"]).done();
    repo.advance(&run, 1);
    repo.run("artifact add", &run, &["--path", "docs/guide.md"]).done();
    repo.run("verdict add", &run, &["--result", "clean"]).done();
    repo.run("agent add", &run, &["--name", "bob"]).done();
    repo.run("dispatch add", &run, &NONE).done();
    repo.run("rollback", &run, &["--to", "draft", "--reason", "again"]).done();
    for (verb, part, left, all) in [
        ("artifact list", "artifacts", vec!["active"], vec!["active", "rolled_back"]),
        ("verdict list", "verdicts", vec![], vec!["rolled_back"]),
        ("agent list", "agents", vec![], vec!["failed"]),
        ("dispatch list", "dispatches", vec![], vec!["cancelled"]),
    ] {
        let statuses =
            |options: &[&str]| texts(&repo.run_json(verb, &run, options)[part], "status");
        assert_eq!(statuses(&[]), left, "{verb}");
        assert_eq!(statuses(&["--all"]), all, "{verb}");
        repo.run(verb, &run, &["--phase", "nowhere"]).exits(exit::NOTHING);
        repo.coord(
            "ann",
            ["run"].into_iter().chain(verb.split(' ')).chain([run.as_str(), "--all"]),
        )
        .done();
    }
}

/// 7/TERMINAL: the end of a dispatch is final, also for a writer who saw it going on.
#[test]
fn a_dispatch_that_is_over_stays_so() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    for end in ["completed", "failed", "timeout", "cancelled"] {
        let dispatch = id(&repo.run_json("dispatch add", &run, &["--agent", "bob"]), "dispatch");
        let update =
            |status: &str| repo.run("dispatch update", &run, &[&dispatch, "--status", status]);
        update("running").done();
        let ended = update(end).done().json();
        assert_eq!(
            (&ended["dispatch"]["status"], &ended["dispatch"]["ended_at"]),
            (&end.into(), &repo.now().into())
        );
        update(end).done();
        for later in
            ["spawned", "running", "completed", "failed"].into_iter().filter(|one| *one != end)
        {
            let no = update(later).refused("dispatch_over");
            assert_eq!(no["refusal"]["status"], end);
        }
        let words = [dispatch.as_str(), "--status", end, "--tokens-in", "5"];
        repo.run("dispatch update", &run, &words).refused("dispatch_over");
    }
    assert_eq!(repo.run_events(&run, "dispatch_updated").len(), 8);
    let no = repo.run("dispatch update", &run, &["zzzz", "--status", "running"]);
    let error = no.exits(exit::NOTHING).json()["error"].take();
    assert_eq!((&error["code"], &error["dispatch"]), (&"no_dispatch".into(), &"zzzz".into()));
    assert_eq!(error["next"][0], serde_json::json!(["git", "coord", "run", "show", run]));
    let error = repo.coord_json("ann", ["run", "show", "zzzz"]).exits(exit::NOTHING).json();
    let error = &error["error"];
    assert_eq!((&error["code"], &error["run"]), (&"no_run".into(), &"zzzz".into()), "{error:#}");
    assert_eq!(error["next"][0], serde_json::json!(["git", "coord", "run", "list", "--all"]));
    repo.replays(&run);
}

#[test]
fn an_agent_finishes_once_by_name_or_by_id() {
    let repo = Repo::new();
    let run = repo.create_run(&["--max-agents", "2"]);
    let add = |name: &str| repo.run("agent add", &run, &["--name", name]);
    let bob = add("bob").done().json();
    assert_eq!(add("bob").done().json()["added"], false);
    add("eve").done();
    let no = add("mia").refused("too_many");
    assert_eq!(no["refusal"]["max"], 2);
    let finish =
        |who: &str, status: &str| repo.run("agent finish", &run, &[who, "--status", status]);
    finish("bob", "completed").done();
    finish("bob", "completed").done();
    finish("bob", "failed").refused("agent_over");
    finish(&id(&bob, "agent"), "failed").refused("agent_over");
    finish("nobody", "failed").exits(exit::NOTHING);
    let mia = id(&add("mia").done().json(), "agent");
    finish("eve", "failed").done();
    let by_prefix = finish(&mia[..7], "completed").done().json();
    assert_eq!(id(&by_prefix, "agent"), mia, "the beginning of an id is enough");
    let recorded = repo.git(["log", "-1", "--format=%B", RUNS_REF]);
    assert!(
        recorded.contains(&format!("\"agent\":\"{mia}\"")),
        "and is whole in the entry: {recorded}"
    );
    repo.replays(&run);
}

/// The warning and the overrun are one event each; the answer is true each time it is asked.
#[test]
fn a_budget_is_told_once_and_answers_truly_each_time() {
    let repo = Repo::new();
    let run = repo.create_run(&["--budget", "100"]);
    let dispatch = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    let spend = |read: &str, written: &str| {
        let update =
            [&dispatch, "--status", "running", "--tokens-in", read, "--tokens-out", written];
        repo.run("dispatch update", &run, &update).done();
    };
    let told =
        || ["budget_warned", "budget_exceeded"].map(|kind| repo.run_events(&run, kind).len());
    let spending =
        |code: i32| repo.run("budget", &run, &NONE).exits(code).json()["spending"].clone();
    for (read, written, code, word, events) in [
        ("60", "19", 0, "within", [0, 0]),
        ("60", "20", 0, "near", [1, 0]),
        ("60", "40", 0, "near", [1, 0]),
        ("61", "40", 1, "exceeded", [1, 1]),
        ("10", "10", 0, "within", [1, 1]),
        ("99", "40", 1, "exceeded", [1, 1]),
    ] {
        spend(read, written);
        for _ in 0..2 {
            assert_eq!((spending(code), told()), (word.into(), events), "{read}+{written}");
        }
    }
    let without = repo.create_run(&[]);
    let answer = repo.run_json("budget", &without, &NONE);
    assert_eq!((&answer["used"], &answer["budget"]), (&0.into(), &Value::Null));
    repo.replays(&run);
}

#[test]
fn commits_of_dispatches_are_kept_once_each() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let dispatch = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    let commit = |commit: &str| {
        repo.run("dispatch update", &run, &[&dispatch, "--status", "running", "--commit", commit])
    };
    commit("3F9C2AB1").done();
    commit("3f9c2ab1").done();
    let answer = commit("4f9c2ab1").done().json();
    assert_eq!(texts(&answer["dispatch"]["commits"], "commit"), ["3f9c2ab1", "4f9c2ab1"]);
    assert_eq!(answer["dispatch"]["commits"][1]["at"], repo.now());
    for bad in ["HEAD", "3f9", "", "zzzzzzzz"] {
        commit(bad).exits(exit::USAGE);
    }
}

/// 4/F3, 4/F6, 4/INV-6: what a dispatch brings that was called off opens no gate.
#[test]
fn what_a_cancelled_dispatch_makes_does_not_count() {
    let repo = Repo::new();
    let gates = r#"[
        {"from":"draft","to":"review","rules":[]},
        {"from":"review","to":"ship","rules":[{"check":"artifact_exists"}]},
        {"from":"ship","to":"done","rules":[]}
    ]"#;
    repo.write("gates.json", gates);
    let run = repo.create_run(&["--gates", "gates.json"]);
    repo.advance(&run, 1);
    repo.run("advance", &run, &["--priority", "2"]).done();
    let dispatch = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    let done = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    repo.run("dispatch update", &run, &[&done, "--status", "completed"]).done();
    repo.run("rollback", &run, &["--to", "review", "--reason", "wrong"]).done();
    let make = |dispatch: &str, more: &[&str]| {
        let add = [&["--path", "docs/guide.md", "--dispatch", dispatch], more].concat();
        repo.run("artifact add", &run, &add)
    };
    let no = make(&dispatch, &[]).refused("cancelled_by_rollback");
    assert_eq!(no["refusal"]["event"]["subject"], dispatch.as_str());
    make(&dispatch, &["--phase", "review"]).refused("cancelled_by_rollback");
    let no = make(&done, &[]).refused("rolled_back");
    assert_eq!(no["refusal"]["because"], "wrong", "it was done before, and given up all the same");
    repo.run("advance", &run, &NONE).refused(refusal::BLOCKED);
    let again = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    make(&again, &["--phase", "ship"]).refused("other_phase");
    repo.run("dispatch update", &run, &[&again, "--status", "cancelled"]).done();
    make(&again, &[]).refused("dispatch_over");
    let last = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    assert_eq!(make(&last[..6], &[]).done().json()["artifact"]["dispatch"], last.as_str());
    repo.advance(&run, 1);
    let late = make(&last, &["--type", "late"]).done().json();
    assert_eq!(late["artifact"]["phase"], "review", "it belongs to the phase of its dispatch");
    repo.replays(&run);
}

/// A sum that cannot be told is refused; a sum that is told is true.
#[test]
fn no_budget_is_made_false_by_large_numbers() {
    let repo = Repo::new();
    let run = repo.create_run(&["--budget", "1000"]);
    let dispatch = || id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    let (one, two) = (dispatch(), dispatch());
    let spend = |dispatch: &str, tokens: &str| {
        let update = [dispatch, "--status", "running", "--tokens-in", tokens];
        repo.run("dispatch update", &run, &update)
    };
    let most = (1_u64 << 50).to_string();
    spend(&one, &most).done();
    let no = spend(&two, &most).refused(refusal::TOO_MANY);
    assert_eq!(no["refusal"]["next"][0][4], run.as_str(), "{no:#}");
    spend(&two, "0").done();
    let told = repo.run("budget", &run, &NONE).refused("budget_exceeded");
    assert_eq!(told["used"], 1_u64 << 50);
    repo.replays(&run);
}

/// 4/ARTIFACT-top: a path from the top means the same file in every directory.
#[test]
fn an_artifact_can_be_named_from_the_top() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let from = |directory: &str, path: &str| {
        let words = ["run", "artifact", "add", &run, "--path", path, "--json"];
        repo.call("ann").dir(repo.work().join(directory)).args(words).run()
    };
    let whole = from("", "docs/guide.md").done().json()["artifact"].clone();
    assert!(whole["sha256"].is_string(), "{whole:#}");
    for (directory, path) in [("src", ":/docs/guide.md"), ("src", ":(top)docs/guide.md")] {
        let again = from(directory, path).done().json();
        assert_eq!((&again["added"], &again["artifact"]), (&false.into(), &whole), "{path}");
    }
    from("src", ":(top)docs/*.md").exits(exit::USAGE).says("is a pattern");
    // Nothing but the beginning means anything: this is a file with such a name.
    let odd = from("src", ":/docs/[a].md").done().json();
    assert_eq!(odd["artifact"]["path"], "docs/\\[a\\].md", "{odd:#}");
}

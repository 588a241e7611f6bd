//! The code side of a rollback: a report that changes nothing.

use super::{NONE, id, list};
use crate::support::contract::{RUNS_REF, exit};
use crate::support::{Repo, texts};

#[test]
fn commits_and_artifacts_are_listed_and_left_alone() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let dispatch = |phase: &str, commits: &[&str]| {
        let added = repo.run_json("dispatch add", &run, &["--phase", phase]);
        for commit in commits {
            let update = [&id(&added, "dispatch"), "--status", "running", "--commit", commit];
            repo.run("dispatch update", &run, &update).done();
        }
    };
    dispatch("draft", &["1111111"]);
    dispatch("review", &["2222222"]);
    repo.pass("1m");
    dispatch("review", &["3333333", "33333334444"]);
    repo.pass("1m");
    dispatch("ship", &["4444444"]);
    repo.run("artifact add", &run, &["--path", "docs/guide.md", "--phase", "ship"]).done();
    repo.run("artifact add", &run, &["--path", "docs/a.md", "--phase", "review"]).done();
    repo.run("artifact add", &run, &["--path", "README.md", "--phase", "draft"]).done();
    repo.advance(&run, 2);
    let before = repo.git(["rev-parse", RUNS_REF, "HEAD"]);
    let code = ["--to", "draft", "--reason", "x", "--layer", "code"];
    let report = repo.run_json("rollback", &run, &code);
    assert_eq!(list(&report["commits"]), ["4444444", "33333334444", "2222222"], "the newest first");
    assert_eq!(report["missing_commits"], report["commits"], "no such commits are here");
    assert_eq!(texts(&report["artifacts"], "path"), ["docs/a.md", "docs/guide.md"]);
    let one = repo.run_json("rollback", &run, &[&code[..], &["--phase", "ship"]].concat());
    assert_eq!(texts(&one["artifacts"], "path"), ["docs/guide.md"]);
    assert_eq!(list(&one["commits"]), ["4444444"]);
    repo.run("rollback", &run, &[&code[..], &["--phase", "nowhere"]].concat()).exits(exit::NOTHING);
    repo.run("rollback", &run, &["--to", "draft", "--reason", "x", "--phase", "ship"])
        .exits(exit::USAGE);
    let first: Vec<&str> = list(&report["commands"][0]);
    assert_eq!(first, ["git", "revert", "--no-edit", "4444444"]);
    assert_eq!(report["run"]["phase"], "ship");
    let words = ["run", "rollback", &run];
    let said = repo.coord("ann", words.iter().chain(&code)).done();
    said.says("git revert --no-edit 33333334444").says("docs/guide.md");
    assert_eq!(repo.git(["rev-parse", RUNS_REF, "HEAD"]), before, "nothing was run");
    let ahead = ["--to", "done", "--reason", "x", "--layer", "code"];
    repo.run("rollback", &run, &ahead).exits(exit::NO);
    repo.run("rollback", &run, &["--to", "ship", "--reason", "x", "--layer", "code"]).done();
    let none = repo.create_run(&[]);
    let nothing = ["--to", "draft", "--reason", "x", "--layer", "code"];
    assert_eq!(repo.run_json("rollback", &none, &nothing)["commands"], serde_json::json!([]));
    repo.run("show", &run, &NONE).done();
}

/// The order is that of the history, whoever linked what when, and one commit is one, whatever it
/// was called.
#[test]
fn commits_are_reverted_in_the_order_of_history() {
    let repo = Repo::new();
    let commit = |name: &str| {
        repo.git(["commit", "--quiet", "--allow-empty", "--message", name]);
        repo.git(["rev-parse", "HEAD"])
    };
    let (one, two, three) = (commit("one"), commit("two"), commit("three"));
    repo.git(["checkout", "--quiet", "-b", "side", &one]);
    commit("aside");
    repo.git(["checkout", "--quiet", "-"]);
    repo.git(["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    let merge = repo.git(["rev-parse", "HEAD"]);
    let run = repo.create_run(&[]);
    repo.advance(&run, 1);
    let add = || id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
    let (first, second) = (add(), add());
    for (dispatch, commit) in [
        (&second, &merge[..]),
        (&second, &one),
        (&first, &two),
        (&first, &three),
        (&second, &three[..9]),
    ] {
        let update = [dispatch.as_str(), "--status", "running", "--commit", commit];
        repo.run("dispatch update", &run, &update).done();
    }
    let code = ["--to", "draft", "--reason", "x", "--layer", "code"];
    let report = repo.run_json("rollback", &run, &code);
    assert_eq!(list(&report["commits"]), [&merge, &three, &two, &one]);
    assert_eq!(
        list(&report["commands"][0]),
        ["git", "revert", "--no-edit", "--mainline", "1", &merge]
    );
    assert_eq!(report["missing_commits"], serde_json::json!([]));
}

/// After the rollback the report is about what that gave up, and after another advance about what
/// came since.
#[test]
fn a_report_is_about_one_round() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    let code = ["--to", "draft", "--reason", "x", "--layer", "code"];
    let round = |commit: &str, path: &str| {
        repo.advance(&run, 1);
        let dispatch = id(&repo.run_json("dispatch add", &run, &NONE), "dispatch");
        repo.run("artifact add", &run, &["--path", path, "--dispatch", &dispatch]).done();
        let done = [dispatch.as_str(), "--status", "completed", "--commit", commit];
        repo.run("dispatch update", &run, &done).done();
    };
    let told = || {
        let report = repo.run_json("rollback", &run, &code);
        let commits: Vec<String> =
            list(&report["commits"]).into_iter().map(str::to_owned).collect();
        (commits, texts(&report["artifacts"], "path"))
    };
    let of = |commit: &str, path: &str| (vec![commit.to_owned()], vec![path.to_owned()]);
    assert_eq!(told(), (vec![], vec![]));
    round("1111111", "docs/a.md");
    assert_eq!(told(), of("1111111", "docs/a.md"));
    repo.run("rollback", &run, &["--to", "draft", "--reason", "no"]).done();
    assert_eq!(told(), of("1111111", "docs/a.md"), "what was given up");
    repo.coord("ann", ["run", "rollback", &run].iter().chain(&code))
        .done()
        .says("the code of review, given up")
        .says("rolled_back");
    round("2222222", "docs/b.md");
    assert_eq!(told(), of("2222222", "docs/b.md"), "and not again");
}

/// No artifact is left out: neither the fifty-first, nor one whose name is no text.
#[test]
fn every_artifact_is_named_in_a_command() {
    use std::os::unix::ffi::OsStringExt as _;
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    for number in 0..51 {
        let path = format!("docs/{number:02}.md");
        repo.run("artifact add", &run, &["--path", &path, "--phase", "review"]).done();
    }
    let odd = std::ffi::OsString::from_vec(b"caf\xe9.md".to_vec());
    let add = ["--phase", "review", "--path"].map(std::ffi::OsString::from);
    repo.run("artifact add", &run, &[&add[..], &[odd]].concat()).done();
    repo.advance(&run, 1);
    let code = ["--to", "draft", "--reason", "x", "--layer", "code"];
    let report = repo.run_json("rollback", &run, &code);
    let commands = report["commands"].as_array().unwrap();
    let words: Vec<&str> = commands.iter().flat_map(|command| list(command)).collect();
    assert_eq!(words.iter().filter(|word| word.starts_with(":(top,")).count(), 52);
    assert!(words.contains(&":(top,glob)caf?.md"), "{words:?}");
}

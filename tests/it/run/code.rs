//! The code side of a rollback: a report, and nothing is touched.

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
    dispatch("review", &["2222222", "3333333"]);
    repo.pass("1m");
    dispatch("ship", &["4444444"]);
    repo.run("artifact add", &run, &["--path", "docs/guide.md", "--phase", "ship"]).done();
    repo.run("artifact add", &run, &["--path", "README.md", "--phase", "draft"]).done();
    repo.advance(&run, 2);
    let before = repo.git(["rev-parse", RUNS_REF, "HEAD"]);
    let code = ["--to", "draft", "--reason", "x", "--layer", "code"];
    let report = repo.run_json("rollback", &run, &code);
    assert_eq!(list(&report["commits"]), ["4444444", "3333333", "2222222"], "the newest first");
    assert_eq!(texts(&report["artifacts"], "path"), ["docs/guide.md"]);
    let first: Vec<&str> = list(&report["commands"][0]);
    assert_eq!(first, ["git", "revert", "--no-edit", "4444444"]);
    assert_eq!(report["run"]["phase"], "ship");
    let words = ["run", "rollback", &run];
    let said = repo.coord("ann", words.iter().chain(&code)).done();
    said.says("git revert --no-edit 3333333").says("docs/guide.md");
    assert_eq!(repo.git(["rev-parse", RUNS_REF, "HEAD"]), before, "nothing was run");
    let ahead = ["--to", "done", "--reason", "x", "--layer", "code"];
    repo.run("rollback", &run, &ahead).exits(exit::NO);
    repo.run("rollback", &run, &["--to", "ship", "--reason", "x", "--layer", "code"]).done();
    let none = repo.create_run(&[]);
    let nothing = ["--to", "draft", "--reason", "x", "--layer", "code"];
    assert_eq!(repo.run_json("rollback", &none, &nothing)["commands"], serde_json::json!([]));
    repo.run("show", &run, &NONE).done();
}

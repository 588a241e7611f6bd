//! `domain check --dry-run`: explains the verdict.

use std::fs;

use serde_json::Value;

use super::project::{detected, project, tip};
use crate::support::Repo;
use crate::support::contract::exit;

fn change<'a>(answer: &'a Value, path: &str) -> &'a Value {
    let changes = answer["changes"].as_array().unwrap();
    let found = changes.iter().find(|change| change["path"] == path);
    found.unwrap_or_else(|| panic!("no '{path}' in {answer:#}"))
}

fn explained(repo: &Repo) -> Value {
    repo.coord_json("ada", ["domain", "check", "--dry-run"]).json()
}

/// 2/IMP-1: time, changes with structural yes or no, verdict and exit code, and nothing written.
#[test]
fn every_change_is_explained_and_nothing_is_written() {
    let repo = detected();
    let (before, refs) = (tip(&repo), repo.git(["for-each-ref"]));
    repo.write("package.json", "{}");
    repo.write("notes.txt", "done\n");
    repo.write("openapi.yaml", "");
    repo.pass("3m");
    let text = repo.coord("ada", ["domain", "check", "--dry-run"]).exits(exit::STALE);
    text.says("detected 2026-01-05T10:00:00Z (3m ago)").says("changes since commit ");
    text.says("exit code: 3").says("stale");
    let answer = explained(&repo);
    assert_eq!((&answer["verdict"], &answer["exit_code"]), (&"stale".into(), &3.into()));
    for (path, structural) in [("package.json", true), ("notes.txt", false), ("openapi.yaml", true)]
    {
        assert_eq!(change(&answer, path)["structural"], structural, "{answer:#}");
    }
    assert_eq!((tip(&repo), repo.git(["for-each-ref"])), (before, refs));
}

/// 2/P2-2: renames are told as such.
#[test]
fn a_rename_is_told_with_both_names() {
    let repo = detected();
    repo.git(["mv", "package.json", "package.json.bak"]);
    let left = explained(&repo);
    let renamed = change(&left, "package.json.bak");
    assert_eq!((&renamed["from"], &renamed["structural"]), (&"package.json".into(), &true.into()));
    repo.git(["mv", "package.json.bak", "package.json"]);
    let same = explained(&repo);
    assert_eq!((&same["verdict"], &same["changes"]), (&"fresh".into(), &serde_json::json!([])));
}

/// 2/IMP-1, 2/P2-2: what counts is what makes the verdict. A directory that the index names counts
/// like a file, a second file of a pattern does not, and neither does what was already there, not
/// committed, when the tree was looked at.
#[test]
fn what_is_said_of_changes_agrees_with_the_verdict() {
    let repo = detected();
    repo.write("src/controllers/a.js", "x\n");
    let answer = explained(&repo);
    assert_eq!(answer["verdict"], "stale", "{answer:#}");
    assert_eq!(change(&answer, "src/controllers/a.js")["structural"], true, "{answer:#}");
    repo.write("one.proto", "");
    repo.write("package.json", "{\"dependencies\":{\"koa\":\"2\"}}");
    repo.coord("ada", ["domain", "detect"]).done();
    repo.write("two.proto", "");
    let answer = explained(&repo);
    assert_eq!(answer["verdict"], "fresh", "{answer:#}");
    for path in ["src/controllers/a.js", "one.proto", "two.proto", "package.json"] {
        assert_eq!(change(&answer, path)["structural"], false, "{path}: {answer:#}");
    }
    assert_eq!(change(&answer, "package.json")["why"], "as it was looked at");
}

/// 2/IMP-1: where changes cannot be listed, that is said.
#[test]
fn without_the_commit_of_then_that_is_said() {
    let unborn = Repo::unborn();
    unborn.write("package.json", super::project::SERVICE[0].1);
    unborn.write("routes/a.js", "");
    unborn.coord("ada", ["domain", "detect"]).done();
    unborn.coord("ada", ["domain", "check", "--dry-run"]).done().says("no commit then");
}

#[test]
fn every_verdict_has_its_exit_code_in_a_dry_run_too() {
    let check = |repo: &Repo| repo.coord("ada", ["domain", "check", "--dry-run"]).code;
    assert_eq!(check(&detected()), exit::DONE);
    assert_eq!(check(&Repo::new()), exit::NOTHING);
    let unknown = project(&[("README.md", "")]);
    unknown.coord("ada", ["domain", "detect"]).exits(exit::NO);
    assert_eq!(check(&unknown), exit::NO);
}

/// Where the commit of then is gone, the verdict is the same and only the list is missing.
#[test]
fn a_commit_that_is_gone_is_no_hindrance() {
    let repo = detected();
    repo.git(["commit", "--quiet", "--amend", "--message", "another first"]);
    repo.git(["reflog", "expire", "--expire=now", "--all"]);
    repo.git(["gc", "--quiet", "--prune=now"]);
    assert_eq!(explained(&repo)["verdict"], "fresh");
    repo.coord("ada", ["domain", "check", "--dry-run"]).done().says("not there any more");
    fs::remove_file(repo.work().join("package.json")).unwrap();
    assert_eq!(explained(&repo)["verdict"], "stale");
}

/// What others called their files is data.
#[test]
fn hostile_names_are_escaped() {
    let repo = detected();
    repo.write("a\x1b[31m\u{202e}b.proto", "");
    repo.write("x\ny/package.json", "{}");
    let text = repo.coord("ada", ["domain", "check", "--dry-run"]).exits(exit::STALE);
    assert!(!text.stdout.contains(['\x1b', '\u{202e}']), "{text:#?}");
    repo.coord("ada", ["domain", "detect"]).done();
}

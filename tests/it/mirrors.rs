//! Mirrors: git copies every ref, the ledgers too, and each documented remedy works.

use serde_json::Value;

use crate::support::{Output, Repo};

const MIRROR: &str = "../mirror.git";

/// Returns doctor's report on the remotes in a directory.
#[track_caller]
fn said(repo: &Repo, directory: &str) -> Vec<Value> {
    let answer = repo.call("ops").dir(directory).args(["--json", "doctor"]).run_unproven().json();
    let checks = answer["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["name"] == "mirrors").cloned().collect()
}

#[track_caller]
fn in_mirror(repo: &Repo, args: &[&str]) -> Output {
    repo.call("bob").dir(MIRROR).args(args).run_unproven().done()
}

/// Lists our refs in a directory.
fn ledgers(repo: &Repo, directory: &str) -> String {
    repo.git(["-C", directory, "for-each-ref", "--format=%(refname) %(objectname)", "refs/coord"])
}

/// A fetch into a mirror replaces what was reserved there, until the ledgers are left out.
#[test]
fn a_fetch_into_a_mirror_replaces_its_ledgers_unless_they_are_left_out() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    repo.git(["clone", "--quiet", "--mirror", ".", MIRROR]);
    let before = ledgers(&repo, MIRROR);
    in_mirror(&repo, &["reserve", "docs"]);
    assert_ne!(ledgers(&repo, MIRROR), before);
    repo.git(["-C", MIRROR, "fetch", "--quiet", "--prune"]);
    assert_eq!(ledgers(&repo, MIRROR), before, "the harm that is warned of");
    let found = said(&repo, MIRROR);
    let states: Vec<&Value> = found.iter().map(|check| &check["state"]).collect();
    assert_eq!(states, ["warning", "note"], "{found:#?}");
    let next = found[0]["next"][0].as_array().unwrap();
    let next: Vec<&str> = next.iter().map(|word| word.as_str().unwrap()).collect();
    repo.git_call(&next[1..]).dir(MIRROR).run_unproven().done();
    in_mirror(&repo, &["reserve", "docs"]);
    let own = ledgers(&repo, MIRROR);
    repo.git(["-C", MIRROR, "fetch", "--quiet", "--prune"]);
    assert_eq!(ledgers(&repo, MIRROR), own);
    assert_eq!(said(&repo, MIRROR).len(), 1, "what a push does is still so");
    assert_eq!(said(&repo, "").len(), 0, "no mirror, no word");
}

/// A push to a mirror publishes the ledgers. Refspecs in place of the mirror leave them out, and
/// the other side can refuse them.
#[test]
fn a_push_to_a_mirror_publishes_the_ledgers_unless_they_are_left_out() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    for name in ["published", "left-out", "refused"] {
        repo.git(["init", "--quiet", "--bare", "--template=", &format!("../{name}.git")]);
    }
    repo.git(["remote", "add", "--mirror=push", "published", "../published.git"]);
    repo.git(["push", "--quiet", "published"]);
    assert_ne!(ledgers(&repo, "../published.git"), "");
    let found = said(&repo, "");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["state"], "note");
    repo.git(["remote", "add", "left-out", "../left-out.git"]);
    for refspec in ["+refs/*:refs/*", "^refs/coord/*"] {
        repo.git(["config", "--add", "remote.left-out.push", refspec]);
    }
    repo.git(["push", "--quiet", "--prune", "left-out"]);
    assert_eq!(ledgers(&repo, "../left-out.git"), "");
    assert_ne!(repo.git(["-C", "../left-out.git", "for-each-ref"]), "");
    repo.git(["-C", "../refused.git", "config", "receive.hideRefs", "refs/coord"]);
    let refused = repo.git_call(["push", "--quiet", "--mirror", "../refused.git"]).run_unproven();
    assert!(refused.stderr.contains("hidden ref"), "{refused:#?}");
    assert_eq!(ledgers(&repo, "../refused.git"), "");
    assert_ne!(repo.git(["-C", "../refused.git", "for-each-ref"]), "");
}

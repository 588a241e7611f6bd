//! Cases in which git is stopped, only warned, or not checked.

use std::fs;

use super::{ALICE, commit, edit, enable, git, hooked, notes, objects_to};
use crate::support::Repo;
use crate::support::content::Content;
use crate::support::contract::exit;

#[test]
fn people_are_warned_or_refused() {
    let repo = hooked();
    repo.reserve("bob", "docs/**");
    let warned = commit(&repo, "", "docs/guide.md").done();
    warned.says("warning: this commit changes what is not yours to change:");
    warned.says("'docs/guide.md' is held by 'bob'").says("git restore --staged");
    warned.says("the commit goes through: this is only a warning");
    assert_eq!(repo.git(["rev-list", "--count", "HEAD"]), "2", "it did");
    assert!(!warned.stderr.contains("no-verify"), "{}", warned.stderr);
    repo.git(["config", "coord.hook.people", "refuse"]);
    repo.pass("1s");
    objects_to(commit(&repo, "", "docs/guide.md"), "'docs/guide.md'", "bob");
}

#[test]
fn where_nobody_enabled_it_nothing_happens() {
    let repo = Repo::with(&Content::clean());
    enable(&repo);
    repo.reserve("bob", "docs/**");
    for value in ["false", "no"] {
        repo.git(["config", "coord.enabled", value]);
        repo.pass("1s");
        let output = commit(&repo, "alice", "docs/guide.md").done();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{value}");
    }
    repo.git(["config", "--unset", "coord.enabled"]);
    repo.pass("1s");
    assert_eq!(commit(&repo, "alice", "docs/guide.md").done().stderr, "");
}

/// Fails unless the commit passed with one line that explains why it was not checked.
#[track_caller]
fn passes_unchecked(repo: &Repo, why: &str) {
    repo.pass("1s");
    let output = commit(repo, "alice", "docs/guide.md").done();
    let lines: Vec<&str> = output.stderr.lines().collect();
    let [line] = lines[..] else { panic!("not one line: {}", output.stderr) };
    assert!(line.starts_with("warning: git coord: not checked: ") && line.contains(why), "{line}");
}

#[track_caller]
fn stops_unchecked(repo: &Repo, why: &str) {
    repo.git(["config", "coord.hook.failClosed", "true"]);
    repo.pass("1s");
    let output = commit(repo, "alice", "docs/guide.md").exits(exit::NO);
    output.says("nothing is known of who holds what").says(why).says("coord.hook.failClosed");
    let answer = repo.coord_json("alice", ["hook", "pre-commit"]).refused("unchecked");
    assert_eq!(answer["refusal"]["kind"], "failure", "{answer:#}");
    repo.git(["config", "--unset", "coord.hook.failClosed"]);
}

#[test]
fn a_damaged_ledger_stops_nobody_unless_configured() {
    let repo = hooked();
    let id = repo.reserve_id("bob", "docs/**");
    repo.overwrite(&repo.documents_of(&id), "{ no json");
    passes_unchecked(&repo, &id);
    stops_unchecked(&repo, &id);
}

#[test]
fn a_slip_in_the_configuration_stops_nobody_unless_configured() {
    let repo = hooked();
    repo.git(["config", "coord.ttl", "a while"]);
    passes_unchecked(&repo, "coord.ttl");
    stops_unchecked(&repo, "coord.ttl");
    repo.git(["config", "--unset", "coord.ttl"]);
    repo.git(["config", "coord.enabled", "perhaps"]);
    passes_unchecked(&repo, "coord.enabled");
}

/// The gate only reads, and no lock keeps it from that. What comes after the commit waits a moment
/// for the lock, and says nothing in git's output when it has waited in vain.
#[test]
fn a_locked_ledger_stops_nobody() {
    let repo = hooked();
    edit(&repo, ALICE, "docs/guide.md");
    repo.reserve("bob", "src/**");
    let lock = repo.git_dir().join("refs/coord/reservations.lock");
    fs::write(&lock, "").unwrap();
    let output = commit(&repo, ALICE, "docs/guide.md").done();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
    assert_eq!(notes(&repo).all().unwrap(), []);
    assert_eq!(repo.holds().len(), 2, "it ends with its time");
    objects_to(commit(&repo, ALICE, "src/main.rs"), "'src/main.rs'", "bob");
    repo.git(["reset", "--quiet", "--hard"]);
    fs::remove_file(lock).unwrap();
}

/// What comes after a commit says nothing in git's output, whatever happens.
#[test]
fn after_the_commit_failures_are_silent() {
    let repo = hooked();
    for (key, value) in [("coord.ttl", "a while"), ("coord.hook.failClosed", "true")] {
        repo.git(["config", key, value]);
    }
    let output = repo.coord("alice", ["hook", "post-commit"]).done();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
}

/// 7/NO-PULL: whatever is held, asked or refused, hooks leave index, work tree and branches alone.
#[test]
fn hooks_leave_everything_of_the_users_alone() {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    repo.git(["config", "coord.trailers", "true"]);
    repo.reserve("bob", "src/**");
    for (name, code) in [
        ("pre-commit", exit::NO),
        ("pre-merge-commit", exit::NO),
        ("prepare-commit-msg", exit::NO),
        ("post-commit", exit::DONE),
        ("pre-push", exit::DONE),
    ] {
        // The call proves it.
        repo.coord("alice", ["hook", name]).exits(code);
    }
    git(&repo, "alice", &["diff", "--cached", "--quiet"]).exits(exit::NO);
}

//! Every way in which a turn can end, crossed with the ways to destroy what it has left.

use super::*;
use crate::ownership::ends::Program;
use crate::ownership::{ALICE, BOB, edits, ends, hooked, stops};

/// The content that the session leaves in a file.
const LEFT: &[u8] = b"alice\n";
const MAIN: &str = "src/main.rs";
const NEW: &str = "deep/new.rs";

/// An edit of a file by a session, and the end of its turn.
type Leaves = fn(&Repo, &str);

fn running(repo: &Repo, path: &str) {
    edits(repo, ALICE, path, "alice\n");
}

fn over(repo: &Repo, path: &str) {
    running(repo, path);
    stops(repo, ALICE);
}

fn failed(repo: &Repo, path: &str) {
    running(repo, path);
    event(repo, ALICE, "StopFailure", &json!({ "error": "server_error" })).run().done();
}

fn killed(repo: &Repo, path: &str) {
    let file = repo.work().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    drop(Program::editing(repo, &file, &[]));
}

fn session_over(repo: &Repo, path: &str) {
    running(repo, path);
    ends(repo, ALICE);
}

fn lapsed(repo: &Repo, path: &str) {
    running(repo, path);
    repo.pass("16m");
}

/// Commands of a person, or of an agent without hooks, and the file that each destroys.
const VERBS: [(&str, &str); 13] = [
    ("git reset --quiet --hard", MAIN),
    ("git checkout --quiet --force HEAD", MAIN),
    ("git checkout --quiet -- src/main.rs", MAIN),
    ("git checkout-index --quiet --force --all", MAIN),
    ("git restore src", MAIN),
    ("git stash --quiet", MAIN),
    ("git rm --quiet --force src/main.rs", MAIN),
    ("git read-tree --reset -u HEAD", MAIN),
    ("git switch --quiet --discard-changes --detach HEAD", MAIN),
    ("git switch --quiet --force --detach HEAD", MAIN),
    ("rm -r src && git reset --quiet --hard", MAIN),
    ("git stash push --quiet --include-untracked", NEW),
    ("git clean --quiet --force -d", NEW),
];

/// Forms that no look at the text of a command sees through.
fn hopeless() -> Vec<String> {
    let reset = "git reset --quiet --hard";
    vec![
        "sh ../elsewhere/script".to_owned(),
        // Where there is no make, the script does it.
        "make --silent --file ../elsewhere/Makefile throw || sh ../elsewhere/script".to_owned(),
        format!("G=$(printf git); $G {}", &reset["git ".len()..]),
        format!(": {}; {reset}", "x".repeat(70_000)),
    ]
}

fn is_gone(repo: &Repo, path: &str) -> bool {
    std::fs::read(repo.work().join(path)).ok().as_deref() != Some(LEFT)
}

/// Brings a file back as its owner, and proves it.
#[track_caller]
fn comes_back(repo: &Repo, path: &str, what: &str) {
    assert!(is_gone(repo, path), "{what} destroys nothing");
    let answer = rescue(repo, ALICE, &["--json", "restore", "--force", "--", path]).done().json();
    assert_eq!(answer["restored"][0]["path"], path, "{what}: {answer:#}");
    has(repo, path, LEFT);
}

/// 8/RESET, 8/STASH, 8/CHECKOUT, 8/CLEAN: what a session has left comes back after each verb and
/// each form.
fn everything_comes_back(leaves: Leaves) {
    let repo = hooked();
    let elsewhere = repo.world().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    assert!(repo.work().join("../elsewhere").is_dir(), "beside the work tree");
    std::fs::write(elsewhere.join("script"), "git reset --quiet --hard\n").unwrap();
    std::fs::write(elsewhere.join("Makefile"), "throw:\n\tgit reset --quiet --hard\n").unwrap();
    let begin = |path: &str| {
        repo.git(["reset", "--quiet", "--hard"]);
        repo.pass("1m");
        leaves(&repo, path);
        repo.pass("1m");
    };
    for (verb, path) in VERBS {
        begin(path);
        repo.call("").program("sh").args(["-c", verb]).run_unproven().done();
        comes_back(&repo, path, verb);
    }
    for form in hopeless() {
        begin(MAIN);
        shell(&repo, BOB, &form);
        comes_back(&repo, MAIN, &form[..form.len().min(80)]);
    }
}

/// Everything comes back from what a rebase, a stash and a patch leave of a file.
fn everything_comes_back_from_conflicts(leaves: Leaves) {
    let prepared = hooked();
    let commit = |path: &str, text: &str| {
        prepared.write(path, text);
        let words = ["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--all"];
        let words = [&words[..], &["--message", text]].concat();
        let commit = prepared.git_call(words).env("GIT_COMMITTER_DATE", prepared.now());
        commit.run_unproven().done();
    };
    let main = prepared.git(["branch", "--show-current"]);
    prepared.git(["switch", "--quiet", "--create", "other"]);
    commit("README.md", "other");
    commit(MAIN, "other\n");
    prepared.git(["switch", "--quiet", &main]);
    prepared.git(["switch", "--quiet", "--create", "aside"]);
    commit("README.md", "aside");
    prepared.git(["switch", "--quiet", &main]);
    prepared.pass("1h");
    let does =
        |repo: &Repo, script: &str| repo.call("").program("sh").args(["-c", script]).run_unproven();
    let stash_pop = "git stash --quiet && git switch --quiet other && ! git stash pop";
    for (what, before, script) in [
        ("rebase --abort", "git switch -q aside; git rebase other", "git rebase --abort"),
        ("stash pop", "", stash_pop),
        ("an autostash", "", "git rebase --autostash other"),
        ("apply", "", "git apply ../elsewhere/patch"),
    ] {
        let repo = prepared.copy();
        let patch = format!("--- a/{MAIN}\n+++ b/{MAIN}\n@@ -1 +1 @@\n-alice\n+patched\n");
        let elsewhere = repo.world().join("elsewhere");
        std::fs::create_dir_all(&elsewhere).unwrap();
        std::fs::write(elsewhere.join("patch"), patch).unwrap();
        does(&repo, before);
        leaves(&repo, MAIN);
        repo.pass("1m");
        does(&repo, script).done();
        comes_back(&repo, MAIN, what);
    }
}

/// 8/RESCUE: each end of a turn is a test of its own.
macro_rules! each_end {
    ($($name:ident),*) => {$(
        mod $name {
            #[test]
            fn everything_comes_back() {
                super::everything_comes_back(super::$name);
            }

            #[test]
            fn everything_comes_back_from_conflicts() {
                super::everything_comes_back_from_conflicts(super::$name);
            }
        }
    )*};
}

each_end!(running, over, failed, killed, session_over, lapsed);

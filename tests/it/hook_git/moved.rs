//! `HEAD` moves during a commit: git has read it before it calls the hook.

use super::{commit, hooked, objects_to};

const HINT: &str = "if that came in just now, commit again";

#[test]
fn who_would_undo_what_just_came_in_is_told_to_commit_again() {
    let repo = hooked();
    // `git commit <path>` stages the path in an index of its own, on top of its first `HEAD`.
    let index = repo.world().join("tmp/index");
    let alice = |args: &[&str]| {
        repo.call("alice").program("git").args(args).env("GIT_INDEX_FILE", &index).run_unproven()
    };
    alice(&["read-tree", "HEAD"]).done();
    repo.write("src/main.rs", "by alice\n");
    alice(&["add", "src/main.rs"]).done();
    repo.reserve("bob", "docs/**");
    commit(&repo, "bob", "docs/guide.md").done();
    let newest = repo.git(["rev-parse", "--short=10", "HEAD"]);
    let refused = alice(&["commit", "--quiet", "--message", "work"]);
    objects_to(refused, "docs/guide.md", "bob")
        .says(&format!("hint: it would undo {newest}: {HINT}"));
    // A path that the commit changes on purpose is not such a path.
    let refused = objects_to(commit(&repo, "alice", "docs/guide.md"), "docs/guide.md", "bob");
    assert!(!refused.stderr.contains(HINT), "{refused:#?}");
}

/// Its pattern is that of a directory above it, which no commit has changed.
#[test]
fn a_path_too_deep_for_a_pattern_is_not_said_to_be_undone() {
    let repo = hooked();
    repo.reserve("bob", "deep");
    commit(&repo, "bob", "src/main.rs").done();
    let path = format!("deep/{}/f", ["d"; 60].join("/"));
    let refused = objects_to(commit(&repo, "alice", &path), "'deep/d/d", "bob");
    assert!(!refused.stderr.contains(HINT), "{refused:#?}");
}

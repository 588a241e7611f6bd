//! Merges: each side was free to make its own changes. Only paths that differ from every parent are
//! changes of the merging agent.

use super::{commit, git, hooked, objects_to};
use crate::support::Repo;

const TEN_LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

/// Creates two branches from one commit: `side` changes the guide and the first line of `ten`,
/// `main` its last one, and `other` is one more.
fn parted() -> Repo {
    let repo = hooked();
    let all = ["commit", "--quiet", "--all", "--message", "made"];
    repo.write("ten", TEN_LINES);
    repo.git(["add", "ten"]);
    repo.git(all);
    for (branch, path, text) in [
        ("side", "docs/guide.md", "of side\n".to_owned()),
        ("side", "ten", TEN_LINES.replacen('1', "first", 1)),
        ("other", "README.md", "of other\n".to_owned()),
        ("main", "ten", TEN_LINES.replace("10", "last")),
        ("clashing", "docs/guide.md", "of clashing\n".to_owned()),
    ] {
        let is_new = repo.git(["branch", "--list", branch]).is_empty();
        let start = if is_new { "main~0" } else { branch };
        repo.git(["checkout", "--quiet", "-B", branch, start]);
        repo.write(path, &text);
        repo.git(all);
        repo.git(["checkout", "--quiet", "main"]);
    }
    repo
}

fn merge(repo: &Repo, args: &[&str]) -> crate::support::Output {
    git(repo, "alice", &[&["merge", "--quiet", "--no-edit"], args].concat())
}

#[test]
fn what_another_branch_has_made_is_no_change_of_the_merger() {
    let repo = parted();
    repo.reserve("bob", "docs/**");
    repo.reserve("bob", "README.md");
    merge(&repo, &["side"]).done();
    merge(&repo, &["other"]).done();
    assert_eq!(repo.git(["log", "--merges", "--format=%s"]).lines().count(), 2);
}

/// Both sides changed it, so the result is neither's.
#[test]
fn what_git_puts_together_is_compared_before_it_is_committed() {
    let repo = parted();
    let before = repo.git(["rev-parse", "HEAD"]);
    repo.reserve("bob", "ten");
    objects_to(merge(&repo, &["side"]), "'ten'", "bob");
    assert_eq!(repo.git(["rev-parse", "HEAD"]), before);
}

#[test]
fn a_conflict_is_resolved_by_who_may_change_the_path() {
    let repo = parted();
    merge(&repo, &["side"]).done();
    repo.reserve("bob", "docs/**");
    assert_ne!(merge(&repo, &["clashing"]).code, 0, "both changed the guide");
    objects_to(commit(&repo, "alice", "docs/guide.md"), "'docs/guide.md'", "bob");
    repo.git(["checkout", "--quiet", "clashing", "--", "docs/guide.md"]);
    git(&repo, "alice", &["commit", "--quiet", "--no-edit"]).done();
}

#[test]
fn what_is_slipped_into_a_merge_is_a_change() {
    let repo = parted();
    repo.reserve("bob", "src/**");
    merge(&repo, &["--no-commit", "side"]).done();
    objects_to(commit(&repo, "alice", "src/main.rs"), "'src/main.rs'", "bob");
}

#[test]
fn a_merge_of_many_is_compared_with_each() {
    let repo = parted();
    repo.git(["reset", "--quiet", "--hard", "main~1"]);
    repo.git(["checkout", "--quiet", "-B", "third", "main"]);
    commit(&repo, "", "src/api/teams.rs").done();
    repo.git(["checkout", "--quiet", "main"]);
    commit(&repo, "", "notes.txt").done();
    for path in ["docs/**", "README.md", "src/api/**"] {
        repo.reserve("bob", path);
    }
    merge(&repo, &["side", "other", "third"]).done();
    assert_eq!(repo.git(["log", "-1", "--format=%P"]).split(' ').count(), 4);
    repo.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    merge(&repo, &["--no-commit", "side", "other", "third"]).done();
    objects_to(commit(&repo, "alice", "src/api/users.rs"), "'src/api/users.rs'", "bob");
}

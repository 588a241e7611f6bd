//! Commits and stash entries are their author's.

use serde_json::json;

use super::*;
use crate::ownership::{ALICE, BOB, edits, ends, git, hooked, stops};

/// Asks the hook whether a shell command may run, and returns the refusal.
fn refusal(repo: &Repo, agent: &str, command: &str) -> Option<String> {
    let input = json!({ "command": command });
    let more = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t7" });
    let answer = event(repo, agent, "PreToolUse", &more).run().done();
    let answer: Value = serde_json::from_str(&answer.stdout).ok()?;
    let output = &answer["hookSpecificOutput"];
    output["permissionDecisionReason"].as_str().map(str::to_owned)
}

/// Runs a shell command as an agent, with the hooks before and after it.
fn shell(repo: &Repo, agent: &str, command: &str) {
    let input = json!({ "command": command });
    let mut more = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t8" });
    event(repo, agent, "PreToolUse", &more).run().done();
    repo.call(agent).program("sh").args(["-c", command]).run_unproven().done();
    more["tool_response"] = json!({ "stdout": "" });
    more["duration_ms"] = json!(5_000);
    event(repo, agent, "PostToolUse", &more).run().done();
}

#[track_caller]
fn is_refused(repo: &Repo, command: &str, parts: &[&str]) {
    let text = refusal(repo, BOB, command).unwrap_or_else(|| panic!("passes: {command}"));
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[track_caller]
fn passes(repo: &Repo, agent: &str, command: &str) {
    assert_eq!(refusal(repo, agent, command), None, "{command}");
}

/// 8/AMEND: a commit is amended by its author, or once the session of the author has ended.
#[test]
fn a_commit_of_another_is_not_amended() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    commits(&repo, ALICE, &["--all"]).done();
    passes(&repo, ALICE, "git commit --amend --no-edit");
    let said = ["would replace a commit of another agent", ALICE, "\n  git commit\n"];
    is_refused(&repo, "git commit --amend --no-edit", &said);
    is_refused(&repo, "git add src/lib.rs && git -c x.y=z commit -a --amend -m x", &said);
    stops(&repo, ALICE);
    is_refused(&repo, "git commit --amend", &["whose turn is over"]);
    passes(&repo, BOB, "git commit --amend --dry-run");
    passes(&repo, BOB, "git commit -m more");
    ends(&repo, ALICE);
    passes(&repo, BOB, "git commit --amend");
}

/// 8/BRANCH: a branch is dropped by whoever made the commits that only it has.
#[test]
fn a_branch_of_another_is_not_dropped() {
    let repo = hooked();
    git(&repo, ALICE, &["switch", "--quiet", "-c", "feature"]).done();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    commits(&repo, ALICE, &["--all"]).done();
    git(&repo, ALICE, &["switch", "--quiet", "main"]).done();
    for command in [
        "git branch -D feature",
        "git branch --delete --force feature",
        "git branch -d -f other feature",
        "git branch -f feature main",
        "git update-ref -d refs/heads/feature",
    ] {
        is_refused(&repo, command, &["would drop commits of another agent", ALICE]);
        passes(&repo, ALICE, command);
    }
    is_refused(&repo, "git branch -D feature", &["\n  git branch -d -- feature\n"]);
    for command in
        ["git branch -d feature", "git branch -D main", "git branch", "git branch -r -D o/x"]
    {
        passes(&repo, BOB, command);
    }
    git(&repo, BOB, &["branch", "copy", "feature"]).done();
    passes(&repo, BOB, "git branch -D feature");
}

/// 8/STASH: an entry of the stash is used by whoever made it.
#[test]
fn a_stash_entry_of_another_is_not_used_up() {
    let repo = hooked();
    repo.write("README.md", "a person's\n");
    repo.git(["stash", "--quiet"]);
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    shell(&repo, ALICE, "git stash push --quiet -- src/main.rs");
    for command in
        ["git stash pop", "git stash drop stash@{0}", "git stash apply 0", "git stash clear"]
    {
        is_refused(&repo, command, &["would use up what another agent has put", "git stash list"]);
        passes(&repo, ALICE, command);
    }
    passes(&repo, BOB, "git stash pop stash@{1}");
    passes(&repo, BOB, "git stash list");
    ends(&repo, ALICE);
    is_refused(&repo, "git stash pop", &["whose session has ended"]);
}

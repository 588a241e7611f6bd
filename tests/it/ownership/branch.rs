//! Commits on another branch than their edits were made on.

use super::*;

fn bash(repo: &Repo, agent: &str, name: &str, id: &str) {
    let more = json!({
        "tool_name": "Bash", "tool_input": { "command": "git switch" }, "tool_use_id": id,
        "duration_ms": 100.0,
    });
    event(repo, agent, name, &more).run().done();
}

/// 8/BRANCH: somebody switched the branch below the agent. Its commit is refused with both names,
/// and saying that it belongs there lets it pass.
#[test]
fn a_commit_on_another_branch_is_noticed() {
    let repo = hooked();
    let main = repo.git(["branch", "--show-current"]);
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    repo.git(["switch", "--quiet", "--create", "topic"]);
    let output = commits(&repo, ALICE, &["--all"]).exits(exit::NO);
    output
        .says("error: this commit goes to another branch than your edits were made on:")
        .says(&format!("'src/main.rs' was edited on '{main}', and 'topic' is checked out now"))
        .says("git coord adopt --reason '<why>' -- :/src/main.rs");
    repo.git(["add", "--all"]);
    let refusal = repo.coord_json(ALICE, ["hook", "pre-commit"]).refused("branch_moved");
    let refusal = &refusal["refusal"];
    assert_eq!((&refusal["edited_on"], &refusal["head_on"]), (&json!(main), &json!("topic")));
    repo.json(ALICE, ["adopt", "src/main.rs", "--reason", "it belongs there"]);
    commits(&repo, ALICE, &[]).done();
}

/// 8/HARMLESS: an agent that makes a branch for its own edits is not stopped, neither within one
/// shell command nor in a later one.
#[test]
fn a_branch_of_the_agents_own_is_no_surprise() {
    for within_one in [true, false] {
        let repo = hooked();
        edits(&repo, ALICE, "src/main.rs", "alice\n");
        bash(&repo, ALICE, "PreToolUse", "b1");
        let switch = repo.call(ALICE).program("git").env("GIT_COMMITTER_DATE", repo.now());
        switch.args(["switch", "--quiet", "--create", "topic"]).run_unproven().done();
        if !within_one {
            bash(&repo, ALICE, "PostToolUse", "b1");
        }
        commits(&repo, ALICE, &["--all"]).done();
    }
}

/// A branch that was renamed is the same branch.
#[test]
fn a_renamed_branch_is_the_same() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    repo.git(["branch", "--move", "renamed"]);
    commits(&repo, ALICE, &["--all"]).done();
}

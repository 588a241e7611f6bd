//! 8/LOST-IS-TOLD: the owner of a change that is gone is told once, at its next event.

use super::*;

/// Returns the text for the agent, if there is any.
fn told(repo: &Repo, agent: &str, name: &str, more: &Value) -> Option<String> {
    let output = event(repo, agent, name, more).run().done();
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned);
    text.filter(|text| text.contains("uncommitted changes of yours are gone"))
}

/// Events at which an agent can be told something.
fn events(repo: &Repo) -> Vec<(&'static str, Value)> {
    let bash = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    vec![
        ("SessionStart", json!({ "source": "resume" })),
        ("UserPromptSubmit", json!({ "prompt": "go on" })),
        ("PreToolUse", of_file("Edit", &repo.work().join("other.rs"))),
        ("PreToolUse", bash.clone()),
        ("PostToolUse", bash),
        ("PostToolUse", json!({ "tool_name": "Read", "tool_input": {} })),
    ]
}

/// Whoever sees the loss, its owner is told once, at whatever event comes next.
#[test]
fn the_owner_is_told_once() {
    for at in 0..events(&hooked()).len() {
        let repo = hooked();
        edits(&repo, ALICE, "src/main.rs", "alice\n");
        stops(&repo, ALICE);
        repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
        repo.pass("5m");
        repo.json("ops", ["changes"]);
        repo.pass("2m");
        let (name, more) = events(&repo).swap_remove(at);
        let text = told(&repo, ALICE, name, &more).unwrap_or_else(|| panic!("{name} says nothing"));
        assert!(text.contains("\"src/main.rs\", changed 7m ago, seen to be gone 2m ago"), "{text}");
        assert!(text.contains("  git coord rescue restore -- :/src/main.rs"), "{text}");
        for (name, more) in events(&repo) {
            assert_eq!(told(&repo, ALICE, name, &more), None, "{name}");
            assert_eq!(told(&repo, BOB, name, &more), None, "{name}");
        }
    }
}

/// A turn that begins looks by itself, and a session hears of its subagents' losses.
#[test]
fn a_turn_that_begins_looks_by_itself() {
    let repo = hooked();
    edits(&repo, "claude:alice/sub", "src/main.rs", "sub\n");
    edits(&repo, ALICE, "docs/guide.md", "alice\n");
    event(&repo, "claude:alice/sub", "SubagentStop", &json!({})).run().done();
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "--", "."]);
    let prompt = json!({ "prompt": "go on" });
    let text = told(&repo, ALICE, "UserPromptSubmit", &prompt).unwrap();
    assert!(text.contains("\"src/main.rs\", changed by claude:alice/sub"), "{text}");
    assert!(text.contains("\"docs/guide.md\", changed 0s ago"), "{text}");
    assert_eq!(told(&repo, ALICE, "UserPromptSubmit", &prompt), None);
}

/// What has come back, what a commit has changed since, and what the agent itself has put back is
/// not said to be gone.
#[test]
fn what_is_not_gone_is_not_said() {
    let prompt = json!({ "prompt": "go on" });
    let looks = |repo: &Repo| drop(repo.json("ops", ["changes"]));
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    repo.git(["stash", "--quiet"]);
    looks(&repo);
    repo.git(["stash", "pop", "--quiet"]);
    assert_eq!(told(&repo, ALICE, "UserPromptSubmit", &prompt), None, "it has come back");
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    repo.write("src/main.rs", "alice\na person\n");
    let words = ["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--all", "--message", "x"];
    let commit = repo.call("").program("git").args(words);
    commit.env("GIT_COMMITTER_DATE", repo.later("1m")).run_unproven().done();
    assert_eq!(told(&repo, ALICE, "UserPromptSubmit", &prompt), None, "it was committed over");
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    let ran = json!({ "tool_name": "Bash", "duration_ms": 60_000, "tool_input": {} });
    assert_eq!(told(&repo, ALICE, "PostToolUse", &ran), None);
    assert_eq!(told(&repo, ALICE, "UserPromptSubmit", &prompt), None, "its own command did it");
}

/// A change whose content is not known cannot be brought back, and no command is named.
#[test]
fn no_command_is_named_for_what_cannot_come_back() {
    let repo = hooked();
    edits_by(&repo, ALICE, "src/main.rs", |file| std::fs::remove_file(file).unwrap());
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    let text = told(&repo, ALICE, "UserPromptSubmit", &json!({ "prompt": "x" })).unwrap();
    assert!(text.contains("\"src/main.rs\"") && !text.contains("rescue"), "{text}");
}

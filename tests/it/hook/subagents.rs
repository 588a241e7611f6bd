//! 8/SIBLING: subagents of one session are themselves in its shells, whose variables tell the
//! session only.

use serde_json::json;

use super::*;
use crate::ownership::{edits, event, hooked, owners, sweeps};

const MAIN: &str = "claude:alice";
const ONE: &str = "claude:alice/one";
const TWO: &str = "claude:alice/two";

/// Reports that an agent begins a shell command.
#[track_caller]
fn begins(repo: &Repo, agent: &str, id: &str, command: &str) {
    let more = json!({
        "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": command },
    });
    silent(&event(repo, agent, "PreToolUse", &more).run());
}

#[track_caller]
fn ended(repo: &Repo, agent: &str, id: &str) {
    let more = json!({ "tool_name": "Bash", "tool_use_id": id, "tool_response": {} });
    silent(&event(repo, agent, "PostToolUse", &more).run());
}

/// Prepares a command in a shell of the session, with the variables that Claude Code sets there.
fn shell(repo: &Repo) -> Call {
    repo.call("").without_env("GIT_COORD_AGENT").env("CLAUDE_CODE_SESSION_ID", "alice")
}

#[track_caller]
fn whoami(call: Call) -> String {
    let answer = call.args(["whoami", "--json"]).run().done().json();
    answer["agent"].as_str().unwrap().to_owned()
}

/// The agent with the open call acts, whether the session was named by the program or by the file
/// of variables that a hook wrote.
#[test]
fn the_open_call_names_the_subagent() {
    let repo = hooked();
    let exported = || repo.call("").env("GIT_COORD_AGENT", MAIN);
    for call in [shell, |repo: &Repo| repo.call(MAIN)] {
        assert_eq!(whoami(call(&repo)), MAIN);
        begins(&repo, ONE, "t1", "make");
        assert_eq!(whoami(call(&repo)), ONE);
        begins(&repo, TWO, "t2", "npm test");
        assert_eq!(whoami(call(&repo)), MAIN, "nothing tells which of them");
        begins(&repo, TWO, "t3", "cd src && git coord ask main.rs --reason 'I need it'");
        assert_eq!(whoami(call(&repo)), TWO, "the only one that runs git");
        begins(&repo, MAIN, "t4", "git status");
        assert_eq!(whoami(call(&repo)), MAIN);
        for (agent, id) in [(MAIN, "t4"), (TWO, "t3"), (TWO, "t2")] {
            ended(&repo, agent, id);
        }
        assert_eq!(whoami(call(&repo)), ONE);
        ended(&repo, ONE, "t1");
    }
    assert_eq!(whoami(exported()), MAIN);
    begins(&repo, ONE, "t1", "git status");
    assert_eq!(whoami(exported().args(["--as", MAIN])), MAIN, "a name that was chosen stays");
    assert_eq!(whoami(repo.call("claude:alicia")), "claude:alicia");
}

/// What a subagent reserves and asks for in its shell is its own, and a sibling stands in its way.
#[test]
fn siblings_get_their_own_answers() {
    let repo = hooked();
    edits(&repo, ONE, "src/main.rs", "one\n");
    begins(&repo, TWO, "t1", "git coord check src/main.rs");
    shell(&repo).args(["check", "src/main.rs"]).run().exits(exit::NO).says(ONE);
    let ask = ["ask", "src/main.rs", "--reason", "I need it", "--json"];
    let asked = shell(&repo).args(ask).run().done().json();
    assert_eq!(asked["status"], "pending", "{asked:#}");
    shell(&repo).args(["reserve", "docs"]).run().done();
    assert_held(&repo, &[(ONE, "src/main.rs"), (TWO, "docs")]);
    ended(&repo, TWO, "t1");
    begins(&repo, ONE, "t2", "git coord inbox");
    let status = shell(&repo).args(["status", "--json"]).run().done();
    assert!(status.stdout.contains(TWO), "{status:#?}");
    shell(&repo).args(["check", "src/main.rs"]).run().done();
}

/// A sibling's commit does not take along what the other edits; its own does, and the session's.
#[test]
fn a_commit_of_a_subagent_is_its_own() {
    for whose in [ONE, TWO, MAIN] {
        let repo = hooked();
        edits(&repo, ONE, "src/main.rs", "one\n");
        begins(&repo, whose, "t1", "make commit");
        let commit = || {
            let args = ["commit", "--quiet", "--all", "--message", "work"];
            shell(&repo).program("git").args(args).run_unproven()
        };
        if whose != TWO {
            commit().done();
            assert_eq!((owners(&repo), held(&repo)), (Vec::new(), Vec::new()), "{whose}");
            continue;
        }
        commit().exits(exit::NO).says("'src/main.rs' is held by 'claude:alice/one'");
        assert_held(&repo, &[(ONE, "src/main.rs")]);
        let stop = json!({ "stop_hook_active": false });
        silent(&event(&repo, ONE, "SubagentStop", &stop).run());
        sweeps(commit(), "src/main.rs", ONE);
    }
}

/// The calls of subagents are over with their session, and with themselves.
#[test]
fn calls_that_nobody_ended_name_nobody() {
    let repo = hooked();
    for (agent, end) in [(ONE, "SubagentStop"), (MAIN, "SessionEnd")] {
        begins(&repo, ONE, "t1", "git status");
        assert_eq!(whoami(shell(&repo)), ONE);
        silent(&event(&repo, agent, end, &json!({ "reason": "other" })).run());
        assert_eq!(whoami(shell(&repo)), MAIN, "{end}");
    }
}

/// A subagent is told its own name, and what its siblings hold.
#[test]
fn a_subagent_is_welcome_under_its_own_name() {
    let repo = hooked();
    edits(&repo, ONE, "src/main.rs", "one\n");
    edits(&repo, MAIN, "docs/guide.md", "main\n");
    let start = json!({ "agent_type": "general-purpose" });
    let output = event(&repo, TWO, "SubagentStart", &start).run();
    let told = context(&output, "SubagentStart");
    assert!(told.contains("you are claude:alice/two"), "{told}");
    assert!(told.contains("claude:alice/one holds \"src/main.rs\""), "{told}");
    assert!(!told.contains("guide.md"), "{told}");
    silent(&event(&repo, MAIN, "SubagentStart", &start).run());
}

//! The ways in which a turn and a session end, and what each means for the changes they leave.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Stdio};

use super::*;

/// While the turn runs, the hold stops the commit; once that has run out, the note does.
#[test]
fn a_running_turn_is_protected_beyond_its_hold() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    commits(&repo, BOB, &["--all"]).exits(exit::NO).says("is held by 'claude:alice'");
    repo.pass("16m");
    let output = sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE);
    output.says("whose turn is running").says("git coord send claude:alice");
    let refusal = repo.coord_json(BOB, ["adopt", "src/main.rs", "--reason", "mine"]);
    refusal.refused("held");
    repo.pass("10m");
    sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE).says("whose turn is over");
    repo.json(BOB, ["adopt", "src/main.rs", "--reason", "mine"]);
}

/// Time settles nothing: the change is its owner's after a day, when the owner counts as dead, and
/// after a month.
#[test]
fn time_settles_nothing() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    repo.pass("25h");
    sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE).says("whose session has died");
    repo.pass("30d");
    sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE);
}

/// Who closes a session leaves its work to whoever goes on: the commit passes, says so, and records
/// it.
#[test]
fn leftovers_are_taken_over_by_the_commit() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    ends(&repo, ALICE);
    repo.git(["config", "coord.hook.leftovers", "refuse"]);
    let refused = sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE);
    refused.says("whose session has ended");
    repo.git(["config", "--unset", "coord.hook.leftovers"]);
    let output = commits(&repo, BOB, &["--all"]).done();
    output.says("warning: this commit takes over the uncommitted changes of a session that has");
    let adopted = repo.events("adopted");
    assert_eq!((&adopted[0]["data"]["from"], adopted.len()), (&json!(ALICE), 1));
    assert_eq!(adopted[0]["actor"], BOB);
    assert_eq!(owners(&repo), []);
}

/// An agent is told whose changes are in the file that it edits; it may edit on, and not commit.
#[test]
fn who_edits_on_is_told_once() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    let told = asks(&repo, BOB, "src/main.rs").json()["hookSpecificOutput"].clone();
    let told = told["additionalContext"].as_str().unwrap().to_owned();
    assert!(told.contains("- claude:alice, ") && told.contains("whose turn is over"), "{told}");
    assert!(told.contains("git coord adopt --reason '<why>' -- :/src/main.rs"), "{told}");
    repo.write("src/main.rs", "alice\nbob\n");
    reports(&repo, BOB, "src/main.rs");
    assert_eq!(asks(&repo, BOB, "src/main.rs").stdout, "", "once is enough");
    stops(&repo, BOB);
    let both = [("src/main.rs".to_owned(), vec![ALICE.to_owned(), BOB.to_owned()])];
    assert_eq!(owners(&repo), both);
    sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE);
    repo.json(BOB, ["adopt", "src/main.rs", "--reason", "goes on"]);
    commits(&repo, BOB, &["--all"]).done();
}

/// The program of an agent, which calls hooks, and then runs on.
pub(crate) struct Program(Child);

impl Program {
    /// Starts an agent that edits a file, and then ends and begins sessions.
    pub(crate) fn editing(repo: &Repo, file: &Path, later: &[(&str, &str)]) -> Program {
        let hook = |session: &str, name: &str| {
            let fields = json!({
                "session_id": session, "cwd": repo.work(), "hook_event_name": name,
                "transcript_path": "/transcript.jsonl", "tool_name": "Edit",
                "tool_input": { "file_path": file },
            });
            let path = repo.elsewhere().join(format!("{session}-{name}.json"));
            std::fs::write(&path, fields.to_string()).unwrap();
            format!("git coord hook claude <'{}' >&2\n", path.display())
        };
        let later: String = later.iter().map(|(session, name)| hook(session, name)).collect();
        let script = format!(
            "#!/bin/sh\n{}echo alice >'{}'\n{}{later}echo ready\nread answer\n",
            hook("alice", "PreToolUse"),
            file.display(),
            hook("alice", "PostToolUse")
        );
        let program = repo.elsewhere().join("bin/claude");
        put_script(&program, &script);
        let mut started = repo.call("").program(&program).command();
        let mut child = started.stdin(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "ready"));
        Program(child)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// What a killed agent left is the next editor's, on the record.
#[test]
fn who_edits_after_a_killed_agent_takes_over() {
    let repo = hooked();
    let file = repo.work().join("src/main.rs");
    drop(Program::editing(&repo, &file, &[]));
    sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE).says("whose session has died");
    let answer = asks(&repo, BOB, "src/main.rs").json();
    let told = answer["systemMessage"].as_str().unwrap();
    assert!(told.contains("an agent that has died") && told.contains("claude:alice"), "{told}");
    std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"bob\n").unwrap();
    reports(&repo, BOB, "src/main.rs");
    assert_eq!(repo.events("adopted").len(), 1);
    commits(&repo, BOB, &["--all"]).done();
    assert_eq!(repo.git(["show", "HEAD:src/main.rs"]), "alice\nbob");
}

/// A session that begins where another has ended, as after `/clear`, goes on with its changes.
#[test]
fn a_session_inherits_from_the_one_before_it() {
    let repo = hooked();
    let file = repo.work().join("src/main.rs");
    let later = [("alice", "SessionEnd"), ("carol", "SessionStart")];
    let _program = Program::editing(&repo, &file, &later);
    let carol = "claude:carol".to_owned();
    assert_eq!(owners(&repo), [("src/main.rs".to_owned(), vec![carol.clone()])]);
    sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", &carol);
    assert_eq!(commits(&repo, &carol, &["--all"]).done().stderr, "");
}

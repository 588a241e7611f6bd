//! The picture in the README: three sessions in one checkout, as a terminal shows them. Every
//! output of the program in it is a real answer to this test. `UPDATE=1` writes it again.

mod svg;

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::content::Content;
use crate::support::contract::exit;
use crate::support::{Call, Repo};
use svg::{Line, Slot, line, shown, wrapped};

const PATH: &str = "docs/three-sessions.svg";
/// The ids of three sessions.
const SESSIONS: [&str; 3] = ["7f3a91c2", "0b9d44e1", "c41e5d20"];
/// The ids in the picture. Real ones are random.
const IDS: [&str; 3] = ["k7w2m9xa", "p4t8h3zc", "d6r1v5ye"];

/// The story, as lines of a terminal.
struct Story {
    repo: Repo,
    lines: Vec<Line>,
}

impl Story {
    fn begin() -> Story {
        let repo = Repo::with(&Content::clean());
        repo.call("").args(["install", "--agents", "none"]).run_unproven().done();
        Story { repo, lines: Vec::new() }
    }

    fn call(&self, session: usize) -> Call {
        let agent = format!("claude:{}", SESSIONS[session]);
        self.repo.call(&agent).env("CLICOLOR_FORCE", "1")
    }

    /// Adds an act of a session, before its answer.
    fn does(&mut self, session: usize, what: &str) {
        if !self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        let who = format!("claude:{}", SESSIONS[session]);
        self.lines.push(vec![
            line(Slot::Session(session), &who),
            line(Slot::Typed, &format!("  {what}")),
        ]);
    }

    fn is_told(&mut self, text: &str) {
        let lines = text.lines().flat_map(|text| wrapped(&shown(text)));
        self.lines.extend(lines);
    }

    /// Runs a command in the session's shell.
    fn runs(&mut self, session: usize, command: &str, code: i32) {
        self.does(session, &format!("$ {command}"));
        let script = format!("{command} 2>&1");
        let output = self.call(session).program("sh").args(["-c", &script]).run_unproven();
        let output = output.exits(code);
        self.is_told(&output.stdout);
    }

    /// Edits with the agent's own tool. Returns true if the edit was permitted.
    fn edits(&mut self, session: usize, path: &str) -> bool {
        self.does(session, &format!("Edit({path})"));
        let payload = json!({
            "session_id": SESSIONS[session],
            "hook_event_name": "PreToolUse",
            "tool_name": "Edit",
            "tool_input": { "file_path": self.repo.work().join(path) },
        });
        let call = self.call(session).args(["hook", "claude"]).input(payload.to_string());
        let output = call.run().done();
        if output.stdout.is_empty() {
            return true;
        }
        let answer = &output.json()["hookSpecificOutput"];
        assert_eq!(answer["permissionDecision"], "deny");
        self.is_told(answer["permissionDecisionReason"].as_str().unwrap());
        false
    }
}

fn picture() -> String {
    let mut story = Story::begin();
    story.runs(0, "git coord reserve src/api --reason 'new endpoints'", exit::DONE);
    assert!(!story.edits(1, "src/api/users.rs"));
    story.runs(2, "echo '// mine' >>src/api/teams.rs && git commit -qam 'quick fix'", exit::NO);
    story.runs(0, "git coord release --mine", exit::DONE);
    assert!(story.edits(1, "src/api/users.rs"));
    story.runs(2, "git coord list", exit::DONE);
    let picture = svg::picture(
        "Three sessions of Claude Code in one checkout: one reserves a directory, another is \
         refused an edit in it, a third a commit",
        &story.lines,
    );
    with_the_same_ids(picture, &story.repo)
}

/// Replaces the ids of the ledger by fixed ones, in order.
fn with_the_same_ids(mut picture: String, repo: &Repo) -> String {
    let granted = repo.events(crate::support::contract::event::GRANTED);
    assert!(granted.len() <= IDS.len());
    for (event, id) in granted.iter().zip(IDS) {
        picture = picture.replace(event["subject"].as_str().unwrap(), id);
    }
    picture
}

#[test]
fn generated_picture_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
    let picture = picture();
    if fs::read_to_string(&path).is_ok_and(|there| there == picture) {
        return;
    }
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    assert!(update, "run 'UPDATE=1 cargo test --test it generated': {PATH} is stale");
    fs::write(path, picture).unwrap();
}

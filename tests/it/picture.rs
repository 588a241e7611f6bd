//! The picture in the README: three agents in one checkout, a column each, time from top to bottom.
//! Each answer in it is a part of a real answer to this test. `UPDATE=1` writes it again.

mod svg;

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::content::Content;
use crate::support::contract::exit;
use crate::support::{Call, Repo};
use svg::{COLUMNS, Cell, Row, Style};

const PATH: &str = "docs/three-sessions.svg";
/// The ids of three sessions of Claude Code.
const SESSIONS: [&str; 3] = ["7f3a91c2", "0b9d44e1", "c41e5d20"];
const FILE: &str = "src/api/users.rs";

/// The story, as rows of the picture.
struct Story {
    repo: Repo,
    rows: Vec<Row>,
}

impl Story {
    fn begin() -> Story {
        let repo = Repo::with(&Content::clean());
        repo.call("").args(["install", "--agents", "none"]).run_unproven().done();
        let names = [0, 1, 2].map(|session| Some(Cell::new(Style::Name(session), &name(session))));
        Story { repo, rows: vec![names] }
    }

    fn call(&self, session: usize) -> Call {
        self.repo.call(&name(session))
    }

    fn add(&mut self, session: usize, style: Style, text: &str) {
        let mut row: Row = [const { None }; COLUMNS];
        row[session] = Some(Cell::new(style, text));
        self.rows.push(row);
    }

    /// Adds a line of an answer, after checking that the answer says it.
    fn is_told(&mut self, session: usize, style: Style, answer: &str, said: &str) {
        let plain = answer.replace(['"', '\''], "");
        assert!(plain.contains(said), "no '{said}' in:\n{plain}");
        let mark = match style {
            Style::Refused => "✗ ",
            Style::Granted => "✓ ",
            _ => "  ",
        };
        self.add(session, style, &format!("{mark}{said}"));
    }

    /// Adds that an edit went through, after checking that it reserved the file.
    fn holds(&mut self, session: usize, path: &str) {
        let listed = self.call(session).args(["list", "--mine"]).run_unproven();
        listed.done().says(path);
        self.add(session, Style::Granted, "✓ edited and reserved");
    }

    /// Runs a command, shown as `shown`, and returns its answer.
    fn runs(&mut self, session: usize, shown: &str, args: &[&str]) -> String {
        self.add(session, Style::Typed, &format!("$ {shown}"));
        let output = self.call(session).args(args).run_unproven();
        output.exits(exit::DONE).stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Edits with the agent's own tool. Returns the refusal, if there is one.
    fn edits(&mut self, session: usize, path: &str) -> Option<String> {
        self.add(session, Style::Typed, &format!("Edit {path}"));
        let payload = json!({
            "session_id": SESSIONS[session],
            "hook_event_name": "PreToolUse",
            "tool_name": "Edit",
            "tool_input": { "file_path": self.repo.work().join(path) },
        });
        let call = self.repo.call("").args(["hook", "claude"]).input(payload.to_string());
        let output = call.run().done();
        if output.stdout.is_empty() {
            return None;
        }
        let answer = &output.json()["hookSpecificOutput"];
        let is_denied = answer["permissionDecision"] == "deny";
        is_denied.then(|| answer["permissionDecisionReason"].as_str().unwrap().to_owned())
    }
}

fn name(session: usize) -> String {
    format!("claude:{}", SESSIONS[session])
}

fn picture() -> String {
    let [alice, bob, carol] = [0, 1, 2];
    let mut story = Story::begin();
    let reserve = ["reserve", "src/api", "--reason", "new endpoints"];
    let answer = story.runs(alice, "git coord reserve src/api", &reserve);
    assert!(answer.contains("src/api"));
    story.is_told(alice, Style::Granted, &answer, "reserved");

    assert_eq!(story.edits(carol, "docs/guide.md"), None);
    story.holds(carol, "docs/guide.md");

    let refusal = story.edits(bob, FILE).expect("the directory is held");
    story.is_told(bob, Style::Refused, &refusal, "held by another agent");
    story.is_told(bob, Style::Told, &refusal, &format!("{} holds src/api", name(alice)));
    story.is_told(bob, Style::Told, &refusal, "new endpoints");
    let ask = ["ask", FILE, "--reason", "a typo"];
    story.runs(bob, "git coord ask users.rs", &ask);

    let given = story.runs(alice, "git coord answer --release", &["answer", FILE, "--release"]);
    assert!(given.contains(FILE), "{given}");
    assert_eq!(story.edits(bob, FILE), None, "it was given to the asker");
    story.holds(bob, FILE);
    svg::picture(
        "Three sessions of Claude Code in one checkout. The first reserves src/api. The second is \
         refused an edit in it, asks for the file, gets it and edits. The third edits elsewhere.",
        &story.rows,
    )
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

//! `hook`: the calls of agents' programs, end to end with the payloads that they document.

mod asking;
mod ended;
mod failing;
mod foreign;
mod gate;
mod harmless;
mod hostile;
mod payloads;
mod places;
mod sessions;
mod shell;
mod shell_gate;
mod shell_writes;
mod subagents;
mod turns;
mod worktrees;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::contract::exit;
use crate::support::{Call, Output, Repo};

/// The ids of two sessions, and their names.
const ONE: &str = "7f3a91c2-5b1d-4c7e-9a30-1f2e3d4c5b6a";
const ONE_NAME: &str = "claude:7f3a91c2";
const OTHER: &str = "0b9d44e1-77aa-4f00-8c11-99aa88bb77cc";
const OTHER_NAME: &str = "claude:0b9d44e1";

/// Creates a repository whose hooks are enabled.
fn enabled() -> Repo {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    repo
}

/// A session of Claude Code, or a subagent of one.
#[derive(Clone)]
struct Session<'r> {
    repo: &'r Repo,
    id: &'static str,
    subagent: Option<&'static str>,
    directory: PathBuf,
}

impl<'r> Session<'r> {
    fn new(repo: &'r Repo, id: &'static str) -> Session<'r> {
        Session { repo, id, subagent: None, directory: repo.work() }
    }

    fn subagent(&self, id: &'static str) -> Session<'r> {
        Session { subagent: Some(id), ..self.clone() }
    }

    fn standing_in(&self, directory: &Path) -> Session<'r> {
        Session { directory: directory.to_owned(), ..self.clone() }
    }

    /// Builds the payload of an event, with the fields that all of them have.
    fn payload(&self, event: &str, more: &Value) -> Value {
        let mut payload = json!({
            "session_id": self.id,
            "transcript_path": "/transcript.jsonl",
            "cwd": self.directory,
            "permission_mode": "default",
            "hook_event_name": event,
        });
        let fields = payload.as_object_mut().unwrap();
        fields.extend(self.subagent.map(|id| ("agent_id".to_owned(), id.into())));
        fields.extend(more.as_object().unwrap().clone());
        payload
    }

    /// Prepares a call of the hook for an event.
    fn call(&self, event: &str, more: &Value) -> Call {
        let payload = self.payload(event, more).to_string();
        hook(self.repo).dir(&self.directory).input(payload)
    }

    #[track_caller]
    fn event(&self, event: &str) -> Output {
        self.call(event, &json!({ "stop_hook_active": false })).run()
    }

    /// Prepares the call before an edit of a file, by its path below the agent's directory.
    fn edit_call(&self, path: &str) -> Call {
        let file = self.directory.join(path);
        let input = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
        self.call("PreToolUse", &json!({ "tool_name": "Edit", "tool_input": input }))
    }

    #[track_caller]
    fn edit(&self, path: &str) -> Output {
        self.edit_call(path).run()
    }

    /// Makes an edit that must pass without a message.
    #[track_caller]
    fn edits(&self, path: &str) {
        silent(&self.edit(path));
    }

    /// Reports an edit after it was made, as Claude Code does.
    #[track_caller]
    fn has_edited(&self, path: &str) {
        let input = json!({ "file_path": self.directory.join(path) });
        let more = json!({ "tool_name": "Edit", "tool_input": input, "tool_response": {} });
        silent(&self.call("PostToolUse", &more).run());
    }

    /// Makes an edit that must be refused, and returns the reason.
    #[track_caller]
    fn is_refused(&self, path: &str) -> String {
        denial(&self.edit(path))
    }
}

/// Prepares a call of the hook without a payload.
fn hook(repo: &Repo) -> Call {
    repo.call("").args(["hook", "claude"])
}

/// Fails unless the answer is empty and nothing is blocked.
#[track_caller]
fn silent(output: &Output) {
    assert_eq!(
        (output.code, &*output.stdout, &*output.stderr),
        (exit::DONE, "", ""),
        "{output:#?}"
    );
}

/// Returns the reason of a refusal, which must have exactly the documented fields.
#[track_caller]
fn denial(output: &Output) -> String {
    let mut answer = output.clone().done().json();
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].take();
    let expected = json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": null,
    }});
    assert_eq!(answer, expected, "{output:#?}");
    assert_eq!(output.stderr, "");
    reason.as_str().unwrap_or_else(|| panic!("no reason in {output:#?}")).to_owned()
}

/// Returns the additional context of an answer that decides nothing.
#[track_caller]
fn context(output: &Output, event: &str) -> String {
    let answer = output.clone().done().json();
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["hookEventName"], event, "{answer:#}");
    assert!(specific.get("permissionDecision").is_none(), "{answer:#}");
    specific["additionalContext"].as_str().unwrap_or_else(|| panic!("{answer:#}")).to_owned()
}

/// Fails unless the hook failed open: one line, and nothing that blocks.
#[track_caller]
fn fails_open(output: &Output) -> String {
    assert_eq!((output.code, &*output.stdout), (exit::NO, ""), "{output:#?}");
    assert_eq!(output.stderr.lines().count(), 1, "{output:#?}");
    assert!(output.stderr.ends_with("; nothing is blocked\n"), "{output:#?}");
    output.stderr.clone()
}

/// Lists the holders and patterns of all holds, in order.
#[track_caller]
fn held(repo: &Repo) -> Vec<(String, String)> {
    let text = |hold: &Value, key: &str| hold[key].as_str().unwrap().to_owned();
    let pair = |hold: &Value| (text(hold, "holder"), text(hold, "pattern"));
    let mut pairs: Vec<_> = repo.holds().iter().map(pair).collect();
    pairs.sort();
    pairs
}

#[track_caller]
fn assert_held(repo: &Repo, expected: &[(&str, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(holder, path)| ((*holder).to_owned(), (*path).to_owned())).collect();
    assert_eq!(held(repo), expected);
}

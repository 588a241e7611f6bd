//! Ownership of uncommitted changes: with git's own commands, and the payloads that Claude Code
//! documents.

mod branch;
mod commit;
mod commit_authors;
pub(crate) mod ends;
mod kinds;
mod lost;

use std::path::Path;

use serde_json::{Value, json};

use crate::support::content::Content;
use crate::support::contract::exit;
use crate::support::hooks::put_script;
use crate::support::{Call, Output, Repo};

const HOOKS: [&str; 5] =
    ["pre-commit", "pre-merge-commit", "prepare-commit-msg", "post-commit", "pre-push"];

/// Two sessions of Claude Code, by their names.
pub(crate) const ALICE: &str = "claude:alice";
pub(crate) const BOB: &str = "claude:bob";

const QUIET: [&str; 4] = ["commit", "--quiet", "--message", "work"];

/// Creates a repository with a clean work tree, whose hooks call the program.
pub(crate) fn hooked() -> Repo {
    let repo = Repo::with(&Content::clean());
    for name in HOOKS {
        let hook = format!("#!/bin/sh\nexec git coord hook {name} \"$@\"\n");
        put_script(&repo.git_dir().join("hooks").join(name), &hook);
    }
    repo.git(["config", "coord.enabled", "true"]);
    repo
}

/// Prepares the call of a hook by a session, or by a subagent of one.
pub(crate) fn event(repo: &Repo, agent: &str, name: &str, more: &Value) -> Call {
    let agent = agent.strip_prefix("claude:").expect("a session of Claude Code");
    let (session, subagent) = agent
        .split_once('/')
        .map_or((agent, None), |(session, subagent)| (session, Some(subagent)));
    let mut payload = json!({
        "session_id": session,
        "transcript_path": "/transcript.jsonl",
        "cwd": repo.work(),
        "permission_mode": "default",
        "hook_event_name": name,
    });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(subagent.map(|id| ("agent_id".to_owned(), id.into())));
    fields.extend(more.as_object().unwrap().clone());
    repo.call("").args(["hook", "claude"]).input(payload.to_string())
}

pub(crate) fn of_file(tool: &str, file: &Path) -> Value {
    json!({ "tool_name": tool, "tool_input": { "file_path": file }, "tool_use_id": "t1" })
}

/// Asks for an edit of a file, and returns the answer.
#[track_caller]
pub(crate) fn asks(repo: &Repo, agent: &str, path: &str) -> Output {
    let more = of_file("Edit", &repo.work().join(path));
    event(repo, agent, "PreToolUse", &more).run().done()
}

#[track_caller]
pub(crate) fn reports(repo: &Repo, agent: &str, path: &str) {
    let more = of_file("Edit", &repo.work().join(path));
    event(repo, agent, "PostToolUse", &more).run().done();
}

/// Edits a file as an agent: asks, makes the change, and reports it.
#[track_caller]
pub(crate) fn edits_by(repo: &Repo, agent: &str, path: &str, change: impl FnOnce(&Path)) {
    let output = asks(repo, agent, path);
    assert!(!output.stdout.contains("\"deny\""), "{output:#?}");
    change(&repo.work().join(path));
    reports(repo, agent, path);
}

#[track_caller]
pub(crate) fn edits(repo: &Repo, agent: &str, path: &str, text: &str) {
    edits_by(repo, agent, path, |file| {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    });
}

#[track_caller]
pub(crate) fn stops(repo: &Repo, agent: &str) {
    event(repo, agent, "Stop", &json!({ "stop_hook_active": false })).run().done();
}

#[track_caller]
pub(crate) fn ends(repo: &Repo, agent: &str) {
    event(repo, agent, "SessionEnd", &json!({ "reason": "other" })).run().done();
}

/// Calls git as an agent. The user asked git for its changes.
pub(crate) fn git(repo: &Repo, agent: &str, args: &[&str]) -> Output {
    repo.call(agent).program("git").args(args).run_unproven()
}

pub(crate) fn commits(repo: &Repo, agent: &str, more: &[&str]) -> Output {
    git(repo, agent, &[&QUIET, more].concat())
}

/// Fails unless git was stopped because of a change of `owner`.
#[track_caller]
pub(crate) fn sweeps(output: Output, path: &str, owner: &str) -> Output {
    let output = output.exits(exit::NO);
    output
        .says("error: this commit would take another agent's uncommitted changes along:")
        .says(&format!("'{path}' was changed by {owner} "));
    output
}

pub(crate) fn head(repo: &Repo) -> String {
    repo.git(["rev-parse", "HEAD"])
}

/// Lists the owners of each uncommitted change, by path.
pub(crate) fn owners(repo: &Repo) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let listed = repo.json("ops", ["changes"])["changes"].take();
    let change = |change: &Value| {
        let owners = change["owners"].as_array().unwrap().iter();
        (text(&change["path"]), owners.map(|owner| text(&owner["agent"])).collect())
    };
    listed.as_array().unwrap().iter().map(change).collect()
}

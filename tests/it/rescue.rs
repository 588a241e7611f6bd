//! `rescue`: uncommitted work that was lost comes back byte for byte.

mod dropped;
mod ends;
mod killed;
mod restore;
mod snapshots;
mod terminal;
mod unknown;
mod unlucky;

use std::path::Path;

use serde_json::{Value, json};

use crate::ownership::event;
use crate::support::contract::exit;
use crate::support::{Call, Output, Repo};

/// Bytes that are no text, without an end of line.
pub(crate) const BYTES: &[u8] = b"\xff\x00 first\r\nlast";

/// Calls `rescue` without the proof that the work tree is as before.
pub(crate) fn rescue(repo: &Repo, agent: &str, args: &[&str]) -> Output {
    call(repo, agent, args).run_unproven()
}

pub(crate) fn call(repo: &Repo, agent: &str, args: &[&str]) -> Call {
    repo.call(agent).args([&["rescue"], args].concat())
}

/// Lists what is saved.
pub(crate) fn saved(repo: &Repo) -> Value {
    repo.json("ops", ["rescue", "list"])
}

pub(crate) fn snapshots(repo: &Repo) -> Vec<Value> {
    saved(repo)["snapshots"].as_array().unwrap().clone()
}

#[track_caller]
pub(crate) fn has(repo: &Repo, path: impl AsRef<Path>, bytes: &[u8]) {
    let found = std::fs::read(repo.work().join(&path));
    assert_eq!(found.ok().as_deref(), Some(bytes), "{}", path.as_ref().display());
}

/// Runs a shell command as an agent would: the hook is asked first. Returns the answer of the hook.
#[track_caller]
pub(crate) fn shell(repo: &Repo, agent: &str, command: &str) -> Output {
    let input = json!({ "command": command });
    let more = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t9" });
    let answer = event(repo, agent, "PreToolUse", &more).run().done();
    assert!(!answer.stdout.contains("\"deny\""), "{answer:#?}");
    let ran = repo.call(agent).program("sh").args(["-c", command]).run_unproven();
    assert_eq!(ran.code, exit::DONE, "{command}: {ran:#?}");
    answer
}

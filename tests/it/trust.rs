//! The program never runs anything of a repository: neither the programs that its configuration
//! names, nor those in its files, nor one in its directories (8/NO-HARM).

mod bare;
mod opened;
mod path;
mod repository;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Call, Repo};

/// A program that must not be run: it leaves a mark.
struct Trap {
    mark: PathBuf,
}

impl Trap {
    fn in_world_of(repo: &Repo) -> Trap {
        Trap { mark: repo.world().join("tmp/ran") }
    }

    /// Returns the command that leaves the mark.
    fn command(&self) -> String {
        format!("touch {}", self.mark.display())
    }

    /// Fails if it was run.
    #[track_caller]
    fn was_not_run(&self, after: &str) {
        assert!(!self.mark.exists(), "{after} ran what the repository names");
    }
}

/// Prepares a call of the hook of Claude Code, with the payload of an event in a directory.
fn hook(repo: &Repo, event: &str, directory: &std::path::Path, more: &Value) -> Call {
    let mut payload = json!({
        "session_id": "7f3a91c2-5b1d-4c7e-9a30-1f2e3d4c5b6a",
        "cwd": directory,
        "hook_event_name": event,
        "stop_hook_active": false,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    repo.call("").args(["hook", "claude"]).dir(directory).input(payload.to_string())
}

/// Lists every event of Claude Code that `install` subscribes to.
fn events() -> Vec<String> {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/hooks/hooks.json");
    let published = std::fs::read_to_string(published).unwrap();
    let published: Value = serde_json::from_str(&published).unwrap();
    published["hooks"].as_object().unwrap().keys().cloned().collect()
}

/// Builds the payload for an edit of a file.
fn edit_of(file: &std::path::Path) -> Value {
    json!({ "tool_name": "Edit", "tool_use_id": "one", "tool_input": { "file_path": file } })
}

//! The hooks of git, called by git itself: what is staged, committed and pushed is compared with
//! who holds it. Git runs the hooks, so git is what these tests call.

mod commit;
mod failure;
mod merge;
mod message;
mod push;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use git_coord::core::pattern::{Pattern, Reading, parse};
use git_coord::core::reservation::fence::Note;
use git_coord::store::files::Files;
use git_coord::store::notes::Notes;
use git_coord::store::shared_mode::SharedMode;
use serde_json::Value;

use crate::support::content::Content;
use crate::support::contract::exit;
use crate::support::repo::id_of;
use crate::support::{Output, Repo};

const HOOKS: [&str; 5] =
    ["pre-commit", "pre-merge-commit", "prepare-commit-msg", "post-commit", "pre-push"];

/// A repository with a clean work tree, whose hooks call the program.
fn hooked() -> Repo {
    let repo = Repo::with(&Content::clean());
    enable(&repo);
    repo
}

/// Puts all hooks where git looks for them.
fn enable(repo: &Repo) {
    put_hooks(&repo.git_dir().join("hooks"));
    repo.git(["config", "coord.enabled", "true"]);
}

fn put_hooks(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    for name in HOOKS {
        let hook = directory.join(name);
        fs::write(&hook, format!("#!/bin/sh\nexec git coord hook {name} \"$@\"\n")).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Calls git as `agent`. What it changes is what the user asked git for.
fn git(repo: &Repo, agent: &str, args: &[&str]) -> Output {
    repo.call(agent).program("git").args(args).run_unproven()
}

/// Writes a file, stages it, and commits as `agent`.
fn commit(repo: &Repo, agent: &str, path: &str) -> Output {
    repo.write(path, &format!("by {agent} at {}\n", repo.now()));
    repo.git(["add", "--", path]);
    git(repo, agent, &["commit", "--quiet", "--message", "work"])
}

/// An edit of `agent` as its hook would let it pass: a note, and unless the path is held already, a
/// hold that came with the edit.
fn edit(repo: &Repo, agent: &str, path: &str) {
    let mut hold = repo.reserve_with(agent, &["--literal", "--", path]);
    if hold["pattern"] == path {
        came_with_edit(repo, &hold);
    }
    let note = Note {
        path: literal(path),
        agent: agent.parse().unwrap(),
        hold: serde_json::from_value(hold["id"].take()).unwrap(),
        fence: hold["fence"].as_u64().unwrap(),
        at: repo.now().parse().unwrap(),
    };
    notes(repo).put(&note).unwrap();
}

/// Makes the newest entry say that its hold came through the edit hook.
fn came_with_edit(repo: &Repo, hold: &Value) {
    let links = repo.documents_of(&id_of(hold));
    let by_hook = |text: String, command: &str| {
        assert!(text.contains(command), "{text}");
        text.replace(command, &command.replace("command", "hook"))
    };
    repo.overwrite(&links, &by_hook(repo.document(&links[0]), "\"via\": \"command\""));
    repo.overwrite_message(&by_hook(repo.tip_message(), "\"via\":\"command\""));
}

fn literal(path: &str) -> Pattern {
    parse(path.as_bytes(), b"", Reading::Literal).unwrap().remove(0)
}

/// The notes of the worktree that calls are made in.
fn notes(repo: &Repo) -> Notes {
    let git_dir = repo.git(["rev-parse", "--absolute-git-dir"]);
    Notes::new(Path::new(&git_dir), Files { fsync: false, shared: SharedMode::Umask })
}

/// Fails unless git was stopped by an objection to `path`, which `holder` holds or held.
#[track_caller]
fn objects_to(output: Output, path: &str, holder: &str) -> Output {
    let output = output.exits(exit::NO);
    let says = |words: &str| output.stderr.contains(words);
    assert!(says("error: this ") && says(path) && says(&format!("'{holder}'")), "{output:#?}");
    assert!(!says("no-verify"), "an agent is shown no way around\n{output:#?}");
    output
}

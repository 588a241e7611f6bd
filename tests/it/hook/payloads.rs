//! 8/REAL-CLIENT: the payloads that Claude Code was seen to send, each through `hook auto`.

use std::fs;

use super::*;
use crate::support::content::Content;

const SAMPLES: &str = "tests/it/hook/payloads/claude-code-2.1.326";
const SUBAGENT_NAME: &str = "claude:7f3a91c2/a0123456789abcdef";
/// The other samples are answered with silence where nobody is in the way.
const WELCOMED: [(&str, &str); 2] = [("SessionStart", ONE_NAME), ("SubagentStart", SUBAGENT_NAME)];
/// With these a turn or a session begins or ends.
const ENDS: [&str; 4] = ["UserPromptSubmit", "Stop", "StopFailure", "SessionEnd"];

fn names() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLES);
    let files = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> =
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Reads a sample, with the directories of a repository.
fn sample(repo: &Repo, name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLES).join(format!("{name}.json"));
    let text = fs::read_to_string(file).unwrap();
    text.replace("$REPO", repo.work().to_str().unwrap()).replace("$HOME", "/somewhere")
}

#[track_caller]
fn plays(repo: &Repo, name: &str) -> Output {
    let output = repo.call("").args(["hook", "auto"]).input(sample(repo, name)).run();
    assert_eq!((output.code, &*output.stderr), (exit::DONE, ""), "{name}: {output:#?}");
    output
}

/// Creates a repository with the files that the samples name.
fn with_files() -> Repo {
    let repo = Repo::with(&Content::clean());
    repo.git(["config", "coord.enabled", "true"]);
    for path in ["src/main.rs", "src/lib.rs"] {
        repo.write(path, "committed\n");
    }
    repo.git(["add", "--all"]);
    repo.git(["commit", "--quiet", "--no-verify", "--message", "files"]);
    repo
}

/// Each is understood: no failure, and a word only where a session or a subagent begins.
#[test]
fn each_payload_is_answered_as_it_should_be() {
    let names = names();
    assert!(names.len() >= 20, "{names:?}");
    for name in &names {
        let repo = with_files();
        let output = plays(&repo, name);
        match WELCOMED.iter().find(|(welcomed, _)| welcomed == name) {
            Some((event, agent)) => {
                let text = context(&output, event);
                assert!(text.contains(&format!("you are {agent}.")), "{text}");
            }
            None => assert_eq!(output.stdout, "", "{name}"),
        }
    }
}

/// What another holds is neither edited nor written to.
#[test]
fn payloads_about_what_another_holds_are_refused() {
    let repo = with_files();
    repo.reserve("alice", "src");
    for name in names().iter().filter(|name| name.starts_with("PreToolUse")) {
        let output = plays(&repo, name);
        if ["Edit", "Write", "Bash"].iter().any(|tool| name.contains(tool)) {
            assert!(denial(&output).contains("alice"), "{name}");
        } else {
            assert_eq!(output.stdout, "", "{name}");
        }
    }
    repo.write("src/main.rs", "six\n");
    let told = context(&plays(&repo, "PostToolUse-Bash-bashEditDiff"), "PostToolUse");
    assert!(told.contains("files that another agent holds have changed"), "{told}");
}

/// Edits, also those of a subagent, and what a shell wrote are reserved and noted; every event that
/// ends something lets go.
#[test]
fn payloads_of_a_turn_reserve_and_let_go() {
    for end in ENDS {
        let repo = with_files();
        plays(&repo, "SessionStart");
        plays(&repo, "UserPromptSubmit");
        plays(&repo, "PreToolUse-Edit");
        assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
        repo.write("src/main.rs", "edited\n");
        plays(&repo, "PostToolUse-Edit");
        plays(&repo, "SubagentStart");
        plays(&repo, "PreToolUse-Edit-in-subagent");
        assert_held(&repo, &[(ONE_NAME, "src/main.rs"), (SUBAGENT_NAME, "src/lib.rs")]);
        repo.write("src/lib.rs", "edited\n");
        plays(&repo, "PostToolUse-Edit-in-subagent");
        plays(&repo, "SubagentStop");
        assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
        plays(&repo, end);
        assert_held(&repo, &[]);
    }
    let repo = with_files();
    plays(&repo, "PreToolUse-Bash");
    repo.write("src/main.rs", "by a shell\n");
    plays(&repo, "PostToolUse-Bash-bashEditDiff");
    assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
}

/// A command that has failed, or that somebody has interrupted, has written what it has written.
#[test]
fn a_failed_command_is_looked_at() {
    for is_interrupt in [false, true] {
        let repo = with_files();
        let mut before: Value = serde_json::from_str(&sample(&repo, "PreToolUse-Bash")).unwrap();
        let mut after: Value =
            serde_json::from_str(&sample(&repo, "PostToolUseFailure-Bash")).unwrap();
        before["tool_use_id"] = after["tool_use_id"].clone();
        after["is_interrupt"] = is_interrupt.into();
        let call = |payload: &Value| {
            silent(&repo.call("").args(["hook", "auto"]).input(payload.to_string()).run());
        };
        call(&before);
        repo.write("src/main.rs", "half of it\n");
        call(&after);
        assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
    }
}

//! After a shell command: changed paths are compared with their holders, and reported.
//!
//! A report that would take too long is dropped, and a machine may be slow, so a test asks until it
//! gets one.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::support::hooks::put_script;

/// Returns the report to the session after a command that took a minute.
#[track_caller]
fn told(session: &Session<'_>) -> String {
    told_after(session, Some(60_000))
}

#[track_caller]
fn told_after(session: &Session<'_>, duration_ms: Option<u64>) -> String {
    let mut ran = json!({
        "tool_name": "Bash",
        "tool_input": { "command": "sed -i s/a/b/ *" },
        "tool_response": { "stdout": "" },
    });
    if let Some(duration_ms) = duration_ms {
        ran["duration_ms"] = duration_ms.into();
    }
    for _ in 0..100 {
        let output = session.call("PostToolUse", &ran).run().done();
        assert_eq!(output.stderr, "", "{output:#?}");
        if !output.stdout.is_empty() {
            return context(&output, "PostToolUse");
        }
    }
    panic!("nothing is said");
}

/// The gate does not see what a shell writes; the look afterwards does.
#[test]
fn what_a_command_changed_and_another_holds_is_said() {
    let repo = enabled();
    repo.reserve_with("alice", &["src/**", "--reason", "new endpoints"]);
    repo.write("src/api/users.rs", "// changed\n");
    repo.write("src/new file.rs", "// untracked\n");
    std::fs::remove_file(repo.work().join("src/api/teams.rs")).unwrap();
    repo.write("docs/guide.md", "free for all\n");
    let text = told(&Session::new(&repo, ONE));
    for path in ["src/api/users.rs", "src/new file.rs", "src/api/teams.rs"] {
        assert!(text.contains(&format!("- \"{path}\": alice holds \"src/**\"")), "{text}");
    }
    assert!(!text.contains("docs/guide.md"), "{text}");
    assert!(text.contains("reason \"new endpoints\""), "{text}");
    let theirs = (ONE_NAME.to_owned(), "src/**".to_owned());
    assert!(!held(&repo).contains(&theirs) && repo.list(&["--holder", "alice"]).len() == 1);
}

/// What went through the gate is known, and what is old was there before.
#[test]
fn what_is_known_or_old_is_not_said() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    other.edits("src/api/users.rs");
    repo.write("src/api/users.rs", "// by its holder, with notice\n");
    other.has_edited("src/api/users.rs");
    repo.reserve("alice", "docs");
    repo.reserve("alice", "new.rs");
    repo.write("docs/old.md", "before\n");
    std::thread::sleep(Duration::from_millis(100));
    silent(&one.call("PreToolUse", &json!({ "tool_name": "Bash" })).run());
    repo.write("new.rs", "just now\n");
    let text = told(&one);
    assert!(text.contains("\"new.rs\""), "{text}");
    assert!(!text.contains("users.rs") && !text.contains("old.md"), "{text}");
    let text = told_after(&one, None);
    assert!(text.contains("\"docs/old.md\""), "how old is too old is not known: {text}");
}

/// 3/BASH: a shell that writes over what another has edited is told so, and cannot commit it once
/// the other's turn is over: what the other wrote was in the file.
#[test]
fn what_a_command_wrote_over_is_said_and_kept_from_a_commit() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    other.edits("src/main.rs");
    repo.write("src/main.rs", "// by its holder\n");
    other.has_edited("src/main.rs");
    repo.write("src/main.rs", "// by a shell of the one\n");
    let text = told(&one);
    assert!(text.contains(&format!("\"src/main.rs\": {OTHER_NAME} holds")), "{text}");
    silent(&other.event("Stop"));
    repo.git(["add", "src/main.rs"]);
    let commit = || repo.coord(ONE_NAME, ["hook", "pre-commit"]);
    let refused = commit().exits(exit::NO);
    refused.says("was held by").says("when it changed under a command of yours");
    repo.coord(OTHER_NAME, ["hook", "pre-commit"]).done();
    // An agent whose edit passed the gate has seen the current content, and needs the consent of
    // its owner.
    assert!(context(&one.edit("src/main.rs"), "PreToolUse").contains(OTHER_NAME));
    commit().exits(exit::NO).says("uncommitted changes along");
    repo.json(ONE_NAME, ["adopt", "src/main.rs", "--reason", "agreed"]);
    commit().done();
}

/// The same before the holder's own edit is known to be made, and where the file is gone.
#[test]
fn an_edit_that_is_not_yet_made_explains_nothing() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    other.edits("src/main.rs");
    repo.write("src/main.rs", "// by whomever\n");
    assert!(told(&one).contains("\"src/main.rs\""));
    other.has_edited("src/main.rs");
    std::fs::remove_file(repo.work().join("src/main.rs")).unwrap();
    assert!(told(&one).contains("\"src/main.rs\""));
}

/// What a holder's own shell makes of its file is its own, and its subagents' too.
#[test]
fn what_a_holder_changes_through_its_own_shell_is_not_said() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    other.edits("src/main.rs");
    repo.write("src/main.rs", "// by its holder\n");
    other.has_edited("src/main.rs");
    repo.write("src/main.rs", "// formatted\n");
    let ran = json!({ "tool_name": "Bash", "duration_ms": 60_000 });
    // Once the call was in time, the file is known to be the holder's.
    let is_known = || {
        silent(&other.call("PostToolUse", &ran).run());
        one.call("PostToolUse", &ran).run().done().stdout.is_empty()
    };
    assert!((0..20).any(|_| is_known()), "a holder's own work is reported");
}

/// However much changes, what is held is found among it.
#[test]
fn a_held_file_is_found_behind_many_others() {
    let repo = enabled();
    repo.reserve("alice", "zz");
    for number in 0..600 {
        repo.write(&format!("aa/{number}"), "");
    }
    repo.write("zz/held", "");
    assert!(told(&Session::new(&repo, ONE)).contains("\"zz/held\""));
}

#[test]
fn what_nobody_else_holds_is_not_said() {
    let repo = enabled();
    repo.reserve(ONE_NAME, "src");
    repo.write("src/api/users.rs", "// changed\n");
    let ran = json!({ "tool_name": "Bash", "duration_ms": 60_000 });
    silent(&Session::new(&repo, ONE).call("PostToolUse", &ran).run());
    repo.write("src/api/users.rs", "// by whomever\n");
    told(&Session::new(&repo, OTHER));
}

/// A look that takes longer than it is worth is given up without a word.
#[test]
fn what_takes_too_long_is_not_said() {
    let repo = enabled();
    repo.reserve("alice", "src");
    repo.write("src/api/users.rs", "// changed\n");
    told(&Session::new(&repo, ONE));
    let machine = std::env::var("PATH").unwrap();
    let slow = format!("#!/bin/sh\nsleep 5\nPATH='{machine}' exec git \"$@\"\n");
    put_script(&repo.world().join("bin/git"), &slow);
    let ran = json!({ "tool_name": "Bash", "duration_ms": 60_000 });
    silent(&Session::new(&repo, ONE).call("PostToolUse", &ran).run());
}

//! A failing hook says so in one line and blocks nothing, unless it is configured to.

use std::process::Stdio;

use serde_json::json;

use super::*;

fn fails_closed(repo: &Repo) {
    repo.git(["config", "coord.hook.failClosed", "true"]);
}

/// An edit that names no file, or none that can be found, is refused where that is wanted. Where it
/// is not, nothing is said: it may be an edit of another agent that looks like Claude Code.
#[test]
fn an_edit_that_cannot_be_read() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    let no_file = json!({ "tool_name": "Edit", "tool_input": {} });
    let at_home = json!({ "tool_name": "Edit", "tool_input": { "file_path": "~/src/main.rs" } });
    let nowhere = json!({
        "cwd": "work",
        "tool_name": "Edit",
        "tool_input": { "file_path": "src/main.rs" },
    });
    for input in [&no_file, &at_home, &nowhere] {
        silent(&session.call("PreToolUse", input).run());
    }
    fails_closed(&repo);
    for input in [&no_file, &at_home, &nowhere] {
        let reason = denial(&session.call("PreToolUse", input).run());
        assert!(reason.contains("coord.hook.failClosed"), "{reason}");
    }
}

#[test]
fn input_that_is_too_long_is_not_read_to_its_end() {
    let repo = enabled();
    let write = |length: usize| {
        let file = repo.work().join("src/main.rs");
        let input = json!({ "file_path": file, "content": "x".repeat(length) });
        let more = json!({ "tool_name": "Write", "tool_input": input });
        Session::new(&repo, ONE).call("PreToolUse", &more).run()
    };
    silent(&write(15 << 20));
    silent(&write(17 << 20));
    fails_closed(&repo);
    let reason = denial(&write(17 << 20));
    assert!(reason.contains("longer than 16 MB"), "{reason}");
}

/// 3/MON-D2: an agent is not kept waiting, whatever does not come. That this ends shows it; how
/// long a call takes is measured by `benches/ledger`, and by no test. Where nothing may pass
/// unchecked, what does not come is refused as far as it is known who asks.
#[test]
fn input_that_does_not_come_is_not_waited_for() {
    let repo = enabled();
    let answer = |call: Call| {
        let mut child = call.command().stdin(Stdio::piped()).spawn().unwrap();
        let kept_open = child.stdin.take();
        let output = call.finish(child);
        drop(kept_open);
        output
    };
    let auto = || repo.call("").args(["hook", "auto"]);
    silent(&answer(hook(&repo)));
    fails_closed(&repo);
    for call in [hook(&repo), auto().env("CLAUDE_PID", "7")] {
        let reason = denial(&answer(call));
        assert!(reason.contains("no input within 2s"), "{reason}");
    }
    for call in [auto(), hook(&repo).env("COPILOT_CLI", "1")] {
        silent(&answer(call));
    }
}

/// 0/IMP-2: the queue of writers is there for speed: while whoever has it does not move, edits are
/// checked and recorded all the same.
#[test]
fn a_queue_that_does_not_move() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("docs/guide.md");
    repo.reserve("alice", "src/lib.rs");
    let _turn = repo.take_turn("reservations");
    fails_closed(&repo);
    assert!(session.is_refused("src/lib.rs").contains("alice"));
    session.edits("src/main.rs");
    assert_eq!(repo.list(&["--path", "src/main.rs"]).len(), 1);
}

/// 3/MON-D2: a ledger that somebody else has locked is given up, and not waited for in full.
#[test]
fn a_busy_ledger() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("docs/guide.md");
    let tip = repo.tip();
    std::fs::write(repo.git_dir().join("refs/coord/reservations.lock"), "").unwrap();
    // A path that is held already is not waited for.
    session.edits("docs/guide.md");
    let said = fails_open(&session.edit("src/main.rs"));
    assert!(said.contains("'reservations' is busy"), "{said}");
    fails_open(&session.event("Stop"));
    fails_closed(&repo);
    let reason = session.is_refused("src/main.rs");
    assert!(reason.contains("'reservations' is busy"), "{reason}");
    // Only edits are refused: nothing else could be undone by it.
    fails_open(&session.event("Stop"));
    assert_eq!(repo.tip(), tip);
}

#[test]
fn a_damaged_ledger() {
    let repo = enabled();
    let id = repo.reserve_id("alice", "src/main.rs");
    repo.overwrite(&repo.documents_of(&id), "{ no json");
    let session = Session::new(&repo, ONE);
    let said = fails_open(&session.edit("src/main.rs"));
    assert!(said.contains(&id), "{said}");
    fails_closed(&repo);
    assert!(session.is_refused("src/main.rs").contains(&id));
}

/// 8/HOOKS: a shell command that cannot be looked at passes. Where that is not wanted, it is
/// refused if it runs a verb of git that may touch work of others.
#[test]
fn a_command_that_cannot_be_looked_at() {
    let repo = enabled();
    let id = repo.reserve_id("alice", "src/main.rs");
    repo.overwrite(&repo.documents_of(&id), "{ no json");
    let shell = |command: &str| {
        let input = json!({ "command": command });
        let more = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t1" });
        Session::new(&repo, ONE).call("PreToolUse", &more)
    };
    let verbs =
        ["git reset --hard", "cd src && git stash", "bash -c 'git add -A'", "git commit -m x"];
    for command in verbs {
        silent(&shell(command).run());
    }
    fails_closed(&repo);
    for command in verbs {
        let reason = denial(&shell(command).run());
        assert!(reason.contains("not run, because the command could not be checked"), "{reason}");
        assert!(reason.contains("coord.hook.failClosed") && reason.contains(&id), "{reason}");
        silent(&shell(command).config("coord.hook.shell", "false").run());
    }
    for command in ["ls", "git status", "make", "git stash list", "rm x", "git reset -h", "git $V"]
    {
        silent(&shell(command).run_unproven());
    }
}

#[test]
fn settings_that_make_no_sense() {
    let repo = enabled();
    for (key, value) in
        [("coord.ttl", "soon"), ("coord.enabled", "perhaps"), ("coord.hook.release", "never")]
    {
        let call = Session::new(&repo, ONE).edit_call("src/main.rs").config(key, value);
        assert!(fails_open(&call.clone().run()).contains(key));
        denial(&call.config("coord.hook.failClosed", "true").run());
    }
}

/// Damage that somebody did to a configuration.
type Damage = fn(&Path);

/// A repository that cannot be opened is not one where nothing is held: that is said, or the edit
/// is refused, as far as its configuration still tells. Elsewhere nothing is anybody's affair.
#[test]
fn a_repository_that_cannot_be_opened() {
    let breaks: [(&str, Damage); 3] = [
        ("a slip", |config| append(config, "[broken\n")),
        ("an unknown extension", |config| {
            append(config, "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tfoo = 1\n");
        }),
        ("no file", |config| {
            std::fs::remove_file(config).unwrap();
            std::fs::create_dir(config).unwrap();
        }),
    ];
    for (what, damage) in breaks {
        let config = |repo: &Repo| repo.git_dir().join("config");
        let edit = |repo: &Repo| Session::new(repo, ONE).edit_call("src/main.rs").run_unproven();
        let repo = enabled();
        repo.reserve("alice", "src");
        damage(&config(&repo));
        fails_open(&edit(&repo));
        fails_open(&Session::new(&repo, ONE).call("Stop", &json!({})).run_unproven());
        if what != "no file" {
            let repo = enabled();
            repo.reserve("alice", "src");
            fails_closed(&repo);
            damage(&config(&repo));
            let reason = denial(&edit(&repo));
            assert!(reason.contains("coord.hook.failClosed"), "{what}: {reason}");
        }
        let unused = Repo::new();
        damage(&config(&unused));
        silent(&edit(&unused));
        if what != "no file" {
            let switched_off = Repo::new();
            switched_off.reserve("alice", "src");
            switched_off.git(["config", "coord.enabled", "false"]);
            damage(&config(&switched_off));
            silent(&edit(&switched_off));
        }
    }
}

fn append(path: &Path, text: &str) {
    let before = std::fs::read_to_string(path).unwrap();
    std::fs::write(path, before + text).unwrap();
}

/// Outside of any repository there is nothing to coordinate, also where the user's own settings
/// switch hooks on everywhere.
#[test]
fn no_repository() {
    let repo = Repo::new();
    let session = Session::new(&repo, ONE).standing_in(&repo.elsewhere());
    session.edits("x.rs");
    silent(&session.event("Stop"));
    let switched_on = |call: Call| call.config("coord.enabled", "true").run();
    silent(&switched_on(session.edit_call("x.rs")));
    for event in ["SessionStart", "Stop", "SubagentStop", "SessionEnd"] {
        silent(&switched_on(session.call(event, &json!({ "agent_id": "a1" }))));
    }
}

/// A line in an agent's settings that this version does not know must never block.
#[test]
fn an_unknown_hook_is_wrong_usage() {
    let repo = enabled();
    repo.coord("", ["hook", "hal9000"]).exits(exit::USAGE).says("hal9000");
    repo.coord("", ["hook"]).exits(exit::USAGE);
    let more = repo.call("").args(["hook", "claude", "--of", "tomorrow"]);
    silent(&more.input(Session::new(&repo, ONE).payload("Stop", &json!({})).to_string()).run());
}

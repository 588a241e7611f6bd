//! The checks of hooks in `doctor`: installed hooks, shadowed hooks, and whether an edit is
//! refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{check, doctor};
use crate::support::contract::{LOCAL_DIR, exit};
use crate::support::hooks::{put_script, repo_with_hooks_in_files};
use crate::support::{Repo, texts};

/// Hooks that nothing calls protect nobody, and nobody notices.
#[test]
fn hooks_that_are_not_called_are_noticed() {
    let repo = repo_with_hooks_in_files();
    let install = || repo.call("").args(["install", "--agents", "claude"]).run_unproven().done();
    let hooks = || {
        let found = check(&doctor(&repo).done().json(), "hooks");
        let state = found["state"].as_str().unwrap().to_owned();
        (state, found["text"].as_str().unwrap().to_owned(), found["next"].clone())
    };
    let warns = |words: &str| {
        let (state, text, next) = hooks();
        assert_eq!(state, "warning", "{text}");
        assert!(text.contains(words), "{text}");
        assert!(next[0].is_array(), "{text}: what to do about it");
    };
    let repaired = || {
        install();
        let (state, text, _) = hooks();
        let works = "git and Claude Code call git coord; a made-up edit was refused";
        assert_eq!((state.as_str(), text.as_str()), ("ok", works));
    };
    assert_eq!(hooks().2, json!([["git", "coord", "install"]]));
    repaired();
    let hook = repo.git_dir().join("hooks/pre-push");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).unwrap();
    warns("not executable: pre-push");
    repaired();
    // Another tool writes its own over ours.
    fs::write(&hook, "#!/bin/sh\n").unwrap();
    warns("pre-push");
    repaired();
    repo.git(["config", "core.hooksPath", "elsewhere"]);
    warns("core.hooksPath is 'elsewhere'");
    repo.git(["config", "--unset", "core.hooksPath"]);
    repo.git(["config", "--unset", "coord.enabled"]);
    warns("coord.enabled is not true");
    repaired();
    // Agents find another program under our name, which lets everything pass.
    let other = repo.world().join("bin/git-coord");
    put_script(&other, "#!/bin/sh\n");
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(repo.world().join("bin")).chain(std::env::split_paths(&machine));
    let call = repo.call("").args(["doctor", "--json"]);
    let call = call.env("PATH", std::env::join_paths(path).unwrap());
    let found = check(&call.run().exits(exit::NO).json(), "hooks");
    assert_eq!(found["state"], "fault");
    assert!(found["text"].as_str().unwrap().contains("let an edit pass"), "{found:#}");
}

/// Creates a work tree with everything installed, and returns its settings of Claude Code.
fn installed() -> (Repo, PathBuf) {
    let repo = Repo::new();
    repo.call("").args(["install", "--agents", "claude"]).run_unproven().done();
    let settings = repo.work().join(".claude/settings.local.json");
    (repo, settings)
}

/// Returns doctor's report on the hooks: the states, and all problems.
#[track_caller]
fn said(repo: &Repo, dir: &str) -> (Vec<String>, String) {
    let call = repo.call("ops").dir(dir).args(["--json", "doctor"]);
    let answer = call.run().json();
    let checks = answer["checks"].as_array().unwrap();
    let hooks = checks.iter().filter(|check| check["name"] == "hooks");
    let hooks: Value = hooks.cloned().collect::<Vec<_>>().into();
    (texts(&hooks, "state"), texts(&hooks, "text").join("\n"))
}

/// A change that somebody made to the settings.
type Change = fn(&mut Value);

/// 1/SAFETY-1: whatever keeps Claude Code from asking us, the made-up edit is not refused, and it
/// is said why not.
#[test]
fn settings_that_refuse_no_edit_are_named() {
    let changes: [(&str, &str, Change); 5] = [
        ("fault", "does not call git coord at PreToolUse", |settings| {
            settings["hooks"].as_object_mut().unwrap().remove("PreToolUse");
        }),
        ("fault", "'disableAllHooks' is set in", |settings| {
            settings["disableAllHooks"] = json!(true);
        }),
        ("fault", "at PreToolUse", |settings| {
            settings["hooks"]["PreToolUse"][0]["matcher"] = json!("Read");
        }),
        ("warning", "PreToolUse of Write, NotebookEdit, Bash", |settings| {
            settings["hooks"]["PreToolUse"][0]["matcher"] = json!("Edit");
        }),
        ("warning", "nothing is left in", |settings| *settings = json!({})),
    ];
    for (state, words, change) in changes {
        let (repo, path) = installed();
        let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut settings);
        fs::write(&path, settings.to_string()).unwrap();
        let (states, text) = said(&repo, "");
        assert_eq!(states, [state], "{text}");
        assert!(text.contains(words), "{text}");
    }
}

/// Puts a Claude Code of this version on the path, as its own installer does; one that says none of
/// its version if it is empty.
fn put_claude(repo: &Repo, version: &str) {
    let program = repo.world().join("home/versions").join(version).join("claude");
    put_script(&program, "#!/bin/sh\nexit 1\n");
    let link = repo.world().join("bin/claude");
    fs::remove_file(&link).ok();
    symlink(program, link).unwrap();
}

/// 8/REAL-CLIENT: settings are each work tree's own, however much else they share, but newer
/// versions of Claude Code read those of the main one too; those of the user count in all.
#[test]
fn a_work_tree_without_settings_is_named() {
    let (repo, path) = installed();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    put_claude(&repo, "2.1.210");
    let (states, text) = said(&repo, "../linked");
    assert_eq!(states, ["warning", "note"], "{text}");
    assert!(text.contains("it does in that of") && text.contains("settings.local.json"), "{text}");
    assert!(text.contains("Claude Code 2.1.210 does not read '"), "{text}");
    put_claude(&repo, "2.1.211");
    let (states, text) = said(&repo, "../linked");
    assert_eq!(states, ["ok"], "{text}");
    assert!(text.ends_with("a made-up edit was refused"), "{text}");
    put_claude(&repo, "");
    let (states, text) = said(&repo, "../linked");
    assert_eq!(states, ["ok", "note"], "{text}");
    assert!(text.contains("before 2.1.211 it does not read '"), "{text}");
    assert!(text.ends_with("and does not call git coord here"), "{text}");
    // In the main work tree there is no difference.
    assert_eq!(said(&repo, "").0, ["ok"]);
    let of_user = repo.world().join("home/.claude/settings.json");
    fs::create_dir_all(of_user.parent().unwrap()).unwrap();
    fs::copy(path, of_user).unwrap();
    let (states, text) = said(&repo, "../linked");
    assert_eq!(states, ["ok"], "{text}");
    assert!(text.ends_with("a made-up edit was refused"), "{text}");
}

/// 8/NO-HARM: a settings file can come with a clone. What it says in other words than `install`
/// writes is named, and nobody runs it, wherever our name stands in it.
#[test]
fn nothing_but_what_install_writes_is_run() {
    let (repo, path) = installed();
    repo.git(["config", "coord.enabled", "true"]);
    let mark = repo.world().join("tmp/ran");
    let touch = format!("touch {}", mark.display());
    let shared = repo.work().join(".claude/settings.json");
    let script = repo.work().join("git-coord");
    put_script(&script, &format!("#!/bin/sh\n{touch}\n"));
    for (command, args) in [
        (format!("{touch} # git coord hook claude"), None),
        (format!("{touch}; git-coord hook claude"), None),
        ("git coord hook auto".to_owned(), None),
        ("./git-coord hook auto".to_owned(), None),
        ("./git-coord".to_owned(), Some(["hook", "claude"])),
        (script.display().to_string(), Some(["hook", "claude"])),
        ("/nonexistent/git-coord".to_owned(), Some(["hook", "claude"])),
    ] {
        let mut handler = json!({ "type": "command", "command": command });
        handler.as_object_mut().unwrap().extend(args.map(|args| ("args".to_owned(), json!(args))));
        let group = json!({ "matcher": "Edit", "hooks": [handler] });
        let settings = json!({ "hooks": { "PreToolUse": [group] } });
        fs::write(&shared, settings.to_string()).unwrap();
        let own = fs::read(&path).unwrap();
        for alone in [false, true] {
            if alone {
                fs::remove_file(&path).unwrap();
            }
            let (states, text) = said(&repo, "");
            assert!(!mark.exists(), "it was run: {command}");
            assert_eq!(states.last().unwrap(), "note", "{text}");
            assert!(text.contains("not rehearsed: Claude Code would run '"), "{text}");
            let is_refused = text.contains("a made-up edit was refused");
            // An entry of an earlier version is a trouble of its own.
            assert_eq!(is_refused, !alone && args.is_none(), "{text}");
        }
        fs::write(&path, own).unwrap();
    }
}

/// One that does not answer is not waited for, and what it says is passed on.
#[test]
fn what_is_wrong_with_the_program_is_named() {
    let (repo, path) = installed();
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = json!(1);
    fs::write(&path, settings.to_string()).unwrap();
    let other = repo.world().join("tmp/other");
    let machine = std::env::var("PATH").unwrap();
    let with = |script: &str| {
        put_script(&other.join("git-coord"), script);
        let path = format!("{}:{machine}", other.display());
        let call = repo.call("ops").args(["--json", "doctor"]).env("PATH", path);
        let found = check(&call.run().exits(exit::NO).json(), "hooks");
        assert_eq!(found["state"], "fault");
        found["text"].as_str().unwrap().to_owned()
    };
    let text = with("#!/bin/sh\nsleep 600\n");
    assert!(text.contains("did not answer within 1s"), "{text}");
    let text = with("#!/bin/sh\necho out of order >&2\nexit 1\n");
    assert!(text.contains("said: out of order"), "{text}");
}

/// What is written somewhere and run by nobody calls nobody.
#[test]
fn hooks_elsewhere_that_nobody_runs_are_named() {
    let calls = |name: &str| format!("#!/bin/sh\ngit-coord hook {name} \"$@\"\n");
    let all = ["pre-commit", "pre-merge-commit", "post-commit", "pre-push", "prepare-commit-msg"];
    let repo = repo_with_hooks_in_files();
    repo.git(["config", "coord.enabled", "true"]);
    repo.git(["config", "core.hooksPath", ".githooks"]);
    for name in all {
        repo.write(&format!(".githooks/{name}"), &calls(name));
    }
    let (states, text) = said(&repo, "");
    assert_eq!(states, ["warning"], "{text}");
    assert!(text.contains("core.hooksPath is '.githooks'"), "{text}");
    for name in all {
        put_script(&repo.work().join(".githooks").join(name), &calls(name));
    }
    assert_eq!(said(&repo, "").0, ["ok"]);
    put_script(&repo.work().join(".githooks/pre-push"), "#!/bin/sh\n# git-coord hook pre-push\n");
    let (states, text) = said(&repo, "");
    assert_eq!(states, ["warning"], "{text}");
    assert!(text.ends_with(": pre-push"), "{text}");
    // A manager that is not in charge of that directory runs nothing.
    repo.git(["config", "core.hooksPath", "/nonexistent/company"]);
    repo.write("lefthook.yml", &all.map(|name| format!("run: git-coord hook {name}\n")).concat());
    assert_eq!(said(&repo, "").0, ["warning"]);
    let install = repo.call("").args(["install", "--dry-run"]).run().done();
    assert!(!install.stdout.contains("called from"), "{install:#?}");
}

/// Two sessions whose ids begin alike have one name, and so do not keep each other from anything.
#[test]
fn sessions_that_share_a_name_are_named() {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    let tell = |session: &str, event: &str| {
        let payload = json!({
            "session_id": session, "hook_event_name": event, "cwd": repo.work(),
            "tool_name": "Edit", "tool_input": { "file_path": repo.work().join("src/a") },
        });
        repo.call("").args(["hook", "claude"]).input(payload.to_string()).run().done();
    };
    let names = || check(&repo.coord_json("ops", ["doctor"]).json(), "names");
    tell("aaaaaaaa-1111", "PreToolUse");
    tell("bbbbbbbb-1111", "PreToolUse");
    assert_eq!(names()["state"], "ok");
    // Two that begin at the same moment do not see each other, and both take the short name.
    let path = repo.git_dir().join(LOCAL_DIR).join("presence/claude:aaaaaaaa.json");
    let mut presence: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let seen = presence["sessions"]["aaaaaaaa-1111"].clone();
    presence["sessions"]["aaaaaaaa-9999"] = seen;
    fs::write(&path, presence.to_string()).unwrap();
    let found = names();
    let words = "2 live sessions are 'claude:aaaaaaaa' (aaaaaaaa-1111, aaaaaaaa-9999)";
    assert_eq!(found["state"], "warning");
    assert!(found["text"].as_str().unwrap().contains(words), "{found:#}");
    tell("aaaaaaaa-1111", "SessionEnd");
    assert_eq!(names()["state"], "ok", "one is left");
    tell("aaaaaaaa-1111", "PreToolUse");
    repo.pass("1h");
    assert_eq!(names()["state"], "ok", "nobody was seen for long");
}

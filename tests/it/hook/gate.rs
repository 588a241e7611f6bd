//! Before an edit: one request for the path is the gate.

use rustix::process::{Pid, test_kill_process};
use serde_json::json;

use super::*;
use crate::support::gits::gits;
use crate::support::hooks::put_script;
use crate::support::kind::{Hash, Kind, Place, RefFormat};
use crate::support::race;

/// 1/M3: asking for the path is the gate; who comes second is refused with all that it needs.
#[test]
fn the_second_session_is_refused_and_told_why() {
    let repo = enabled();
    Session::new(&repo, ONE).edits("src/main.rs");
    assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
    assert_eq!(repo.holds()[0]["via"], "hook");
    let reason = Session::new(&repo, OTHER).is_refused("src/main.rs");
    for word in [
        "\"src/main.rs\" is held by another agent",
        "claude:7f3a91c2 holds \"src/main.rs\" for 15m more, in the main worktree",
        "  git coord ask --holder=claude:7f3a91c2 --reason '<why>' --wait 5m -- :/src/main.rs\n",
    ] {
        assert!(reason.contains(word), "'{word}' is not in: {reason}");
    }
    // 7/NEXT-hook: a model reads first what to do.
    let lines: Vec<&str> = reason.lines().collect();
    assert!(lines.len() <= 6, "{reason}");
    assert!(lines[0].contains("not edited") && lines[0].contains("work on something else"));
    assert!(lines[1].starts_with("  git coord ask "), "{reason}");
}

/// 1/H2: the hook and the commands answer from the same ref.
#[test]
fn what_a_command_reserved_refuses_an_edit_and_the_other_way_round() {
    let repo = enabled();
    let words = ["src/api/**", "--reason", "new endpoints", "--task", "T-7", "--ttl", "2h"];
    repo.reserve_with("alice", &words);
    let session = Session::new(&repo, ONE);
    let reason = session.is_refused("src/api/users.rs");
    let told = "alice holds \"src/api/**\" for 2h more, in the main worktree, alive, \
                last seen 0s ago, branch \"main\", task \"T-7\", reason \"new endpoints\"";
    assert!(reason.contains(told), "{reason}");
    session.edits("docs/guide.md");
    repo.coord("alice", ["reserve", "docs"]).exits(exit::NO);
    // The command and the hook of one session are one agent.
    repo.coord(ONE_NAME, ["reserve", "docs"]).done();
}

/// The commands in a refusal can be run as they are.
#[test]
fn what_is_suggested_works() {
    let repo = enabled();
    repo.reserve("alice", "src");
    let reason = Session::new(&repo, ONE).is_refused("src/it's a $(test) [x].rs");
    let commands: Vec<&str> = reason.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert_eq!(commands.len(), 1, "{reason}");
    let run = |command: &str| repo.call(ONE_NAME).program("sh").args(["-c", command]).run();
    run(commands[0]).exits(exit::USAGE).says("placeholder");
    let filled = commands[0].replace("<why>", "a fix").replace("--wait 5m ", "");
    run(&filled).done().says("asks alice");
}

#[test]
fn every_edit_tool_is_gated_and_no_other() {
    let repo = enabled();
    repo.reserve("alice", "src");
    let session = Session::new(&repo, ONE);
    let file = repo.work().join("src/main.rs");
    for (tool, field) in [
        ("Edit", "file_path"),
        ("Write", "file_path"),
        ("MultiEdit", "file_path"),
        ("NotebookEdit", "notebook_path"),
    ] {
        let more = json!({ "tool_name": tool, "tool_input": { field: file } });
        denial(&session.call("PreToolUse", &more).run());
    }
    for tool in ["Read", "Bash", "Glob", "mcp__files__Edit"] {
        let more = json!({ "tool_name": tool, "tool_input": { "file_path": file } });
        silent(&session.call("PreToolUse", &more).run());
    }
    for event in ["UserPromptSubmit", "PreCompact", "Notification", "EventOfTomorrow"] {
        silent(&session.event(event));
    }
}

/// 3/MON-D1: a path that is not absolute leads from where the agent stands, wherever the hook runs.
#[test]
fn a_relative_path_leads_from_where_the_agent_stands() {
    let repo = enabled();
    repo.reserve("alice", "src/main.rs");
    let session = Session::new(&repo, ONE);
    for (directory, path) in [("", "src/main.rs"), ("src", "main.rs"), ("src", "../src/./main.rs")]
    {
        let more = json!({
            "cwd": repo.work().join(directory),
            "tool_name": "Edit",
            "tool_input": { "file_path": path },
        });
        let call = session.call("PreToolUse", &more);
        for call in [call.clone(), call.dir(repo.elsewhere())] {
            assert!(denial(&call.run()).contains("alice"), "{path} in '{directory}'");
        }
    }
}

#[test]
fn an_agent_is_known_by_its_payload() {
    let repo = enabled();
    repo.reserve("alice", "src");
    let auto = repo.call("").args(["hook", "auto"]);
    let more =
        json!({ "tool_name": "Write", "tool_input": { "file_path": repo.work().join("src/x") } });
    let payload = Session::new(&repo, ONE).payload("PreToolUse", &more);
    denial(&auto.clone().input(payload.to_string()).run());
    silent(&auto.input("{\"tool\":\"other\"}").run());
}

/// The payload says who acts, whatever the variables say (identity of a hook).
#[test]
fn the_session_comes_before_the_variables() {
    let repo = enabled();
    let call = Session::new(&repo, ONE).edit_call("src/main.rs");
    let call = call.env("GIT_COORD_AGENT", "bob").env("CLAUDE_CODE_SESSION_ID", OTHER);
    silent(&call.run());
    assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
}

#[test]
fn a_fresh_hold_is_not_written_again() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    let tip = repo.tip();
    repo.pass("7m");
    session.edits("src/main.rs");
    assert_eq!(repo.tip(), tip, "more than half of its time is left");
    repo.pass("1m");
    session.edits("src/main.rs");
    assert_ne!(repo.tip(), tip);
    assert_eq!(repo.holds()[0]["expires_at"], repo.later("15m"));
}

/// A subagent is an agent of its own beside its siblings, and one with its session.
#[test]
fn subagents_of_one_session_stand_in_each_others_way() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.subagent("a1").edits("src/main.rs");
    assert_held(&repo, &[("claude:7f3a91c2/a1", "src/main.rs")]);
    let reason = session.subagent("b2").is_refused("src/main.rs");
    assert!(reason.contains("claude:7f3a91c2/a1 holds"), "{reason}");
    silent(&session.edit("src/main.rs"));
    Session::new(&repo, OTHER).is_refused("src/main.rs");
}

#[test]
fn where_nothing_is_switched_on_nothing_happens() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let session = Session::new(&repo, ONE);
    let tip = repo.tip();
    session.edits("src/main.rs");
    session.edits("docs/guide.md");
    for event in ["SessionStart", "Stop", "SessionEnd"] {
        silent(&session.event(event));
    }
    silent(&hook(&repo).input("no json").run());
    repo.git(["config", "coord.enabled", "false"]);
    session.edits("src/main.rs");
    assert_eq!(repo.tip(), tip);
    assert!(!repo.git_dir().join("coord/notes").exists());
}

#[test]
fn ignored_files_are_nobodys_but_tracked_ones_are_not_ignored() {
    let repo = enabled();
    repo.write(".gitignore", "build/\n*.log\nguide.md\n");
    repo.reserve("alice", "**");
    let session = Session::new(&repo, ONE);
    for path in ["build/out.o", "build/new/deep.o", "src/trace.log"] {
        session.edits(path);
    }
    session.is_refused("docs/guide.md");
    session.is_refused("src/trace.txt");
}

/// Git is asked about a file once: what an agent has begun to edit stays its own until the commit.
#[test]
fn what_is_edited_does_not_become_nobodys() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    one.edits("src/trace.log");
    repo.write("src/trace.log", "a trace\n");
    one.has_edited("src/trace.log");
    repo.write(".gitignore", "*.log\n");
    one.edits("src/trace.log");
    assert_held(&repo, &[(ONE_NAME, "src/trace.log")]);
    other.edits("src/trace.log");
    one.event("Stop");
    repo.reserve("alice", "src");
    one.is_refused("src/trace.log");
    other.edits("src/trace.log");
}

/// 8/SHARED-IS-SHARED: agents that share a path may all edit it; everybody else is stopped.
#[test]
fn who_shares_is_not_in_the_way() {
    let repo = enabled();
    for name in [ONE_NAME, OTHER_NAME] {
        repo.reserve_with(name, &["--shared", "docs"]);
    }
    for id in [ONE, OTHER, ONE] {
        Session::new(&repo, id).edits("docs/guide.md");
    }
    assert_held(&repo, &[(OTHER_NAME, "docs"), (ONE_NAME, "docs")]);
    Session::new(&repo, "31415926-5b1d-4c7e-9a30-1f2e3d4c5b6a").is_refused("docs/guide.md");
    repo.coord_json(ONE_NAME, ["reserve", "docs/guide.md"]).refused("held");
    let told = |agent: &str| repo.coord(agent, ["check", "docs/guide.md"]).exits(exit::NO).stderr;
    assert!(told(ONE_NAME).contains("you may edit and commit it"), "{}", told(ONE_NAME));
    assert!(!told("carol").contains("you may edit"), "{}", told("carol"));
    repo.write("docs/guide.md", "more");
    repo.git(["add", "docs/guide.md"]);
    let subagent = format!("{ONE_NAME}/helper");
    for (agent, code) in [
        (ONE_NAME, exit::DONE),
        (&subagent, exit::DONE),
        (OTHER_NAME, exit::DONE),
        ("carol", exit::NO),
    ] {
        repo.coord(agent, ["hook", "pre-commit"]).exits(code);
    }
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// Agents work in several trees at once: the file decides which repository is meant.
#[test]
fn an_edit_belongs_to_the_work_tree_that_its_file_lies_in() {
    let repo = enabled();
    repo.git(["worktree", "add", "--quiet", "-b", "side", ".trees/linked"]);
    let session = Session::new(&repo, ONE);
    session.edits(".trees/linked/src/main.rs");
    session.standing_in(&repo.elsewhere()).edits("../work/docs/guide.md");
    assert_held(&repo, &[(ONE_NAME, "docs/guide.md"), (ONE_NAME, "src/main.rs")]);
    let of_linked = repo.list(&["--path", "src/main.rs"]);
    assert_eq!(of_linked[0]["worktree"], "linked");
}

/// Who names a git directory stands in its work tree.
#[test]
fn a_git_directory_that_is_named_counts() {
    let repo = enabled();
    let call = Session::new(&repo, ONE).edit_call("src/main.rs").env("GIT_DIR", repo.git_dir());
    silent(&call.run());
    assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
}

/// 1/M3: of many who begin to edit one file at once, one may.
#[test]
fn one_of_many_gets_it() {
    let repo = enabled();
    let call = |number: usize| {
        let mut payload = Session::new(&repo, ONE).payload(
            "PreToolUse",
            &json!({ "tool_name": "Edit",
                     "tool_input": { "file_path": repo.work().join("src/main.rs") } }),
        );
        payload["session_id"] = format!("{number:08}-rival").into();
        let file = repo.world().join(format!("tmp/payload-{number}"));
        std::fs::write(&file, payload.to_string()).unwrap();
        let script = "exec git-coord hook claude <\"$0\"";
        repo.call("").program("sh").args(["-c", script]).args([file])
    };
    let outputs = race(&repo, &(0..8).map(call).collect::<Vec<_>>());
    let passed = outputs.iter().filter(|output| output.stdout.is_empty()).count();
    assert_eq!((passed, repo.holds().len()), (1, 1), "{outputs:#?}");
}

/// Where libgit2 does not know the repository, git is asked what is ignored.
#[test]
fn the_gate_in_every_kind_of_repository() {
    for kind in Kind::all().into_iter().filter(|kind| kind.place != Place::Bare) {
        let Some(repo) = Repo::of(kind) else { continue };
        repo.git(["config", "coord.enabled", "true"]);
        repo.write(".gitignore", "*.log\n*.md\n");
        let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
        for path in ["src/main.rs", "README.md", ":(top)*.rs"] {
            one.edits(path);
            other.is_refused(path);
        }
        one.edits("src/trace.log");
        one.edits("new.md");
        assert_eq!(repo.holds().len(), 3, "{kind}");
        silent(&one.event("Stop"));
        assert_eq!(repo.holds().len(), 0, "{kind}");
    }
}

/// Where git has to be asked for objects, it is gone when the answer is there: nobody else would
/// take note of its end in a container whose first process does not.
#[test]
fn no_git_outlives_an_answer() {
    let kind = Kind { refs: RefFormat::Files, hash: Hash::Sha256, place: Place::Main };
    let repo = Repo::of(kind).expect("every git knows that kind");
    repo.git(["config", "coord.enabled", "true"]);
    let pids = repo.world().join("tmp/pids");
    let script = format!(
        "#!/bin/sh
case \"$*\" in
*--batch-command*) echo $$ >>'{pids}'; '{git}' \"$@\"; exec sleep 9 ;;
*) exec '{git}' \"$@\" ;;
esac\n",
        pids = pids.display(),
        git = gits()[0].program.display(),
    );
    put_script(&repo.world().join("bin/git"), &script);
    let session = Session::new(&repo, ONE);
    for _ in 0..2 {
        silent(&session.edit_call("src/main.rs").run());
    }
    let pids = std::fs::read_to_string(pids).expect("git was asked for objects");
    for pid in pids.split_whitespace() {
        let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
        assert!(test_kill_process(pid).is_err(), "{pid:?} is still there");
    }
}

//! A session learns who wants what it holds, and what was taken from it.

use serde_json::json;

use super::*;

#[track_caller]
fn ask(repo: &Repo, asker: &str, path: &str) -> String {
    let answer = repo.json(asker, ["ask", path, "--reason", "needs \"it\""]);
    answer["thread"].as_str().unwrap().to_owned()
}

/// 3/AUTO-RELEASE, 3/MON-H3, 3/FORCE-5: the holder's next edit prints the commands to release and
/// to defer, once at each stage, and releases nothing.
#[test]
fn an_edit_tells_what_others_ask_for() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    repo.git(["config", "coord.ttl", "2h"]);
    session.edits("src/main.rs");
    let thread = ask(&repo, "bob", "src/main.rs");
    repo.pass("4m");
    let tip = repo.tip();
    let told = context(&session.edit("src/main.rs"), "PreToolUse");
    for word in [
        "bob asks for \"src/main.rs\" since 4m",
        "reason \"needs \\\"it\\\"\"",
        &format!("  git coord answer {} --release", &thread[..8]),
        &format!("  git coord answer {} --defer 15m --reason '<why>'", &thread[..8]),
        "information, not an instruction",
    ] {
        assert!(told.contains(word), "'{word}' is not in: {told}");
    }
    session.edits("src/main.rs");
    repo.pass("2m");
    let soon = context(&session.edit("src/main.rs"), "PreToolUse");
    assert!(soon.contains("may take it soon"), "{soon}");
    repo.pass("4m");
    let late = context(&session.edit("src/main.rs"), "PreToolUse");
    assert!(late.contains("may take it now"), "{late}");
    session.edits("src/main.rs");
    assert_eq!(repo.tip(), tip, "nothing was let go, and nothing written");
    assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
    let welcome = context(&session.event("SessionStart"), "SessionStart");
    assert!(welcome.contains("bob asks for"), "{welcome}");
}

/// 8/ASKED-IS-HEARD: a holder hears of a request after any tool call, and at its person's next
/// word, once at each stage.
#[test]
fn a_holder_hears_of_a_request_after_any_call() {
    let bash = json!({ "tool_name": "Bash", "duration_ms": 1, "tool_response": {} });
    let read = json!({ "tool_name": "Read", "tool_input": {}, "tool_response": {} });
    let failed = json!({ "tool_name": "WebFetch", "tool_input": {}, "error": "404" });
    let edit = |repo: &Repo| {
        let input = json!({ "file_path": repo.work().join("x") });
        json!({ "tool_name": "Edit", "tool_input": input })
    };
    for (event, more) in [
        ("PostToolUse", &bash),
        ("PostToolUse", &read),
        ("PostToolUseFailure", &bash),
        ("PostToolUseFailure", &failed),
        ("UserPromptSubmit", &json!({ "prompt": "go on" })),
    ] {
        let repo = enabled();
        let session = Session::new(&repo, ONE);
        repo.reserve(ONE_NAME, "src/main.rs");
        let after = |event: &str, more: &Value| session.call(event, more).run();
        silent(&after(event, more));
        ask(&repo, "bob", "src/main.rs");
        let tip = repo.tip();
        let told = context(&after(event, more), event);
        assert!(told.contains("bob asks for \"src/main.rs\""), "{event}: {told}");
        silent(&after(event, more));
        silent(&after("PostToolUse", &edit(&repo)));
        session.edits("README.md");
        repo.pass("6m");
        let soon = context(&after("PostToolUse", &read), "PostToolUse");
        assert!(soon.contains("may take it soon"), "{soon}");
        silent(&after("PostToolUse", &read));
        assert_eq!(repo.list(&["--path", "src/main.rs"]).len(), 1, "{tip}");
        repo.git(["config", "coord.negotiation", "false"]);
        silent(&after("PostToolUse", &read));
    }
}

/// What is suggested can be run, once a reason stands in it.
#[test]
fn the_commands_work() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    ask(&repo, "bob", "src/main.rs");
    let told = context(&session.edit("src/main.rs"), "PreToolUse");
    let commands: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    for command in commands.iter().rev() {
        let filled = command.replace("<why>", "still at it");
        repo.call(ONE_NAME).program("sh").args(["-c", &filled]).run().done();
    }
    assert_held(&repo, &[("bob", "src/main.rs")]);
}

/// 3/FORCE-3: after a take-over the old holder's next edit of that file says so, also when the file
/// is free again.
#[test]
fn an_edit_tells_what_was_taken() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    ask(&repo, "bob", "src/main.rs");
    repo.pass("10m");
    repo.json("bob", ["take", "src/main.rs", "--reason", "no answer"]);
    let reason = session.is_refused("src/main.rs");
    assert!(reason.contains("was taken from you"), "{reason}");
    assert!(reason.contains("bob took src/main.rs: no answer"), "{reason}");
    session.edits("src/other.rs");
    repo.json("bob", ["release", "--mine"]);
    let told = context(&session.edit("src/main.rs"), "PreToolUse");
    assert!(told.contains("was taken from you"), "{told}");
    session.edits("src/main.rs");
}

/// 3/CHECK-R2: switched off, an edit says nothing of it.
#[test]
fn switched_off_nothing_is_said() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    ask(&repo, "bob", "src/main.rs");
    repo.git(["config", "coord.negotiation", "false"]);
    session.edits("src/main.rs");
    let reason = Session::new(&repo, OTHER).is_refused("src/main.rs");
    assert!(!reason.contains("git coord ask"), "{reason}");
}

/// 3/SIG-1, 3/BASH: what others wrote, however damaged, does not hold an edit up.
#[test]
fn damaged_threads_hold_no_edit_up() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("src/$(whoami).go");
    let thread = ask(&repo, "bob", "src/$(whoami).go");
    let bad = repo.documents().into_iter().filter(|path| path.contains(&thread));
    repo.overwrite(&bad.collect::<Vec<_>>(), &"[".repeat(5_000));
    session.edits("src/$(whoami).go");
}

/// A tool call that is open is a sign of life: its holder is not silent, however long it takes.
#[test]
fn an_open_tool_call_is_no_silence() {
    let repo = enabled();
    repo.git(["config", "coord.ttl", "4h"]);
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    let bash = |event: &str| {
        silent(&session.call(event, &json!({ "tool_name": "Bash", "duration_ms": 1 })).run());
    };
    let edited = json!({ "tool_name": "Edit", "tool_input": {} });
    silent(&session.call("PostToolUse", &edited).run());
    bash("PreToolUse");
    repo.pass("30m");
    let thread = ask(&repo, "bob", "src/main.rs");
    let take = || repo.coord_json("bob", ["take", &thread, "--reason", "r"]);
    let no = take().refused("too_early");
    assert!(no["refusal"]["message"].as_str().unwrap().contains("tool call"), "{no:#}");
    let agents = repo.json("bob", ["agents"]).to_string();
    assert!(agents.contains("busy_since"), "{agents}");
    let ran = json!({ "tool_name": "Bash", "duration_ms": 1 });
    context(&session.call("PostToolUse", &ran).run(), "PostToolUse");
    take().refused("too_early");
    repo.pass("20m");
    let thread = ask(&repo, "carol", "src/main.rs");
    repo.json("carol", ["take", &thread, "--reason", "silent by now"]);
}

/// Tool calls that run beside each other end one by one, and one whose end is never told ends when
/// the turn does, or after an hour.
#[test]
fn open_tool_calls_are_told_apart() {
    let repo = enabled();
    repo.git(["config", "coord.ttl", "24h"]);
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    session.event("Stop");
    let bash = |event: &str, call: &str| {
        let more = json!({ "tool_name": "Bash", "duration_ms": 1, "tool_use_id": call });
        silent(&session.call(event, &more).run());
    };
    let is_busy = || repo.json("bob", ["agents"]).to_string().contains("busy_since");
    bash("PreToolUse", "toolu_1");
    bash("PreToolUse", "toolu_2");
    bash("PostToolUse", "toolu_2");
    assert!(is_busy(), "the first one is open");
    repo.reserve("alice", "docs");
    session.is_refused("docs/x");
    assert!(is_busy(), "what is refused ends nothing else");
    repo.pass("30m");
    repo.git(["config", "coord.hook.release", "ttl"]);
    session.edits("src/main.rs");
    silent(&session.call("PostToolUse", &json!({ "tool_name": "Edit", "tool_input": {} })).run());
    repo.pass("29m");
    let thread = ask(&repo, "bob", "src/main.rs");
    repo.coord_json("bob", ["take", &thread, "--reason", "r"]).refused("too_early");
    repo.pass("1m");
    assert!(!is_busy(), "of a call that long nobody knows whether it ended");
    bash("PreToolUse", "toolu_3");
    session.event("Stop");
    assert!(!is_busy(), "with the turn every call is over");
}

/// What is refused does not begin: it leaves no open call.
#[test]
fn a_refused_edit_is_no_open_call() {
    let repo = enabled();
    repo.reserve("alice", "src");
    Session::new(&repo, ONE).is_refused("src/main.rs");
    let agents = repo.json("bob", ["agents"]).to_string();
    assert!(!agents.contains("busy_since"), "{agents}");
}

/// A refusal tells whether the holder is alive, when it was seen, and where.
#[test]
fn a_refusal_tells_of_the_holder() {
    let repo = enabled();
    repo.reserve_with("alice", &["src", "--ttl", "2h", "--task", "T-7"]);
    let session = Session::new(&repo, ONE);
    let reason = session.is_refused("src/main.rs");
    assert!(reason.contains("alive, last seen 0s ago, branch \"main\""), "{reason}");
    repo.pass("21m");
    let reason = session.is_refused("src/main.rs");
    assert!(reason.contains("silent, last seen 21m ago"), "{reason}");
}

/// 8/RELEASED-IS-NOT-GRANTED: what an agent that works through hooks gets by an answer or a
/// takeover protects everywhere, and ends like what came with an edit. What others get stays.
#[test]
fn what_was_granted_ends_with_the_turn() {
    for ending in ["Stop", "SessionEnd"] {
        let repo = enabled();
        // What is not committed could count as written by the shell.
        repo.git(["stash", "--quiet", "--include-untracked"]);
        let session = Session::new(&repo, ONE);
        repo.reserve_with("alice", &["--ttl", "4h", "src"]);
        let bash = |event: &str| {
            session.call(event, &json!({ "tool_name": "Bash", "duration_ms": 1 })).run().done();
        };
        bash("PreToolUse");
        let answered = ask(&repo, ONE_NAME, "src/main.rs");
        let taken = ask(&repo, ONE_NAME, "src/api/users.rs");
        bash("PostToolUse");
        repo.json("alice", ["answer", &answered, "--release"]);
        let of_person = ask(&repo, "bob", "src/api/teams.rs");
        repo.json("alice", ["answer", &of_person, "--release"]);
        repo.pass("11m");
        repo.json(ONE_NAME, ["take", &taken, "--reason", "no answer"]);
        let granted = repo.list(&["--holder", ONE_NAME]);
        let via = |hold: &Value| hold["via"] == "ask";
        assert_eq!((granted.len(), granted.iter().all(via)), (2, true), "{granted:#?}");
        let side = repo.world().join("side");
        repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
        Session::new(&repo, OTHER).standing_in(&side).is_refused("src/main.rs");
        session.event(ending);
        assert_eq!(repo.list(&["--holder", ONE_NAME]).len(), 0, "{ending}");
        assert_eq!(repo.list(&["--holder", "bob"])[0]["via"], "command");
        repo.coord("ops", ["ledger", "verify"]).done();
    }
}

/// 8/RELEASED-IS-NOT-GRANTED: a commit ends what was granted, like what came with an edit. Of a
/// wide grant it ends the committed paths, and the asker keeps the rest.
#[test]
fn what_was_granted_ends_with_the_commit() {
    for release in ["commit", "turn"] {
        for (asked, kept) in
            [("src/main.rs", json!([])), ("src", json!([["src", ["src/main.rs"]]]))]
        {
            let repo = enabled();
            repo.git(["config", "coord.hook.release", release]);
            let session = Session::new(&repo, ONE);
            repo.reserve_with("alice", &["--ttl", "4h", "src"]);
            session.is_refused("src/main.rs");
            let thread = ask(&repo, ONE_NAME, asked);
            let answer = repo.json("alice", ["answer", &thread, "--release"]);
            assert_eq!(answer["granted"][0]["via"], "ask", "{answer:#}");
            session.edits("src/main.rs");
            session.edits("docs/guide.md");
            repo.write("src/main.rs", "by the session\n");
            repo.write("docs/guide.md", "by the session\n");
            let commit = ["commit", "--quiet", "--no-verify", "-m", "work", "--"];
            repo.git([&commit[..], &["src/main.rs", "docs/guide.md"]].concat());
            repo.coord(ONE_NAME, ["hook", "post-commit"]).done();
            let left = repo.list(&["--holder", ONE_NAME]);
            let left: Vec<Value> =
                left.iter().map(|hold| json!([hold["pattern"], hold["except"]])).collect();
            assert_eq!(Value::from(left), kept, "{release}, {asked}");
            repo.reserve("bob", "src/main.rs");
            repo.coord("ops", ["ledger", "verify"]).done();
        }
    }
}

/// 8/RELEASED-IS-NOT-GRANTED: a session that hooks report and that asks outside of a tool call gets
/// what ends with its turn, too. Once the session has ended, the same name is not reported any
/// more.
#[test]
fn what_is_asked_for_between_calls_ends_with_the_turn() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    repo.reserve_with("alice", &["--ttl", "4h", "src"]);
    let gets = |path: &str| {
        let thread = ask(&repo, ONE_NAME, path);
        repo.json("alice", ["answer", &thread, "--release"])["granted"][0]["via"].clone()
    };
    assert_eq!(gets("src/one.rs"), "command", "nobody reports it yet");
    repo.json(ONE_NAME, ["release", "--mine"]);
    session.is_refused("src/main.rs");
    assert_eq!(gets("src/main.rs"), "ask", "a hook has refused its edit");
    session.event("Stop");
    assert_eq!(repo.list(&["--holder", ONE_NAME]).len(), 0);
    assert_eq!(gets("src/two.rs"), "ask", "between two turns");
    session.event("Stop");
    assert_eq!(repo.list(&["--holder", ONE_NAME]).len(), 0);
    session.event("SessionEnd");
    assert_eq!(gets("src/three.rs"), "command", "the session has ended");
    repo.coord("ops", ["ledger", "verify"]).done();
}

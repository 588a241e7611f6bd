//! 8/TURN: the ways in which a turn and a session end, in every repository that they work in.

use serde_json::json;

use super::*;
use crate::support::contract::LOCAL_DIR;

fn prompt(session: &Session<'_>) -> Call {
    session.call("UserPromptSubmit", &json!({ "prompt": "go on", "source": "user" }))
}

/// An error of the API ends a turn without `Stop`.
#[test]
fn an_error_ends_a_turn() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    repo.reserve(ONE_NAME, "docs");
    let failure = json!({ "error": "invalid_request", "error_details": "400" });
    silent(&session.call("StopFailure", &failure).run());
    assert_held(&repo, &[(ONE_NAME, "docs")]);
}

/// An interrupt sends no event at all: the next prompt ends the turn before it, and its calls.
#[test]
fn a_prompt_ends_a_turn_that_was_interrupted() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    session.subagent("a1").edits("README.md");
    repo.reserve(ONE_NAME, "docs");
    let bash = json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {} });
    silent(&session.call("PreToolUse", &bash).run());
    let busy = || repo.json("ops", ["agents"]).to_string().matches("busy_since").count();
    assert_eq!(busy(), 2);
    silent(&prompt(&session).run());
    assert_held(&repo, &[(ONE_NAME, "docs"), ("claude:7f3a91c2/a1", "README.md")]);
    assert_eq!(busy(), 1, "a subagent may work on");
    Session::new(&repo, OTHER).edits("src/main.rs");
}

/// An edit that was interrupted before it was made owns nothing.
#[test]
fn an_edit_that_was_never_made_is_forgotten_at_the_next_prompt() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("new.rs");
    silent(&prompt(&session).run());
    repo.write("new.rs", "by a person\n");
    let changes = repo.json("ops", ["changes", "new.rs"]);
    assert_eq!(changes["changes"][0]["owners"], json!([]), "{changes:#}");
}

/// Where hooks are to keep what came with edits, a prompt ends nothing.
#[test]
fn a_prompt_lets_go_of_nothing_that_is_to_stay() {
    for keeps in ["commit", "session", "ttl"] {
        let repo = enabled();
        repo.git(["config", "coord.hook.release", keeps]);
        let session = Session::new(&repo, ONE);
        session.edits("src/main.rs");
        silent(&prompt(&session).run());
        assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
    }
}

/// A session that has left holds nothing: neither what it asked for by a command, nor locks, nor
/// what its subagents have. A command under `with` that runs on keeps its own.
#[test]
fn a_session_that_has_left_holds_nothing() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("src/main.rs");
    session.subagent("a1").edits("README.md");
    repo.reserve(ONE_NAME, "docs");
    repo.reserve("claude:7f3a91c2/a1", "tests");
    repo.reserve_with(ONE_NAME, &["--lock", "build"]);
    repo.reserve_with(ONE_NAME, &["--shared", "assets"]);
    repo.reserve(OTHER_NAME, "notes");
    silent(&session.event("Stop"));
    assert_eq!(repo.list(&["--holder", ONE_NAME]).len(), 5);
    silent(&session.call("SessionEnd", &json!({ "reason": "prompt_input_exit" })).run());
    assert_held(&repo, &[(OTHER_NAME, "notes")]);
    repo.coord("ops", ["ledger", "verify"]).done();
}

#[test]
fn what_is_to_outlive_sessions_does() {
    for keeps in ["commit", "ttl"] {
        let repo = enabled();
        repo.git(["config", "coord.hook.release", keeps]);
        repo.reserve(ONE_NAME, "docs");
        silent(&Session::new(&repo, ONE).event("SessionEnd"));
        assert_held(&repo, &[(ONE_NAME, "docs")]);
    }
}

/// Creates a second repository, in which hooks are enabled as well.
fn another(repo: &Repo) -> PathBuf {
    let other = repo.elsewhere().join("other");
    repo.git(["init", "--quiet", "../elsewhere/other"]);
    repo.git(["-C", "../elsewhere/other", "config", "coord.enabled", "true"]);
    other.canonicalize().unwrap()
}

fn held_in(repo: &Repo, directory: &Path) -> usize {
    let list = repo.call("ops").dir(directory).args(["--json", "list"]).run().done();
    list.json()["reservations"].as_array().unwrap().len()
}

/// Prepares a call of a session that was begun in the first repository.
fn begun(repo: &Repo, call: Call) -> Call {
    call.env("CLAUDE_PROJECT_DIR", repo.work())
}

/// A turn ends in every repository in which it has edited, wherever the session stands and began;
/// and with the session ends what it has reserved there.
#[test]
fn a_turn_ends_in_every_repository() {
    for event in ["Stop", "StopFailure", "UserPromptSubmit", "SessionEnd"] {
        let repo = enabled();
        let other = another(&repo);
        let session = Session::new(&repo, ONE);
        silent(&begun(&repo, session.edit_call("src/main.rs")).run());
        let edit = session.standing_in(&other).edit_call("x.rs");
        silent(&begun(&repo, edit).dir(repo.work()).run());
        let subagent = session.subagent("a1");
        silent(&begun(&repo, subagent.standing_in(&other).edit_call("y.rs")).run());
        let reserve = repo.call(ONE_NAME).dir(&other).args(["reserve", "docs"]);
        reserve.run().done();
        assert_eq!(held_in(&repo, &other), 3);
        let end = session.call(event, &json!({ "prompt": "x", "reason": "other" }));
        silent(&begun(&repo, end).run());
        assert_held(&repo, &[]);
        let left = if event == "SessionEnd" { 0 } else { 2 };
        assert_eq!(held_in(&repo, &other), left, "{event}");
        silent(&begun(&repo, subagent.call("SubagentStop", &json!({}))).run());
        assert_eq!(held_in(&repo, &other), left / 2, "{event}");
    }
}

/// 8/RELEASED-IS-NOT-GRANTED: what a session asks for in another repository than that of its hooks
/// ends with its turn as well. Who is in no session there gets what stays.
#[test]
fn a_turn_ends_what_was_granted_in_another_repository() {
    for event in ["Stop", "SessionEnd"] {
        let repo = enabled();
        let other = another(&repo);
        let env_file = repo.world().join("tmp/claude-env");
        let session = Session::new(&repo, ONE);
        let start = session.call("SessionStart", &json!({ "source": "startup" }));
        begun(&repo, start).env("CLAUDE_ENV_FILE", &env_file).run().done();
        silent(&begun(&repo, session.call("PreToolUse", &json!({ "tool_name": "Bash" }))).run());
        let alice = |args: &[&str]| {
            let call = repo.call("alice").dir(&other).args(["--json"]);
            call.args(args).run().done().json()
        };
        alice(&["reserve", "x.rs", "y.rs", "z.rs"]);
        let granted = |script: &str| {
            let ask = "git -C ../elsewhere/other coord ask --json --reason r";
            let script = format!("{}; {ask} {script}", format_args!(". '{}'", env_file.display()));
            let asked = repo.call("").program("sh").args(["-c", &script]).run().done().json();
            let answer = alice(&["answer", asked["thread"].as_str().unwrap(), "--release"]);
            answer["granted"][0]["via"].clone()
        };
        assert_eq!(granted("x.rs"), "ask");
        assert_eq!(granted("--as bob y.rs"), "command");
        let enable =
            |value| repo.git(["-C", "../elsewhere/other", "config", "coord.enabled", value]);
        enable("false");
        assert_eq!(granted("z.rs"), "command", "no hook acts there");
        enable("true");
        assert_eq!(held_in(&repo, &other), 3);
        silent(&begun(&repo, session.call(event, &json!({ "reason": "other" }))).run());
        let left = if event == "SessionEnd" { 1 } else { 2 };
        assert_eq!(held_in(&repo, &other), left, "{event}");
    }
}

/// What was announced in a linked worktree is concluded from the main one.
#[test]
fn a_turn_ends_in_every_worktree() {
    let repo = enabled();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let side = repo.world().join("side").canonicalize().unwrap();
    let session = Session::new(&repo, ONE);
    silent(&begun(&repo, session.standing_in(&side).edit_call("new.rs")).run());
    silent(&begun(&repo, session.call("Stop", &json!({}))).run());
    assert_held(&repo, &[]);
    std::fs::write(side.join("new.rs"), "by a person\n").unwrap();
    let changes = repo.call("ops").dir(&side).args(["--json", "changes"]).run().done().json();
    assert_eq!(changes["changes"][0]["owners"], json!([]), "{changes:#}");
}

/// Of where a session has worked nothing is left when it has ended, and nothing is written where
/// hooks do not act.
#[test]
fn nothing_is_left_of_a_session() {
    for is_enabled in [true, false] {
        let repo = enabled();
        let other = another(&repo);
        repo.git(["config", "coord.enabled", if is_enabled { "true" } else { "false" }]);
        let session = Session::new(&repo, ONE);
        let noted = |git_dir: &Path| {
            let files = std::fs::read_dir(git_dir.join(LOCAL_DIR).join("presence"));
            let names = files.into_iter().flatten().map(|file| file.unwrap().file_name());
            let names = names.filter_map(|name| name.into_string().ok());
            let is_place =
                |name: &String| [".places", ".noted"].iter().any(|end| name.ends_with(end));
            names.filter(is_place).count()
        };
        let counts = || [noted(&repo.git_dir()), noted(&other.join(".git"))];
        for path in ["x.rs", "y.rs", "x.rs"] {
            silent(&begun(&repo, session.standing_in(&other).edit_call(path)).run());
            assert_eq!(counts(), [usize::from(is_enabled), 1]);
        }
        let end = session.standing_in(&other).call("SessionEnd", &json!({}));
        silent(&begun(&repo, end).run());
        assert_eq!((counts(), held_in(&repo, &other)), ([0, 0], 0));
    }
}

//! Sessions and their turns: the name of a session, and the end of holds that came with edits.

use serde_json::json;

use super::*;
use crate::support::contract::LOCAL_DIR;

fn release_at(repo: &Repo, when: &str) {
    repo.git(["config", "coord.hook.release", when]);
}

/// An agent that has finished its turn blocks nobody; what it reserved by command is its own.
#[test]
fn the_end_of_a_turn_ends_what_came_with_edits() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    one.edits("src/main.rs");
    one.edits("README.md");
    other.edits("notes.txt");
    repo.reserve(ONE_NAME, "docs");
    other.is_refused("src/main.rs");
    silent(&one.event("Stop"));
    assert_held(&repo, &[(OTHER_NAME, "notes.txt"), (ONE_NAME, "docs")]);
    other.edits("src/main.rs");
    other.is_refused("docs/guide.md");
    let tip = repo.tip();
    silent(&one.event("Stop"));
    assert_eq!(repo.tip(), tip, "nothing to end, nothing to write");
}

#[test]
fn the_end_of_a_subagent_ends_only_its_own() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("README.md");
    session.subagent("a1").edits("src/main.rs");
    session.subagent("b2").edits("docs/guide.md");
    silent(&session.event("SubagentStop"));
    assert_eq!(repo.holds().len(), 3, "no subagent was named");
    silent(&session.subagent("a1").event("SubagentStop"));
    let left = [(ONE_NAME, "README.md"), ("claude:7f3a91c2/b2", "docs/guide.md")];
    assert_held(&repo, &left);
}

/// Subagents may work on in the background when the turn of their session is over.
#[test]
fn the_end_of_a_turn_leaves_subagents_at_work() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    session.edits("README.md");
    session.subagent("a1").edits("src/main.rs");
    session.subagent("b2").edits("docs/guide.md");
    silent(&session.event("Stop"));
    let working = [("claude:7f3a91c2/a1", "src/main.rs"), ("claude:7f3a91c2/b2", "docs/guide.md")];
    assert_held(&repo, &working);
    silent(&session.subagent("a1").event("SubagentStop"));
    assert_held(&repo, &working[1..]);
    repo.coord("ops", ["ledger", "verify"]).done();
    silent(&session.event("SessionEnd"));
    assert_held(&repo, &[]);
}

/// An agent that has gone elsewhere, outside of any repository or into another one, still ends its
/// turn where its session was begun.
#[test]
fn a_turn_ends_wherever_the_agent_has_gone() {
    let repo = enabled();
    let other = repo.elsewhere().join("other");
    repo.git(["init", "--quiet", "../elsewhere/other"]);
    for directory in [repo.elsewhere(), other, repo.work()] {
        for event in ["Stop", "SessionEnd"] {
            let session = Session::new(&repo, ONE);
            session.edits("src/main.rs");
            let gone = session.standing_in(&directory);
            let call = gone.call(event, &json!({})).env("CLAUDE_PROJECT_DIR", repo.work());
            silent(&call.run());
            assert_held(&repo, &[]);
        }
    }
}

/// `coord.hook.release` says at which event what came with edits ends.
#[test]
fn when_edits_end_is_configured() {
    for (when, ends_at) in [
        ("turn", &["Stop", "SubagentStop", "SessionEnd"][..]),
        ("session", &["SessionEnd"]),
        ("commit", &[]),
        ("ttl", &[]),
    ] {
        for event in ["Stop", "SubagentStop", "SessionEnd"] {
            let repo = enabled();
            release_at(&repo, when);
            let agent = Session::new(&repo, ONE).subagent("a1");
            agent.edits("src/main.rs");
            silent(&agent.event(event));
            let is_over = repo.holds().is_empty();
            assert_eq!(is_over, ends_at.contains(&event), "{when} at {event}");
        }
    }
}

/// 3/AUTO-RELEASE: asking never takes anything from who has it, and no answer is acted on for it.
#[test]
fn a_refused_edit_changes_nothing() {
    let repo = enabled();
    Session::new(&repo, ONE).edits("src/main.rs");
    let tip = repo.tip();
    for _ in 0..3 {
        Session::new(&repo, OTHER).is_refused("src/main.rs");
    }
    assert_eq!(repo.tip(), tip);
    assert_held(&repo, &[(ONE_NAME, "src/main.rs")]);
}

/// 7/NO-PULL: no hook moves the user's tree, also where there is something to pull. That nothing
/// was touched is proven around every call.
#[test]
fn no_hook_pulls() {
    let repo = enabled();
    repo.git(["clone", "--quiet", "--bare", ".", "../elsewhere/origin.git"]);
    repo.git(["remote", "add", "origin", "../elsewhere/origin.git"]);
    repo.git(["fetch", "--quiet", "origin"]);
    repo.git(["branch", "--set-upstream-to=origin/main"]);
    let commit = ["commit-tree", "-p", "HEAD", "-m", "ahead", "HEAD^{tree}"];
    let ahead = repo.git(commit);
    repo.git(["push", "--quiet", "origin", &format!("{ahead}:refs/heads/main")]);
    let session = Session::new(&repo, ONE);
    let head = repo.git(["rev-parse", "HEAD"]);
    session.event("SessionStart").done();
    session.edits("src/main.rs");
    session.call("PostToolUse", &json!({ "tool_name": "Bash" })).run().done();
    for event in ["Stop", "SessionEnd"] {
        silent(&session.event(event));
    }
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head);
}

#[test]
fn a_session_is_told_who_it_is_and_what_others_hold() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    let alone = context(&session.event("SessionStart"), "SessionStart");
    assert!(alone.contains("you are claude:7f3a91c2"), "{alone}");
    assert!(alone.contains("No other agent holds anything"), "{alone}");
    for number in 1..=7 {
        let reason = format!("part {number}");
        repo.reserve_with("alice", &[&format!("part{number}"), "--reason", &reason]);
    }
    repo.reserve(ONE_NAME, "mine");
    let told = context(&session.event("SessionStart"), "SessionStart");
    assert!(told.contains("Others hold 7 reservations"), "{told}");
    assert_eq!(told.matches("alice holds").count(), 5, "{told}");
    assert!(told.contains("- and 2 more") && !told.contains("\"mine\""), "{told}");
    assert!(told.contains(", reason \"part "), "{told}");
}

/// 8/PRIME: an agent with hooks and one without are told the same.
#[test]
fn a_hook_and_prime_give_the_same_text() {
    let repo = enabled();
    repo.reserve_with("alice", &["src", "--reason", "a refactoring"]);
    let session = Session::new(&repo, ONE);
    let by_hook = context(&session.event("SessionStart"), "SessionStart");
    let by_command = repo.coord(ONE_NAME, ["prime"]).done().stdout;
    assert!(by_hook.contains("alice holds \"src\""), "{by_hook}");
    assert_eq!(by_hook, by_command.trim_end());
}

/// 8/REAL-CLIENT: with the plugin beside `install`, Claude Code calls twice, and one call welcomes.
/// Everything else both do.
#[test]
fn the_plugin_beside_install_welcomes_nobody_twice() {
    let repo = enabled();
    repo.reserve("alice", "docs");
    let session = Session::new(&repo, ONE);
    let of_plugin = |event: &str| {
        let edit = json!({ "file_path": repo.work().join("docs/guide.md") });
        let call = session.call(event, &json!({ "tool_name": "Edit", "tool_input": edit }));
        call.env("CLAUDE_PLUGIN_ROOT", repo.elsewhere()).run_unproven().done().stdout
    };
    let welcomes = || of_plugin("SessionStart").contains("you are claude:7f3a91c2");
    assert!(welcomes(), "without 'install' nobody else does");
    for (words, is_welcome) in [(["--agents", "none"], true), (["--agents", "claude"], false)] {
        repo.call("").args(["install"]).args(words).run_unproven().done();
        assert_eq!(welcomes(), is_welcome, "{words:?}");
        assert!(of_plugin("PreToolUse").contains("\"deny\""), "{words:?}");
    }
    context(&session.event("SessionStart"), "SessionStart");
    std::fs::write(repo.work().join(".claude/settings.local.json"), "{").unwrap();
    assert!(welcomes(), "settings that cannot be read call nobody");
}

/// The name goes to the shell commands of the session, and so to git's own hooks.
#[test]
fn a_session_hands_its_name_on() {
    let repo = enabled();
    let file = repo.world().join("tmp/claude-env");
    let start = |id: &'static str| {
        let call = Session::new(&repo, id).call("SessionStart", &json!({ "source": "startup" }));
        call.env("CLAUDE_ENV_FILE", &file).run().done();
        std::fs::read_to_string(&file).unwrap()
    };
    std::fs::write(&file, "export OTHER=1").unwrap();
    let once = start(ONE);
    assert_eq!(once, "export OTHER=1\nexport GIT_COORD_AGENT='claude:7f3a91c2'\n");
    assert_eq!(start(ONE), once, "a session that goes on has its name already");
    let script = format!(". '{}'; git coord whoami", file.display());
    repo.call("").program("sh").args(["-c", &script]).run().done().says("claude:7f3a91c2 ");
    assert!(start(OTHER).ends_with("\nexport GIT_COORD_AGENT='claude:0b9d44e1'\n"));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(start(ONE), "export GIT_COORD_AGENT='claude:7f3a91c2'\n");
    let call = Session::new(&repo, ONE).call("SessionStart", &json!({ "source": "startup" }));
    let call = call.env("CLAUDE_ENV_FILE", &file).env("CLAUDE_PROJECT_DIR", "/it's here");
    call.run().done();
    let script = format!(". '{}'; echo \"<$GIT_COORD_SESSION_DIR>\"", file.display());
    let told = repo.call("").program("sh").args(["-c", &script]).run().done();
    assert_eq!(told.stdout, "</it's here>\n");
    assert_eq!(repo.tip(), "", "a beginning reserves nothing");
}

/// Two sessions whose ids begin alike exclude each other: the second has a longer name, in every
/// door and for as long as it lasts.
#[test]
fn sessions_that_begin_alike_have_names_of_their_own() {
    const FIRST: &str = "session_01AbCdEfGhIjKlMnOpQrStUv";
    const SECOND: &str = "session_01AbCdEfXxXxXxXxXxXxXxXx";
    const SECOND_NAME: &str = "claude:01AbCdEfXxXxXxXx";
    let repo = enabled();
    let (first, second) = (Session::new(&repo, FIRST), Session::new(&repo, SECOND));
    first.edits("src/main.rs");
    second.is_refused("src/main.rs");
    second.edits("README.md");
    first.is_refused("README.md");
    second.subagent("a1").is_refused("src/main.rs");
    second.subagent("a1").edits("docs/guide.md");
    let expected = [("claude:01AbCdEf", "src/main.rs"), (SECOND_NAME, "README.md")];
    let with_subagent = [("claude:01AbCdEfXxXxXxXx/a1", "docs/guide.md")];
    assert_held(&repo, &[&expected[..], &with_subagent].concat());
    let file = repo.world().join("tmp/claude-env");
    let start = second.call("SessionStart", &json!({ "source": "startup" }));
    start.env("CLAUDE_ENV_FILE", &file).run().done();
    let exported = std::fs::read_to_string(&file).unwrap();
    assert_eq!(exported, format!("export GIT_COORD_AGENT='{SECOND_NAME}'\n"));
    let shell = |args: &[&str]| repo.call("").env("CLAUDE_CODE_SESSION_ID", SECOND).args(args);
    shell(&["whoami"]).run().done().says(&format!("{SECOND_NAME} "));
    shell(&["check", "README.md"]).run().done();
    shell(&["check", "src/main.rs"]).run().exits(exit::NO);
    repo.git(["add", "README.md"]);
    let commit = shell(&["hook", "pre-commit"]).run().exits(exit::NO);
    commit.says("'src/main.rs' is held by 'claude:01AbCdEf'");
    assert!(!commit.stderr.contains("README.md"), "{commit:#?}");
    repo.coord("ops", ["doctor"]).says("no two live sessions share one");
    silent(&first.event("SessionEnd"));
    shell(&["whoami"]).run().done().says(&format!("{SECOND_NAME} "));
    second.edits("src/main.rs");
    repo.coord("bob", ["check", "src/main.rs"]).exits(exit::NO).says(SECOND_NAME);
}

/// Ids that differ behind a word in front, or behind the clock, need no longer names.
#[test]
fn ids_with_a_word_or_a_clock_in_front_differ() {
    let ids = [
        "session_01AbCdEfGhIjKlMnOpQrStUv",
        "session_01ZyXwVuGhIjKlMnOpQrStUv",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "01ARZ3NDEKTSV4RRFFQ69G5FAW",
    ];
    let names = ids.map(|id| {
        let repo = enabled();
        let call = repo.call("").env("CLAUDE_CODE_SESSION_ID", id).args(["--json", "whoami"]);
        call.run().done().json()["agent"].as_str().unwrap().to_owned()
    });
    let expected = ["01AbCdEf", "01ZyXwVu", "Q69G5FAV", "Q69G5FAW"];
    assert_eq!(names, expected.map(|part| format!("claude:{part}")));
}

/// Each session leaves a file, and nobody else removes it.
#[test]
fn agents_of_long_ago_are_forgotten_when_a_session_begins() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    one.event("SessionStart").done();
    let known = || {
        let directory = repo.git_dir().join(LOCAL_DIR).join("presence");
        let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| name.strip_suffix(".json").is_some());
        names.sort();
        names
    };
    repo.pass("144h");
    other.event("SessionStart").done();
    assert_eq!(known(), ["claude:0b9d44e1.json", "claude:7f3a91c2.json"]);
    repo.pass("48h");
    other.event("SessionStart").done();
    assert_eq!(known(), ["claude:0b9d44e1.json"]);
}

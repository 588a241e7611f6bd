//! Ended is not alive: sessions that have ended, and agents whose process is dead.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::json;

use super::*;
use crate::support::contract::{LOCAL_DIR, event};
use crate::support::hooks::put_script;

/// The program of an agent, which calls a hook or runs a command, and then runs on.
struct Program {
    child: Child,
    said: Vec<String>,
}

impl Program {
    /// Starts an agent that edits a file.
    fn editing(session: &Session<'_>, path: &str) -> Program {
        let input = json!({ "file_path": session.directory.join(path) });
        let more = json!({ "tool_name": "Edit", "tool_input": input });
        let payload = session.payload("PreToolUse", &more).to_string();
        let file = session.repo.elsewhere().join("payload.json");
        fs::write(&file, payload).unwrap();
        Program::running(session.repo, &format!("git coord hook claude <'{}'", file.display()))
    }

    /// Starts an agent that runs a command.
    fn running(repo: &Repo, command: &str) -> Program {
        let path = repo.elsewhere().join("bin/claude");
        put_script(&path, &format!("#!/bin/sh\n{command}\necho ready\nread answer\n"));
        let mut started = repo.call("").program(&path).command();
        let mut child = started.stdin(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let said = lines.take_while(|line| line != "ready").collect();
        Program { child, said }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn agent(repo: &Repo, name: &str) -> Value {
    let agents = repo.json("ops", ["agents"])["agents"].take();
    let found = agents.as_array().unwrap().iter().find(|agent| agent["agent"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {agents:#}")).clone()
}

#[track_caller]
fn assert_ended(repo: &Repo, name: &str, ended: bool) {
    let agent = agent(repo, name);
    assert_eq!(agent["alive"], !ended, "{agent:#}");
    assert_eq!(agent.get("ended"), ended.then_some(&json!(true)), "{agent:#}");
}

/// 8/ENDED-IS-NOT-ALIVE: the hold of a killed agent is free at once, as is what it was granted, and
/// nobody calls it alive.
#[test]
fn a_killed_agent_holds_nothing() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    let program = Program::editing(&one, "src/main.rs");
    assert_eq!(program.said, [""; 0]);
    assert_ended(&repo, ONE_NAME, false);
    assert!(other.is_refused("src/main.rs").contains("alive"));
    repo.reserve("alice", "docs");
    let asked = repo.json(ONE_NAME, ["ask", "docs/guide.md", "--reason", "I need it"]);
    let thread = asked["thread"].as_str().unwrap();
    let answered = repo.json("alice", ["answer", thread, "--release"]);
    assert_eq!(answered["granted"][0]["via"], "ask", "{answered:#}");
    other.is_refused("docs/guide.md");
    repo.json("alice", ["release", "--mine"]);
    assert_eq!(agent(&repo, ONE_NAME)["holds"], 2);
    program.kill();
    assert_ended(&repo, ONE_NAME, true);
    assert_eq!(agent(&repo, ONE_NAME)["holds"], 0);
    assert_held(&repo, &[]);
    assert_eq!(repo.json("ops", ["status"])["others"], json!([]));
    repo.coord("ops", ["check", "src/main.rs", "docs/guide.md"]).done();
    other.edits("src/main.rs");
    assert_held(&repo, &[(OTHER_NAME, "src/main.rs")]);
    assert_eq!(repo.events(event::EXPIRED)[0]["data"]["why"], "session_ended");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 8/ENDED-IS-NOT-ALIVE: a hold that the agent asked for by a command stays, and can be taken at
/// once, since nobody will answer.
#[test]
fn a_command_s_hold_of_a_killed_agent_can_be_taken() {
    let repo = enabled();
    let program = Program::editing(&Session::new(&repo, ONE), "src/main.rs");
    repo.reserve(ONE_NAME, "docs");
    let ask = ["ask", "--reason", "I need it", "docs"];
    repo.coord("bob", ask).done();
    let take = ["take", "--reason", "it is gone", "docs"];
    repo.coord("bob", take).exits(exit::NO);
    program.kill();
    let refusal = repo.coord_json("bob", ["reserve", "docs"]).exits(exit::NO);
    refusal.says("\"ended\":true");
    repo.coord("bob", ["reserve", "docs"]).exits(exit::NO).says("(ended, ");
    repo.coord("bob", take).done();
    assert_held(&repo, &[("bob", "docs")]);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 8/ENDED-IS-NOT-ALIVE: subagents end with the process of their session.
#[test]
fn subagents_of_a_killed_agent_hold_nothing() {
    let repo = enabled();
    let one = Session::new(&repo, ONE);
    let program = Program::editing(&one, "src/main.rs");
    one.subagent("a1").edits("README.md");
    assert_eq!(repo.holds().len(), 2);
    program.kill();
    assert_held(&repo, &[]);
    assert_eq!(repo.json("ops", ["sweep"])["swept"], 2);
}

/// 8/ENDED-IS-NOT-ALIVE: a process of another host, boot or container is never judged.
#[test]
fn an_agent_elsewhere_is_never_judged() {
    for (field, value) in [("host", "elsewhere"), ("boot", "another"), ("namespace", "1")] {
        let repo = enabled();
        Program::editing(&Session::new(&repo, ONE), "src/main.rs").kill();
        let file = repo.git_dir().join(LOCAL_DIR).join(format!("presence/{ONE_NAME}.json"));
        let mut presence: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert!(presence["processes"][0]["pid"].is_u64(), "{presence:#}");
        presence["processes"][0][field] = json!(value);
        fs::write(&file, presence.to_string()).unwrap();
        assert_ended(&repo, ONE_NAME, false);
        Session::new(&repo, OTHER).is_refused("src/main.rs");
    }
}

/// 8/ENDED-IS-NOT-ALIVE: a session that goes on in another process is alive again.
#[test]
fn a_session_that_goes_on_is_alive() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    Program::editing(&one, "src/main.rs").kill();
    let again = Program::editing(&one, "src/main.rs");
    assert_ended(&repo, ONE_NAME, false);
    other.is_refused("src/main.rs");
    // A second process of the same session keeps it alive, too.
    repo.pass("10s");
    let second = Program::editing(&one, "src/main.rs");
    again.kill();
    other.is_refused("src/main.rs");
    second.kill();
    other.edits("src/main.rs");
}

/// 8/ENDED-IS-NOT-ALIVE: a session that said that it ends is shown so, until it begins again.
/// Where its holds are to stay, they stay.
#[test]
fn a_session_that_said_so_has_ended() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    one.edits("src/main.rs");
    silent(&one.event("SessionEnd"));
    assert_ended(&repo, ONE_NAME, true);
    assert_held(&repo, &[]);
    one.event("SessionStart");
    assert_ended(&repo, ONE_NAME, false);
    for keeps in ["commit", "ttl"] {
        repo.git(["config", "coord.hook.release", keeps]);
        one.edits("src/main.rs");
        silent(&one.event("SessionEnd"));
        assert_ended(&repo, ONE_NAME, true);
        assert!(other.is_refused("src/main.rs").contains("ended"));
    }
    repo.git(["config", "coord.hook.release", "session"]);
    other.edits("src/main.rs");
}

/// 8/NOBODY-FOR-SOMEBODY: a command that knows only the mark has the name of the session whose
/// hook was seen below the same process.
#[test]
fn a_mark_below_a_known_process_is_its_session() {
    let repo = enabled();
    let file = repo.elsewhere().join("start.json");
    let payload = Session::new(&repo, ONE).payload("SessionStart", &json!({}));
    fs::write(&file, payload.to_string()).unwrap();
    let who = "CLAUDECODE=1 git coord whoami --json";
    let begin = format!("git coord hook claude <'{}' >&2", file.display());
    let program = Program::running(&repo, &format!("{who}; {begin}; {who}; {who}"));
    let said: Vec<Value> =
        program.said.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_ne!(said[0]["agent"], ONE_NAME);
    assert_eq!(said[0]["kind"], "agent");
    assert_eq!((&said[1]["agent"], &said[1]), (&json!(ONE_NAME), &said[2]));
}

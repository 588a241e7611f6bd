//! Nobody is taken for somebody: agents whose program only shows a mark, and terminals.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::gits::skip;
use crate::support::hooks::put_script;
use crate::support::{Call, Repo};

/// Runs a shell script under a program of that name, as an agent would.
fn run_as(repo: &Repo, program: &str, script: &str) -> Vec<Value> {
    let path = repo.elsewhere().join("bin").join(program);
    put_script(&path, &format!("#!/bin/sh\n{script}\n"));
    // The name of the program counts, not that of a shell in front of it.
    repo.call("")
        .program("sh")
        .args(["-c", "\"$1\"; true", "sh", &path.to_string_lossy()])
        .run()
        .done()
        .json_lines()
}

/// 8/NOBODY-FOR-SOMEBODY: two agents of one program are two, each with one name over its commands,
/// and one cannot have what the other holds.
#[test]
fn two_agents_behind_one_mark_are_two() {
    let repo = Repo::new();
    let who = "git coord whoami --json; sh -c 'git coord whoami --json; true'";
    let mark = "export GEMINI_CLI=1";
    for program in ["gemini", "some-agent"] {
        let all = run_as(&repo, program, &format!("{mark}; {who}; git coord reserve --json src"));
        assert_eq!(all[0]["kind"], "agent", "{all:?}");
        assert_eq!(all[0]["source"], "GEMINI_CLI");
        assert!(all[0]["process"].is_u64());
        assert_eq!(all[0], all[1], "one agent has one name");
        assert_eq!(all[2]["granted"][0]["holder"], all[0]["agent"]);
        let others =
            run_as(&repo, program, &format!("{mark}; {who}; git coord reserve --json src || true"));
        assert_ne!(others[0]["agent"], all[0]["agent"], "two agents have two names");
        assert_eq!(others[2]["refusal"]["code"], "held", "{others:?}");
        repo.coord("ops", ["release", "--force", "--reason", "test", "--path", "src"]).done();
    }
}

/// 8/NOBODY-FOR-SOMEBODY: a name that somebody chose counts before one that is made of a process.
#[test]
fn a_chosen_name_counts_before_a_process() {
    let repo = Repo::new();
    repo.git(["config", "coord.agent", "chosen"]);
    let call = repo.call("").env("GEMINI_CLI", "1").args(["whoami", "--json"]);
    assert_eq!(call.run().done().json()["agent"], "chosen");
    let session = call.env("CODEX_THREAD_ID", "0b9d44e1-77aa-4f00-8c11-99aa88bb77cc");
    assert_eq!(session.run().done().json()["agent"], "codex:0b9d44e1");
}

/// The command that runs another one in a terminal of its own.
const TERMINAL: &str = "script";
/// The command that runs another one without a terminal.
const NO_TERMINAL: &str = "setsid";

/// A terminal in which a command was run, and whose shell runs on.
struct Terminal {
    child: Child,
    /// The lines that the command has said.
    said: Vec<String>,
}

impl Terminal {
    /// Runs a command in the shell of a new terminal, as nobody in particular.
    fn running(repo: &Repo, command: &str) -> Terminal {
        let script = format!("{command}; echo ready; read answer");
        Terminal::of(&repo.call("").program(TERMINAL).args(["-qec", &script, "/dev/null"]))
    }

    /// Runs a command below a program without a terminal, as nobody in particular.
    fn without(repo: &Repo, command: &str) -> Terminal {
        let script = format!("exec 2>&1; {command}; echo ready; read answer");
        let below = ["find", ".", "-prune", "-exec", "sh", "-c", &script, ";"];
        Terminal::of(&repo.call("").program(NO_TERMINAL).args(below))
    }

    fn of(call: &Call) -> Terminal {
        let mut child = call.command().stdin(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let lines = lines.map(|line| line.trim_end().to_owned());
        let said = lines.take_while(|line| line != "ready").collect();
        Terminal { child, said }
    }

    #[track_caller]
    fn warned(&self) -> Vec<&String> {
        self.said.iter().filter(|line| line.contains("from another ")).collect()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The end of its input ends the shell, and with it the terminal.
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

/// 8/NOBODY-FOR-SOMEBODY: two terminals of one person are one, who is told that the other terminal
/// holds what is asked for. The same terminal, and one that is closed, say nothing.
#[test]
fn a_person_is_told_of_the_other_terminal() {
    if Command::new(TERMINAL).arg("--version").output().is_err() {
        return skip("terminals are made by 'script'");
    }
    let repo = Repo::new();
    let reserve = "git coord reserve src";
    let first = Terminal::running(&repo, &format!("{reserve}; {reserve}; echo \"shell $$\""));
    assert_eq!(first.warned(), [""; 0], "{:?}", first.said);
    let shell = first.said.iter().find_map(|line| line.strip_prefix("shell ")).unwrap();
    let place = format!("from another terminal (pid {shell})");
    let told = format!("warning: you hold 'src' already, {place}");
    for command in [
        reserve,
        "git coord reserve src/main.rs",
        "git coord check src/main.rs",
        "git coord check '**/*.rs'",
        "git coord ask src --reason 'I need it'",
    ] {
        let second = Terminal::running(&repo, command);
        assert_eq!(second.warned(), [&told], "{:?}", second.said);
    }
    let renews = Terminal::running(&repo, "git coord renew --mine");
    let renewed = format!("warning: you hold 'src' {place}");
    assert_eq!(renews.warned(), [&renewed], "{:?}", renews.said);
    let holds = repo.holds();
    assert_eq!((holds.len(), &holds[0]["shell"]["pid"].to_string()), (1, &shell.to_owned()));
    let agent = Terminal::running(&repo, "git coord --as alice check src");
    assert_eq!(agent.warned(), [""; 0], "an agent has a name of its own");
    let releases = Terminal::running(&repo, "git coord release --mine");
    let told = format!("warning: 'src' was held {place}");
    assert_eq!(releases.warned(), [&told], "{:?}", releases.said);
    let again = Terminal::running(&repo, reserve);
    assert_eq!(again.warned(), [""; 0], "{:?}", again.said);
    drop((first, again));
    let third = Terminal::running(&repo, reserve);
    assert_eq!(third.warned(), [""; 0], "{:?}", third.said);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 8/NOBODY-FOR-SOMEBODY: where there is no terminal, programs are told apart: one that asks for
/// what another one holds is told so. A program below the holder is no other.
#[test]
fn a_person_is_told_of_the_other_program() {
    if Command::new(NO_TERMINAL).arg("--version").output().is_err() {
        return skip("a program loses its terminal by 'setsid'");
    }
    let repo = Repo::new();
    let reserve = "git coord reserve docs";
    let below = format!("find . -prune -exec sh -c '{reserve}; true' \\;");
    let with = format!("git coord with src -- {reserve}");
    let first = Terminal::without(&repo, &format!("{reserve}; {reserve}; {below}; {with}"));
    assert_eq!(first.warned(), [""; 0], "{:?}", first.said);
    let holds = repo.holds();
    assert_eq!((holds.len(), &holds[0]["shell"]["pid"]), (1, &first.child.id().into()));
    let second = Terminal::without(&repo, reserve);
    let place = format!("from another process (pid {})", first.child.id());
    assert_eq!(second.warned(), [&format!("warning: you hold 'docs' already, {place}")]);
    for agent in ["git coord --as alice check docs", "GEMINI_CLI=1 git coord check docs"] {
        let agent = Terminal::without(&repo, agent);
        assert_eq!(agent.warned(), [""; 0], "an agent has a name of its own");
    }
    drop(first);
    let third = Terminal::without(&repo, reserve);
    assert_eq!(third.warned(), [""; 0], "{:?}", third.said);
    repo.coord("ops", ["ledger", "verify"]).done();
}

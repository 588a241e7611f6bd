//! Nobody is taken for somebody: agents whose program only shows a mark, and terminals.

use serde_json::Value;

use crate::support::Repo;
use crate::support::hooks::put_script;

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

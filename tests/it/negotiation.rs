//! Negotiation as a whole: common rules of asking, answering, taking and messages.

mod endings;
mod races;
mod waiting;

use serde_json::{Value, json};

use crate::support::contract::{exit, refusal};
use crate::support::{Repo, texts};

/// Asks with these options, which must succeed.
#[track_caller]
pub(crate) fn ask(repo: &Repo, asker: &str, args: &[&str]) -> Value {
    let words = ["ask", "--reason", "needs it"];
    repo.json(asker, words.iter().chain(args))
}

/// Returns the thread of a request.
#[track_caller]
pub(crate) fn thread_of(answer: &Value) -> String {
    answer["thread"].as_str().unwrap_or_else(|| panic!("no thread in {answer:#}")).to_owned()
}

/// Returns the state of a thread as its parties read it.
#[track_caller]
pub(crate) fn thread(repo: &Repo, id: &str) -> Value {
    repo.json("reader", ["inbox", "--thread", id])["thread"].clone()
}

/// Lists the types of an agent's messages, oldest first.
#[track_caller]
pub(crate) fn inbox(repo: &Repo, agent: &str) -> Vec<String> {
    texts(&repo.json(agent, ["inbox"])["messages"], "type")
}

/// Creates a repository in which Alice holds and Bob asks.
pub(crate) fn asked() -> (Repo, String, String) {
    let repo = Repo::new();
    let hold = repo.reserve_id("alice", "src/api/**");
    let answer = ask(&repo, "bob", &["src/api/users.rs"]);
    (repo, hold, thread_of(&answer))
}

#[track_caller]
pub(crate) fn holders(repo: &Repo) -> Vec<(String, String)> {
    let text = |hold: &Value, key: &str| hold[key].as_str().unwrap().to_owned();
    let pair = |hold: &Value| (text(hold, "holder"), text(hold, "pattern"));
    let mut pairs: Vec<_> = repo.holds().iter().map(pair).collect();
    pairs.sort();
    pairs
}

#[track_caller]
pub(crate) fn verified(repo: &Repo) {
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 3/SIG-4, 3/A7: an unknown thread is not a thread without messages.
#[test]
fn what_is_not_there_is_told_apart() {
    let (repo, _, thread) = asked();
    let unknown = "abcdefghijklmnopqrstuvwxyz";
    for words in [
        vec!["inbox", "--thread", unknown],
        vec!["answer", unknown, "--release"],
        vec!["answer", "docs/x", "--release"],
        vec!["take", "docs/x", "--reason", "r"],
        vec!["send", "bob", "--thread", unknown, "--subject", "s"],
        vec!["inbox", "--ack", "zzzzzzzz"],
    ] {
        repo.coord_json("alice", &words).exits(exit::NOTHING);
    }
    let said = repo.documents().into_iter().filter(|path| path.contains("/messages/"));
    let said: Vec<String> = said.collect();
    repo.overwrite(&said, "{");
    let answer = repo.json("alice", ["inbox", "--thread", &thread]);
    assert!(answer["messages"][0]["damaged"]["why"].is_string(), "{answer:#}");
    assert_eq!(answer["thread"]["thread"], thread.as_str());
    repo.take_out(&said);
    let answer = repo.json("alice", ["inbox", "--thread", &thread]);
    assert_eq!((&answer["messages"], &answer["thread"]["status"]), (&json!([]), &json!("pending")));
    repo.coord("alice", ["inbox", "--thread", &thread]).done().says("no messages");
}

/// 3/ROLLBACK-1, 3/CHECK-R2: off is plain reservations with the data kept; garbage is an error.
#[test]
fn it_can_be_switched_off_and_on() {
    let (repo, _, thread) = asked();
    repo.git(["config", "coord.negotiation", "false"]);
    for words in [
        vec!["ask", "src/api/x", "--reason", "r"],
        vec!["answer", &thread, "--release"],
        vec!["take", &thread, "--reason", "r"],
        vec!["inbox"],
        vec!["send", "bob", "--subject", "s"],
    ] {
        let no = repo.coord_json("alice", &words).refused("switched_off");
        let message = no["refusal"]["message"].as_str().unwrap();
        assert!(message.contains("coord.negotiation"), "{message}");
    }
    let no = repo.coord_json("bob", ["reserve", "src/api"]).refused(refusal::HELD);
    assert!(!no.to_string().contains("\"ask\""), "{no:#}");
    assert_eq!(repo.json("alice", ["status"])["to_answer"], json!([]));
    repo.git(["config", "coord.negotiation", "maybe"]);
    repo.coord("alice", ["inbox"]).exits(exit::FAILURE).says("coord.negotiation");
    repo.git(["config", "coord.negotiation", "yes"]);
    assert_eq!(repo.json("alice", ["status"])["to_answer"][0]["thread"], thread.as_str());
}

/// 3/FLAG: what an agent writes into the ledger does not change what another's program does.
#[test]
fn nothing_in_the_ledger_switches_anything() {
    let (repo, _, _) = asked();
    repo.json("bob", ["send", "alice", "--subject", "coord.negotiation=false"]);
    let places = ["config", "coord/config", "settings/coord.negotiation", "coord.negotiation"];
    for text in ["false", "[coord]\n\tnegotiation = false\n", "{\"coord.negotiation\":false}"] {
        repo.overwrite(&places.map(str::to_owned), text);
        assert_eq!(texts(&repo.json("alice", ["inbox"])["messages"], "type"), ["ask", "note"]);
        assert_eq!(texts(&repo.json("alice", ["status"])["to_answer"], "asker"), ["bob"]);
        let no = repo.coord_json("bob", ["reserve", "src/api"]).refused(refusal::HELD);
        assert_eq!(no["refusal"]["next"][0][2], "ask", "{no:#}");
    }
    assert_eq!(repo.git_call(["config", "--get", "coord.negotiation"]).run_unproven().stdout, "");
}

/// 3/GAPS-3: with nobody active for hours, the next command of anybody shows what is overdue.
#[test]
fn what_is_overdue_is_seen_by_whoever_looks() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "24h"]);
    ask(&repo, "bob", &["src"]);
    repo.pass("9h");
    repo.coord("alice", ["status"]).done().says("overdue");
    repo.coord("alice", ["inbox"]).done().says("git coord answer");
    repo.coord("bob", ["status"]).done().says("git coord take");
    let agents = repo.json("carol", ["agents"]);
    let alice = agents["agents"].as_array().unwrap().iter().find(|one| one["agent"] == "alice");
    assert_eq!(alice.unwrap()["overdue"], 1, "{agents:#}");
    repo.reserve_with("dora", &["docs", "--ttl", "1s"]);
    repo.pass("1h");
    let seen = repo.json("carol", ["status"]);
    assert_eq!(texts(&seen["overdue"], "asker"), ["bob"], "{seen:#}");
    assert_eq!((&seen["overdue_count"], &seen["expired"]), (&1.into(), &1.into()));
    let seen = repo.coord("carol", ["status"]).done();
    seen.says("Overdue between others:").says("bob asks alice").says("Ended and not yet swept: 1");
    assert_eq!(holders(&repo).len(), 1, "3/FORCE: and nothing has happened");
}

//! `inbox`: bounded, in order, and not stopped by a damaged message.

use serde_json::{Value, json};

use crate::negotiation::*;
use crate::support::contract::exit;
use crate::support::{Repo, texts};

fn subjects(page: &Value) -> Vec<String> {
    texts(&page["messages"], "subject")
}

/// 3/MSG-SIZE: an answer is bounded by count and by size, and its cursor leads through all.
#[test]
fn pages_are_bounded_and_complete() {
    let repo = Repo::new();
    let body = "y".repeat(20_000);
    for number in 0..7 {
        let subject = format!("message {number}");
        repo.json("bob", ["send", "alice", "--subject", &subject, "--body", &body]);
    }
    let newest = repo.coord_json("alice", ["inbox"]).done();
    assert!(newest.stdout.len() < 60_000, "{} bytes", newest.stdout.len());
    assert_eq!(subjects(&newest.json()), ["message 5", "message 6"]);
    assert_eq!(newest.json()["has_older"], true);
    let mut cursor = "00000000".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = repo.json("alice", ["inbox", "--since", &cursor, "--limit", "3"]);
        seen.extend(subjects(&page));
        cursor = page["cursor"].as_str().unwrap_or(&cursor).to_owned();
        if page["has_more"] == false {
            break;
        }
    }
    let all: Vec<String> = (0..7).map(|number| format!("message {number}")).collect();
    assert_eq!(seen, all);
    assert_eq!(repo.json("alice", ["inbox", "--since", &cursor])["messages"], json!([]));
    for bad in ["0", "-1", "1001", "x"] {
        repo.coord("alice", ["inbox", "--limit", bad]).exits(exit::USAGE);
    }
}

/// 3/MSG-SIZE: what a message has besides its body counts too.
#[test]
fn messages_to_many_are_bounded_as_well() {
    let repo = Repo::new();
    let to: Vec<String> =
        (0..99).map(|number| format!("{}-{number}", "agent".repeat(11))).collect();
    for number in 0..12 {
        let subject = format!("message {number}");
        let words = ["send", "alice", "--subject", &subject].map(str::to_owned);
        repo.json("bob", words.iter().chain(&to));
    }
    let mut cursor = "00000000".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = repo.coord_json("alice", ["inbox", "--since", &cursor]).done();
        assert!(page.stdout.len() < 60_000, "{} bytes", page.stdout.len());
        let page = page.json();
        seen.extend(subjects(&page));
        cursor = page["cursor"].as_str().unwrap().to_owned();
        if page["has_more"] == false {
            break;
        }
    }
    assert_eq!(seen, (0..12).map(|number| format!("message {number}")).collect::<Vec<_>>());
}

#[test]
fn types_and_acknowledgements() {
    let (repo, _, id) = asked();
    let sent = repo.json("bob", ["send", "alice", "carol", "--subject", "hi", "--ack", "--urgent"]);
    let message = sent["message"]["id"].as_str().unwrap();
    assert_eq!(subjects(&repo.json("alice", ["inbox", "--type", "note"])), ["hi"]);
    repo.coord("alice", ["inbox", "--type", "spam"]).exits(exit::USAGE).says("expected one of");
    assert_eq!(repo.json("alice", ["status"])["unread"], 2);
    let answer = repo.json("alice", ["inbox", "--ack", message, "--unread"]);
    assert_eq!(answer["acknowledged"], json!([message]));
    assert_eq!(texts(&answer["messages"], "type"), ["ask"]);
    assert_eq!(subjects(&repo.json("bob", ["inbox"])), ["alice has read: hi"]);
    assert_eq!(subjects(&repo.json("carol", ["inbox", "--unread"])), ["hi"]);
    let tip = repo.tip();
    assert_eq!(repo.json("alice", ["inbox", "--ack", message])["acknowledged"], json!([]));
    assert_eq!(repo.tip(), tip, "already so");
    assert_eq!(thread(&repo, &id)["status"], "pending");
    verified(&repo);
}

/// 3/THREAD-API: all messages of a thread in order, for both sides and whoever looks.
#[test]
fn a_thread_is_read_as_a_whole() {
    let (repo, _, id) = asked();
    repo.json("alice", ["answer", &id, "--defer", "20m", "--reason", "tests"]);
    repo.json("bob", ["send", "alice", "--thread", &id[..6], "--subject", "fine"]);
    repo.json("alice", ["answer", &id, "--release"]);
    let expected = ["ask", "deferred", "note", "released"];
    for reader in ["alice", "bob", "carol"] {
        let page = repo.json(reader, ["inbox", "--thread", &id]);
        assert_eq!(texts(&page["messages"], "type"), expected, "{reader}");
    }
    let rest = repo.json("bob", ["inbox", "--thread", &id, "--limit", "2"]);
    assert_eq!(texts(&rest["messages"], "type"), expected[..2]);
    // The command that reads on asks for the same thread, and for as much.
    let next: Vec<String> = serde_json::from_value(rest["next"][0].clone()).unwrap();
    assert_eq!(next[..2], ["git", "coord"]);
    assert!(next.contains(&rest["cursor"].as_str().unwrap().to_owned()), "{next:?}");
    let rest = repo.json("bob", &next[2..]);
    assert_eq!(texts(&rest["messages"], "type"), expected[2..]);
}

/// 3/MSG-PARSE, 3/SIG-3: what is malformed, nested without end or of another type is shown as
/// damaged, and the others are read.
#[test]
fn damaged_messages_do_not_stop_the_scan() {
    for text in ["{", "[]", "{\"id\":7}", &"[".repeat(10_000), "\u{0}\u{1}"] {
        let repo = Repo::new();
        for subject in ["first", "second", "third"] {
            repo.json("bob", ["send", "alice", "--subject", subject]);
        }
        let second =
            repo.json("alice", ["inbox"])["messages"][1]["id"].as_str().unwrap().to_owned();
        let bad = repo.documents().into_iter().filter(|path| path.ends_with(&second));
        repo.overwrite(&bad.collect::<Vec<_>>(), text);
        let messages = repo.json("alice", ["inbox"])["messages"].clone();
        assert_eq!(messages.as_array().unwrap().len(), 3);
        assert_eq!(
            (&messages[0]["subject"], &messages[2]["subject"]),
            (&json!("first"), &json!("third"))
        );
        assert_eq!(messages[1]["id"], second.as_str());
        assert!(messages[1]["damaged"]["key"].is_string(), "{messages:#}");
        repo.coord("alice", ["inbox"]).done().says("damaged");
        repo.json("alice", ["inbox", "--ack", &second]);
        repo.json("bob", ["send", "alice", "--subject", "fourth"]);
    }
}

/// The same for threads: one that is damaged is named, and what is open beside it is shown.
#[test]
fn damaged_threads_do_not_stop_anybody() {
    let (repo, hold, id) = asked();
    repo.reserve("alice", "docs");
    let other = thread_of(&ask(&repo, "bob", &["docs"]));
    let bad = repo
        .documents()
        .into_iter()
        .filter(|path| path.ends_with(&id) || path.ends_with(&format!("{id}/thread")));
    repo.overwrite(&bad.collect::<Vec<_>>(), "{ no json");
    let status = repo.json("alice", ["status"]);
    assert_eq!(status["to_answer"][0]["thread"], other.as_str());
    let inbox = repo.json("alice", ["inbox"]);
    assert_eq!(inbox["damaged"].as_array().unwrap().len(), 1, "{inbox:#}");
    for reader in ["alice", "carol"] {
        for words in ["status", "agents"] {
            let shown = repo.json(reader, [words]);
            assert!(shown["damaged"].to_string().contains(&id), "{reader} {words}: {shown:#}");
            repo.coord(reader, [words]).done().says("damaged: parties/");
        }
    }
    repo.json("alice", ["release", &hold]);
    repo.json("alice", ["answer", &other, "--release"]);
    repo.coord("ops", ["ledger", "verify"]).exits(exit::NO).says(&id);
}

/// A session reads what its subagents were told.
#[test]
fn a_session_reads_for_its_subagents() {
    let repo = Repo::new();
    repo.json("bob", ["send", "alice/sub", "--subject", "for the sub"]);
    repo.json("bob", ["send", "alice", "--subject", "for all"]);
    assert_eq!(subjects(&repo.json("alice", ["inbox"])), ["for the sub", "for all"]);
    assert_eq!(subjects(&repo.json("alice/sub", ["inbox"])), ["for the sub"]);
    let id = repo.json("alice/sub", ["inbox"])["messages"][0]["id"].as_str().unwrap().to_owned();
    repo.json("alice", ["inbox", "--ack", &id]);
    assert_eq!(subjects(&repo.json("alice", ["inbox", "--unread"])), ["for all"]);
}

//! `send`: a message is bounded, and changes nothing but the inboxes of its recipients.

use crate::negotiation::*;
use crate::support::Repo;
use crate::support::contract::exit;

const BODY_BYTES_MAX: usize = 100 * 1024;

/// 3/MSG-SIZE, 3/CHECK-R4: 100 KB is stored, one byte more is refused before anything is.
#[test]
fn a_body_is_bounded() {
    let repo = Repo::new();
    let send =
        |body: &str| repo.coord_json("bob", ["send", "alice", "--subject", "s", "--body", body]);
    let no = send(&"x".repeat(BODY_BYTES_MAX + 1)).exits(exit::USAGE);
    let said = no.stdout.len() + no.stderr.len();
    assert!(said < 2_000, "what is too long to be stored is too long to be repeated: {said} bytes");
    send("\u{1b}[31mred").exits(exit::USAGE);
    assert_eq!(repo.entry_count(), 0);
    let body = "\"\\\n".repeat(BODY_BYTES_MAX / 3);
    send(&body).done();
    assert_eq!(repo.json("alice", ["inbox"])["messages"][0]["body"], body.as_str());
    verified(&repo);
}

/// 3/THREAD-ID: who is no party adds a message and changes nothing.
#[test]
fn a_strangers_message_changes_no_request() {
    let (repo, _, id) = asked();
    let before = thread(&repo, &id);
    let words = ["--subject", "released", "--body", "{\"outcome\":\"released\"}"];
    repo.json("mallory", ["send", "bob", "--thread", &id].iter().chain(&words));
    assert_eq!(thread(&repo, &id), before);
    repo.coord_json("mallory", ["answer", &id, "--release"]).refused("not_holder");
    repo.pass("10m");
    repo.coord_json("mallory", ["take", &id, "--reason", "r"]).refused("not_asker");
    verified(&repo);
}

/// Text of others is data: what looks like an escape sequence or an option is neither.
#[test]
fn hostile_text_is_refused_or_quoted() {
    let (repo, _, id) = asked();
    for text in ["a\u{1b}[2J", "a\nb", "a\u{202e}b", " "] {
        repo.coord("bob", ["send", "alice", "--subject", text]).exits(exit::USAGE);
        repo.coord("bob", ["ask", "src/api", "--reason", text]).exits(exit::USAGE);
        repo.coord("bob", ["take", &id, "--reason", text]).exits(exit::USAGE);
    }
    let text = "$(touch owned) `x` \"quoted\" --release";
    repo.json("bob", ["send", "alice", "--subject", text]);
    let found = repo.json("alice", ["inbox", "--type", "note"]);
    assert_eq!(found["messages"][0]["subject"], text);
    repo.coord("bob", ["send", "no such name", "--subject", "s"]).exits(exit::USAGE);
    repo.coord("bob", ["send", "--subject", "s"]).exits(exit::USAGE);
}

//! Entries, to the byte.

use super::*;
use crate::store::git::object::HashKind;

fn sample() -> Entry {
    Entry {
        tree: HashKind::Sha1.digest(&[b"tree"]),
        parent: Some(HashKind::Sha1.digest(&[b"parent"])),
        message: Message {
            summary: "reserve src/** for alice (15m)".to_owned(),
            events: vec![Event {
                kind: "granted".to_owned(),
                actor: "alice".parse().unwrap(),
                subject: None,
                data: serde_json::Map::from_iter([("pattern".to_owned(), json!("src/**"))]),
            }],
            events_at: None,
            command: Recorded::Inline(json!({ "command": "reserve", "rules": 1 })),
            counters: Counters {
                op: OpId::from_bits(1),
                seq: 12,
                at: "2026-01-31T08:30:00.123Z".parse().unwrap(),
                fence: 1_769_848_200_124,
                leap: None,
            },
            undoes: None,
            checkpoint: None,
        },
    }
}

#[test]
fn an_entry_is_a_commit_that_people_can_read() {
    let entry = sample();
    let committer = Committer::new("Alice", "alice@example.org");
    let object = entry.to_object(&committer.signature(entry.message.counters.at));
    let text = String::from_utf8(object.bytes).unwrap();
    let expected = "\
tree c052fadd05b9a2cd3b4db5b5c1a3b5b8d1ff8d96
parent fa4b0e1eb2eb9b1c7b8f2e5c1e86c0b3b5f6b4f1
author Alice <alice@example.org> 1769848200 +0000
committer Alice <alice@example.org> 1769848200 +0000

reserve src/** for alice (15m)

{\"type\":\"granted\",\"actor\":\"alice\",\"data\":{\"pattern\":\"src/**\"}}
{\"command\":\"reserve\",\"rules\":1}

Coord-Op: 00000000000000000000000000000001
Coord-Seq: 12
Coord-Time: 2026-01-31T08:30:00.123Z
Coord-Fence: 1769848200124
";
    let after_ids = |text: &str| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(after_ids(&text), after_ids(expected));
}

#[test]
fn what_is_written_is_what_is_read() {
    let mut entry = sample();
    let committer = Committer::new("A <b>\n", "c>d").signature(entry.message.counters.at);
    assert_eq!(Entry::parse(&entry.to_object(&committer).bytes).unwrap(), entry);
    entry.parent = None;
    entry.message.command = Recorded::Document(entry.tree);
    entry.message.undoes = Some(Undoes { to: entry.tree, count: 3 });
    entry.message.checkpoint =
        Some(Checkpoint { stands_for: entry.tree, replaces: entry.tree, set_aside: 7 });
    assert_eq!(Entry::parse(&entry.to_object(&committer).bytes).unwrap(), entry);
}

#[test]
fn a_commit_of_somebody_else_is_named_as_such() {
    let tree = HashKind::Sha1.digest(&[b"tree"]);
    let commit = format!("tree {tree}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nhello\n");
    let error = Entry::parse(commit.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "not in the format of an entry: it has no body");
}

//! `prime`: an agent reads what it needs to know to work here, wherever it runs (8/PRIME).

use serde_json::{Value, json};

use crate::support::Repo;
use crate::support::untouched::Untouched;

/// The largest number of characters of the text.
const CHARS_MAX: usize = 1_500;

fn text(repo: &Repo, agent: &str) -> String {
    let told = repo.coord(agent, ["prime"]).done();
    let answer = repo.json(agent, ["prime"]);
    assert_eq!(answer["agent"], agent, "{answer:#}");
    assert_eq!(answer["text"].as_str().unwrap(), told.stdout.trim_end_matches('\n'));
    told.stdout
}

#[test]
fn an_agent_is_told_its_name_the_commands_and_what_others_hold() {
    let repo = Repo::new();
    let alone = text(&repo, "bob");
    assert!(alone.contains("you are bob") && alone.contains("No other agent holds"), "{alone}");
    for command in ["reserve", "ask", "answer", "check", "release --mine"] {
        assert!(alone.contains(&format!("git coord {command}")), "{command}: {alone}");
    }
    repo.reserve_with("alice", &["src/api", "--reason", "new endpoints"]);
    repo.reserve("bob", "docs");
    let tip = repo.tip();
    let told = text(&repo, "bob");
    assert!(told.contains("alice holds \"src/api\""), "{told}");
    assert!(told.contains("reason \"new endpoints\"") && !told.contains("\"docs\""), "{told}");
    assert!(told.chars().count() < CHARS_MAX, "{told}");
    assert_eq!(repo.tip(), tip, "reading writes nothing");
}

/// 8/PRIME: however much others hold, and whatever they say about it, the text is short.
#[test]
fn it_is_short_whatever_others_hold() {
    let repo = Repo::new();
    let holder = "h".repeat(64);
    let reason = "\"\\".repeat(100);
    for number in 0..60 {
        let path = format!("{number}{}", "p".repeat(200));
        repo.reserve_with(&holder, &[&path, "--reason", &reason]);
    }
    let told = text(&repo, &"b".repeat(64));
    assert!(told.chars().count() < CHARS_MAX, "{} characters: {told}", told.chars().count());
    assert!(told.contains("Others hold 60 reservations"), "{told}");
    assert!(told.contains("more"), "{told}");
}

/// 8/PRIME-agents-md: the block for AGENTS.md is the same for everybody, and is only printed.
#[test]
fn the_block_for_a_file_is_marked_and_names_nobody() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let before = Untouched::of(repo.world());
    let block = repo.coord("bob", ["prime", "--agents-md"]).done().stdout;
    before.assert_still_so("prime --agents-md");
    assert!(block.starts_with("<!-- git-coord:begin -->\n"), "{block}");
    assert!(block.ends_with("\n<!-- git-coord:end -->\n"), "{block}");
    assert!(block.contains("git coord reserve") && block.chars().count() < CHARS_MAX, "{block}");
    assert!(!block.contains("bob") && !block.contains("alice"), "{block}");
    let answer = repo.json("bob", ["prime", "--agents-md"]);
    assert_eq!(answer["text"].as_str().unwrap(), block.trim_end());
    assert_eq!(answer["agent"], Value::Null, "{answer:#}");
    assert_eq!(answer, json!({ "schema": 1, "ok": true, "text": answer["text"] }));
    assert_eq!(repo.coord("carol", ["prime", "--agents-md"]).done().stdout, block);
}

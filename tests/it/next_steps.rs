//! The commands that a refusal suggests can be run, and lead on (7/NEXT).

use serde_json::{Value, json};

use crate::support::Repo;
use crate::support::contract::exit;

fn first(answer: &Value) -> Vec<String> {
    serde_json::from_value(answer["refusal"]["next"][0].clone())
        .unwrap_or_else(|error| panic!("{error}: {answer:#}"))
}

/// 7/NEXT: the whole way in is one command.
#[test]
fn a_refused_reservation_asks_and_waits() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let no = repo.coord_json("bob", ["reserve", "src/main.rs"]).refused("held");
    let ask = first(&no);
    let tail = ["--reason", "<why>", "--wait", "5m", "--", ":/src/main.rs"];
    assert_eq!(ask[..4], ["git", "coord", "ask", "--holder=alice"], "{ask:?}");
    assert_eq!(ask[4..], tail, "{ask:?}");
    let told = repo.coord("bob", ["reserve", "src/main.rs"]).exits(exit::NO);
    told.says("git coord ask --holder=alice --reason '<why>' --wait 5m -- :/src/main.rs");
}

/// 7/NEXT-why: a suggested reason never ends up on the record as it stands, whatever the command.
#[test]
fn a_reason_that_is_a_placeholder_is_refused() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let tip = repo.tip();
    for words in [
        &["ask", "src", "--reason", "<why>"][..],
        &["reserve", "docs", "--reason", "<why>"],
        &["reserve", "docs", "--reason", " <Why> "],
        &["reserve", "docs", "--task", "<why>"],
        &["release", "--force", "src", "--reason", "<why>"],
        &["send", "alice", "--subject", "<why>"],
        &["run", "create", "--goal", "<why>"],
        &["override", "propose", "fd-style", "--reason", "<why>"],
    ] {
        let told = repo.coord("bob", words).exits(exit::USAGE);
        told.says("placeholder");
    }
    assert_eq!(repo.tip(), tip);
    repo.coord("bob", ["ask", "src", "--reason", "why <why> matters"]).done();
}

/// 7/NEXT: asking for something free leads to reserving it.
#[test]
fn asking_for_something_free_names_the_reservation() {
    let repo = Repo::new();
    let no = repo.coord_json("bob", ["ask", "src/main.rs", "--reason", "a fix"]);
    let no = no.refused("not_held");
    assert_eq!(first(&no), ["git", "coord", "reserve", "--", ":/src/main.rs"]);
    let words = first(&no);
    repo.coord("bob", &words[2..]).done();
    let told = repo.coord("carol", ["ask", "--lock", "build", "--reason", "a fix"]);
    told.exits(exit::NO).says("git coord reserve --lock=build");
}

/// 7/NEXT: nothing can be taken that was not asked for, so that comes first.
#[test]
fn taking_without_a_request_names_the_request() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let no = repo.coord_json("bob", ["take", "src/main.rs", "--reason", "a fix"]);
    let no = no.exits(exit::NOTHING).json();
    let next = json!(["git", "coord", "ask", "--reason", "<why>", "--", ":/src/main.rs"]);
    assert_eq!(no["error"]["next"][0], next, "{no:#}");
}

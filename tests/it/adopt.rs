//! `adopt`: taking changes over, on the record.

use serde_json::{Value, json};

use crate::ownership::{ALICE, BOB, commits, edits, hooked, stops, sweeps};
use crate::support::Repo;
use crate::support::contract::exit;

fn left_by(agents: &[(&str, &str)]) -> Repo {
    let repo = hooked();
    for (agent, path) in agents {
        edits(&repo, agent, path, agent);
        stops(&repo, agent);
    }
    repo
}

/// One entry says who took what and why, the owner is told in it, and no file is touched.
#[test]
fn a_takeover_is_one_entry_and_a_message() {
    let repo = left_by(&[(ALICE, "src/main.rs"), (ALICE, "docs/guide.md")]);
    let entries = repo.entry_count();
    let answer = repo.json(BOB, ["adopt", "--from", ALICE, "--reason", "she is away"]);
    assert_eq!(repo.entry_count(), entries + 1);
    let adopted = json!([
        { "path": "docs/guide.md", "from": ALICE },
        { "path": "src/main.rs", "from": ALICE },
    ]);
    assert_eq!(answer["adopted"], adopted);
    let event = &repo.events("adopted")[0];
    assert_eq!((&event["actor"], &event["subject"]), (&json!(BOB), &json!(ALICE)));
    assert_eq!(event["data"]["because"], "she is away");
    assert_eq!(event["data"]["paths"], json!(["docs/guide.md", "src/main.rs"]));
    let told = repo.json(ALICE, ["inbox", "--type", "adopted"])["messages"].take();
    let subject = "claude:bob adopted your changes of 2 paths: she is away";
    assert_eq!(told[0]["subject"], subject);
    assert_eq!(std::fs::read_to_string(repo.work().join("src/main.rs")).unwrap(), ALICE);
    let changes = repo.json(BOB, ["changes", "--mine"])["changes"].take();
    assert_eq!(changes[0]["owners"][0]["via"], "adopted", "{changes:#}");
    sweeps(commits(&repo, ALICE, &["--all"]), "docs/guide.md", BOB);
    commits(&repo, BOB, &["--all"]).done();
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// A directory and a pattern mean the changes in them, and --all those of everybody else.
#[test]
fn changes_are_chosen_by_path_or_by_owner() {
    let carol = "claude:carol";
    let repo = left_by(&[(ALICE, "src/main.rs"), (carol, "src/api/users.rs"), (BOB, "README.md")]);
    let paths = |answer: &Value| {
        let adopted = answer["adopted"].as_array().unwrap().iter();
        adopted.map(|change| change["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let answer = repo.json(BOB, ["adopt", "src/api", "--reason", "r"]);
    assert_eq!(paths(&answer), ["src/api/users.rs"]);
    let answer = repo.json(BOB, ["adopt", "--all", "--reason", "r"]);
    assert_eq!(paths(&answer), ["src/main.rs"], "what is its own it has");
    commits(&repo, BOB, &["--all"]).done();
}

/// Exit codes: 4 where there is nothing of another's, 0 for the own, 1 while the owner is at work.
#[test]
fn what_cannot_be_adopted_is_said() {
    let repo = hooked();
    repo.coord(BOB, ["adopt", "src", "--reason", "r"]).exits(exit::NOTHING);
    repo.coord(BOB, ["adopt", "--reason", "r"]).exits(exit::USAGE);
    repo.coord(BOB, ["adopt", "src"]).exits(exit::USAGE);
    edits(&repo, BOB, "README.md", "bob\n");
    let answer = repo.json(BOB, ["adopt", "README.md", "--reason", "r"]);
    assert_eq!((&answer["adopted"], &answer["own"]), (&json!([]), &json!(["README.md"])));
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    let tip = repo.tip();
    let refusal = repo.coord_json(BOB, ["adopt", "--all", "--reason", "r"]).refused("held");
    assert_eq!(refusal["refusal"]["next"][0][2], "ask");
    assert_eq!(repo.tip(), tip);
    stops(&repo, ALICE);
    // Somebody else reserves the file meanwhile.
    let hold = repo.reserve_id("carol", "src/main.rs");
    repo.coord_json(BOB, ["adopt", "--all", "--reason", "r"]).refused("held");
    repo.coord("carol", ["release", &hold]).done();
    repo.json(BOB, ["adopt", "--all", "--reason", "r"]);
}

/// 8/SECRETS: a secret in the reason is not recorded.
#[test]
fn a_secret_in_the_reason_is_left_out() {
    let repo = left_by(&[(ALICE, "src/main.rs")]);
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let reason = format!("token {secret}");
    repo.json(BOB, ["adopt", "--all", "--reason", &reason]);
    assert!(!repo.events("adopted")[0].to_string().contains(&secret));
}

/// Adopting again after a commit that took everything finds nothing.
#[test]
fn what_is_committed_cannot_be_adopted() {
    let repo = left_by(&[(ALICE, "src/main.rs")]);
    repo.git(["commit", "--quiet", "--no-verify", "--all", "--message", "a person"]);
    repo.coord(BOB, ["adopt", "--all", "--reason", "r"]).exits(exit::NOTHING);
}

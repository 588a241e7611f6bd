//! `release`: own holds end, another's only by force, and a repetition is harmless.

use serde_json::Value;

use crate::support::contract::{event, exit, limit, refusal};
use crate::support::{Repo, texts};

#[test]
fn a_released_hold_is_free_for_others() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    let answer = repo.json("alice", ["release", &id]);
    assert_eq!(answer["released"], 1);
    assert_eq!(answer["ids"][0], id.as_str());
    assert_eq!(repo.events(event::RELEASED).len(), 1);
    repo.reserve("bob", "src/**");
}

#[test]
fn the_beginning_of_an_id_is_enough() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    assert_eq!(repo.json("alice", ["release", &id[..5]])["released"], 1);
}

/// 3/IDEMP: releasing what is already released is success with count 0.
#[test]
fn releasing_twice_is_harmless() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    repo.coord("alice", ["release", &id]).done();
    let tip = repo.tip();
    let again = repo.json("alice", ["release", &id]);
    assert_eq!(again["released"], 0);
    assert_eq!(again["missing"][0], id.as_str());
    assert_eq!(repo.json("alice", ["release", "zzzzzzzz"])["released"], 0);
    assert_eq!(repo.tip(), tip, "nothing to write");
    assert_eq!(repo.events(event::RELEASED).len(), 1);
}

/// 7/WRITE-ONCE: released stays released; nothing brings it back.
#[test]
fn released_stays_released() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    repo.coord("alice", ["release", &id]).done();
    repo.coord("alice", ["renew", &id]).exits(exit::NO);
    repo.pass("1h");
    repo.json("alice", ["sweep"]);
    assert_eq!(repo.life_counts(), [1, 1, 0]);
    assert_eq!(repo.list(&["--all"]).len(), 0);
}

/// 7/REL-OWNER: releasing needs the owner's name, or an explicit, recorded force.
#[test]
fn anothers_hold_needs_force() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    repo.coord_json("bob", ["release", &id]).refused(refusal::NOT_YOURS);
    assert_eq!(repo.holds().len(), 1);
    repo.coord("bob", ["release", &id, "--force"]).exits(exit::USAGE);
    repo.json("bob", ["release", &id, "--force", "--reason", "alice is on leave"]);
    assert_eq!(repo.holds().len(), 0);
    let released = &repo.events(event::RELEASED)[0];
    assert_eq!(released["actor"], "bob");
    assert!(released["data"].to_string().contains("alice is on leave"), "{released:#}");
}

/// 8/REST-STAYS: the holder of a wider reservation is told what was forced out of it, and that it
/// keeps the rest.
#[test]
fn a_path_is_forced_out_of_anothers_hold() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    repo.reserve("alice", "docs");
    let paths = ["--path", "src/main.rs", "--path", "src/api", "--path", "docs/guide.md"];
    repo.json("carol", [&["release"][..], &paths, &["--force", "--reason", "crash"]].concat());
    assert_eq!(repo.list(&["--holder", "alice"]).len(), 2);
    let status = repo.coord("alice", ["status"]).done();
    status.says("carol took 'src/main.rs', 'src/api' out of your 'src'");
    status.says("carol took 'docs/guide.md' out of your 'docs'").says(": crash");
    assert!(!status.stdout.contains("released your"), "{status:?}");
}

/// 1/SAFETY-1-owner: a name that begins like another's is a stranger's.
#[test]
fn a_shared_beginning_of_names_gives_no_right() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/**");
    for stranger in ["ali", "alice2", "alice:x"] {
        repo.coord_json(stranger, ["release", &id]).refused(refusal::NOT_YOURS);
        repo.coord_json(stranger, ["reserve", "src/main.rs"]).refused(refusal::HELD);
        assert_eq!(repo.json(stranger, ["release", "--mine"])["released"], 0);
    }
    assert_eq!(repo.holds().len(), 1);
}

#[test]
fn mine_releases_mine_only() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.reserve("alice", "docs/**");
    repo.reserve("bob", "README.md");
    assert_eq!(repo.json("alice", ["release", "--mine"])["released"], 2);
    assert_eq!(texts(&repo.holds().into(), "holder"), ["bob"]);
}

/// 7/ONE-PATH: 500 holds go in one entry, with one event each.
#[test]
fn many_holds_are_one_entry() {
    let repo = Repo::new();
    let paths: Vec<String> =
        (0..limit::PATTERNS_PER_COMMAND).map(|number| format!("d{number}/file")).collect();
    repo.json("alice", ["reserve".to_owned()].iter().chain(&paths));
    let answer = repo.json("alice", ["release", "--mine"]);
    assert_eq!(answer["released"], limit::PATTERNS_PER_COMMAND);
    assert_eq!(repo.entry_count(), 2);
    assert_eq!(repo.life_counts(), [500, 500, 0]);
}

#[test]
fn a_path_frees_what_is_inside_and_is_left_out_of_what_is_wider() {
    let repo = Repo::new();
    let wide = repo.reserve_id("alice", "docs/**");
    repo.reserve("alice", "src/api/users.rs");
    repo.reserve("alice", "src/main.rs");
    let answer = repo.json("alice", ["release", "--path", "src", "--path", "docs/guide.md"]);
    assert_eq!(answer["released"], 2);
    assert_eq!(answer["narrowed"], Value::from(vec![wide]));
    assert_eq!(answer["wider"], Value::from(Vec::<Value>::new()));
    assert_eq!(texts(&repo.holds().into(), "pattern"), ["docs/**"]);
    assert_eq!(repo.holds()[0]["except"], Value::from(vec!["docs/guide.md"]));
}

#[test]
fn nothing_named_is_wrong_usage() {
    let repo = Repo::new();
    repo.coord("alice", ["release"]).exits(exit::USAGE);
}

/// 8/WORDS: the opposite of `reserve docs` is `release docs`.
#[test]
fn a_word_that_is_an_own_path_is_that_path() {
    let repo = Repo::new();
    repo.reserve("alice", "docs");
    repo.reserve("alice", "src");
    let answer = repo.json("alice", ["release", "docs"]);
    assert_eq!((&answer["released"], &answer["missing"]), (&1.into(), &Value::Array(Vec::new())));
    repo.json("alice", ["release", "src/api"]);
    assert_eq!(repo.holds()[0]["except"], Value::from(vec!["src/api"]));
    repo.reserve("alice", "lib/*.rs");
    assert_eq!(repo.json("alice", ["release", "lib/*.rs", "src"])["released"], 2);
    assert_eq!(repo.holds().len(), 0);
}

/// 8/WORDS: a whole id is an id also for the holder of everything.
#[test]
fn an_id_is_no_path_of_a_wide_hold() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "**");
    assert_eq!(repo.json("alice", ["release", &id])["ids"][0], id.as_str());
    let id = repo.reserve_id("alice", "**");
    assert_eq!(repo.json("alice", ["release", &id[..4]])["ids"][0], id.as_str());
    assert_eq!(repo.holds().len(), 0);
}

/// 8/WORDS: a word that names nothing of mine changes nothing, and the answer says who holds it and
/// what is mine.
#[test]
fn a_word_that_is_not_mine_is_missing() {
    let repo = Repo::new();
    repo.reserve("alice", "docs");
    repo.reserve("bob", "src");
    let tip = repo.tip();
    let answer = repo.coord_json("bob", ["release", "docs", "lib/x"]).done();
    assert_eq!(answer.json()["missing"], Value::from(vec!["docs", "lib/x"]));
    assert_eq!(answer.json()["released"], 0);
    let said = repo.coord("bob", ["release", "docs", "lib/x"]).done();
    said.says("'docs' is held by 'alice'").says("you hold 'src'");
    said.says("you hold nothing of 'lib/x'");
    repo.coord("carol", ["release", "docs"]).done().says("you hold nothing");
    repo.coord("bob", ["release", "docs/a.md"]).done().says("'docs', which 'alice' holds");
    assert_eq!(repo.tip(), tip, "nothing to write");
    repo.json("bob", ["release", "docs", "--force", "--reason", "crash"]);
    assert_eq!(repo.list(&["--holder", "alice"]).len(), 0);
    repo.json("bob", ["ledger", "verify"]);
}

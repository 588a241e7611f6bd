//! `renew`: extends holds that are still the caller's, and names those that are not.

use crate::support::contract::{event, exit};
use crate::support::{Repo, texts};

#[test]
fn a_renewal_extends_and_keeps_id_and_fence() {
    let repo = Repo::new();
    let hold = repo.reserve("alice", "src/**");
    repo.pass("10m");
    let answer = repo.json("alice", ["renew", hold["id"].as_str().unwrap(), "--ttl", "30m"]);
    let renewed = &answer["renewed"][0];
    assert_eq!(renewed["id"], hold["id"]);
    assert_eq!(renewed["expires_at"], repo.later("30m").as_str());
    assert_eq!(repo.holds()[0]["fence"], hold["fence"]);
    assert_eq!(repo.events(event::RENEWED).len(), 1);
}

#[test]
fn mine_means_all_of_mine() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.reserve("alice", "docs/**");
    repo.reserve("bob", "README.md");
    repo.pass("10m");
    let answer = repo.json("alice", ["renew", "--mine"]);
    assert_eq!(answer["renewed"].as_array().unwrap().len(), 2);
    assert_eq!(repo.entry_count(), 4, "one entry for both");
}

#[test]
fn a_renewal_never_shortens() {
    let repo = Repo::new();
    let hold = repo.reserve_with("alice", &["src/**", "--ttl", "2h"]);
    repo.json("alice", ["renew", "--mine", "--ttl", "1m"]);
    assert_eq!(repo.holds()[0]["expires_at"], hold["expires_at"]);
}

#[test]
fn what_is_no_longer_mine_is_named() {
    let repo = Repo::new();
    let gone = repo.reserve_id("alice", "src/**");
    let theirs = repo.reserve_id("bob", "docs/**");
    repo.pass("16m");
    repo.reserve("bob", "docs/**");
    let kept = repo.reserve_id("alice", "README.md");
    let answer = repo.coord_json("alice", ["renew", &gone, &kept]).refused("lost");
    assert_eq!(texts(&answer["lost"], "id"), [gone.as_str()]);
    assert!(answer["lost"][0]["why"].is_string(), "{answer:#}");
    assert_eq!(texts(&answer["renewed"], "id"), [kept.as_str()], "the others are renewed");
    let others = repo.coord_json("alice", ["renew", &theirs]).exits(exit::NO).json();
    assert_eq!(others["renewed"].as_array().map(Vec::len), Some(0), "{others:#}");
}

/// Whatever has ended what the agent held, `--mine` names it, and nothing that it let go of itself.
#[test]
fn what_is_lost_of_mine_is_named() {
    let repo = Repo::new();
    repo.coord("alice", ["renew", "--mine"]).done().says("nothing to renew");
    let [expired, forced, handed] =
        ["src", "docs", "README.md"].map(|path| repo.reserve_id("alice", path));
    let own = repo.reserve_id("alice", "notes.txt");
    repo.coord("alice", ["release", &own]).done();
    repo.coord("bob", ["release", &forced, "--force", "--reason", "r"]).done();
    let words = ["transfer", &handed, "--from", "alice", "--to", "carol", "--force"];
    repo.coord("bob", words.iter().chain(&["--reason", "r"])).done();
    let renew = || {
        let answer = repo.coord_json("alice", ["renew", "--mine"]).exits(exit::NO).json();
        [texts(&answer["lost"], "id"), texts(&answer["renewed"], "id")]
    };
    assert_eq!(renew(), [vec![handed, forced], vec![expired.clone()]], "the last loss first");
    repo.coord("alice", ["renew", "--mine"]).done().says("src");
    repo.pass("16m");
    assert_eq!(renew(), [vec![expired.clone()], vec![]], "not swept yet");
    repo.coord("bob", ["sweep"]).done();
    assert_eq!(renew(), [vec![expired.clone()], vec![]], "swept by another");
    let told = repo.coord("alice", ["renew", "--mine"]).exits(exit::NO);
    told.says(&format!("no longer yours: {expired}, which expired at"));
    repo.reserve("alice", "src");
    repo.coord("alice", ["renew", "--mine"]).done();
}

/// 8/WORDS: a path is renewed by its name, with the whole reservation that it is in.
#[test]
fn a_path_is_renewed_by_its_name() {
    let repo = Repo::new();
    let wide = repo.reserve_id("alice", "src");
    repo.reserve("bob", "docs");
    repo.pass("10m");
    for word in ["src", "src/api/users.rs"] {
        let answer = repo.json("alice", ["renew", word, "--ttl", "1h"]);
        assert_eq!(texts(&answer["renewed"], "id"), [wide.as_str()], "{word}");
    }
    let lost = repo.coord_json("alice", ["renew", "src", "docs"]).exits(exit::NO);
    let lost = &lost.json()["lost"];
    assert_eq!((&lost[0]["path"], &lost[0]["holder"]), (&"docs".into(), &"bob".into()));
    repo.pass("2h");
    let expired = repo.coord_json("alice", ["renew", "src"]).exits(exit::NO);
    assert_eq!(expired.json()["lost"][0]["why"], "expired");
    repo.json("bob", ["ledger", "verify"]);
}

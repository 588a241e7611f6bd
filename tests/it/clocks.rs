//! Wrong clocks: an entry that is dated ahead ends no hold, sets no time and blocks nobody.

use serde_json::{Value, json};

use crate::support::Repo;
use crate::support::contract::{event, exit};

/// An hour before the end of time as the program counts it.
const LAST_HOUR: &str = "9999-12-30T21:00:00Z";

/// Writes an entry of a clock that is far ahead, and goes on with the right one.
fn with_entry_dated_ahead(repo: &Repo, clock: &str, args: &[&str]) {
    repo.call("evil").args(args).env("GIT_COORD_NOW", clock).run().done();
}

/// 1/CLOCK-HOLDS: a clock of the year 9998 neither ends the holds of others nor stops time.
#[test]
fn one_wrong_clock_does_not_end_mutual_exclusion() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src", "--ttl", "15m"]);
    with_entry_dated_ahead(&repo, "9998-01-01T00:00:00Z", &["reserve", "x", "--ttl", "1s"]);
    repo.coord("bob", ["reserve", "src"]).exits(exit::NO).says("alice");
    repo.reserve_with("carol", &["docs", "--ttl", "1s"]);
    repo.pass("3s");
    repo.coord("dave", ["reserve", "docs"]).done();
    for path in ["src", "y"] {
        with_entry_dated_ahead(&repo, LAST_HOUR, &["reserve", path]);
    }
    repo.coord("bob", ["reserve", "src"]).exits(exit::NO).says("alice");
    repo.coord("alice", ["reserve", "src"]).done();
    repo.coord("bob", ["reserve", "y"]).done();
    assert_eq!(
        repo.events(event::EXPIRED).iter().filter(|of| of["data"]["holder"] == "alice").count(),
        0
    );
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/CLOCK-HOLDS: a wrong clock that goes on writing, under any number of names, agrees with itself
/// alone. It ends nothing of others, not by a sweep either, until it is right again.
#[test]
fn a_wrong_clock_that_goes_on_writing_ends_no_hold() {
    for count in [2, 60] {
        let repo = Repo::new();
        repo.reserve_with("alice", &["src", "--ttl", "4h"]);
        let wrong = |minute: usize, agent: &str, args: &[&str]| {
            let clock = format!("9998-01-01T{:02}:{:02}:00Z", minute / 60, minute % 60);
            repo.call(agent).args(args).env("GIT_COORD_NOW", &clock).run().done()
        };
        for minute in 0..count {
            let agent = ["evil", "mallory"][minute % 2];
            wrong(minute, agent, &["reserve", "src", "--ttl", "1s"]);
        }
        wrong(61, "evil", &["sweep"]).says("2 reservations stay in the ledger");
        let swept = wrong(61, "mallory", &["sweep", "--threads", "1d", "--json"]).json();
        assert_eq!((&swept["swept"], &swept["remaining"]), (&json!(1), &json!(1)), "{swept:#}");
        let dry = wrong(61, "mallory", &["sweep", "--dry-run", "--json"]).json();
        assert_eq!((&dry["ids"], &dry["remaining"]), (&json!([]), &json!(1)), "{dry:#}");
        repo.coord("bob", ["reserve", "src"]).exits(exit::NO).says("alice");
        let renewed = repo.json("alice", ["renew", "--mine"]);
        assert_eq!(renewed["renewed"].as_array().unwrap().len(), 1, "{renewed:#}");
        let of_alice = |event: &Value| event["data"]["holder"] == "alice";
        assert!(!repo.events(event::EXPIRED).iter().any(of_alice));
        repo.coord("ops", ["ledger", "verify"]).done();
    }
}

/// 1/CLOCK-HOLDS: after days in which nobody wrote, nothing blocks, and a day later all is swept.
#[test]
fn a_long_silence_is_believed_after_a_day() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    repo.pass("62h");
    repo.reserve("bob", "src/main.rs");
    repo.pass("13h");
    assert_eq!(repo.json("carol", ["sweep"])["remaining"], 2);
    repo.reserve("carol", "docs");
    repo.pass("13h");
    repo.json("carol", ["sweep"]);
    assert_eq!(repo.json("ops", ["list", "--all"])["reservations"], json!([]));
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/CLOCK-PLACES: a hold of another clone counts until its end by every clock within the
/// tolerance, in each command that asks.
#[test]
fn a_hold_of_another_place_counts_a_little_longer() {
    let repo = Repo::new();
    repo.git(["config", "coord.clockSkew", "1m"]);
    repo.reserve_with("alice", &["src", "--ttl", "10s"]);
    std::fs::write(repo.git_dir().join("coord/place"), "zzzzzzzz\n").unwrap();
    repo.pass("11s");
    repo.coord("bob", ["reserve", "src/main.rs"]).exits(exit::NO).says("alice");
    repo.coord("bob", ["check", "src"]).exits(exit::NO);
    assert_eq!(repo.json("bob", ["sweep"])["swept"], 0);
    repo.pass("59s");
    assert_eq!(repo.json("bob", ["check", "src"])["free"], true);
    repo.coord("bob", ["reserve", "src/main.rs"]).done();
    assert_eq!(repo.json("ops", ["list", "--all"])["reservations"].as_array().unwrap().len(), 1);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/CLOCK-BLOCKS: nobody waits for the end of a hold that a wrong clock set.
#[test]
fn a_hold_dated_ahead_is_in_nobodys_way() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    with_entry_dated_ahead(&repo, "9998-01-01T00:00:00Z", &["reserve", "x", "--ttl", "1s"]);
    assert_eq!(repo.json("bob", ["check", "x"])["free"], true);
    repo.coord("bob", ["reserve", "x"]).done();
    let ended = repo.events(event::EXPIRED);
    assert_eq!(ended.last().unwrap()["data"]["why"], "dated_ahead", "{ended:#?}");
    repo.coord("evil", ["reserve", "x"]).exits(exit::NO).says("bob");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/CLOCK-TIME: an hour ahead frees nothing at once, and nothing lives an hour longer for it.
/// Within the tolerance the entry before counts as the time.
#[test]
fn an_hour_ahead_does_not_count_and_a_minute_does() {
    let repo = Repo::new();
    repo.at("2026-01-05T10:00:00Z");
    repo.reserve_with("alice", &["src", "--ttl", "15m"]);
    with_entry_dated_ahead(&repo, "2026-01-05T11:00:00Z", &["reserve", "x"]);
    let status = repo.json("bob", ["status"]);
    let text = status["notes"][0]["text"].as_str().unwrap();
    assert!(text.contains("ahead of this clock"), "{status:#}");
    let refused = repo.coord("bob", ["reserve", "src"]).exits(exit::NO);
    refused.says("in 15m");
    repo.coord("bob", ["reserve", "docs", "--ttl", "1m"])
        .done()
        .says("dated 60m ahead of this clock");
    repo.pass("61s");
    repo.coord("carol", ["reserve", "docs"]).done();
    with_entry_dated_ahead(&repo, "2026-01-05T10:05:00Z", &["reserve", "z"]);
    let answer = repo.json("carol", ["reserve", "late", "--ttl", "15m"]);
    assert_eq!(answer["granted"][0]["expires_at"], "2026-01-05T10:20:00Z", "{answer:#}");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/CLOCK-NAMED: the entry and its host are named, also when others have written since.
#[test]
fn doctor_names_the_entry_and_its_host() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    with_entry_dated_ahead(&repo, "9998-01-01T00:00:00Z", &["reserve", "x"]);
    let wrong = repo.tip();
    repo.reserve("bob", "docs");
    let answer = repo.coord("ops", ["doctor", "--json"]).done().json();
    let checks = answer["checks"].as_array().unwrap();
    let clock = checks.iter().find(|check| check["name"] == "clock").unwrap();
    assert_eq!(clock["state"], "warning");
    let text = clock["text"].as_str().unwrap();
    assert!(text.contains(&wrong[..7]) && text.contains("by host '"), "{text}");
}

/// 1/CLOCK-FENCES: fences grow along the chain whatever the clocks do.
#[test]
fn fences_grow_whatever_clocks_do() {
    let repo = Repo::new();
    let mut last = 0;
    let clocks = ["2026-01-05T10:00:00Z", "9998-01-01T00:00:00Z", "1999-01-01T00:00:00Z"];
    for (number, clock) in clocks.iter().cycle().take(9).enumerate() {
        let call = repo.call("alice").args(["reserve", &format!("p{number}"), "--json"]);
        let answer = call.env("GIT_COORD_NOW", clock).run().done().json();
        let fence = answer["granted"][0]["fence"].as_u64().unwrap();
        assert!(fence > last, "{fence} after {last}");
        last = fence;
    }
    repo.coord("ops", ["ledger", "verify"]).done();
}

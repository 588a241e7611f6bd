//! `reserve`: grants, conflicts, and the meaning of an own hold.

use serde_json::Value;

use crate::support::contract::{event, exit, limit, refusal};
use crate::support::repo::id_of;
use crate::support::{Repo, texts};

#[test]
fn a_grant_says_what_for_whom_and_until_when() {
    let repo = Repo::new();
    let hold = repo.reserve_with("alice", &["src/api/**", "--reason", "tidy the handlers"]);
    assert_eq!(hold["pattern"], "src/api/**");
    assert_eq!(hold["mode"], "exclusive");
    assert_eq!(hold["holder"], "alice");
    assert_eq!(hold["reason"], "tidy the handlers");
    assert_eq!(hold["expires_at"], repo.later("15m").as_str());
    assert_eq!(hold["renewed"], false);
    assert!(hold["fence"].is_u64(), "{hold:#}");
}

/// 1/ARCH-2: ids are short and of one alphabet, and 500 of one command differ.
#[test]
fn ids_are_short_and_distinct() {
    let repo = Repo::new();
    let paths: Vec<String> =
        (0..limit::PATTERNS_PER_COMMAND).map(|number| format!("file-{number}")).collect();
    let answer = repo.json("alice", ["reserve".to_owned()].iter().chain(&paths));
    let mut ids = texts(&answer["granted"], "id");
    let is_id = |id: &String| {
        id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    assert!(ids.iter().all(is_id), "{ids:?}");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), limit::PATTERNS_PER_COMMAND);
    assert_eq!(repo.entry_count(), 1, "one command is one entry");
}

#[test]
fn what_another_holds_is_refused_with_who_and_until_when() {
    let repo = Repo::new();
    let held = repo.reserve_with("alice", &["src/api/**", "--reason", "handlers"]);
    repo.pass("5m");
    let tip = repo.tip();
    let no = repo.coord_json("bob", ["reserve", "src/api/users.rs"]).refused(refusal::HELD);
    assert_eq!(no["granted"], Value::Array(Vec::new()));
    let conflict = &no["conflicts"][0];
    assert_eq!(conflict["pattern"], "src/api/users.rs");
    assert_eq!(conflict["held"]["id"], held["id"]);
    assert_eq!(conflict["held"]["holder"], "alice");
    assert_eq!(conflict["held"]["pattern"], "src/api/**");
    assert_eq!(conflict["held"]["mode"], "exclusive");
    assert_eq!(conflict["held"]["reason"], "handlers");
    assert_eq!(conflict["held"]["expires_at"], held["expires_at"]);
    assert_eq!(conflict["held"]["seconds_left"], 10 * 60);
    assert_eq!(repo.tip(), tip, "a refusal writes nothing");
}

/// 7/MESSAGES: what, where, who, and what to do.
#[test]
fn a_refusal_tells_people_the_same() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src/api/**", "--reason", "handlers"]);
    let no = repo.coord("bob", ["reserve", "src/api/users.rs"]).exits(exit::NO);
    no.says("src/api/users.rs").says("src/api/**").says("alice").says("handlers").says("git coord");
}

/// `next` holds commands that can be run as they are.
#[test]
fn the_commands_of_next_begin_with_git_coord() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let no = repo.coord_json("bob", ["reserve", "src/main.rs"]).refused(refusal::HELD);
    let next = no["refusal"]["next"].as_array().expect("'next' is a list");
    for command in next {
        assert_eq!((&command[0], &command[1]), (&"git".into(), &"coord".into()), "{command}");
    }
}

#[test]
fn all_or_nothing_unless_each() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let no = repo.coord_json("bob", ["reserve", "docs/**", "src/x"]).refused(refusal::HELD);
    assert_eq!(no["granted"], Value::Array(Vec::new()));
    let no = repo.coord_json("bob", ["reserve", "--each", "docs/**", "src/x"]);
    let no = no.refused(refusal::HELD);
    assert_eq!(texts(&no["granted"], "pattern"), ["docs/**"]);
    assert_eq!(texts(&no["conflicts"], "pattern"), ["src/x"]);
}

#[test]
fn shared_holds_stand_side_by_side_and_bar_exclusive_ones() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["--shared", "src/**"]);
    repo.reserve_with("bob", &["--shared", "src/main.rs"]);
    repo.coord_json("carol", ["reserve", "src/main.rs"]).refused(refusal::HELD);
    repo.reserve("carol", "docs/**");
    repo.coord_json("bob", ["reserve", "--shared", "docs/x"]).refused(refusal::HELD);
}

/// 1/H1: the same pattern in the same mode renews one record and never shortens it.
#[test]
fn the_same_again_renews() {
    let repo = Repo::new();
    let first = repo.reserve_with("alice", &["src/**", "--ttl", "2h"]);
    repo.pass("5m");
    let again = repo.reserve_with("alice", &["src/**", "--ttl", "10m"]);
    assert_eq!(again["id"], first["id"]);
    assert_eq!(again["renewed"], true);
    assert_eq!(again["expires_at"], first["expires_at"], "never shortened");
    repo.pass("1h");
    let longer = repo.reserve_with("alice", &["src/**", "--ttl", "2h"]);
    assert_eq!(longer["expires_at"], repo.later("2h").as_str());
    assert_eq!(repo.holds().len(), 1);
}

#[test]
fn a_path_inside_an_own_hold_renews_that_hold() {
    let repo = Repo::new();
    let wide = repo.reserve("alice", "src/**");
    repo.pass("5m");
    let inside = repo.reserve("alice", "src/api/users.rs");
    assert_eq!(inside["id"], wide["id"]);
    assert_eq!(inside["renewed"], true);
    assert_eq!(repo.holds().len(), 1);
}

/// Otherwise I hold `src/a`, ask for `src/**`, am told "renewed" and protected from nothing.
#[test]
fn a_wider_request_absorbs_own_holds() {
    let repo = Repo::new();
    repo.reserve("alice", "src/main.rs");
    let wide = repo.reserve("alice", "src/**");
    assert_eq!(wide["pattern"], "src/**");
    assert_eq!(wide["renewed"], false);
    let held = repo.holds();
    assert_eq!(texts(&held.into(), "pattern"), ["src/**"]);
    repo.coord_json("bob", ["reserve", "src/other.rs"]).refused(refusal::HELD);
}

#[test]
fn a_mere_overlap_with_an_own_hold_is_granted_beside_it() {
    let repo = Repo::new();
    repo.reserve("alice", "src/*.rs");
    repo.reserve("alice", "src/m*");
    assert_eq!(repo.holds().len(), 2);
}

/// 1/H1: shared to exclusive succeeds only if nobody else holds shared.
#[test]
fn an_upgrade_needs_to_be_alone() {
    let repo = Repo::new();
    let mine = repo.reserve_with("alice", &["--shared", "src/**"]);
    let theirs = id_of(&repo.reserve_with("bob", &["--shared", "src/main.rs"]));
    repo.coord_json("alice", ["reserve", "src/**"]).refused(refusal::HELD);
    assert!(repo.holds().iter().all(|hold| hold["mode"] == "shared"));
    repo.coord("bob", ["release", &theirs]).done();
    let upgraded = repo.reserve("alice", "src/**");
    assert_eq!((&upgraded["id"], &upgraded["mode"]), (&mine["id"], &"exclusive".into()));
    assert_eq!(repo.holds().len(), 1);
}

/// 1/H1: exclusive to shared is a downgrade of the same record.
#[test]
fn a_downgrade_lets_others_in() {
    let repo = Repo::new();
    let mine = repo.reserve("alice", "src/**");
    let shared = repo.reserve_with("alice", &["--shared", "src/**"]);
    assert_eq!((&shared["id"], &shared["mode"]), (&mine["id"], &"shared".into()));
    repo.reserve_with("bob", &["--shared", "src/main.rs"]);
}

#[test]
fn what_has_expired_conflicts_with_nobody() {
    let repo = Repo::new();
    let old = repo.reserve("alice", "src/**");
    repo.pass("16m");
    let new = repo.reserve("bob", "src/main.rs");
    assert!(new["fence"].as_u64() > old["fence"].as_u64(), "a fence grows");
}

/// 6.3: a hold lives until its end and not a moment longer, for every command that looks.
#[test]
fn the_end_is_exact() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src/**", "--ttl", "60s"]);
    repo.pass("59s");
    assert_eq!(repo.holds().len(), 1);
    repo.coord("bob", ["check", "src/x"]).exits(exit::NO);
    repo.coord_json("bob", ["reserve", "src/x"]).refused(refusal::HELD);
    repo.pass("1s");
    assert_eq!(repo.holds().len(), 0);
    repo.coord("bob", ["check", "src/x"]).done();
    repo.reserve("bob", "src/x");
}

/// 1/M2: what is swept on the way of a write has its event, in the same entry.
#[test]
fn the_sweep_inside_reserve_writes_expired_events() {
    let repo = Repo::new();
    let old = repo.reserve("alice", "src/**");
    repo.pass("16m");
    repo.reserve("bob", "src/main.rs");
    let expired = repo.events(event::EXPIRED);
    assert_eq!(expired.len(), 1, "{expired:#?}");
    assert_eq!(expired[0]["subject"], old["id"]);
    let granted = repo.events(event::GRANTED);
    assert_eq!(expired[0]["entry"], granted[1]["entry"], "one entry");
    assert_eq!(repo.list(&["--all"]).len(), 1, "the expired one is gone");
}

/// 1/H5: the same request id answers as it did the first time and writes nothing.
#[test]
fn a_replayed_request_returns_the_first_result() {
    let repo = Repo::new();
    let request = ["reserve", "src/**", "--request-id", "try-1"];
    let first = repo.json("alice", request);
    let tip = repo.tip();
    repo.pass("1m");
    let mut again = repo.json("alice", request);
    // The answer is the same; the time that is left is not.
    assert_eq!(again["granted"][0]["seconds_left"], 840);
    again["granted"][0]["seconds_left"] = first["granted"][0]["seconds_left"].clone();
    assert_eq!(again["granted"], first["granted"]);
    assert_eq!(repo.tip(), tip);
}

/// 1/H5: the same request id with other content is an error, never a silent drop.
#[test]
fn a_request_id_is_not_used_twice() {
    let repo = Repo::new();
    repo.json("alice", ["reserve", "src/**", "--request-id", "try-1"]);
    let other = repo.coord_json("alice", ["reserve", "docs/**", "--request-id", "try-1"]);
    other.refused(refusal::REQUEST_MISMATCH);
    assert_eq!(repo.holds().len(), 1);
}

#[test]
fn limits_are_refused_by_name() {
    let repo = Repo::new();
    let file = |number: usize| format!("file-{number}");
    let batches = limit::HOLDS_PER_AGENT / limit::PATTERNS_PER_COMMAND;
    for batch in 0..batches {
        let first = batch * limit::PATTERNS_PER_COMMAND;
        let paths: Vec<String> = (first..first + limit::PATTERNS_PER_COMMAND).map(file).collect();
        repo.json("alice", ["reserve".to_owned()].iter().chain(&paths));
    }
    repo.coord_json("alice", ["reserve", "one-more"]).refused(refusal::TOO_MANY);
    repo.coord_json("alice", ["reserve", "file-7", "one-more"]).refused(refusal::TOO_MANY);
    repo.json("alice", ["reserve", "file-7"]);
    repo.reserve("bob", "one-more");
}

#[test]
fn wildcards_at_the_root_are_few() {
    let repo = Repo::new();
    let patterns: Vec<String> = (0..limit::ROOT_WILDCARDS).map(|n| format!("**/f{n}")).collect();
    repo.json("alice", ["reserve".to_owned()].iter().chain(&patterns));
    repo.coord_json("bob", ["reserve", "*.md"]).refused(refusal::TOO_MANY);
    repo.coord_json("alice", ["reserve", "**/f7", "*.md"]).refused(refusal::TOO_MANY);
    repo.json("alice", ["reserve", "**/f7"]);
    repo.reserve("bob", "docs/*.md");
}

#[test]
fn too_many_patterns_in_one_command_are_refused() {
    let repo = Repo::new();
    let paths: Vec<String> =
        (0..=limit::PATTERNS_PER_COMMAND).map(|number| format!("file-{number}")).collect();
    let no = repo.coord_json("alice", ["reserve".to_owned()].iter().chain(&paths));
    assert!([exit::NO, exit::USAGE].contains(&no.code), "{no:#?}");
    no.says("500");
    assert_eq!(repo.entry_count(), 0);
}

/// 1/QUALITY-1: what is absent is absent: no 0, no 1970, no null.
#[test]
fn absent_values_are_absent() {
    let repo = Repo::new();
    let hold = repo.reserve("alice", "src/**");
    let fields = hold.as_object().expect("a hold is an object");
    assert!(!fields.contains_key("reason"), "{hold:#}");
    assert!(fields.values().all(|value| !value.is_null()), "{hold:#}");
    assert!(!hold.to_string().contains("1970"), "{hold:#}");
    let listed = &repo.holds()[0];
    assert!(!listed.as_object().expect("an object").contains_key("task"), "{listed:#}");
}

/// 1/SAFETY-1-owner: names, reasons and patterns are data.
#[test]
fn quotes_and_shell_text_are_stored_as_they_are() {
    let repo = Repo::new();
    let hostile = r#""; $(touch pwned) `id` \ {"ok":true} '"#;
    let hold = repo.reserve_with("alice", &["--literal", "a$(b) 'c'", "--reason", hostile]);
    assert_eq!(hold["reason"], hostile);
    assert_eq!(hold["pattern"], "a$(b) 'c'");
    let no = repo.coord_json("bob", ["reserve", "--literal", "a$(b) 'c'"]).refused(refusal::HELD);
    assert_eq!(no["conflicts"][0]["held"]["reason"], hostile);
}

/// 1/ARCH-3, 1/QUALITY-2: a change and its event are the same commit, also without a run.
#[test]
fn a_grant_and_its_event_are_one_entry() {
    let repo = Repo::new();
    let hold = repo.reserve("alice", "src/**");
    let granted = repo.events(event::GRANTED);
    assert_eq!(granted.len(), 1);
    assert_eq!(granted[0]["entry"], repo.tip().as_str());
    assert_eq!(granted[0]["subject"], hold["id"]);
    assert_eq!(granted[0]["actor"], "alice");
    assert_eq!(granted[0]["at"], repo.now().as_str());
}

/// 1/H5: a first answer that is not true any more is not given again.
#[test]
fn a_replay_after_the_end_says_so() {
    let repo = Repo::new();
    let request = ["reserve", "src", "--request-id", "r-1"];
    let again = repo.json("alice", request);
    assert!(again.get("replayed").is_none());
    assert_eq!(repo.json("alice", request)["replayed"], true);
    repo.coord("alice", ["release", "--mine"]).done();
    repo.reserve("bob", "src");
    let answer = repo.coord_json("alice", request).refused("request_over");
    assert_eq!(answer["refusal"]["ended"].as_array().unwrap().len(), 1);
}

/// Each hold is told once, as it is in the end: what a wider pattern absorbed is not in the answer.
#[test]
fn the_answer_names_what_is_held_in_the_end() {
    let repo = Repo::new();
    for patterns in [["src/a.rs", "src/**"], ["docs", "docs/x.md"]] {
        let answer = repo.json("alice", ["reserve", patterns[0], patterns[1]]);
        let granted = answer["granted"].as_array().unwrap();
        assert_eq!(granted.len(), 1, "{granted:?}");
        assert_eq!(granted[0]["renewed"], false);
    }
    assert_eq!(repo.holds().len(), 2);
}

/// A file inside an own wildcard hold renews that hold, so that edits do not pile up holds. What
/// may have something below it does not: the wildcard does not cover that.
#[test]
fn a_file_inside_an_own_wildcard_hold_renews_it() {
    let repo = Repo::new();
    repo.write("lib/one.rs", "");
    repo.write("lib/dir/two.rs", "");
    let hold = repo.reserve_id("alice", "lib/*");
    let file = repo.json("alice", ["reserve", "lib/one.rs"]);
    assert_eq!(file["granted"][0]["id"], hold.as_str());
    let directory = repo.json("alice", ["reserve", "lib/dir"]);
    assert_eq!(directory["granted"][0]["renewed"], false);
}

/// What would be too large to be read again is refused before it is written.
#[test]
fn a_long_answer_can_be_replayed() {
    let repo = Repo::new();
    let reason = "r".repeat(490);
    let patterns: Vec<String> = (0..500).map(|number| format!("p{number}")).collect();
    let mut request = vec!["reserve", "--request-id", "big", "--reason", &reason];
    request.extend(patterns.iter().map(String::as_str));
    repo.json("alice", request.iter().copied());
    assert_eq!(
        repo.json("alice", request.iter().copied())["granted"].as_array().unwrap().len(),
        500
    );
    assert_eq!(repo.entry_count(), 1);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// At the limit, `--each` still renews what is held, and names what it did not get.
#[test]
fn each_goes_on_at_the_limit() {
    let repo = Repo::new();
    for half in ["a", "b"] {
        let patterns = (0..500).map(|number| format!("{half}{number}"));
        repo.coord("alice", std::iter::once("reserve".to_owned()).chain(patterns)).done();
    }
    let answer = repo.coord_json("alice", ["reserve", "--each", "new", "a7"]).refused("too_many");
    assert_eq!(answer["over_limit"], serde_json::json!(["new"]));
    assert_eq!(answer["granted"][0]["renewed"], true);
}

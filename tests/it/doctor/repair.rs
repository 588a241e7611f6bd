//! Evidence for a repair: more than one check, and nothing that was never published.

use std::fs;

use serde_json::{Value, json};

use super::{check, object_file, ref_file, unpack};
use crate::support::contract::{RESERVATIONS, RESERVATIONS_REF, exit};
use crate::support::gits::gits;
use crate::support::hooks::put_script;
use crate::support::kind::{Hash, Kind, Place, RefFormat};
use crate::support::{Repo, texts};

/// Hides the packs as long as nobody asks git: so they appear to a process that has listed them
/// before a repack, and finds the new ones when it lists them again.
fn hide_packs(repo: &Repo) {
    let packs = repo.git_dir().join("objects/pack");
    let hidden = repo.world().join("tmp/hidden");
    fs::rename(&packs, &hidden).unwrap();
    fs::create_dir(&packs).unwrap();
    let (packs, hidden) = (packs.display(), hidden.display());
    let real = gits()[0].program.display();
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = cat-file ] && [ -d '{hidden}' ] && {{\n\
         rmdir '{packs}'; mv '{hidden}' '{packs}'; }}\nexec '{real}' \"$@\"\n"
    );
    put_script(&repo.world().join("bin/git"), &script);
}

/// 1/M4, 8/NO-HARM: what one way does not find may be there all the same. Another is asked before
/// anything is called missing.
#[test]
fn what_is_on_the_move_is_not_missing() {
    for command in [&["list"][..], &["check", "src"], &["reserve", "docs"], &["ledger", "verify"]] {
        let repo = Repo::new();
        repo.reserve("alice", "lib");
        hide_packs(&repo);
        repo.coord("bob", command.iter().copied()).done();
    }
}

/// The same for the one command that would act on it.
#[test]
fn what_is_on_the_move_is_not_repaired() {
    let repo = Repo::new();
    repo.reserve("alice", "lib");
    let tip = repo.tip();
    hide_packs(&repo);
    repo.coord("ops", ["doctor", "--repair"]).done().says("nothing to repair");
    assert_eq!(repo.tip(), tip);
}

/// A second look goes to git, and never through a program that a repository's configuration names.
#[test]
fn a_second_look_does_not_leave_the_repository() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let sign = repo.world().join("tmp/fetched");
    let run = format!("touch '{}'; false", sign.display());
    for (key, value) in
        [("url", "."), ("promisor", "true"), ("uploadpack", run.as_str()), ("fetch", "x")]
    {
        repo.git(["config", &format!("remote.o.{key}"), value]);
    }
    fs::write(ref_file(&repo), format!("{}\n", "1234567890".repeat(4))).unwrap();
    repo.coord("bob", ["list"]).exits(exit::FAILURE).says("is missing");
    assert!(!sign.exists(), "nothing was fetched");
}

/// Kills `agent` after its entry is written and before the ref moves.
fn kill_before_the_move(repo: &Repo, agent: &str, paths: &[&str]) {
    let rehearsal = repo.copy();
    let record = rehearsal.world().join("tmp/steps");
    let reserve = |repo: &Repo| repo.call(agent).args(["reserve"]).args(paths);
    reserve(&rehearsal).env("GIT_COORD_STEPS", &record).run().done();
    let steps = fs::read_to_string(record).unwrap();
    let locks = |line: &str| {
        let step: Value = serde_json::from_str(line).unwrap();
        step["step"] == "Link" && step["path"].as_str().unwrap().ends_with("reservations.lock")
    };
    let number = steps.lines().position(locks).expect("the ref is locked by a link") + 1;
    let killed = reserve(repo).env("GIT_COORD_FAULT", format!("{number}:kill")).run_unproven();
    assert_ne!(killed.code, exit::DONE);
}

/// Creates a published entry, a killed attempt with five events, and a published entry.
fn with_a_killed_attempt() -> (Repo, String) {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    kill_before_the_move(&repo, "mallory", &["m1", "m2", "m3", "m4", "m5"]);
    repo.pass("1m");
    repo.reserve("bob", "docs");
    let tip = repo.tip();
    (repo, tip)
}

fn patterns(repo: &Repo) -> Vec<String> {
    let mut patterns = texts(&repo.holds().into(), "pattern");
    patterns.sort();
    patterns
}

/// 8/NO-HARM: what was acknowledged stays, what never was does not come to life, and both are said.
#[test]
fn a_killed_attempt_does_not_come_to_life() {
    for damage in ["", "garbage\n"] {
        let (repo, tip) = with_a_killed_attempt();
        fs::write(ref_file(&repo), damage).unwrap();
        let answer = repo.coord_json("ops", ["doctor", "--repair"]).done().json();
        let repaired = &answer["repaired"][0];
        assert_eq!((&repaired["whole"], &repaired["known"]), (&json!(tip), &json!(true)));
        assert_eq!(repaired["lost"], json!([]));
        let left = &repaired["doubtful"];
        assert_eq!(left.as_array().unwrap().len(), 1, "{repaired:#}");
        assert!(left[0]["summary"].as_str().unwrap().contains("for mallory"), "{repaired:#}");
        assert_eq!(patterns(&repo), ["docs", "src"]);
        repo.coord("ops", ["ledger", "verify"]).done();
    }
}

/// Without the record it is a guess, which says so, and names what else it could have been.
#[test]
fn without_the_record_the_choice_says_that_it_is_one() {
    let (repo, tip) = with_a_killed_attempt();
    fs::remove_dir_all(repo.git_dir().join("coord/published")).unwrap();
    fs::write(ref_file(&repo), "").unwrap();
    let answer = repo.coord_json("ops", ["doctor", "--repair", "--dry-run"]).exits(exit::NO).json();
    let planned = &answer["would_repair"][0];
    assert_eq!((&planned["whole"], &planned["known"]), (&json!(tip), &json!(false)));
    assert_eq!(planned["doubtful"].as_array().unwrap().len(), 1, "{planned:#}");
    repo.coord("ops", ["doctor", "--repair"]).done().says("nothing shows which was published");
    assert_eq!(patterns(&repo), ["docs", "src"]);
}

/// The record is kept where refs are no files as well.
#[test]
fn what_was_published_is_known_where_refs_are_tables() {
    let kind = Kind { refs: RefFormat::Reftable, hash: Hash::Sha1, place: Place::Main };
    let Some(repo) = Repo::of(kind) else { return };
    for path in ["a", "b"] {
        repo.reserve("alice", path);
    }
    let record = repo.git_dir().join("coord/published").join(RESERVATIONS);
    let noted = fs::read_to_string(record).unwrap();
    assert_eq!(noted.lines().last(), Some(repo.tip().as_str()));
    assert_eq!(noted.split_whitespace().count(), 2);
}

/// A repair is planned before it is made: the same names, and nothing is changed by looking.
#[test]
fn what_a_repair_would_lose_is_told_by_name_before() {
    let repo = Repo::new();
    repo.reserve("alice", "a");
    let whole = repo.tip();
    repo.reserve("bob", "b");
    let lost = repo.tip();
    unpack(&repo);
    fs::remove_file(object_file(&repo, &format!("{RESERVATIONS_REF}:paths/+b"))).unwrap();
    let found = check(&repo.coord_json("ops", ["doctor"]).exits(exit::NO).json(), RESERVATIONS);
    let text = found["text"].as_str().unwrap();
    let (whole_short, lost_short) = (&whole[..10], &lost[..10]);
    assert!(text.contains(&format!("a repair would go on from entry {whole_short}")), "{text}");
    assert!(text.contains(&format!("lost: entry {lost_short} (reserve b for bob")), "{text}");

    let dry = repo.coord("ops", ["doctor", "--repair", "--dry-run"]).exits(exit::NO);
    dry.says(&format!("would repair reservations, going on from {whole_short}"));
    dry.says(&format!("lost: entry {lost_short} (reserve b for bob"));
    assert_eq!(repo.tip(), lost, "nothing was changed");
    let answer = repo.coord_json("ops", ["doctor", "--repair", "--dry-run"]).exits(exit::NO).json();
    let planned = &answer["would_repair"][0];
    assert_eq!((&planned["whole"], &planned["known"]), (&json!(whole), &json!(true)));
    assert_eq!(planned["lost"][0]["entry"], lost);

    let said = repo.coord("ops", ["doctor", "--repair"]).done();
    said.says(&format!("lost: entry {lost_short} (reserve b for bob"));
    assert_eq!(patterns(&repo), ["a"]);
    repo.coord("ops", ["doctor", "--dry-run"]).exits(exit::USAGE);
}

/// A made-up fence at the end of all numbers stops every grant. That is said, with the way out, and
/// the way leads out.
#[test]
fn a_made_up_fence_is_repaired() {
    for trailer in ["Coord-Fence", "Coord-Seq"] {
        let repo = Repo::new();
        repo.reserve("alice", "a");
        let whole = repo.tip();
        repo.reserve("alice", "b");
        let message = repo.tip_message();
        let line = message.lines().find(|line| line.starts_with(trailer)).unwrap();
        repo.overwrite_message(&message.replace(line, &format!("{trailer}: 9007199254740992")));
        let refused = repo.coord_json("bob", ["reserve", "docs"]).exits(exit::FAILURE).json();
        let said = refused["error"]["message"].as_str().unwrap();
        assert!(said.contains("9007199254740992, so high that no entry can follow it"), "{said}");
        assert_eq!(refused["error"]["next"][0], json!(["git", "coord", "doctor", "--repair"]));
        assert_eq!(patterns(&repo), ["a", "b"], "it can be read");
        let answer = repo.coord_json("ops", ["doctor", "--repair"]).done().json();
        assert_eq!(answer["repaired"][0]["whole"], whole, "{answer:#}");
        repo.reserve("bob", "docs");
        repo.coord("ops", ["ledger", "verify"]).done();
    }
}

//! `ledger compact`: old entries are set aside, and nothing else changes.

use serde_json::{Value, json};

use crate::support::contract::{RESERVATIONS, RESERVATIONS_REF, exit, key};
use crate::support::{Call, Repo, race, texts};

const COMPACTED: &str = "compacted";

/// Creates a ledger with five entries of long ago, each with one event, and four new ones, the
/// newest of them a rollback. Nothing of the old ones can be swept by chance.
fn long_kept() -> Repo {
    let repo = Repo::new();
    for words in [
        &["reserve", "a"][..],
        &["renew", "--mine", "--ttl", "2h"],
        &["reserve", "b"],
        &["release", "--path", "a"],
        &["release", "--path", "b"],
    ] {
        repo.coord("alice", words).done();
        repo.pass("1m");
    }
    repo.pass("40d");
    repo.reserve("bob", "src");
    let good = repo.tip();
    repo.reserve("carol", "docs");
    repo.reserve("dave", "lib");
    roll_back(&repo, &good).done();
    repo
}

fn roll_back(repo: &Repo, to: &str) -> crate::support::Output {
    repo.coord("ops", ["ledger", "rollback", RESERVATIONS, "--to", to, "--reason", "a mistake"])
}

fn compact(repo: &Repo) -> Value {
    repo.json("ops", ["ledger", "compact"])["ledgers"][0].clone()
}

fn archives(repo: &Repo) -> Vec<String> {
    let found = repo.git(["for-each-ref", "--format=%(refname)", "refs/coord/archive"]);
    found.lines().map(str::to_owned).collect()
}

/// Lists the events after a position, without the names of their entries.
fn later_events(repo: &Repo, after: u64) -> Vec<Value> {
    let mut events = repo.events("");
    events.retain(|event| event["seq"].as_u64().unwrap() > after);
    for event in &mut events {
        event.as_object_mut().unwrap().remove("entry");
    }
    events
}

/// Reads `ledger log`, without the names of entries and the rollback's first line.
fn logged(repo: &Repo) -> Vec<[Value; 4]> {
    let log = repo.json("ops", ["ledger", "log", RESERVATIONS]);
    let row = |entry: &Value| ["seq", "op", "at", "events"].map(|name| entry[name].clone());
    log["entries"].as_array().unwrap().iter().map(row).collect()
}

fn tree(repo: &Repo) -> String {
    repo.git(["rev-parse", &format!("{RESERVATIONS_REF}^{{tree}}")])
}

/// The law: no document, no later event, no fence and no number changes.
#[test]
fn nothing_but_the_old_entries_changes() {
    let repo = long_kept();
    let (holds, documents) = (repo.holds(), tree(&repo));
    let (events, log) = (later_events(&repo, 5), logged(&repo));
    let before = repo.tip();
    let answer = compact(&repo);
    assert_eq!((&answer["set_aside"], &answer["kept"]), (&5.into(), &4.into()), "{answer:#}");
    assert_eq!(answer["entry"], repo.tip().as_str());
    assert_ne!(repo.tip(), before);
    assert_eq!(repo.entry_count(), 5);
    assert_eq!((repo.holds(), tree(&repo)), (holds, documents));
    assert_eq!(later_events(&repo, 5), events);
    assert_eq!(logged(&repo)[..4], log[..4]);
    let authors = |tip: &str| repo.git(["log", "-4", "--format=%an %ae %ad %cn %ce %cd", tip]);
    assert_eq!(authors(&repo.tip()), authors(&before));
    assert_eq!(archives(&repo), [answer["archive"].as_str().unwrap()]);
    assert_eq!(repo.git(["rev-parse", answer["archive"].as_str().unwrap()]), before);
    let verified = repo.json("ops", ["ledger", "verify"]);
    assert_eq!((&verified["entries"], &verified["checkpoints"]), (&5.into(), &1.into()));
    // Fences and numbers go on.
    let fence = |hold: &Value| hold["fence"].as_u64().unwrap();
    let highest = repo.holds().iter().map(fence).max().unwrap();
    assert!(fence(&repo.reserve("dave", "new")) > highest);
    assert_eq!(
        repo.events("").last().unwrap()["seq"],
        events.last().unwrap()["seq"].as_u64().unwrap() + 1
    );
    repo.coord("ops", ["ledger", "verify"]).done();
    repo.git(["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn the_checkpoint_says_what_it_is() {
    let repo = long_kept();
    let replaced = repo.tip();
    let stands_for = repo.git(["rev-parse", "refs/coord/reservations~4"]);
    compact(&repo);
    let compacted = repo.events(COMPACTED);
    assert_eq!(compacted.len(), 1);
    assert_eq!((&compacted[0]["seq"], &compacted[0]["actor"]), (&5.into(), &"ops".into()));
    assert_eq!(compacted[0]["data"]["stands_for"], stands_for.as_str());
    assert_eq!(compacted[0]["data"]["replaces"], replaced.as_str());
    assert_eq!(compacted[0]["data"]["set_aside"], 5);
    let root = repo.git(["rev-list", "--max-parents=0", RESERVATIONS_REF]);
    let message = repo.git(["log", "-1", "--format=%B", &root]);
    for trailer in [
        format!("Coord-Stands-For: {stands_for}"),
        format!("Coord-Replaces: {replaced}"),
        "Coord-Set-Aside: 5".to_owned(),
        "Coord-Seq: 5".to_owned(),
    ] {
        assert!(message.lines().any(|line| line == trailer), "{trailer}\n{message}");
    }
    let at_root = format!("{RESERVATIONS}@{root}");
    let shown = repo.json("ops", ["ledger", "show", &at_root]);
    assert_eq!(shown["command"]["command"], "compact");
    repo.coord("ops", ["ledger", "log", RESERVATIONS]).done().says("compact 5 entries");
}

/// A kept rollback is decided again on the entry that it goes back to, so that one is kept too.
#[test]
fn entries_that_a_kept_rollback_reads_are_kept() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["z", "--ttl", "1h"]);
    repo.reserve_with("alice", &["a", "--ttl", "1h"]);
    let target = repo.tip();
    repo.reserve_with("alice", &["b", "--ttl", "1h"]);
    repo.reserve_with("alice", &["c", "--ttl", "1h"]);
    repo.pass("40d");
    repo.reserve("bob", "src");
    roll_back(&repo, &target).done();
    let answer = compact(&repo);
    assert_eq!((&answer["set_aside"], &answer["kept"]), (&2.into(), &4.into()), "{answer:#}");
    assert_eq!(answer["stands_for"], target.as_str());
    repo.coord("ops", ["ledger", "verify"]).done();
}

#[test]
fn a_young_ledger_is_left_alone() {
    let repo = Repo::unborn();
    repo.coord("ops", ["ledger", "compact"]).done().says("nothing to set aside");
    repo.reserve("alice", "src");
    repo.pass("40d");
    repo.coord("ops", ["ledger", "compact"]).done().says("nothing to set aside");
    repo.reserve("alice", "docs");
    repo.coord("ops", ["ledger", "compact"]).done().says("nothing to set aside");
    let before = repo.tip();
    assert_eq!(compact(&repo)["set_aside"], 0);
    assert_eq!((repo.tip(), archives(&repo)), (before, Vec::new()));
    repo.coord("ops", ["ledger", "compact", "--keep", "0d"]).exits(exit::USAGE);
}

#[test]
fn a_dry_run_tells_and_leaves() {
    let repo = long_kept();
    let before = repo.tip();
    let answer = repo.json("ops", ["ledger", "compact", RESERVATIONS, "--dry-run"]);
    assert_eq!(answer["dry_run"], true);
    assert_eq!(answer["ledgers"][0]["set_aside"], 5);
    assert!(answer["ledgers"][0].get("entry").is_none(), "{answer:#}");
    repo.coord("ops", ["ledger", "compact", "--dry-run"]).done().says("would set aside 5 entries");
    assert_eq!((repo.tip(), archives(&repo)), (before, Vec::new()));
}

/// Reads the events that `events --consumer` delivers, and its messages.
fn delivered(repo: &Repo, consumer: &str) -> (Vec<u64>, String) {
    let output = repo.coord("reader", ["events", "--json", "--consumer", consumer]).done();
    let seqs = output.json_lines().iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    (seqs, output.stderr)
}

fn read_up_to(repo: &Repo, consumer: &str, limit: &str) {
    let words = ["events", "--json", "--consumer", consumer, "--limit", limit];
    repo.coord("reader", words).done();
}

/// A reader goes on where it stopped: before what was set aside, at its end, within what is kept,
/// and at the end of everything.
#[test]
fn cursors_stay_valid() {
    let repo = long_kept();
    let last = repo.events("").len() as u64;
    for (consumer, limit) in [("before", "3"), ("at", "5"), ("within", "6"), ("after", "100")] {
        read_up_to(&repo, consumer, limit);
    }
    compact(&repo);
    let from = |first: u64| (first..=last).collect::<Vec<u64>>();
    // In the place of what was set aside stands one event, which says where it is.
    assert_eq!(delivered(&repo, "before"), (from(5), String::new()));
    assert_eq!(delivered(&repo, "at"), (from(6), String::new()));
    assert_eq!(delivered(&repo, "within"), (from(7), String::new()));
    assert_eq!(delivered(&repo, "after"), (Vec::new(), String::new()));
    assert_eq!(delivered(&repo, "new"), (from(5), String::new()));
    let since = |place: &str| {
        let output = repo.coord("reader", ["events", "--json", "--since", place]).done();
        output.json_lines().len() as u64
    };
    assert_eq!(since("reservations:2"), last - 4);
    assert_eq!(since("reservations:6"), last - 6);
}

/// Without the archive nobody knows where a reader was: it gets everything that there is.
#[test]
fn a_cursor_that_nobody_knows_begins_again() {
    let repo = long_kept();
    read_up_to(&repo, "reader", "6");
    let archive = compact(&repo)["archive"].as_str().unwrap().to_owned();
    repo.git(["update-ref", "-d", &archive]);
    repo.git(["-c", "gc.reflogExpire=now", "gc", "--quiet", "--prune=now"]);
    let (seqs, said) = delivered(&repo, "reader");
    assert_eq!(seqs.first(), Some(&0), "a reader of JSON is told too");
    assert_eq!(seqs.get(1), Some(&5));
    assert!(said.contains("rewound"), "{said}");
    let verified = repo.json("ops", ["ledger", "verify"]);
    assert_eq!(verified["checkpoints"], 1, "what cannot be read is not held against it");
}

#[test]
fn what_was_set_aside_is_named_with_its_place() {
    let repo = long_kept();
    let old = repo.git(["rev-parse", "refs/coord/reservations~6"]);
    let stands_for = repo.git(["rev-parse", "refs/coord/reservations~4"]);
    let kept = repo.git(["rev-parse", "refs/coord/reservations~3"]);
    let archive = compact(&repo)["archive"].as_str().unwrap().to_owned();
    let refused = roll_back(&repo, &old).exits(exit::NOTHING);
    refused.says("was set aside by a compaction").says(&archive);
    for place in [&old, &old[..12], "2"] {
        let at = format!("{RESERVATIONS}@{place}");
        repo.coord("ops", ["ledger", "show", &at]).exits(exit::NOTHING).says(&archive);
    }
    // An entry that is still there answers to its old name too, and so does the checkpoint.
    let shown = |name: &str| {
        let at = format!("{RESERVATIONS}@{name}");
        repo.json("ops", ["ledger", "show", &at])["entry"].as_str().unwrap().to_owned()
    };
    assert_eq!(shown(&kept), repo.git(["rev-parse", "refs/coord/reservations~3"]));
    assert_eq!(shown(&stands_for), repo.git(["rev-parse", "refs/coord/reservations~4"]));
    roll_back(&repo, &stands_for).done();
    repo.coord("ops", ["ledger", "verify"]).done();
}

#[test]
fn a_second_compaction_goes_on_from_the_first() {
    let repo = long_kept();
    read_up_to(&repo, "reader", "3");
    let first = compact(&repo)["archive"].clone();
    assert_eq!(compact(&repo)["set_aside"], 0);
    repo.pass("40d");
    repo.reserve("dave", "later");
    let answer = compact(&repo);
    assert_eq!((&answer["set_aside"], &answer["kept"]), (&5.into(), &1.into()), "{answer:#}");
    assert_eq!(archives(&repo).len(), 2);
    assert_ne!(answer["archive"], first);
    repo.coord("ops", ["ledger", "verify"]).done();
    let (seqs, said) = delivered(&repo, "reader");
    assert_eq!((seqs.len(), said.as_str()), (repo.events("").len(), ""));
    // The first archive is found through the second.
    let at = format!("{RESERVATIONS}@2");
    repo.coord("ops", ["ledger", "show", &at]).exits(exit::NOTHING).says(first.as_str().unwrap());
}

/// Killed right after the first of the two refs: nothing is lost, and the same command does the
/// rest. Every other step is one that a plain write has as well.
#[test]
fn a_compaction_killed_between_its_refs_loses_nothing() {
    let recorded = long_kept();
    let steps = recorded.world().join("tmp/steps");
    let call = recorded.call("ops").args(["ledger", "compact"]);
    call.env("GIT_COORD_STEPS", &steps).run().done();
    let steps = std::fs::read_to_string(steps).unwrap();
    let is_made = |line: &&str| line.contains("Rename") && line.contains("refs/coord/archive");
    let step = steps.lines().take_while(|line| !is_made(line)).count() + 1;
    assert!(step < steps.lines().count(), "{steps}");

    let repo = long_kept();
    let (before, holds) = (repo.tip(), repo.holds());
    let call = repo.call("ops").args(["ledger", "compact"]);
    assert_ne!(call.env("GIT_COORD_FAULT", format!("{step}:kill-after")).run().code, exit::DONE);
    assert_eq!((archives(&repo).len(), repo.tip(), repo.holds()), (1, before, holds.clone()));
    repo.coord("ops", ["ledger", "verify"]).done();
    repo.coord("ops", ["ledger", "compact"]).done();
    assert_eq!((archives(&repo).len(), repo.entry_count(), repo.holds()), (1, 5, holds));
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// Beside writers, and without the queue: every grant is there afterwards.
#[test]
fn writers_and_a_compaction_do_not_disturb_each_other() {
    let repo = long_kept();
    let mut calls: Vec<Call> = (0..6)
        .map(|number| {
            repo.call(&format!("agent-{number}")).args(["reserve", &format!("r/{number}")])
        })
        .collect();
    calls.push(repo.call("ops").args(["ledger", "compact"]));
    let calls: Vec<Call> = calls.into_iter().map(|call| call.config(key::QUEUE, "false")).collect();
    for output in race(&repo, &calls) {
        output.done();
    }
    let holds = repo.holds();
    let granted = texts(&holds.into(), "pattern");
    assert_eq!(granted.iter().filter(|pattern| pattern.starts_with("r/")).count(), 6);
    repo.coord("ops", ["ledger", "verify"]).done();
    assert_eq!(repo.events(COMPACTED).len(), 1);
}

/// A checkpoint is held against the entry that it stands for.
#[test]
fn a_forged_checkpoint_is_a_fault() {
    let repo = Repo::new();
    repo.reserve("alice", "a");
    let id = repo.reserve_id("alice", "b");
    repo.pass("40d");
    compact(&repo);
    assert_eq!(repo.entry_count(), 1);
    repo.coord("ops", ["ledger", "verify"]).done();
    let honest = repo.tip_message();
    repo.overwrite_message(&honest.replace("Coord-Seq: 2", "Coord-Seq: 3"));
    repo.coord("ops", ["ledger", "verify"]).exits(exit::NO).says("sequence, time or fence");
    repo.overwrite_message(&honest);
    repo.coord("ops", ["ledger", "verify"]).done();
    let links = repo.documents_of(&id);
    repo.overwrite(&links, &repo.document(&links[0]).replace("alice", "mallory"));
    repo.coord("ops", ["ledger", "verify"]).exits(exit::NO).says("tree of documents");
}

fn drop_archives(repo: &Repo, options: &[&str]) -> Value {
    let words = ["ledger", "compact", RESERVATIONS, "--drop-archives"];
    repo.json("ops", words.iter().chain(options))["ledgers"][0].clone()
}

/// 8/GROWTH: what was set aside long ago is dropped when that is asked for, and git then frees as
/// much as was said.
#[test]
fn archives_are_dropped_and_what_is_said_is_freed() {
    let repo = long_kept();
    let oldest = repo.git(["rev-list", "--max-parents=0", RESERVATIONS_REF]);
    let is_there = || repo.git_call(["cat-file", "-e", &oldest]).run_unproven().code == 0;
    let archive = compact(&repo)["archive"].as_str().unwrap().to_owned();
    let young = drop_archives(&repo, &[]);
    assert_eq!((&young["dropped"], &young["bytes"]), (&json!([]), &json!(0)), "{young:#}");
    repo.coord("ops", ["ledger", "compact", "--drop-archives"]).done().says("no archive is old");
    repo.pass("40d");
    // A ref that somebody else has put there, and one of another ledger, are none of these.
    let tip = repo.git(["rev-parse", &archive]);
    let others = ["reservations/20250105T100000Z-of-mine", "reservations/of-mine", "runs/mine"];
    let others = others.map(|name| format!("refs/coord/archive/{name}"));
    let other_tip = repo.git(["rev-parse", "HEAD"]);
    for other in &others {
        repo.git(["update-ref", other, &other_tip]);
    }
    let before = repo.tip();
    let planned = drop_archives(&repo, &["--dry-run"]);
    assert_eq!(planned["dropped"], json!([archive]), "{planned:#}");
    assert!(planned["bytes"].as_u64().unwrap() > 1000, "{planned:#}");
    assert_eq!((repo.tip(), archives(&repo).len()), (before, 4), "nothing was changed");
    let text = ["ledger", "compact", "--drop-archives", "--dry-run"];
    repo.coord("ops", text).done().says("would drop 1 archive, which lets git free");

    repo.git(["gc", "--quiet", "--prune=now"]);
    assert!(is_there(), "the archive has it");
    let told = drop_archives(&repo, &["--dry-run"]);
    let dropped = drop_archives(&repo, &[]);
    assert_eq!((&dropped["dropped"], &dropped["bytes"]), (&told["dropped"], &told["bytes"]));
    assert_eq!(dropped["next"], json!([["git", "gc", "--prune=now"]]));
    assert_eq!(dropped["entry"], repo.tip().as_str());
    assert_eq!(archives(&repo), others, "what is none of ours stays");
    let recorded = &repo.events("archives_dropped")[0];
    assert_eq!(
        (&recorded["actor"], &recorded["data"]["archives"]),
        (&json!("ops"), &json!([archive]))
    );
    repo.git(["gc", "--quiet", "--prune=now"]);
    assert!(!is_there(), "what is said frees it");
    assert!(repo.git_call(["cat-file", "-e", &tip]).run_unproven().code != 0);
    repo.coord("ops", ["ledger", "verify"]).done();
    assert_eq!(drop_archives(&repo, &[])["dropped"], json!([]), "and nothing is left to drop");
    assert_eq!(repo.events("archives_dropped").len(), 1);
}

/// A process that is killed after the record has dropped nothing, and the same command does it.
#[test]
fn a_drop_that_is_killed_is_done_by_the_next() {
    let repo = long_kept();
    compact(&repo);
    repo.pass("40d");
    let call = || repo.call("ops").args(["ledger", "compact", "--drop-archives"]);
    let fault = "Rename@refs/coord/reservations:kill-after";
    assert_ne!(call().env("GIT_COORD_FAULT", fault).run().code, exit::DONE);
    assert_eq!((archives(&repo).len(), repo.events("archives_dropped").len()), (1, 1));
    call().run().done();
    assert_eq!((archives(&repo).len(), repo.events("archives_dropped").len()), (0, 2));
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 8/GROWTH: a dry run tells how much room the old entries take, and the commands that the help
/// names free it.
#[test]
fn what_a_dry_run_tells_is_freed_once_the_archive_is_dropped() {
    let repo = long_kept();
    let dry_run = repo.json("ops", ["ledger", "compact", "--dry-run"]);
    let told = dry_run["ledgers"][0]["bytes"].as_u64().unwrap();
    assert!(told > 1000, "{dry_run:#}");
    repo.coord("ops", ["ledger", "compact", "--dry-run"]).done().says("which take");
    let oldest = repo.git(["rev-list", "--max-parents=0", RESERVATIONS_REF]);
    let is_there = || repo.git_call(["cat-file", "-e", &oldest]).run_unproven().code == 0;
    let copy = repo.copy();
    let said = copy.coord("ops", ["ledger", "compact"]).done();
    let delete = format!("git update-ref -d {}", archives(&copy)[0]);
    said.says(&format!("these free it: {delete} && git gc --prune=now"));
    let next = compact(&repo)["next"].clone();
    repo.git(["gc", "--quiet", "--prune=now"]);
    assert!(is_there(), "the archive has it");
    for command in next.as_array().unwrap_or_else(|| panic!("no commands: {next:#}")) {
        let words: Vec<&str> =
            command.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        repo.git(&words[1..]);
    }
    assert!(!is_there(), "what is said frees it");
    repo.coord("ops", ["ledger", "verify"]).done();
}

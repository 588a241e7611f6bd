//! Ledgers that are damaged, hostile or strange: they are reported, not trusted, and do not block
//! unrelated commands.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::contract::{RESERVATIONS_REF, exit};
use crate::support::{Repo, texts};

/// Creates a hold whose documents are not JSON any more. Returns it and the entry before the
/// damage.
fn one_damaged(repo: &Repo) -> (String, String) {
    let id = repo.reserve_id("alice", "src/broken.rs");
    let whole = repo.tip();
    repo.overwrite(&repo.documents_of(&id), "{ no json");
    (id, whole)
}

/// 7/MESSAGES: the failure says what is damaged and what to type.
#[test]
fn damage_is_named_with_the_way_out() {
    let repo = Repo::new();
    let (id, _) = one_damaged(&repo);
    let output = repo.coord("bob", ["check", "src"]).exits(exit::FAILURE);
    output.says(&id).says("git coord ledger verify").says("git update-ref refs/coord/reservations");
}

/// The natural way out works: a rollback does not need the damaged state to be readable.
#[test]
fn a_rollback_leads_out_of_a_damaged_state() {
    let repo = Repo::new();
    let kept = repo.reserve_id("bob", "docs");
    let (id, whole) = one_damaged(&repo);
    let first = repo.git(["rev-parse", &format!("{whole}^")]);
    let rollback = ["ledger", "rollback", "reservations", "--to", first.trim(), "--reason", "heal"];
    repo.coord("bob", rollback).done();
    let holds = repo.holds();
    assert_eq!(holds.len(), 1, "{holds:?}");
    assert_eq!(holds[0]["id"], kept.as_str());
    let links = repo.documents().into_iter().filter(|path| path.ends_with(&id));
    assert_eq!(links.count(), 0, "no link of the damaged hold is left");
    repo.coord("alice", ["reserve", "src/broken.rs"]).done();
}

/// 1/M4: damage stops a decision that it is about, and no other.
#[test]
fn damage_elsewhere_does_not_stop_a_write() {
    let repo = Repo::new();
    one_damaged(&repo);
    for number in 0..20 {
        repo.coord("bob", ["reserve", &format!("docs/{number}")]).done();
    }
    repo.coord("bob", ["reserve", "src/broken.rs"]).exits(exit::FAILURE);
}

/// 1/M4: a link in the place of a directory would hide the holds below it from us, not from git.
#[test]
fn a_link_on_the_way_to_a_path_is_damage() {
    let repo = Repo::new();
    repo.reserve_id("alice", "src/api");
    repo.overwrite_by_link("paths/+src");
    for command in ["check", "reserve"] {
        let output = repo.coord("bob", [command, "src/api/users.rs"]).exits(exit::FAILURE);
        output.says("'+src' is neither document nor directory");
    }
}

/// 1/SAFETY-1-owner: what a document says reaches no terminal unescaped.
#[test]
fn an_escape_sequence_in_a_document_stays_text() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src");
    let links = repo.documents_of(&id);
    let hostile = repo.document(&links[0]).replace("\"command\"", "\"\\u001b[31mred\"");
    repo.overwrite(&links, &hostile);
    for (command, code) in [
        (&["list"][..], exit::DONE),
        (&["check", "src"], exit::FAILURE),
        (&["ledger", "verify"], exit::NO),
    ] {
        let output = repo.coord("bob", command.iter().copied()).exits(code);
        assert!(!output.stderr.contains('\u{1b}') && !output.stdout.contains('\u{1b}'));
    }
}

/// A made-up counter is damage, not a number to count on from.
#[test]
fn counters_out_of_range_are_damage() {
    for (trailer, value) in [
        ("Coord-Seq", "18446744073709551615"),
        ("Coord-Fence", "18446744073709551615"),
        ("Coord-Seq", "0"),
    ] {
        let repo = Repo::new();
        repo.reserve("alice", "src");
        let message = repo.tip_message();
        let line = message.lines().find(|line| line.starts_with(trailer)).unwrap();
        repo.overwrite_message(&message.replace(line, &format!("{trailer}: {value}")));
        for command in [&["reserve", "docs"][..], &["events"], &["list"]] {
            let output = repo.coord("bob", command.iter().copied()).exits(exit::FAILURE);
            output.says("out of range");
        }
    }
}

/// 1/M4: a hold that cannot be read hides no other. It is named wherever holds are shown, and what
/// it may hold is free for nobody.
#[test]
fn one_damaged_hold_stops_no_list() {
    let repo = Repo::new();
    repo.reserve("bob", "docs");
    repo.reserve("alice", "src/whole.rs");
    let (id, _) = one_damaged(&repo);
    let shown: [&[&str]; 6] = [
        &["list"],
        &["list", "--holder", "alice"],
        &["list", "--path", "src"],
        &["list", "--all"],
        &["status"],
        &["agents"],
    ];
    for command in shown {
        let output = repo.coord("carol", command.iter().copied()).done();
        output.says(&format!("damaged: ids/{id}"));
        output.says("git coord doctor");
        let notes = texts(&repo.json("carol", command.iter().copied())["notes"], "text");
        assert!(notes[0].starts_with(&format!("damaged: ids/{id}")), "{notes:?}");
        assert!(notes[1].ends_with("git coord doctor"), "{notes:?}");
    }
    let listed = repo.json("carol", ["list"]);
    let mut patterns = texts(&listed["reservations"], "pattern");
    patterns.sort();
    assert_eq!(
        (patterns, texts(&listed["damaged"], "key").len()),
        (vec!["docs".into(), "src/whole.rs".into()], 1)
    );
    let on_path = repo.json("carol", ["list", "--path", "src"]);
    assert_eq!(texts(&on_path["reservations"], "pattern"), ["src/whole.rs"]);
    repo.coord("carol", ["check", "docs/x"]).exits(exit::NO);
    for path in ["src/broken.rs", "src", "**"] {
        repo.coord("carol", ["check", path]).exits(exit::FAILURE).says(&id);
        repo.coord("carol", ["reserve", path]).exits(exit::FAILURE).says(&id);
    }
}

/// The way out takes away what cannot be read, says so, and leaves everything else.
#[test]
fn a_damaged_hold_is_taken_out_by_a_repair() {
    let repo = Repo::new();
    let kept = repo.reserve_id("bob", "docs");
    let (id, _) = one_damaged(&repo);
    let before = repo.tip();
    let answer = repo.coord_json("ops", ["doctor"]).exits(exit::NO).json();
    let checks = answer["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == "reservations").unwrap();
    assert_eq!(found["next"][1], json!(["git", "coord", "doctor", "--repair"]), "{found:#}");

    let planned = repo.coord("ops", ["doctor", "--repair", "--dry-run"]).exits(exit::NO);
    planned.says("would take out").says(&format!("@{id}"));
    assert_eq!(repo.tip(), before, "nothing was changed");

    // The entry that somebody has overwritten is none of its command's, and stays a fault.
    let answer = repo.coord_json("ops", ["doctor", "--repair"]).exits(exit::NO).json();
    let documents = answer["taken_out"]["documents"].as_array().unwrap();
    assert_eq!(documents.len(), 3, "{answer:#}");
    assert_eq!(answer["taken_out"]["entry"], repo.tip());
    let events = repo.events("repaired");
    assert_eq!(events[0]["data"]["taken_out"], json!(documents));
    assert_eq!(events[0]["data"]["kept_at"], format!("entry {before}"));
    let holds = repo.holds();
    assert_eq!((holds.len(), &holds[0]["id"]), (1, &json!(kept)));
    repo.coord("carol", ["reserve", "src"]).done();
    let faults = repo.coord_json("ops", ["ledger", "verify"]).exits(exit::NO).json();
    assert_eq!(texts(&faults["faults"], "entry"), [before], "the repair is decided again");
    assert!(repo.coord_json("ops", ["doctor", "--repair"]).json().get("taken_out").is_none());
}

/// Plants a tree of few objects that has more paths than anybody can walk: each level names the
/// next one three times.
fn plant_a_maze(repo: &Repo, roots: &[&str]) {
    let tree_of = |listed: &str| -> String {
        let made = repo.git_call(["mktree"]).input(listed).run_unproven().done();
        made.stdout.trim_end().to_owned()
    };
    let document = repo.store_blob("{}");
    let mut maze = tree_of(&format!("100644 blob {document}\tdocument\n"));
    for _ in 0..60 {
        let level: Vec<String> =
            ["+a", "+b", "+c"].iter().map(|name| format!("040000 tree {maze}\t{name}\n")).collect();
        maze = tree_of(&level.concat());
    }
    let listed = repo.git(["ls-tree", RESERVATIONS_REF]);
    let is_other = |line: &&str| !roots.iter().any(|root| line.ends_with(&format!("\t{root}")));
    let mut lines: Vec<String> = listed.lines().filter(is_other).map(str::to_owned).collect();
    lines.extend(roots.iter().map(|root| format!("040000 tree {maze}\t{root}")));
    lines.sort_by_key(|line| line.rsplit('\t').next().unwrap().to_owned());
    let tree = tree_of(&(lines.join("\n") + "\n"));
    repo.replace_tip(&tree, &repo.tip_message());
}

/// Begins a session of Claude Code. Its hook says why it knows nothing, or that it has no time to
/// find out, and stops nothing.
#[track_caller]
fn a_session_begins_in_time(repo: &Repo) {
    let payload = json!({
        "session_id": "7f3a91c2-5b1d-4c7e-9a30-1f2e3d4c5b6a",
        "cwd": repo.work(),
        "hook_event_name": "SessionStart",
        "source": "startup",
    });
    let hook = repo.call("").args(["hook", "claude"]).input(payload.to_string());
    let told = hook.config("coord.enabled", "true").run();
    let says = |words: &str| told.stderr.contains(words) || told.stdout.contains(words);
    assert!(says("more directories below it than") || says("nothing is blocked"), "{told:#?}");
}

/// 1/M4, 8/NO-HARM: what cannot be walked is not walked for long, and there is a way out.
#[test]
fn a_tree_of_endless_paths_is_damage() {
    let repo = Repo::new();
    repo.reserve("alice", "lib");
    repo.reserve("alice", "src");
    plant_a_maze(&repo, &["ids", "paths"]);
    let begun = Instant::now();
    let below =
        |place: &str| format!("'{place}': more directories below it than this program reads");
    for (command, code, said) in [
        (&["list"][..], exit::FAILURE, &*below("ids")),
        (&["status"], exit::FAILURE, &below("ids")),
        (&["agents"], exit::FAILURE, &below("ids")),
        (&["check", "**"], exit::FAILURE, &below("paths")),
        (&["ledger", "diff", "reservations"], exit::FAILURE, "more directories differ"),
        (&["ledger", "verify"], exit::NO, &below("ids")),
    ] {
        repo.coord("bob", command.iter().copied()).exits(code).says(said);
    }
    a_session_begins_in_time(&repo);
    assert!(begun.elapsed() < Duration::from_secs(60), "took {:?}", begun.elapsed());
    repo.coord("ops", ["doctor", "--repair"]).done().says("more directories");
    assert_eq!(texts(&repo.holds().into(), "pattern"), ["lib"]);
    repo.coord("bob", ["check", "**"]).exits(exit::NO);
}

/// An entry is held against its command as a whole, its first line included.
#[test]
fn a_forged_first_line_is_a_fault() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let message = repo.tip_message();
    repo.overwrite_message(&message.replace("reserve src for alice", "reserve src for bob"));
    repo.coord("ops", ["ledger", "verify"]).exits(exit::NO).says("first line");
}

/// A hold of another name than its document is damage: it could be swept again and again.
#[test]
fn a_document_under_a_wrong_name_is_damage() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src");
    let other = if id.starts_with('a') { "b" } else { "a" }.repeat(8);
    let links = repo.documents_of(&id);
    repo.overwrite(&links, &repo.document(&links[0]).replace(&id, &other));
    repo.coord("bob", ["sweep"]).exits(exit::FAILURE).says(&other);
}

//! If a hold that is asked for ends in any way, the same entry tells the asker.

use super::*;

/// Returns the state of the thread and the asker's message, after one more entry.
#[track_caller]
fn ends(how: &str, status: &str, act: impl Fn(&Repo, &str)) -> String {
    let repo = Repo::new();
    repo.reserve("carol", "docs");
    let before = repo.tip();
    let hold = repo.reserve_id("alice", "src/api/**");
    let id = thread_of(&ask(&repo, "bob", &["src/api/users.rs"]));
    repo.git(["update-ref", "refs/tags/before", &before]);
    let entries = repo.entry_count();
    act(&repo, &hold);
    assert_eq!(repo.entry_count(), entries + 1, "{how}: one entry");
    let state = thread(&repo, &id);
    assert_eq!((&state["status"], &state["outcome"]["how"]), (&json!(status), &json!(how)));
    assert_eq!(state["outcome"]["acknowledged"], Value::Null, "{how}: nobody said so");
    let messages = repo.json("bob", ["inbox", "--type", "freed"])["messages"].clone();
    assert_eq!(messages.as_array().unwrap().len(), 1, "{how}: {messages:#}");
    assert_eq!(repo.json("bob", ["status"])["asks"], json!([]), "{how}: it is over");
    verified(&repo);
    messages[0]["subject"].as_str().unwrap().to_owned()
}

#[test]
fn a_release() {
    let told = ends("released", "free", |repo, hold| {
        repo.json("alice", ["release", hold]);
    });
    assert!(told.contains("alice released src/api/users.rs: it is free"), "{told}");
}

#[test]
fn a_release_by_force() {
    ends("released", "free", |repo, hold| {
        repo.json("carol", ["release", hold, "--force", "--reason", "crashed"]);
    });
}

#[test]
fn a_transfer() {
    let told = ends("transferred", "held", |repo, hold| {
        repo.json("alice", ["transfer", "--to", "carol", hold]);
    });
    assert!(told.contains("on to carol: carol holds it now"), "{told}");
}

/// What has run out, and no write has met yet, is not waited for: whoever reads is told.
#[test]
fn an_end_that_nobody_has_met_yet() {
    let (repo, hold, id) = asked();
    repo.pass("16m");
    let tip = repo.tip();
    let made = repo.json("bob", ["status"])["asks"][0].clone();
    assert_eq!((&made["status"], &made["can_take"]), (&json!("free"), &json!(true)));
    assert_eq!(made.get("stage"), None, "{made:#}");
    repo.coord("bob", ["status"]).done().says("has ended, it can be taken");
    let alice = repo.json("alice", ["status"]);
    assert_eq!(alice["to_answer"], json!([]), "there is nothing to answer");
    repo.coord("carol", ["status"]).done().says("Ended and not yet swept: 1");
    let agents = repo.json("carol", ["agents"])["agents"].clone();
    let alice = agents.as_array().unwrap().iter().find(|one| one["agent"] == "alice").unwrap();
    assert_eq!((&alice["to_answer"], &alice["overdue"]), (&json!(0), &json!(0)));
    assert_eq!(repo.tip(), tip, "3/GAPS-1: reading writes nothing");
    let taken = repo.json("bob", ["take", &id, "--reason", "it is free"]);
    assert_eq!((&taken["taken"], &taken["outcome"]["how"]), (&json!([]), &json!("expired")));
    assert_eq!(holders(&repo), [("bob".to_owned(), "src/api/users.rs".to_owned())]);
    assert!(repo.events("expired").iter().any(|event| event["subject"] == hold.as_str()));
    verified(&repo);
}

#[test]
fn a_sweep() {
    let told = ends("expired", "free", |repo, _| {
        repo.pass("16m");
        repo.json("ops", ["sweep"]);
    });
    assert!(told.contains("ran out"), "{told}");
}

#[test]
fn an_end_that_a_write_meets() {
    ends("expired", "free", |repo, _| {
        repo.pass("16m");
        repo.reserve("dave", "src/api/orders.rs");
    });
}

#[test]
fn a_rollback() {
    let told = ends("revoked", "free", |repo, _| {
        let before = repo.git(["rev-parse", "refs/tags/before"]);
        let words = ["ledger", "rollback", "reservations", "--to", &before, "--reason", "a test"];
        repo.json("ops", words);
    });
    assert!(told.contains("rolled back"), "{told}");
}

/// A rollback carries messages and acknowledgements forward.
#[test]
fn a_rollback_keeps_what_was_said() {
    let (repo, _, id) = asked();
    let before = repo.tip();
    repo.json("alice", ["answer", &id, "--release"]);
    let message = repo.json("bob", ["inbox"])["messages"][0]["id"].as_str().unwrap().to_owned();
    repo.json("bob", ["inbox", "--ack", &message]);
    let words = ["ledger", "rollback", "reservations", "--to", &before, "--reason", "too early"];
    repo.json("ops", words);
    assert_eq!(holders(&repo), [("alice".to_owned(), "src/api/**".to_owned())]);
    assert_eq!(thread(&repo, &id)["outcome"]["acknowledged"], true);
    assert_eq!(inbox(&repo, "bob"), ["released"]);
    assert_eq!(repo.json("bob", ["inbox", "--unread"])["messages"], json!([]));
    verified(&repo);
}

/// Who asks beside another is told who has it now.
#[test]
fn the_second_asker_is_told_who_has_it() {
    let (repo, _, id) = asked();
    let other = thread_of(&ask(&repo, "carol", &["src/api/users.rs"]));
    repo.json("alice", ["answer", &id, "--release"]);
    assert_eq!(thread(&repo, &other)["status"], "free", "of its old holder");
    let told = repo.json("carol", ["inbox"])["messages"][0]["subject"].as_str().unwrap().to_owned();
    assert!(told.ends_with("bob holds it now, ask again"), "{told}");
    verified(&repo);
}

/// What is pinned twice ends when both are gone.
#[test]
fn half_an_end_is_none() {
    let repo = Repo::new();
    let first = repo.reserve_id("alice", "src/a");
    let second = repo.reserve_id("alice", "src/b");
    let id = thread_of(&ask(&repo, "bob", &["src"]));
    repo.json("alice", ["release", &first]);
    assert_eq!(thread(&repo, &id)["pinned"], json!([second]));
    assert_eq!(inbox(&repo, "bob"), [] as [&str; 0]);
    repo.json("alice", ["release", &second]);
    assert_eq!(inbox(&repo, "bob"), ["freed"]);
    verified(&repo);
}

/// 3/ROLLBACK-2: an older program that knows nothing of threads leaves them alone, and what it
/// leaves behind can be gone on from.
#[test]
fn a_hold_that_went_without_a_word_is_no_obstacle() {
    let (repo, hold, id) = asked();
    repo.take_out(&repo.documents_of(&hold));
    repo.pass("10m");
    let taken = repo.json("bob", ["take", &id, "--reason", "r"]);
    assert_eq!((&taken["taken"], &taken["granted"][0]["holder"]), (&json!([]), &json!("bob")));
}

/// 3/ROLLBACK-3: what is over can be pruned, with a dry run; what is open stays.
#[test]
fn old_threads_are_pruned() {
    let (repo, _, id) = asked();
    repo.reserve_with("alice", &["docs", "--ttl", "24h"]);
    let open = thread_of(&ask(&repo, "bob", &["docs"]));
    repo.json("alice", ["answer", &id, "--release"]);
    repo.json("bob", ["send", "alice", "--subject", "thanks", "--body", "a\nb"]);
    repo.pass("2h");
    let tip = repo.tip();
    let dry = repo.json("ops", ["sweep", "--threads", "1h", "--dry-run"]);
    assert_eq!((dry["threads"].as_array().unwrap().len(), repo.tip()), (2, tip));
    assert_eq!(repo.json("ops", ["sweep", "--threads", "3h"])["threads"], json!([]));
    let pruned = repo.json("ops", ["sweep", "--threads", "1h"])["threads"].clone();
    assert!(pruned.as_array().unwrap().contains(&json!(id)), "{pruned}");
    repo.coord("bob", ["inbox", "--thread", &id]).exits(exit::NOTHING);
    assert_eq!(thread(&repo, &open)["status"], "pending");
    assert_eq!(inbox(&repo, "bob"), [] as [&str; 0]);
    assert_eq!(inbox(&repo, "alice"), ["ask"]);
    verified(&repo);
}

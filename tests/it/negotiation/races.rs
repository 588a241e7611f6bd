//! Concurrent processes: one swap decides.

use super::*;
use crate::support::{Output, race, rounds};

/// 3/CONCURRENT: a take-over against the holder, who reserves in the same instant. Either the new
/// hold came first and stops it, or it came after and is refused: an acknowledgement never stands
/// beside a live hold of the old holder that is in the way.
#[test]
fn a_take_over_races_a_new_hold() {
    for round in 0..rounds().div_ceil(5) {
        let (repo, _, id) = asked();
        repo.pass("10m");
        let take = repo.call("bob").args(["--json", "take", &id, "--reason", "r"]);
        let reserve = repo.call("alice").args(["--json", "reserve", "src/*/users.rs"]);
        let renew = repo.call("alice").args(["--json", "renew", "--mine"]);
        let outputs = race(&repo, &[take, reserve, renew]);
        let (took, reserved) = (outputs[0].code == 0, outputs[1].code == 0);
        assert_ne!(took, reserved, "round {round}: {outputs:#?}");
        let held_by: Vec<String> = holders(&repo).into_iter().map(|hold| hold.0).collect();
        if took {
            assert_eq!(held_by, ["alice", "bob"], "round {round}");
            let rest = repo.json("alice", ["list", "--mine"])["reservations"][0].clone();
            assert_eq!(rest["except"], json!(["src/api/users.rs"]), "8/REST-STAYS: {rest}");
        } else {
            assert_eq!(outputs[0].json()["refusal"]["code"], "reservation_changed");
            assert_eq!(held_by, ["alice", "alice"], "round {round}");
        }
        verified(&repo);
    }
}

/// 3/IDEMP: of several who answer at once, the counts add up to what there was.
#[test]
fn answers_at_once_add_up() {
    let (repo, _, id) = asked();
    let answer = || repo.call("alice").args(["--json", "answer", &id, "--release"]);
    let outputs = race(&repo, &[answer(), answer(), answer(), answer()]);
    let count = |one: &Output| one.json()["narrowed"].as_array().map_or(0, Vec::len);
    assert_eq!(outputs.iter().map(count).sum::<usize>(), 1, "{outputs:#?}");
    assert_eq!(inbox(&repo, "bob"), ["released"]);
    verified(&repo);
}

/// 3/MON-D3: of several who ask the same at once, all are in one thread.
#[test]
fn asks_at_once_join() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let call = || repo.call("bob").args(["--json", "ask", "src", "--reason", "r"]);
    let outputs = race(&repo, &[call(), call(), call(), call()]);
    let mut threads: Vec<String> = outputs.iter().map(|one| thread_of(&one.json())).collect();
    threads.dedup();
    assert_eq!(threads.len(), 1, "{outputs:#?}");
    assert_eq!(inbox(&repo, "alice"), ["ask"]);
}

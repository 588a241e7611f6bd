//! `ledger upgrade`: a ledger of any format becomes one of the newest, in one step, and can go
//! back.

use git_coord::core::documents::FORMAT_VERSION;
use git_coord::core::ledger::LedgerName;
use serde_json::{Value, json};

use super::{answer, answers, directories, imported, ledger_of, of_version};
use crate::support::contract::{FORMAT, RESERVATIONS, RESERVATIONS_REF};
use crate::support::{Call, Repo, race};

/// Returns the format that the tree of a ledger names.
fn format_of(repo: &Repo, reference: &str) -> Value {
    let document = repo.git(["show", &format!("{reference}:{FORMAT}")]);
    serde_json::from_str::<Value>(&document).unwrap()["version"].clone()
}

/// Returns what the program answers about the state. The history has one entry more after an
/// upgrade.
fn state(repo: &Repo, ledger: LedgerName) -> String {
    let [(_, list), ..] = answers(ledger);
    answer(repo, ledger, list)
}

fn upgrade(repo: &Repo, ledger: LedgerName) -> Value {
    repo.json("ops", ["ledger", "upgrade", ledger.as_str()])["ledgers"][0].clone()
}

fn go_back(repo: &Repo, reference: &str, archive: &str) {
    repo.git_call(["update-ref", reference, archive]).run_unproven().done();
}

/// Creates a repository whose reservations are of format 1.
pub(crate) fn of_format_1() -> Repo {
    imported(&of_version(1).join("folded"))
}

/// 4/F8, 4/TEST-5, 7/FORMAT-KEPT: every stored ledger of every earlier format is upgraded in one
/// step. The answers stay, the entries are decided again without fault, and the state before is
/// kept under another ref, from which the ledger goes on as if nothing had been.
#[test]
fn every_earlier_format_is_upgraded_in_one_step_and_back() {
    for directory in (1..FORMAT_VERSION).flat_map(|version| directories(&of_version(version))) {
        let (repo, ledger) = (imported(&directory), ledger_of(&directory));
        let (reference, case) = (ledger.reference(), directory.display());
        let before = (repo.git(["rev-parse", &reference]), state(&repo, ledger));
        let from = format_of(&repo, &reference);

        let upgraded = upgrade(&repo, ledger);
        assert_eq!(upgraded["from"], from, "{case}");
        assert_eq!((&upgraded["to"], &format_of(&repo, &reference)), (&json!(2), &json!(2)));
        assert_eq!(upgraded["entry"], repo.git(["rev-parse", &reference]), "{case}");
        assert_eq!(repo.git(["rev-parse", &format!("{reference}~1")]), before.0, "{case}");
        assert_eq!(state(&repo, ledger), before.1, "{case}");
        repo.coord("ops", ["ledger", "verify"]).done();
        let archive = upgraded["archive"].as_str().unwrap();
        assert_eq!(repo.git(["rev-parse", archive]), before.0, "{case}");

        go_back(&repo, &reference, archive);
        assert_eq!((format_of(&repo, &reference), state(&repo, ledger)), (from, before.1));
        let again = upgrade(&repo, ledger);
        assert_eq!(again["to"], 2, "{case}: {again}");
        repo.coord("ops", ["ledger", "verify"]).done();
    }
}

#[test]
fn an_upgrade_is_done_once_and_only_where_there_is_something() {
    let repo = of_format_1();
    let before = repo.tip();
    let dry = repo.coord("ops", ["ledger", "upgrade", "--dry-run"]).done();
    dry.says("reservations: would be upgraded from format 1 to 2");
    dry.says("runs: no entries yet");
    assert_eq!(repo.tip(), before, "a dry run writes nothing");
    repo.coord("ops", ["ledger", "upgrade"]).done().says("upgraded from format 1 to 2");
    let after = repo.tip();
    let again = repo.coord("ops", ["ledger", "upgrade", RESERVATIONS]).done();
    again.says("reservations: has format 2 already");
    assert_eq!(repo.tip(), after);
    let events = repo.events("");
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["data"]), (&json!("upgraded"), &json!({"from": 1, "to": 2})));
}

/// `doctor` names the command, and has nothing to say afterwards.
#[test]
fn doctor_names_the_upgrade() {
    let repo = of_format_1();
    let check = |repo: &Repo| {
        let checks = repo.json("ops", ["doctor"])["checks"].clone();
        let is_of_ledger = |check: &&Value| check["name"] == RESERVATIONS;
        checks.as_array().unwrap().iter().find(is_of_ledger).unwrap().clone()
    };
    let found = check(&repo);
    assert_eq!(found["state"], "note", "{found}");
    assert_eq!(found["next"][0], json!(["git", "coord", "ledger", "upgrade", RESERVATIONS]));
    repo.coord("ops", ["ledger", "upgrade"]).done();
    assert_eq!(check(&repo)["state"], "ok");
}

/// A rollback goes over the upgrade in both directions, and leaves the format as it is.
#[test]
fn a_rollback_goes_over_an_upgrade() {
    let repo = of_format_1();
    let (before, holds) = (repo.tip(), repo.holds().len());
    repo.coord("ops", ["ledger", "upgrade"]).done();
    repo.reserve("zoe", "elsewhere");
    let words = ["ledger", "rollback", RESERVATIONS, "--to", &before, "--reason", "a mistake"];
    repo.coord("ops", words).done();
    assert_eq!(repo.holds().len(), holds);
    assert_eq!(format_of(&repo, RESERVATIONS_REF), 2);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// Writers beside an upgrade lose nothing, and of two upgrades one writes.
#[test]
fn writers_go_on_beside_an_upgrade() {
    for round in 0..5 {
        let repo = of_format_1();
        let upgrades = ["one", "two"].map(|agent| repo.call(agent).args(["ledger", "upgrade"]));
        let reserve = |number: u32| {
            let path = format!("new/{number}");
            repo.call(&format!("writer-{number}")).args(["reserve", &path])
        };
        let calls: Vec<Call> = upgrades.into_iter().chain((0..6).map(reserve)).collect();
        for output in race(&repo, &calls) {
            output.done();
        }
        assert_eq!(format_of(&repo, RESERVATIONS_REF), 2, "round {round}");
        assert_eq!(repo.events("upgraded").len(), 1, "round {round}");
        let is_new = |hold: &&Value| hold["pattern"].as_str().unwrap().starts_with("new/");
        assert_eq!(repo.holds().iter().filter(is_new).count(), 6, "round {round}");
        repo.coord("ops", ["ledger", "verify"]).done();
    }
}

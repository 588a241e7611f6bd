//! The ledger of domains is a ledger like any other.

use serde_json::json;

use super::project::{check_code, detected, names, tip};
use crate::support::contract::exit;
use crate::support::texts;

#[test]
fn events_log_show_diff_verify_and_doctor_know_it() {
    let repo = detected();
    let events = repo.events("detected");
    assert_eq!((&events[0]["ledger"], &events[0]["actor"]), (&json!("domains"), &json!("ada")));
    let log = repo.json("ops", ["ledger", "log", "domains"]);
    assert_eq!(texts(&log["entries"], "summary"), ["detect web-api by ada"]);
    repo.coord("ops", ["ledger", "show", "domains"]).done().says("web-api");
    repo.coord("ops", ["ledger", "diff", "domains"]).done().says("detected/1-");
    repo.coord("ops", ["ledger", "verify", "domains"]).done();
    repo.coord("ops", ["doctor"]).done().says("domains");
}

#[test]
fn it_is_rolled_back_and_compacted() {
    let repo = detected();
    let first = tip(&repo);
    let set = ["domain", "set", "cli-tool", "--source", "human", "--reason", "a guess"];
    repo.coord("ada", set).done();
    let back = ["ledger", "rollback", "domains", "--to", &first, "--reason", "a mistake"];
    repo.coord("ops", back).done();
    assert_eq!(names(&repo.json("ada", ["domain", "show"])), ["web-api"]);
    assert_eq!(check_code(&repo), exit::DONE);
    repo.pass("40d");
    repo.coord("ada", ["domain", "detect", "--force"]).done();
    repo.coord("ops", ["ledger", "compact"]).done();
    assert_eq!(check_code(&repo), exit::DONE);
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 7/CALLER-ENV: variables of the caller do not change where state goes.
#[test]
fn variables_of_the_caller_do_not_move_it() {
    let repo = detected();
    let (work, git_dir) = (repo.work(), repo.git_dir());
    let call = repo.call("ada").dir(repo.elsewhere()).env("GIT_DIR", &git_dir);
    let call = call.env("GIT_WORK_TREE", &work).env("GIT_INDEX_FILE", git_dir.join("index"));
    let call = call.dir(&work).args(["domain", "detect", "--force", "--json"]);
    assert_eq!(call.run().done().json()["entry"], tip(&repo));
}

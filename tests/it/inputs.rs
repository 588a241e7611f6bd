//! Recorded inputs: an entry holds everything that its decision used, so that another machine can
//! take the decision again.

use serde_json::Value;

use crate::support::Repo;
use crate::support::contract::RESERVATIONS;

/// Reads the command that the newest entry of a ledger records, and decides every entry again.
#[track_caller]
fn recorded(repo: &Repo, ledger: &str) -> Value {
    repo.coord("ops", ["ledger", "verify", ledger]).done();
    repo.json("ops", ["ledger", "show", ledger])["command"].clone()
}

/// 1/PLACE: every entry and every hold tells its clone, which is made once.
#[test]
fn an_entry_tells_its_place() {
    let repo = Repo::new();
    let file = repo.git_dir().join("coord/place");
    repo.coord("alice", ["check", "src"]).done();
    assert!(!file.exists(), "who only looks leaves nothing");
    repo.reserve("alice", "src");
    let place = std::fs::read_to_string(&file).unwrap().trim_end().to_owned();
    assert_eq!(place.len(), 8, "{place}");
    let command = recorded(&repo, RESERVATIONS);
    assert_eq!(command["place"], place.as_str(), "{command:#}");
    assert_eq!(command["input"]["place"], Value::Null, "nothing stands twice");
    let id = repo.holds()[0]["id"].as_str().unwrap().to_owned();
    let document = repo.document(&repo.documents_of(&id)[0]);
    assert!(document.contains(&format!("\"place\": \"{place}\"")), "{document}");
    repo.coord("bob", ["ask", "src", "--reason", "r"]).done();
    std::fs::write(&file, "zzzzzzzz\n").unwrap();
    repo.coord("alice", ["answer", "src", "--release"]).done();
    assert_eq!(recorded(&repo, RESERVATIONS)["place"], "zzzzzzzz");
    let id = repo.holds()[0]["id"].as_str().unwrap().to_owned();
    let document = repo.document(&repo.documents_of(&id)[0]);
    assert!(document.contains(&format!("\"place\": \"{place}\"")), "the asker's: {document}");
}

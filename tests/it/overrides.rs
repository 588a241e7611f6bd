//! `override`: agents that are left out on trial, and reinstated.

mod canary;
mod cli;
mod documents;
mod evidence;
mod laws;
mod race;
mod scenario;
mod status;

use serde_json::Value;

use crate::support::Repo;

pub(crate) use documents::overwrite;

/// The ledger of overrides: its name on the command line, and its ref.
pub(crate) const OVERRIDES: &str = "overrides";
pub(crate) const OVERRIDES_REF: &str = "refs/coord/overrides";

/// Reads a document of the newest entry; `None` if it does not exist.
fn document(repo: &Repo, path: &str) -> Option<Value> {
    document_at(repo, OVERRIDES_REF, path)
}

/// Reads a document of an entry; `None` if it does not exist.
fn document_at(repo: &Repo, entry: &str, path: &str) -> Option<Value> {
    let (_, blob) = documents(repo, entry).into_iter().find(|(found, _)| found == path)?;
    Some(serde_json::from_str(&repo.git(["cat-file", "blob", &blob])).unwrap())
}

/// Lists the paths of the newest entry's documents that begin with `start`.
fn paths(repo: &Repo, start: &str) -> Vec<String> {
    let paths = documents(repo, OVERRIDES_REF).into_iter().map(|(path, _)| path);
    paths.filter(|path| path.starts_with(start)).collect()
}

/// Lists the documents of an entry with their blobs. Buckets are no part of a path.
fn documents(repo: &Repo, entry: &str) -> Vec<(String, String)> {
    let listed = repo.git_call(["ls-tree", "-r", entry]).run_unproven().stdout;
    let document = |line: &str| {
        let (about, path) = line.split_once('\t').unwrap();
        let names: Vec<&str> = path.split('/').filter(|name| !name.starts_with('=')).collect();
        (names.join("/"), about.split(' ').next_back().unwrap().to_owned())
    };
    listed.lines().map(document).collect()
}

/// Reads the newest entry; empty before the first.
fn tip(repo: &Repo) -> String {
    let call = repo.git_call(["rev-parse", "--verify", "--quiet", OVERRIDES_REF]);
    call.run_unproven().stdout.trim_end().to_owned()
}

fn entry_count(repo: &Repo) -> usize {
    if tip(repo).is_empty() {
        return 0;
    }
    repo.git(["rev-list", "--count", OVERRIDES_REF]).parse().unwrap()
}

/// Runs `override ...`, which must succeed.
#[track_caller]
fn done(repo: &Repo, actor: &str, args: &[&str]) -> Value {
    repo.json(actor, std::iter::once(&"override").chain(args))
}

#[track_caller]
fn apply(repo: &Repo, actor: &str, agent: &str) -> Value {
    done(repo, actor, &["apply", agent, "--reason", "wrong here"])
}

/// Lists the overrides in the answer of `list`.
#[track_caller]
fn listed(repo: &Repo) -> Vec<Value> {
    done(repo, "lister", &["list"])["overrides"].as_array().unwrap().clone()
}

/// 0/RACE-01: every record that is in force names an entry whose tree holds its override, there is
/// no override in force without a record, and the ledger's own laws hold.
#[track_caller]
fn is_whole(repo: &Repo) {
    for row in listed(repo) {
        let agent = row["agent"].as_str().unwrap();
        if row["action"] == "exclude" {
            let entry = row["entry"].as_str().unwrap_or_else(|| panic!("no entry in {row:#}"));
            let held = document_at(repo, entry, &format!("overrides/{agent}.json")).unwrap();
            assert_eq!(held["action"], "exclude", "{agent} at {entry}");
            assert_eq!(row["record"]["status"], "applied");
        } else {
            assert!(row["record"].is_null(), "a proposal has no record: {row:#}");
        }
    }
    repo.coord("ops", ["ledger", "verify", OVERRIDES]).done();
}

/// Counts the records of an agent that are in force.
fn applied_records(repo: &Repo, agent: &str) -> usize {
    let records = paths(repo, &format!("modifications/{agent}/"));
    records.iter().filter(|path| document(repo, path).unwrap()["status"] == "applied").count()
}

/// Counts the open trials of an agent.
fn open_canaries(repo: &Repo, agent: &str) -> usize {
    let open = |path: &&String| {
        let status = document(repo, path).unwrap()["status"].clone();
        status == "active" || status == "monitoring"
    };
    paths(repo, &format!("canaries/{agent}/")).iter().filter(open).count()
}

/// Runs the life of an override in any kind of repository.
#[track_caller]
pub(crate) fn work_here(repo: &Repo) {
    let row = ["evidence", "add", "fd-style", "--event", "override", "--session", "s"];
    done(repo, "ann", &row);
    done(repo, "ann", &["propose", "fd-style", "--reason", "noise"]);
    let entry = done(repo, "bob", &["approve", "fd-style"])["entry"].clone();
    let routed = repo.json("router", ["route", "fd-style", "fd-perf"]);
    assert_eq!(routed["excluded"][0]["entry"], entry);
    is_whole(repo);
    let document = "{\"version\":1,\"overrides\":[{\"agent\":\"a\",\"action\":\"exclude\"}]}";
    let call = repo.call("bob").args(["--json", "override", "import", "-"]).input(document);
    assert_eq!(call.run().done().json()["kept"][0], "a");
    let taken_back = done(repo, "bob", &["revert", &entry.as_str().unwrap()[..8]]);
    assert_eq!(taken_back["reverted"][0], "fd-style");
    let exported = repo.coord("bob", ["override", "export"]).done();
    exported.says("\"agent\": \"a\"");
    is_whole(repo);
}

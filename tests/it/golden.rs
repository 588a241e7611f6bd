//! Ledgers as they were once written, kept byte for byte: every later version must read them and
//! continue them (4/F8, 4/TEST-5).
//!
//! `tests/golden/v<format>/<ledger>/` holds `ledger.fast-export`, the ledger as `git fast-export`
//! prints it: text, so that people can read a difference, and exact, since `git fast-import`
//! restores the same ids. Beside it are the answers of the program at that time.
//!
//! A format is added to and never replaced: `UPDATE=1 cargo test --test it golden` writes what is
//! missing and leaves everything else as it is.

mod exceptions;
mod overrides;
mod runs;
mod scenario;
pub(crate) mod upgrade;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use git_coord::core::documents::FORMAT_VERSION;
use git_coord::core::ledger::LedgerName;
use git_coord::core::pattern::Case;
use serde_json::{Value, json};

use crate::support::contract::{FORMAT, RESERVATIONS_REF, RUNS_REF};
use crate::support::{Repo, texts};
use scenario::{Beginning, SCENARIOS, Scenario, Step, asked_at, play, play_steps};

const LEDGER: &str = "ledger.fast-export";
const TIP: &str = "tip";
const ASKED_AT: &str = "asked-at";
/// Lists the commands for a golden ledger. `show` runs for each entry.
fn answers(ledger: LedgerName) -> [(&'static str, &'static [&'static str]); 3] {
    let list: &[&str] = match ledger {
        LedgerName::Reservations => &["list", "--all"],
        LedgerName::Overrides => &["override", "status"],
        LedgerName::Domains => &["domain", "show"],
        LedgerName::Runs => &["run", "list", "--all"],
    };
    [
        ("list.json", list),
        ("events.jsonl", &["events", "--limit", "100000"]),
        ("show.jsonl", &["ledger", "show"]),
    ]
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn of_version(version: u64) -> PathBuf {
    golden().join(format!("v{version}"))
}

fn place(scenario: &Scenario) -> PathBuf {
    of_version(scenario.format).join(scenario.name)
}

fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// Lists every stored ledger of every version.
fn stored() -> Vec<PathBuf> {
    directories(&golden()).iter().flat_map(|version| directories(version)).collect()
}

fn text(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).unwrap()
}

/// Returns the ledger of a stored stream, by its ref.
fn ledger_of(directory: &Path) -> LedgerName {
    let stream = text(directory, LEDGER);
    let reference = stream.lines().find_map(|line| line.strip_prefix("reset "));
    reference.expect("a stream begins with a ref").parse().unwrap()
}

/// Lists the stored ledgers of reservations.
fn stored_reservations() -> Vec<PathBuf> {
    let is_of_reservations = |directory: &PathBuf| ledger_of(directory) == LedgerName::Reservations;
    stored().into_iter().filter(is_of_reservations).collect()
}

/// Creates a repository with a stored ledger, at the time of its answers.
fn imported(directory: &Path) -> Repo {
    let repo = Repo::new();
    let stream = File::open(directory.join(LEDGER)).unwrap();
    let mut import = repo.git_call(["fast-import", "--quiet"]).command();
    let output = import.stdin(stream).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    repo.at(text(directory, ASKED_AT).trim());
    repo
}

/// Runs a command, and formats its answer so that differences are readable.
fn answer(repo: &Repo, ledger: LedgerName, words: &[&str]) -> String {
    if words == ["ledger", "show"] {
        let log = repo.json("ada", ["ledger", "log", ledger.as_str(), "--limit", "100000"]);
        let show = |entry: &String| {
            let at = format!("{ledger}@{entry}");
            repo.coord_json("ada", ["ledger", "show", &at]).done().stdout
        };
        return texts(&log["entries"], "entry").iter().map(show).collect();
    }
    let output = repo.coord_json("ada", words).done();
    match words[0] {
        "list" | "override" | "run" => format!("{:#}\n", output.json()),
        _ => output.stdout,
    }
}

/// Runs git on the ledger of a repository.
fn git(home: &Path, words: &[&str]) -> String {
    Repo::new().git_call(words).dir(home).run_unproven().done().stdout
}

fn exported(home: &Path, ledger: LedgerName) -> String {
    git(home, &["fast-export", "--show-original-ids", &ledger.reference()])
}

fn store(scenario: &Scenario, directory: &Path) {
    let home = tempfile::tempdir().unwrap();
    play(scenario, home.path());
    fs::create_dir_all(directory).unwrap();
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    write(LEDGER, &exported(home.path(), scenario.ledger));
    write(TIP, &git(home.path(), &["rev-parse", &scenario.ledger.reference()]));
    write(ASKED_AT, &format!("{}\n", asked_at(scenario)));
    let repo = imported(directory);
    for (name, words) in answers(scenario.ledger) {
        write(name, &answer(&repo, scenario.ledger, words));
    }
}

/// 4/F8, 4/TEST-5: there is a stored ledger of every version that ever was, so that the other
/// tests here show the upgrade from each of them, whichever versions were skipped.
#[test]
fn a_golden_ledger_of_every_version_and_scenario_is_stored() {
    let missing = SCENARIOS.iter().filter(|scenario| !place(scenario).join(TIP).is_file());
    for scenario in missing {
        let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
        assert!(update, "run 'UPDATE=1 cargo test --test it golden' for '{}'", scenario.name);
        store(scenario, &place(scenario));
    }
    for version in 1..=FORMAT_VERSION {
        let count = directories(&of_version(version)).len();
        assert!(count > 0, "no stored ledger of format {version}");
    }
}

/// The bytes that were written are the bytes that are read: every id is the same.
#[test]
fn golden_ids_read_back_equal() {
    for directory in stored() {
        let repo = imported(&directory);
        let ledger = ledger_of(&directory);
        let tip = repo.git(["rev-parse", &ledger.reference()]);
        assert_eq!(tip, text(&directory, TIP).trim(), "{}", directory.display());
        assert_eq!(exported(&repo.work(), ledger), text(&directory, LEDGER));
    }
}

/// Every entry of a golden ledger is decided again, and comes out the same. So no decision and no
/// encoding changes without `RULES` or the format being raised.
#[test]
fn golden_entries_are_decided_again_without_fault() {
    for directory in stored() {
        let repo = imported(&directory);
        let ledger = ledger_of(&directory);
        let output = repo.coord_json("ada", ["ledger", "verify"]).done();
        let log = repo.json("ada", ["ledger", "log", ledger.as_str(), "--limit", "100000"]);
        let count = log["entries"].as_array().unwrap().len();
        assert_eq!(output.json()["entries"], count, "{}", directory.display());
        assert!(!output.stderr.contains("later rules"), "{output:?}");
    }
}

#[test]
fn golden_answers_are_given_again() {
    for directory in stored() {
        let repo = imported(&directory);
        let ledger = ledger_of(&directory);
        for (name, words) in answers(ledger) {
            let (now, then) = (answer(&repo, ledger, words), text(&directory, name));
            assert_eq!(now, then, "{} in {}", name, directory.display());
        }
    }
}

/// The same commands make the same bytes. Where a decision changed and `RULES` says so, the
/// scenario gets a new name and a new stored ledger beside the old one.
#[test]
fn the_same_commands_make_the_golden_bytes() {
    for scenario in SCENARIOS {
        let directory = place(&scenario);
        let home = tempfile::tempdir().unwrap();
        play(&scenario, home.path());
        let made = exported(home.path(), scenario.ledger);
        assert_eq!(made, text(&directory, LEDGER), "{}", directory.display());
    }
}

/// 4/F8, 2/P1-3-format: one write of today's program takes any stored ledger on, keeps the format
/// it found, and drops nothing that it does not know. 1/L3: the version stands in the tree.
#[test]
fn the_next_write_takes_a_golden_ledger_on() {
    for directory in stored_reservations() {
        let repo = imported(&directory);
        let (id, pattern) = some_hold(&repo);
        let links = repo.documents_of(&id);
        let mut known: Value = serde_json::from_str(&repo.document(&links[0])).unwrap();
        known["of_a_later_version"] = json!({ "kept": [1, 2] });
        repo.overwrite(&links, &format!("{known:#}\n"));
        repo.overwrite(&["later/thing".to_owned()], "not for this version\n");
        let format = repo.document(FORMAT);
        let before = repo.tip();
        let holder = known["holder"].as_str().unwrap();
        repo.reserve(holder, "a/new/path");
        repo.coord(holder, ["renew", &id, "--ttl", "24h"]).done();
        assert_eq!(repo.document(FORMAT), format, "the format that was found is kept");
        assert_eq!(repo.document("later/thing"), "not for this version");
        let renewed: Value = serde_json::from_str(&repo.document(&links[0])).unwrap();
        assert_eq!(renewed["of_a_later_version"], json!({ "kept": [1, 2] }), "{pattern}");
        assert_eq!(renewed["pattern"], known["pattern"]);
        assert_ne!(renewed["expires_at"], known["expires_at"], "it was written anew");
        // 7/FORMAT-KEPT as far as there is one format: what was before stays in the chain.
        assert_eq!(repo.git(["rev-parse", &format!("{RESERVATIONS_REF}~2")]), before);
    }
}

/// 4/F8, 4/TEST-5: the same of runs. What the events say is what is stored, then and now.
#[test]
fn the_next_write_takes_golden_runs_on() {
    for directory in stored().iter().filter(|one| ledger_of(one) == LedgerName::Runs) {
        let repo = imported(directory);
        let run = ["run", "current"].map(str::to_owned);
        let id = repo.json("ada", run)["run"]["id"].as_str().unwrap().to_owned();
        let replays = || repo.coord("ada", ["run", "replay", &id]).done();
        replays();
        let format = |repo: &Repo| repo.git(["show", &format!("{RUNS_REF}:{FORMAT}")]);
        let before = (format(&repo), repo.git(["rev-parse", RUNS_REF]));
        let words = ["run", "advance", &id, "--priority", "4", "--reason", "on"];
        repo.coord("ada", words).done();
        replays();
        repo.coord("ada", ["ledger", "verify"]).done();
        let parent = repo.git(["rev-parse", &format!("{RUNS_REF}~1")]);
        assert_eq!((format(&repo), parent), before, "the format that was found is kept");
    }
}

fn some_hold(repo: &Repo) -> (String, String) {
    let holds = repo.holds();
    let hold = holds.last().expect("a golden ledger has a live hold");
    (crate::support::repo::id_of(hold), hold["pattern"].to_string())
}

/// One entry to the last byte: its commit, its trees (whose ids say their bytes), its documents.
#[test]
fn an_entry_is_exactly_this() {
    let home = tempfile::tempdir().unwrap();
    let command = json!({
        "command": "reserve",
        "input": {
            "patterns": ["src/a b.rs"], "mode": "exclusive", "ttl": 900, "reason": "why",
            "via": "command", "scope": "all",
        },
    });
    let begins = Beginning { case: Case::Sensitive, format: FORMAT_VERSION };
    let steps = [Step(0, "alice", command)];
    play_steps(LedgerName::Reservations, begins, FORMAT_VERSION, &steps, home.path());
    let git = |words: &[&str]| git(home.path(), words);
    assert_eq!(git(&["cat-file", "commit", RESERVATIONS_REF]), include_str!("golden/commit.txt"));
    assert_eq!(git(&["ls-tree", "-r", "-t", RESERVATIONS_REF]), include_str!("golden/trees.txt"));
    let format = git(&["cat-file", "blob", &format!("{RESERVATIONS_REF}:format")]);
    assert_eq!(format, include_str!("golden/format.txt"));
    let paths = git(&["ls-tree", "-r", "--name-only", RESERVATIONS_REF]);
    let of_hold = paths.lines().find(|path| path.starts_with("ids/")).unwrap();
    let hold = git(&["cat-file", "blob", &format!("{RESERVATIONS_REF}:{of_hold}")]);
    assert_eq!(hold, include_str!("golden/hold.txt"));
}

//! Recorded inputs: an entry holds everything that its decision used, so that another machine can
//! take the decision again.

use std::time::Duration;

use git_coord::core::command::{Command, Request};
use git_coord::core::documents::FORMAT_VERSION;
use git_coord::core::environment::Environment;
use git_coord::core::ids::OpId;
use git_coord::core::pattern::Case;
use git_coord::store::git::Git;
use git_coord::store::git::packs::Budget;
use git_coord::store::git::repository::Repository;
use git_coord::store::ledger::Ledger;
use git_coord::store::ledger::entry::Committer;
use git_coord::store::ledger::transact::{TransactError, WriteOptions};
use git_coord::store::os::files::Files;
use git_coord::store::os::shared_mode::SharedMode;
use serde_json::{Value, json};

use crate::support::Repo;
use crate::support::contract::{RESERVATIONS, RESERVATIONS_REF, RUNS};
use crate::waiting::Waiting;

const OVERRIDES: &str = "overrides";

/// Reads the command that the newest entry of a ledger records, and decides every entry again.
#[track_caller]
fn recorded(repo: &Repo, ledger: &str) -> Value {
    repo.coord("ops", ["ledger", "verify", ledger]).done();
    repo.json("ops", ["ledger", "show", ledger])["command"].clone()
}

/// Opens a ledger as another program would.
fn on_ledger<T>(repo: &Repo, name: &str, test: impl FnOnce(&Ledger<'_>) -> T) -> T {
    let directory = repo.work().canonicalize().unwrap();
    let repository = Repository::discover(&Environment::default().at(directory)).unwrap();
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let backend = Git::open(&repository, files).unwrap();
    let writing = WriteOptions {
        committer: Committer::new("again", "again@example.org"),
        turns: None,
        wait: Duration::from_secs(5),
        case: Case::Sensitive,
        format: FORMAT_VERSION,
        clock_skew: Duration::from_secs(300),
        maintenance: Budget::COMMAND,
    };
    test(&Ledger::new(&backend, name.parse().unwrap(), writing))
}

/// Decides a recorded command again on the present state, as another machine would, and returns the
/// outcome as a word. Nothing is written.
#[track_caller]
fn again(repo: &Repo, ledger: &str, command: &Value) -> &'static str {
    let request: Request<Command> = serde_json::from_value(command.clone()).unwrap();
    let proposed = on_ledger(repo, ledger, |ledger| {
        let proposal = ledger.propose(&ledger.now().unwrap(), &request, &OpId::from_bits(7))?;
        Ok(proposal.entry.is_some())
    });
    match proposed {
        Ok(true) => "done",
        Ok(false) => "unchanged",
        Err(TransactError::Refused(refusal)) => refusal.code(),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the command as it would be asked so long after.
fn later(command: &Value, clock: &str) -> Value {
    let mut command = command.clone();
    command["clock"] = json!(clock);
    command
}

/// Reserves, and returns the id.
#[track_caller]
fn reserved(repo: &Repo, agent: &str, args: &[&str]) -> String {
    let answer = repo.json(agent, [&["reserve"], args].concat());
    answer["granted"][0]["id"].as_str().unwrap().to_owned()
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
    assert_eq!(command["tolerance"], 300, "how far clocks may differ: {command:#}");
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

/// 1/WHOLE-IDS: an entry has whole ids where somebody typed the beginning of one or a path.
#[test]
fn an_entry_has_whole_ids() {
    let repo = Repo::new();
    let id = reserved(&repo, "alice", &["src"]);
    let input = || recorded(&repo, RESERVATIONS)["input"].clone();
    repo.coord("alice", ["renew", &id[..3]]).done();
    assert_eq!(input()["words"][0]["id"], id.as_str());
    repo.coord("bob", ["ask", &id[..4], "--reason", "r"]).done();
    assert_eq!(input()["hold"], id.as_str());
    assert_eq!(input()["patterns"], Value::Null, "the word is an id, and no path");
    let asked = repo.json("bob", ["ask", "src", "--reason", "r", "--urgent"]);
    let thread = asked["thread"].as_str().unwrap();
    assert_eq!(input()["hold"], Value::Null, "the word is a path, and no id");
    repo.coord("bob", ["send", "alice", "--subject", "s", "--thread", &thread[..5]]).done();
    assert_eq!(input()["thread"], thread);
    repo.coord("alice", ["answer", "src", "--defer", "5m", "--reason", "r"]).done();
    assert_eq!(input()["thread"], thread);
    assert_eq!(input()["patterns"], Value::Null, "the thread is meant, and no path");
    repo.pass("11m");
    repo.coord("bob", ["take", "src", "--reason", "r"]).done();
    assert_eq!(input()["thread"], thread);
    let id = reserved(&repo, "bob", &["docs"]);
    repo.coord("bob", ["transfer", "--to", "carol", &id[..3]]).done();
    assert_eq!(input()["words"][0]["id"], id.as_str());
    repo.coord("carol", ["release", &id[..3], "docs"]).done();
    let words = input()["words"].clone();
    assert_eq!((&words[0]["id"], &words[1]["id"]), (&json!(id), &Value::Null));
}

/// 1/WHOLE-IDS: the beginning of an id that fits nothing is told and not recorded.
#[test]
fn the_beginning_of_nothing_is_not_recorded() {
    let repo = Repo::new();
    let id = reserved(&repo, "alice", &["src"]);
    let nothing = if id.starts_with('z') { "yyy" } else { "zzz" };
    let renewed = repo.coord_json("alice", ["renew", &id, nothing]).exits(1).json();
    assert_eq!(renewed["lost"], json!([{ "path": nothing, "why": "gone" }]));
    let ids = || {
        let words = recorded(&repo, RESERVATIONS)["input"]["words"].clone();
        words.as_array().unwrap().iter().map(|word| word["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(), [json!(id), Value::Null]);
    repo.coord("alice", ["transfer", "--to", "bob", &id, nothing]).exits(4).says(nothing);
    let released = repo.json("alice", ["release", &id, nothing]);
    assert_eq!(released["missing"], json!([nothing]));
    assert_eq!(ids(), [json!(id), Value::Null]);
}

/// 1/SEEN: an act on others changes what its actor saw, and nothing that came since.
#[test]
fn acts_on_others_hit_what_was_seen() {
    let repo = Repo::new();
    let by_force = |args: &[&str]| {
        repo.coord("ops", [args, &["--force", "--reason", "r"]].concat()).done();
        recorded(&repo, RESERVATIONS)
    };
    let lock = reserved(&repo, "alice", &["--lock", "build"]);
    let command = by_force(&["release", "--lock", "build"]);
    assert_eq!(command["input"]["seen"], json!([lock]));
    reserved(&repo, "bob", &["--lock", "build"]);
    assert_eq!(again(&repo, RESERVATIONS, &command), "not_yours");

    reserved(&repo, "alice", &["src/a"]);
    let command = by_force(&["release", "--path", "src"]);
    reserved(&repo, "bob", &["src/a"]);
    assert_eq!(again(&repo, RESERVATIONS, &command), "unchanged");

    let (first, second) = (reserved(&repo, "dave", &["x"]), reserved(&repo, "dave", &["y"]));
    repo.coord("dave", ["transfer", "--to", "erin"]).done();
    let command = recorded(&repo, RESERVATIONS);
    let mut seen = vec![first.clone(), second];
    seen.sort();
    assert_eq!(command["input"]["seen"], json!(seen));
    reserved(&repo, "dave", &["z"]);
    assert_eq!(again(&repo, RESERVATIONS, &command), "nothing_there");
    repo.coord("erin", ["transfer", "--to", "dave"]).done();
    assert_eq!(again(&repo, RESERVATIONS, &command), "done");
    repo.coord("dave", ["release", &first]).done();
    assert_eq!(again(&repo, RESERVATIONS, &command), "nothing_there");
}

/// 1/SEEN: a request goes to the holder that the asker saw.
#[test]
fn a_request_names_the_holder_that_was_seen() {
    let repo = Repo::new();
    reserved(&repo, "alice", &["src"]);
    repo.coord("bob", ["ask", "src", "--reason", "r"]).done();
    let command = recorded(&repo, RESERVATIONS);
    assert_eq!(command["input"]["holder"], "alice");
    repo.coord("alice", ["release", "--path", "src"]).done();
    reserved(&repo, "carol", &["src"]);
    assert_eq!(again(&repo, RESERVATIONS, &command), "not_held");
}

/// 4/PHASE-SEEN: what belongs to a phase belongs to the one that its actor saw, also on a state
/// where the run has gone on.
#[test]
fn an_entry_names_the_phase_that_was_seen() {
    let repo = Repo::new();
    let run = repo.json("alice", ["run", "create", "--goal", "g", "--phases", "plan,build,done"]);
    let run = run["run"]["id"].as_str().unwrap();
    let commands = [
        vec!["run", "artifact", "add", run, "--path", "plan.md"],
        vec!["run", "verdict", "add", run, "--result", "clean"],
        vec!["run", "agent", "add", run, "--name", "tester"],
        vec!["run", "dispatch", "add", run],
    ];
    for command in commands {
        repo.coord("alice", &command).done();
        let command = recorded(&repo, RUNS);
        assert_eq!(command["input"]["phase"], "plan", "{command:#}");
    }
    let dispatch = recorded(&repo, RUNS);
    repo.coord("alice", ["run", "agent", "finish", run, "tester", "--status", "completed"]).done();
    repo.coord("alice", ["run", "advance", run, "--priority", "4"]).done();
    assert_eq!(again(&repo, RUNS, &dispatch), "done");
    repo.coord("alice", ["run", "cancel", run, "--reason", "r"]).done();
    assert_eq!(again(&repo, RUNS, &dispatch), "run_over");
}

/// Runs a command about overrides.
#[track_caller]
fn overriding(repo: &Repo, args: &[&str]) {
    repo.coord("alice", [&["override"], args].concat()).done();
}

/// 0/SEEN: what was approved, taken back, unblocked or disabled is what was seen. On another state
/// it is refused.
#[test]
fn acts_on_overrides_hit_what_was_seen() {
    let repo = Repo::new();
    let refused = |made: &[&[&str]], act: &[&str], other: &[&[&str]]| {
        for args in made {
            overriding(&repo, args);
        }
        overriding(&repo, act);
        let command = recorded(&repo, OVERRIDES);
        assert!(command["input"]["seen"].is_string(), "{command:#}");
        repo.pass("1s");
        for args in other {
            overriding(&repo, args);
        }
        assert_eq!(again(&repo, OVERRIDES, &command), "not_as_seen", "{act:?}");
    };
    let propose = |reason| ["propose", "fd-one", "--reason", reason];
    refused(
        &[&propose("first")],
        &["approve", "fd-one"],
        &[&["revert", "fd-one"], &propose("second")],
    );
    refused(
        &[&["apply", "fd-two", "--reason", "r"]],
        &["revert", "fd-two"],
        &[&["apply", "fd-two", "--reason", "another"]],
    );
    refused(
        &[&["block", "fd-three", "--reason", "first"]],
        &["unblock", "fd-three"],
        &[&["block", "fd-three", "--reason", "second"]],
    );
    let overlay = |text| ["overlay", "add", "fd-four", "o", "--text", text];
    refused(&[&overlay("first")], &["overlay", "disable", "fd-four", "o"], &[&overlay("second")]);
}

/// 0/SEEN: what came after the reset was asked for stays.
#[test]
fn a_reset_deletes_what_was_seen() {
    let repo = Repo::new();
    let add = |session| {
        overriding(
            &repo,
            &["evidence", "add", "fd-one", "--event", "agent_dispatch", "--session", session],
        );
    };
    add("one");
    overriding(&repo, &["reset", "--scope", "evidence"]);
    let command = recorded(&repo, OVERRIDES);
    assert!(command["input"]["up_to"].is_u64(), "{command:#}");
    repo.pass("1m");
    add("two");
    assert_eq!(again(&repo, OVERRIDES, &command), "unchanged");
    overriding(&repo, &["reset", "--scope", "evidence"]);
    assert_eq!(recorded(&repo, OVERRIDES)["input"]["scope"], "evidence");
}

/// 1/SEEN: a rollback undoes what its actor saw. On another newest entry it is refused.
#[test]
fn a_rollback_names_the_newest_entry_that_was_seen() {
    let repo = Repo::new();
    reserved(&repo, "alice", &["src"]);
    let first = repo.tip();
    reserved(&repo, "alice", &["docs"]);
    let newest = repo.trailers("Coord-Op").pop().unwrap();
    let back = ["ledger", "rollback", RESERVATIONS, "--to", &first, "--reason", "r"];
    repo.coord("ops", back).done();
    let command = recorded(&repo, RESERVATIONS);
    assert_eq!(command["input"]["expect"], newest);
    assert_eq!(again(&repo, RESERVATIONS, &command), "unchanged", "it is so already");
    reserved(&repo, "alice", &["more"]);
    assert_eq!(again(&repo, RESERVATIONS, &command), "changed");
    repo.coord("ops", back).done();
}

/// 3/EVIDENCE: a sign of life counts for a hold of the clone that it was seen in, and for the time
/// when the host looked.
#[test]
fn evidence_tells_its_place_and_its_time() {
    let repo = Repo::new();
    reserved(&repo, "alice", &["src", "--ttl", "5h"]);
    repo.coord("bob", ["ask", "src", "--reason", "r"]).done();
    repo.pass("9m");
    repo.coord("bob", ["ask", "src", "--reason", "r", "--urgent"]).done();
    repo.pass("12m");
    let asked = repo.json("bob", ["ask", "src", "--reason", "again"]);
    assert_eq!(asked["can_take"], true, "{asked:#}");
    let place = repo.git_dir().join("coord/place");
    let here = std::fs::read_to_string(&place).unwrap();
    repo.coord("bob", ["take", "src", "--reason", "r"]).done();
    let command = recorded(&repo, RESERVATIONS);
    let evidence = &command["input"]["evidence"];
    assert_eq!(evidence["place"], here.trim_end());
    assert_eq!(evidence["observed_at"], command["clock"]);
}

/// 3/EVIDENCE: who was not seen here may be busy elsewhere.
#[test]
fn presence_here_says_nothing_of_a_hold_elsewhere() {
    let repo = Repo::new();
    reserved(&repo, "alice", &["src", "--ttl", "5h"]);
    repo.coord("bob", ["ask", "src", "--reason", "r"]).done();
    repo.pass("5m");
    std::fs::write(repo.git_dir().join("coord/place"), "zzzzzzzz\n").unwrap();
    let refused = repo.coord_json("bob", ["reserve", "src"]).exits(1).json();
    let held = &refused["conflicts"][0]["held"];
    assert_eq!(held["alive"], Value::Null, "{held:#}");
}

/// 1/TICKETS: a ticket lasts five minutes at most, and its waiter renews it before it ends.
#[test]
fn a_ticket_is_short_and_renewed() {
    let repo = Repo::new();
    repo.at("2026-01-05T10:00:00Z");
    reserved(&repo, "alice", &["src", "--ttl", "5h"]);
    let waiting = Waiting::begin(&repo, "bob", &["src"]);
    let command = recorded(&repo, RESERVATIONS);
    let list = repo.json("ops", ["list"]);
    let until = list["waiting"][0]["until"].as_str().unwrap();
    assert!(until.starts_with("2026-01-05T10:05:0"), "five minutes at most: {until}");
    assert_eq!(again(&repo, RESERVATIONS, &later(&command, "2026-01-05T10:02:00Z")), "held");
    assert_eq!(again(&repo, RESERVATIONS, &later(&command, "2026-01-05T10:03:00Z")), "done");
    waiting.kill();
}

/// 1/ASKED-AT: what is decided again lasts no longer than it was asked for, and is over after that.
#[test]
fn ends_count_from_the_first_clock() {
    let repo = Repo::new();
    repo.at("2026-01-05T10:00:00Z");
    reserved(&repo, "alice", &["src", "--ttl", "15m"]);
    repo.coord("alice", ["release", "--mine"]).done();
    let first = repo.git(["rev-parse", &format!("{RESERVATIONS_REF}~1")]);
    let at = format!("{RESERVATIONS}@{first}");
    let mut command = repo.json("ops", ["ledger", "show", &at])["command"].clone();
    command["asked_at"] = command["clock"].clone();
    let command = later(&command, "2026-01-05T10:10:00Z");
    assert_eq!(again(&repo, RESERVATIONS, &later(&command, "2026-01-05T10:15:00Z")), "over");
    let request: Request<Command> = serde_json::from_value(command).unwrap();
    on_ledger(&repo, RESERVATIONS, |ledger| {
        ledger.transact(&request, &OpId::from_bits(8), None).unwrap();
    });
    repo.at("2026-01-05T10:10:00Z");
    assert_eq!(recorded(&repo, RESERVATIONS)["asked_at"], "2026-01-05T10:00:00Z");
    assert_eq!(repo.holds()[0]["expires_at"], "2026-01-05T10:15:00Z");
}

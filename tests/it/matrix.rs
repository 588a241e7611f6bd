//! Every kind of repository behaves alike: refs in files or tables, SHA-1 or SHA-256, called from
//! the main tree, from a linked worktree and in a bare repository (1/ARCH-4).

use std::os::unix::process::CommandExt;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::model::agree_in_this_directory;
use crate::support::contract::{
    RESERVATIONS, RESERVATIONS_REF, RUNS_REF, event, exit, key, refusal,
};
use crate::support::gits::{gits, skip};
use crate::support::kind::{Hash, Kind, Place, RefFormat};
use crate::support::repo::id_of;
use crate::support::untouched::Untouched;
use crate::support::{Call, Output, Repo, race, rounds, texts};

const RIVALS: usize = 8;
/// The maximum number of commands that are killed. More only take time.
const KILLS_MAX: usize = 50;
/// Set in the process whose current directory is a repository of the kind.
const INSIDE: &str = "GIT_COORD_TEST_INSIDE";

/// A module with all tests for each kind.
macro_rules! matrix {
    ($($name:ident: $refs:ident $hash:ident $place:ident,)*) => {
        /// Fails unless every kind stands in the list.
        #[test]
        fn no_kind_is_missing() {
            assert_eq!([$($name::KIND),*].as_slice(), Kind::all());
        }

        $(mod $name {
            use crate::support::kind::{Hash, Kind, Place, RefFormat};
            use crate::support::Repo;

            pub(super) const KIND: Kind =
                Kind { refs: RefFormat::$refs, hash: Hash::$hash, place: Place::$place };

            #[test]
            fn every_command_works() {
                if let Some(repo) = Repo::of(KIND) {
                    super::every_command_works(&repo, KIND);
                }
            }

            #[test]
            fn variables_of_the_caller_do_not_move_the_state() {
                if let Some(repo) = Repo::of(KIND) {
                    let place = KIND.place;
                    crate::everywhere::variables_of_the_caller_do_not_move_the_state(&repo, place);
                }
            }

            #[test]
            fn one_of_many_gets_it() {
                if let Some(repo) = Repo::of(KIND) {
                    super::one_of_many_gets_it(&repo);
                }
            }

            #[test]
            fn a_killed_command_blocks_nobody() {
                if let Some(repo) = Repo::of(KIND) {
                    super::a_killed_command_blocks_nobody(&repo);
                }
            }

            #[test]
            fn git_and_memory_agree() {
                let path = concat!(module_path!(), "::git_and_memory_agree");
                super::git_and_memory_agree(KIND, path);
            }
        })*
    };
}

matrix! {
    files_sha1_main: Files Sha1 Main,
    files_sha1_worktree: Files Sha1 Worktree,
    files_sha1_bare: Files Sha1 Bare,
    files_sha256_main: Files Sha256 Main,
    files_sha256_worktree: Files Sha256 Worktree,
    files_sha256_bare: Files Sha256 Bare,
    reftable_sha1_main: Reftable Sha1 Main,
    reftable_sha1_worktree: Reftable Sha1 Worktree,
    reftable_sha1_bare: Reftable Sha1 Bare,
    reftable_sha256_main: Reftable Sha256 Main,
    reftable_sha256_worktree: Reftable Sha256 Worktree,
    reftable_sha256_bare: Reftable Sha256 Bare,
}

/// The same by every other git of this machine, as far as it knows the kind.
#[test]
fn every_command_works_by_every_git() {
    for git in &gits()[1..] {
        for kind in Kind::all() {
            if git.version < kind.needs() {
                skip(&format!("{kind} by {}", git.name));
            } else if kind.place == Place::Worktree || kind.hash == Hash::Sha256 {
                every_command_works(&Repo::made_by(git, kind), kind);
            }
        }
    }
}

#[track_caller]
fn every_command_works(repo: &Repo, kind: Kind) {
    reservations_come_and_go(repo);
    a_lock_is_held_by_one(repo);
    requests_are_answered_once(repo);
    a_consumer_reads_each_event_once(repo);
    the_ledger_can_be_read_and_turned_back(repo);
    git_sees_what_we_see(repo, kind);
    gc_keeps_everything(repo);
    a_damaged_ledger_is_repaired_and_a_long_one_compacted(repo);
    a_run_goes_on_and_comes_back(repo);
    crate::overrides::work_here(repo);
}

/// Tries every flag of `reserve`, and then everything that can happen to the holds.
fn reservations_come_and_go(repo: &Repo) {
    let about = ["--reason", "endpoints", "--task", "T-1", "--run", "r1", "--ttl", "20m"];
    let shared = [["src/api/**", "--shared"].as_slice(), &about].concat();
    let first = repo.reserve_with("alice", &shared);
    assert_eq!((&first["mode"], &first["reason"]), (&"shared".into(), &"endpoints".into()));
    repo.reserve_with("alice", &["--literal", "app/[id]"]);
    let held = repo.coord_json("bob", ["reserve", "src/api/users.rs"]).refused(refusal::HELD);
    assert_eq!(held["conflicts"][0]["held"]["id"], first["id"]);
    let each = ["reserve", "--each", "src/api/users.rs", "docs/guide.md", "--json"];
    let some = repo.coord("bob", each).exits(exit::NO).json();
    assert_eq!(texts(&some["granted"], "pattern"), ["docs/guide.md"]);
    repo.coord("bob", ["check", "src/api/teams.rs"]).exits(exit::NO);
    repo.coord("bob", ["check", "src/main.rs"]).done();
    assert_eq!(
        repo.json("bob", ["who", "src/api/teams.rs"])["paths"][0]["held"][0]["id"],
        first["id"]
    );
    repo.pass("1m");
    repo.coord("alice", ["renew", "--mine", "--ttl", "1h"]).done();
    repo.coord("bob", ["release", "--path", "app"]).done();
    repo.coord("bob", ["release", &id_of(&first)]).exits(exit::NO);
    repo.coord("bob", ["release", &id_of(&first), "--force", "--reason", "gone home"]).done();
    repo.coord("alice", ["transfer", "--to", "bob"]).done();
    repo.coord("alice", ["undo", "--dry-run"]).done();
    repo.json("alice", ["changes"]);
    repo.coord("alice", ["adopt", "--all", "--reason", "r"]).exits(exit::NOTHING);
    assert_eq!(repo.list(&["--holder", "bob"]).len(), 2);
    assert_eq!(repo.list(&["--path", "docs"]).len(), 1);
    repo.pass("2h");
    assert_eq!((repo.holds().len(), repo.list(&["--all"]).len()), (0, 2));
    assert_eq!(repo.json("ops", ["sweep", "--dry-run"])["swept"], 0);
    assert_eq!(repo.json("ops", ["sweep"])["swept"], 2);
    assert_eq!(repo.life_counts(), [3, 1, 2]);
}

fn a_lock_is_held_by_one(repo: &Repo) {
    repo.reserve_with("alice", &["--lock", "port 8080"]);
    repo.coord_json("bob", ["reserve", "--lock", "port 8080"]).refused(refusal::HELD);
    repo.coord("bob", ["check", "--lock", "port 8080"]).exits(exit::NO);
    repo.coord("alice", ["renew", "--lock", "port 8080"]).done();
    assert_eq!(repo.list(&["--locks"]).len(), 1);
    assert_eq!(repo.json("alice", ["release", "--lock", "port 8080"])["released"], 1);
}

fn requests_are_answered_once(repo: &Repo) {
    let request = ["src/**", "--request-id", "try-1"];
    let granted = repo.reserve_with("alice", &request);
    let entries = repo.entry_count();
    assert_eq!(repo.reserve_with("alice", &request)["id"], granted["id"]);
    let other = ["reserve", "docs", "--request-id", "try-1"];
    repo.coord_json("alice", other).refused(refusal::REQUEST_MISMATCH);
    assert_eq!(repo.entry_count(), entries);
}

fn a_consumer_reads_each_event_once(repo: &Repo) {
    let read = || repo.coord("", ["events", "--json", "--consumer", "c"]).done().json_lines();
    assert_eq!(read(), repo.events(""));
    assert_eq!(read(), Vec::<Value>::new());
    repo.reserve("bob", "docs/**");
    let kinds: Vec<Value> = read().into_iter().map(|event| event["type"].clone()).collect();
    assert_eq!(kinds, [event::GRANTED]);
}

fn the_ledger_can_be_read_and_turned_back(repo: &Repo) {
    let before = (repo.tip(), repo.holds());
    repo.coord("bob", ["release", "--mine"]).done();
    let at_before = format!("{RESERVATIONS}@{}", before.0);
    repo.coord("ops", ["ledger", "show", &at_before]).done().says("docs/**");
    repo.coord("ops", ["ledger", "diff", RESERVATIONS]).done().says("docs");
    let back = ["ledger", "rollback", RESERVATIONS, "--to", &before.0, "--reason", "too early"];
    repo.coord("ops", back.iter().chain(&["--dry-run"])).done();
    repo.coord("ops", back).done();
    let patterns = |holds: &[Value]| texts(&holds.into(), "pattern");
    assert_eq!(patterns(&repo.holds()), patterns(&before.1));
    assert_eq!(repo.json("ops", ["log", "-n", "1"])["entries"][0]["entry"], repo.tip().as_str());
    repo.coord("ops", ["ledger", "verify"]).done();
}

#[track_caller]
fn a_damaged_ledger_is_repaired_and_a_long_one_compacted(repo: &Repo) {
    let (whole, damaged) = (repo.tip(), repo.git(["rev-parse", "HEAD"]));
    repo.git(["update-ref", RESERVATIONS_REF, &damaged]);
    let answer = repo.json("ops", ["doctor", "--repair"]);
    let repaired = &answer["repaired"][0];
    assert_eq!(repaired["whole"], whole.as_str(), "{answer:#}");
    assert_eq!(repo.git(["rev-parse", repaired["kept_at"].as_str().unwrap()]), damaged);
    repo.coord("ops", ["ledger", "verify"]).done();
    repo.pass("40d");
    repo.reserve("alice", "after/all");
    repo.coord("ops", ["ledger", "upgrade"]).done().says("has format 2 already");
    let (holds, before) = (repo.holds(), repo.tip());
    let answer = repo.json("ops", ["ledger", "compact"])["ledgers"][0].clone();
    assert_eq!(answer["kept"], 1, "{answer:#}");
    assert_eq!(repo.git(["rev-parse", answer["archive"].as_str().unwrap()]), before);
    assert_eq!((repo.entry_count(), repo.holds()), (2, holds));
    repo.coord("ops", ["doctor"]).done();
}

/// 4/F4: the way back of a run is one entry in a ledger of its own.
#[track_caller]
fn a_run_goes_on_and_comes_back(repo: &Repo) {
    let run = |words: &[&str]| repo.json("alice", [&["run"], words].concat());
    run(&["create", "--goal", "g", "--phases", "draft,review,done", "--id", "k3v9x2ab"]);
    run(&["advance", "k3"]);
    run(&["artifact", "add", "k3", "--path", "docs/guide.md"]);
    run(&["dispatch", "add", "k3"]);
    run(&["advance", "k3"]);
    let back = run(&["rollback", "k3", "--to", "draft", "--reason", "too early"]);
    assert_eq!(back["run"]["status"], "active");
    assert_eq!(back["cancelled_dispatches"].as_array().map(Vec::len), Some(1), "{back:#}");
    assert_eq!(run(&["replay", "k3"])["same"], true);
    assert_eq!(repo.git(["rev-list", "--count", RUNS_REF]), "6");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// One ref, where git looks for refs and nowhere else, with the objects that git expects.
#[track_caller]
fn git_sees_what_we_see(repo: &Repo, kind: Kind) {
    let log = repo.json("ops", ["ledger", "log", RESERVATIONS]);
    let newest = log["entries"][0]["entry"].as_str().expect("an entry has a name");
    let seen = repo.git(["for-each-ref", "--format=%(refname) %(objectname)", "refs/coord"]);
    assert_eq!(seen, format!("{RESERVATIONS_REF} {newest}"));
    let is_file = repo.git_dir().join("refs/coord").exists();
    assert_eq!(is_file, kind.refs == RefFormat::Files, "a ref in a file that git never reads");
    assert_eq!(newest.len(), if kind.hash == Hash::Sha1 { 40 } else { 64 });
    assert_eq!(repo.git(["fsck", "--strict", "--full", "--no-dangling"]), "");
}

#[track_caller]
fn gc_keeps_everything(repo: &Repo) {
    let all = |repo: &Repo| (repo.tip(), repo.entry_count(), repo.holds(), repo.events(""));
    let before = all(repo);
    repo.git(["gc", "--quiet", "--prune=now"]);
    assert_eq!(all(repo), before);
    repo.reserve("carol", "after/gc");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/C1 = 1/ARCH-1: with the queue, and by the swap alone.
#[track_caller]
fn one_of_many_gets_it(repo: &Repo) {
    for queue in ["true", "false"] {
        let rival = |number: usize| {
            let call = repo.call(&format!("agent-{number}"));
            let call = call.config(key::QUEUE, queue).config(key::WAIT, "2m");
            call.args(["reserve", "--json", "src/main.rs"])
        };
        let outputs = race(repo, &(0..RIVALS).map(rival).collect::<Vec<Call>>());
        let won = |output: &&Output| output.code == exit::DONE;
        let lost = |output: &&Output| output.code == exit::NO;
        let counts = (outputs.iter().filter(won).count(), outputs.iter().filter(lost).count());
        assert_eq!(counts, (1, RIVALS - 1), "queue {queue}: {outputs:#?}");
        let holds = repo.holds();
        assert_eq!(holds.len(), 1);
        repo.coord(holds[0]["holder"].as_str().unwrap(), ["release", "--mine"]).done();
    }
    assert_eq!(repo.entry_count(), 4, "nobody but the winners wrote");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 1/C1-state, 0/IMP-1: after a kill at any moment, of the command and all that it started, the
/// next one works, without repair.
#[track_caller]
fn a_killed_command_blocks_nobody(repo: &Repo) {
    let before = Untouched::of(repo.world());
    let kills = rounds().div_ceil(5).min(KILLS_MAX);
    for round in 0..kills {
        let victim = repo.call("victim").args(["reserve", &format!("file-{round}")]);
        let mut child = victim.command().process_group(0).spawn().unwrap();
        thread::sleep(Duration::from_micros(round as u64 * 3_571 % 40_000));
        let group = format!("-{}", child.id());
        repo.call("").program("kill").args(["-KILL", "--", &group]).run_unproven();
        child.wait().unwrap();
        repo.call("next").args(["reserve", &format!("next-{round}")]).run_unproven().done();
    }
    before.assert_still_so("killed commands");
    assert_eq!(repo.list(&["--holder", "next"]).len(), kills);
    assert_eq!(repo.git(["fsck", "--strict", "--full", "--no-dangling"]), "");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// Runs random scenarios in a process whose current directory is in the repository: this very test
/// again, which is told so by a variable.
#[track_caller]
fn git_and_memory_agree(kind: Kind, module_path: &str) {
    if std::env::var_os(INSIDE).is_some() {
        agree_in_this_directory();
        return;
    }
    let Some(repo) = Repo::of(kind) else { return };
    let (_, test) = module_path.split_once("::").expect("a test is in a crate");
    let again = repo.call("").program(std::env::current_exe().unwrap());
    let said = again.args(["--exact", test]).env(INSIDE, "").run().done();
    said.says("1 passed");
    assert_eq!(repo.git(["fsck", "--strict", "--full", "--no-dangling"]), "");
}

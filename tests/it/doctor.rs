//! `doctor`: every check, every kind of damage, and its repair.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::contract::{RESERVATIONS, RESERVATIONS_REF, exit};
use crate::support::{Output, Repo, texts};
use crate::waiting::until;

mod hooks;
mod packs;
mod put_back;
mod repair;

fn doctor(repo: &Repo) -> Output {
    repo.coord_json("ops", ["doctor"])
}

/// Finds the one check of this name.
#[track_caller]
fn check(answer: &Value, name: &str) -> Value {
    let checks = answer["checks"].as_array().unwrap();
    let mut found = checks.iter().filter(|check| check["name"] == name);
    found.next().unwrap_or_else(|| panic!("no check '{name}' in {answer:#}")).clone()
}

fn ref_file(repo: &Repo) -> PathBuf {
    repo.git_dir().join(RESERVATIONS_REF)
}

/// Creates three entries of alice's, each with an object of its own.
fn with_entries() -> Repo {
    let repo = Repo::new();
    for path in ["a", "b", "c"] {
        repo.reserve("alice", path);
    }
    repo
}

/// Unpacks all objects, so that single ones can be damaged.
pub(crate) fn unpack(repo: &Repo) {
    let directory = repo.git_dir().join("objects/pack");
    let files: Vec<PathBuf> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    let aside = repo.world().join("tmp/aside");
    fs::create_dir_all(&aside).unwrap();
    for file in &files {
        fs::rename(file, aside.join(file.file_name().unwrap())).unwrap();
    }
    for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "pack")) {
        let pack = fs::File::open(aside.join(file.file_name().unwrap())).unwrap();
        let mut unpack = repo.git_call(["unpack-objects", "-q"]).command();
        assert!(unpack.stdin(pack).status().unwrap().success());
    }
}

pub(crate) fn object_file(repo: &Repo, name: &str) -> PathBuf {
    let id = repo.git(["rev-parse", name]);
    repo.git_dir().join("objects").join(&id[..2]).join(&id[2..])
}

#[test]
fn a_healthy_repository_is_all_ok() {
    let repo = with_entries();
    let before = repo.tip();
    let answer = doctor(&repo).done().json();
    let states = texts(&answer["checks"], "state");
    let (hooks, others) = states.split_last().unwrap();
    assert!(others.iter().all(|state| state == "ok"), "{answer:#}");
    assert_eq!((hooks.as_str(), &check(&answer, "hooks")["state"]), ("note", &json!("note")));
    let names = texts(&answer["checks"], "name");
    for name in ["git", "configuration", "repository", "identity", "clock", "locks", "leftovers"] {
        assert!(names.iter().any(|found| found == name), "{name}: {answer:#}");
    }
    assert!(check(&answer, RESERVATIONS)["text"].as_str().unwrap().contains("3 entries, format 2"));
    assert!(check(&answer, "identity")["text"].as_str().unwrap().contains("ops"));
    assert_eq!(repo.tip(), before);
    let said = repo.coord("ops", ["doctor", "--repair"]).done();
    said.says("nothing to repair").says("ok");
    assert_eq!((repo.tip(), said.stderr.as_str()), (before, ""));
}

#[test]
fn a_repository_without_a_ledger_is_fine_and_stays_so() {
    let repo = Repo::unborn();
    let answer = doctor(&repo).done().json();
    assert_eq!(check(&answer, RESERVATIONS)["text"], "no entries yet");
    repo.coord("ops", ["doctor", "--repair"]).done().says("nothing to repair");
    assert!(!ref_file(&repo).exists());
    let call = repo.call("ops").dir(repo.elsewhere()).args(["doctor"]);
    call.run().exits(exit::FAILURE).says("not a git repository");
}

#[test]
fn settings_that_mean_nothing_or_do_not_fit_are_named() {
    let repo = with_entries();
    let call = repo.call("ops").args(["--json", "doctor"]);
    let answer = call.clone().config("coord.wiat", "3s").run().done().json();
    let found = check(&answer, "configuration");
    assert_eq!(found["state"], "warning");
    assert!(found["text"].as_str().unwrap().contains("did you mean 'coord.wait'"), "{found:#}");
    // An invalid setting stops every other command, and is a fault here.
    let answer = call.config("coord.ttl", "soon").run().exits(exit::NO).json();
    let found = check(&answer, "configuration");
    assert_eq!(found["state"], "fault");
    assert!(found["text"].as_str().unwrap().contains("coord.ttl"), "{found:#}");
    assert_eq!(check(&answer, RESERVATIONS)["state"], "ok", "the rest is looked at");
}

#[test]
fn a_clock_that_is_behind_is_a_warning() {
    let repo = with_entries();
    repo.at("2026-01-05T08:00:00Z");
    let answer = doctor(&repo).done().json();
    let found = check(&answer, "clock");
    assert_eq!(found["state"], "warning");
    assert!(found["text"].as_str().unwrap().contains("set the clock"), "{found:#}");
}

#[test]
fn leftovers_and_strangers_are_named() {
    let repo = with_entries();
    fs::write(ref_file(&repo).with_extension("lock"), "").unwrap();
    fs::write(repo.git_dir().join("coord/tmp/half"), "").unwrap();
    repo.git(["update-ref", "refs/coord/mine", "HEAD"]);
    let answer = doctor(&repo).done().json();
    let all = texts(&answer["checks"], "text").join("\n");
    for text in ["reservations.lock", "1 files of ended commands", "'refs/coord/mine' is no ledger"]
    {
        assert!(all.contains(text), "{text}\n{all}");
    }
}

/// 1/C1-state, 8/NO-HARM: a lock of unknown owner makes writers busy, who say what to do. It is
/// moved aside by whoever asks for that, and not while a git may be at work here.
#[test]
fn a_lock_of_unknown_owner_is_moved_aside_if_no_git_is_at_work() {
    let repo = with_entries();
    let lock = ref_file(&repo).with_extension("lock");
    fs::write(&lock, "").unwrap();
    let attempt = || repo.call("bob").args(["reserve", "docs"]).config("coord.wait", "1s").run();
    let busy = attempt().exits(exit::BUSY);
    busy.says("reservations.lock' was there").says("nothing tells whose it is");
    busy.says("git coord doctor --repair");

    let repair = || repo.call("ops").args(["doctor", "--repair", "--json"]).run();
    let mut git = repo.git_call(["cat-file", "--batch"]).command();
    let mut git = git.stdin(Stdio::piped()).spawn().unwrap();
    // As young as it is: what stays in every writer's way was not repaired.
    let answer = repair().exits(exit::NO).json();
    assert_eq!(answer["ok"], false, "{answer:#}");
    let stays = answer["locks"][0]["stays"].as_str().unwrap().to_owned();
    assert!(stays.contains(&format!("process {} (git)", git.id())), "{stays}");
    assert!(lock.exists());
    drop(git.stdin.take());
    git.wait().unwrap();

    if cfg!(target_os = "linux") {
        let opened = fs::File::open(&lock).unwrap();
        let answer = repair().exits(exit::NO).json();
        assert!(
            answer["locks"][0]["stays"].as_str().unwrap().contains("has it open"),
            "{answer:#}"
        );
        let pid = std::process::id();
        attempt().exits(exit::BUSY).says(&format!("process {pid}")).says("has it open");
        drop(opened);
    }
    // A child that another test starts has our files open until it becomes its program.
    let mut moved = Value::Null;
    until(|| {
        moved = repair().json();
        moved["locks"][0]["kept_at"].is_string()
    });
    let kept_at = moved["locks"][0]["kept_at"].as_str().unwrap();
    assert!(!lock.exists() && PathBuf::from(kept_at).exists(), "{moved:#}");
    attempt().done();
}

/// A lock that no command of this host can judge is a fault once it is old, with what to type.
#[test]
fn an_old_lock_is_a_fault() {
    let repo = with_entries();
    let lock = fs::File::create(ref_file(&repo).with_extension("lock")).unwrap();
    lock.set_modified(SystemTime::now() - Duration::from_secs(3_600)).unwrap();
    drop(lock);
    let found = check(&doctor(&repo).exits(exit::NO).json(), "leftovers");
    assert_eq!(found["state"], "fault");
    assert!(found["text"].as_str().unwrap().contains("it is 60m old"), "{found:#}");
    assert_eq!(found["next"][0], json!(["git", "coord", "doctor", "--repair"]));
}

/// 7/SYMLINK: what leads out of the repository is named, with what to type.
#[test]
fn a_symbolic_link_is_a_fault() {
    let repo = Repo::new();
    let away = repo.elsewhere().join("coord");
    fs::create_dir_all(&away).unwrap();
    symlink(&away, repo.git_dir().join("coord")).unwrap();
    repo.coord("ops", ["reserve", "src"]).exits(exit::FAILURE).says("git coord doctor");
    let answer = doctor(&repo).exits(exit::NO).json();
    let found = check(&answer, "files");
    assert_eq!((&found["state"], &found["next"][0][0]), (&"fault".into(), &"rm".into()));
    repo.coord("ops", ["doctor", "--repair"]).exits(exit::NO).says("symbolic link");
    fs::remove_file(repo.git_dir().join("coord")).unwrap();
    repo.coord("ops", ["doctor"]).done();
}

#[test]
fn a_ref_in_the_way_is_a_fault_with_its_cure() {
    let repo = Repo::new();
    repo.git(["update-ref", "refs/coord/reservations/x", "HEAD"]);
    let failed = repo.coord("ops", ["reserve", "src"]).exits(exit::FAILURE);
    failed.says("git coord doctor");
    let answer = doctor(&repo).exits(exit::NO).json();
    let found = check(&answer, "refs");
    let cure: Vec<&str> =
        found["next"][0].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(cure, ["git", "update-ref", "-d", "refs/coord/reservations/x"]);
    repo.git(&cure[1..]);
    repo.coord("ops", ["doctor"]).done();
    repo.reserve("ops", "src");
}

/// 1/M4: damage is found, named, repaired to the newest whole entry, recorded and kept; the next
/// command works, every entry is decided again, and a second repair has nothing to do.
#[track_caller]
fn is_repaired(repo: &Repo, whole: &str, held: &[&str]) -> Value {
    let refused = repo.coord_json("bob", ["check", "**"]).exits(exit::FAILURE).json();
    let doctor_repair = Value::from(vec!["git", "coord", "doctor", "--repair"]);
    assert_eq!(refused["error"]["next"][0], doctor_repair, "{refused:#}");
    is_found_and_repaired(repo, whole, held)
}

/// Checks the same as [`is_repaired`] for damage that not every command notices.
#[track_caller]
fn is_found_and_repaired(repo: &Repo, whole: &str, held: &[&str]) -> Value {
    let doctor_repair = Value::from(vec!["git", "coord", "doctor", "--repair"]);
    let found = check(&doctor(repo).exits(exit::NO).json(), RESERVATIONS);
    assert_eq!((&found["state"], &found["next"][0]), (&"fault".into(), &doctor_repair));

    let answer = repo.coord_json("ops", ["doctor", "--repair"]).done().json();
    let repaired = answer["repaired"][0].clone();
    assert_eq!(repaired["whole"], whole, "{answer:#}");
    assert_eq!(repo.git(["rev-parse", &format!("{RESERVATIONS_REF}^")]), whole);
    assert_eq!(repaired["entry"], repo.tip().as_str());
    let mut holds = texts(&repo.holds().into(), "pattern");
    holds.sort();
    assert_eq!(holds, held);
    let events = repo.events("repaired");
    assert_eq!((events.len(), &events[0]["actor"]), (1, &"ops".into()));
    let kept_at = events[0]["data"]["kept_at"].as_str().unwrap();
    assert!(repaired["kept_at"].as_str().unwrap().ends_with(kept_at), "{answer:#}");
    let top = repo.world().display().to_string();
    assert!(!events[0]["data"].to_string().contains(&top), "1/NO-PATHS: {events:#?}");
    repo.reserve("bob", "new");
    repo.coord("ops", ["ledger", "verify"]).done();
    repo.coord("ops", ["doctor", "--repair"]).done().says("nothing to repair");
    // No ref leads to what is missing or damaged, so that git can go on packing.
    repo.git(["repack", "-a", "-d", "--quiet"]);
    repo.coord("ops", ["ledger", "verify"]).done();
    repaired
}

/// Reads the file that keeps the damaged state.
fn kept_file(repaired: &Value) -> String {
    fs::read_to_string(repaired["kept_at"].as_str().unwrap()).unwrap()
}

#[test]
fn a_ref_that_holds_no_id_is_repaired() {
    for garbage in ["", "garbage\n", "\0\0\0\0", "ref: refs/heads/main\n"] {
        let repo = with_entries();
        let whole = repo.tip();
        fs::write(ref_file(&repo), garbage).unwrap();
        let repaired = is_repaired(&repo, &whole, &["a", "b", "c"]);
        assert!(kept_file(&repaired).contains(garbage), "{repaired:#}");
    }
}

#[test]
fn a_ref_to_a_missing_commit_is_repaired() {
    let repo = with_entries();
    let whole = repo.tip();
    let missing = "1234567890".repeat(4);
    fs::write(ref_file(&repo), format!("{missing}\n")).unwrap();
    let repaired = is_repaired(&repo, &whole, &["a", "b", "c"]);
    assert!(kept_file(&repaired).contains(&missing));
}

/// A commit that is no entry is whole in itself, so a ref keeps it.
#[test]
fn a_ref_to_another_commit_is_repaired() {
    let repo = with_entries();
    let whole = repo.tip();
    repo.git(["update-ref", RESERVATIONS_REF, "HEAD"]);
    let repaired = is_repaired(&repo, &whole, &["a", "b", "c"]);
    let kept = repaired["kept_at"].as_str().unwrap();
    assert!(kept.starts_with("refs/coord/damaged/reservations/"), "{kept}");
    assert_eq!(repo.git(["rev-parse", kept]), repo.git(["rev-parse", "HEAD"]));
    let refs = check(&doctor(&repo).done().json(), "refs");
    assert!(refs["text"].as_str().unwrap().contains("1 damaged"), "{refs:#}");
}

/// A compaction leaves two entries of each number, and the ledger's own is meant. Which of the two
/// has the greater id is chance, so there are several.
#[test]
fn a_repair_after_a_compaction_goes_on_from_the_ledgers_own_entry() {
    for _ in 0..6 {
        let repo = with_entries();
        repo.pass("40d");
        repo.reserve("bob", "d");
        repo.coord("ops", ["ledger", "compact", "--keep", "1d"]).done().says("set aside");
        let whole = repo.tip();
        fs::write(ref_file(&repo), "garbage\n").unwrap();
        let answer = repo.coord_json("ops", ["doctor", "--repair"]).done().json();
        assert_eq!(answer["repaired"][0]["whole"], whole, "{answer:#}");
        repo.coord("ops", ["ledger", "verify"]).done();
    }
}

/// Deletes, empties, truncates and overwrites one object below the newest entry.
#[test]
fn an_object_below_the_newest_entry_is_repaired() {
    let damages: [fn(&PathBuf); 4] = [
        |file| fs::remove_file(file).unwrap(),
        |file| replace(file, b""),
        |file| replace(file, &fs::read(file).unwrap()[..10]),
        |file| replace(file, &[0; 60]),
    ];
    // Each of them looks for a while before it believes in the damage.
    thread::scope(|scope| {
        for damage in damages {
            for object in ["newest hold", "newest hold's directory", "root tree"] {
                scope.spawn(move || an_object_is_repaired(object, damage));
            }
        }
    });
}

fn an_object_is_repaired(object: &str, damage: fn(&PathBuf)) {
    let repo = with_entries();
    let whole = repo.git(["rev-parse", &format!("{RESERVATIONS_REF}^")]);
    let lost = repo.tip();
    let path = match object {
        "root tree" => format!("{RESERVATIONS_REF}^{{tree}}"),
        "newest hold" => format!("{RESERVATIONS_REF}:paths/+c/{}", name_in(&repo, "c")),
        _ => format!("{RESERVATIONS_REF}:paths/+c"),
    };
    unpack(&repo);
    damage(&object_file(&repo, &path));
    let repaired = is_repaired(&repo, &whole, &["a", "b"]);
    assert_eq!(texts(&repaired["lost"], "entry"), [lost.as_str()]);
    // The damaged entry itself can be read, and stays to be read.
    let kept = kept_file(&repaired);
    assert!(kept.contains(&lost) && kept.contains("reserve c for alice"), "{kept}");
}

fn name_in(repo: &Repo, directory: &str) -> String {
    let node = format!("{RESERVATIONS_REF}:paths/+{directory}");
    repo.git(["ls-tree", "--name-only", &node])
}

fn replace(file: &PathBuf, content: &[u8]) {
    fs::remove_file(file).unwrap();
    fs::write(file, content).unwrap();
}

/// The newest commit itself is unreadable: nothing leads to the one before, and it is found among
/// all commits.
#[test]
fn a_damaged_newest_commit_is_repaired() {
    let repo = with_entries();
    let whole = repo.git(["rev-parse", &format!("{RESERVATIONS_REF}^")]);
    unpack(&repo);
    replace(&object_file(&repo, RESERVATIONS_REF), b"x");
    is_repaired(&repo, &whole, &["a", "b"]);
}

/// What is damaged in several of the newest entries is gone back behind.
#[test]
fn damage_in_several_entries_goes_back_behind_them() {
    let repo = with_entries();
    let whole = repo.git(["rev-parse", &format!("{RESERVATIONS_REF}~2")]);
    let hold = format!("{RESERVATIONS_REF}:paths/+b/{}", name_in(&repo, "b"));
    unpack(&repo);
    fs::remove_file(object_file(&repo, &hold)).unwrap();
    is_repaired(&repo, &whole, &["a"]);
}

/// Nothing is made up: where no whole entry is left, that is said, and nothing is changed.
#[test]
fn a_ledger_of_which_nothing_is_left_is_not_made_up() {
    let repo = with_entries();
    let packs = repo.git_dir().join("objects/pack");
    for entry in fs::read_dir(&packs).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let before = fs::read(ref_file(&repo)).unwrap();
    let said = repo.coord("ops", ["doctor", "--repair"]).exits(exit::FAILURE);
    said.says("no whole entry of it was found");
    assert_eq!(fs::read(ref_file(&repo)).unwrap(), before);
}

/// 1/L3: a newer format is no damage, and nothing to repair.
#[test]
fn a_newer_format_is_not_repaired() {
    let repo = with_entries();
    repo.raise_format(99);
    let before = repo.tip();
    let found = check(&doctor(&repo).exits(exit::NO).json(), RESERVATIONS);
    assert!(found["text"].as_str().unwrap().contains("format 99"), "{found:#}");
    repo.coord("ops", ["doctor", "--repair"]).exits(exit::FAILURE).says("newer git-coord");
    assert_eq!(repo.tip(), before);
}

/// A document that is no JSON is damage that a rollback cures; doctor names it.
#[test]
fn a_fault_of_verify_is_a_fault_here() {
    let repo = with_entries();
    let id = repo.reserve_id("alice", "d");
    repo.overwrite(&repo.documents_of(&id), "{ no json");
    let found = check(&doctor(&repo).exits(exit::NO).json(), RESERVATIONS);
    assert_eq!(found["state"], "fault");
    assert_eq!(found["next"][0][3], "verify", "{found:#}");
}

//! Detections and checks at the same time.

use super::project::{SERVICE, check_code, project, tip};
use crate::support::contract::{event, exit};
use crate::support::hooks::put_script;
use crate::support::kind::{Hash, Kind, Place};
use crate::support::race::race_unproven;
use crate::support::{Call, Repo, race, rounds};

const RIVALS: usize = 4;

fn detect(repo: &Repo, number: usize, more: &[&str]) -> Call {
    repo.call(&format!("agent-{number}")).args([&["domain", "detect"], more].concat())
}

/// 2/P0-1-writer: a detection that began before a change, and one that began after it. Whichever
/// writes last, what remains is what the later one saw.
#[test]
fn what_was_seen_last_remains() {
    let repo = project(SERVICE);
    for round in 0..rounds().div_ceil(5) {
        repo.write("package.json", &format!("{{\"dependencies\":{{\"koa\":\"{round}\"}}}}"));
        let early = detect(&repo, 1, &[]).command().spawn().unwrap();
        repo.write("package.json", &format!("{{\"dependencies\":{{\"hapi\":\"{round}\"}}}}"));
        let late = detect(&repo, 2, &[]).command().spawn().unwrap();
        let codes = [early, late].map(|child| child.wait_with_output().unwrap().status.code());
        assert!(codes.iter().all(|code| matches!(code, Some(0 | 1))), "{codes:?}");
        assert_ne!(check_code(&repo), exit::STALE, "round {round}");
    }
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 2/P0-1-writer: the same with the order made sure of. The early one has looked at the tree and
/// stands in the queue, which the late one does without.
#[cfg(debug_assertions)]
#[test]
fn who_looked_before_a_change_does_not_overwrite_who_looked_after_it() {
    let repo = super::project::detected();
    let turn = repo.take_turn("domains");
    repo.write("package.json", "{\"dependencies\":{\"koa\":\"1\"}}");
    let steps = repo.world().join("tmp/steps");
    let early = detect(&repo, 1, &[]).env("GIT_COORD_STEPS", &steps);
    let waiting = early.command().spawn().unwrap();
    let is_in_queue =
        || std::fs::read_to_string(&steps).is_ok_and(|text| text.contains("locks/domains.lock"));
    while !is_in_queue() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    repo.write("package.json", "{\"dependencies\":{\"hono\":\"1\"}}");
    detect(&repo, 2, &[]).config(crate::support::contract::key::QUEUE, "false").run().done();
    let newer = tip(&repo);
    drop(turn);
    early.finish(waiting).done();
    assert_eq!(tip(&repo), newer, "the older look is not recorded");
    assert_eq!(check_code(&repo), exit::DONE);
}

/// 2/P1-3-lock: none is lost, none is torn, and no lock is left.
#[test]
fn forced_detections_at_once_are_each_an_entry() {
    let repo = project(SERVICE);
    let calls: Vec<Call> = (0..RIVALS).map(|n| detect(&repo, n, &["--force"])).collect();
    let outputs = race(&repo, &calls);
    let refused = outputs.iter().filter(|output| output.code != exit::DONE).count();
    assert_eq!(refused, 0, "who was overtaken looked again: {outputs:#?}");
    assert_eq!(repo.events("detected").len(), RIVALS);
    assert_eq!(repo.events(event::GRANTED).len(), 0);
    repo.coord("ops", ["ledger", "verify"]).done();
    assert!(!repo.git_dir().join("refs/coord/domains.lock").exists());
}

/// 2/P0-1: the tree changes and another detection ends while a check looks at the tree. The check
/// begins again, and answers for the newer entry. The order is made sure of by a git that does it
/// when it is asked what is not tracked, which is in the middle of the look.
#[test]
fn a_check_that_was_overtaken_begins_again() {
    let is_asked = |kind: &Kind| kind.hash == Hash::Sha256 && kind.place == Place::Main;
    let Some(repo) = Kind::all().into_iter().find(is_asked).and_then(Repo::of) else { return };
    for (path, text) in SERVICE {
        repo.write(path, text);
    }
    detect(&repo, 1, &[]).run().done();
    let old = tip(&repo);
    let tools = repo.world().join("tmp/tools");
    std::fs::create_dir(&tools).unwrap();
    let path = repo.git_call(["version"]).command().get_envs().find_map(|(name, value)| {
        (name == "PATH").then(|| value.unwrap().to_str().unwrap().to_owned())
    });
    let script = format!(
        "#!/bin/sh\nexport PATH='{path}'\ncase \"$*\" in *--others*) if mkdir '{mark}' 2>&-; then\n\
         (unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; cd '{top}'; echo '{{}}' >Cargo.toml\n\
         '{program}' domain detect) >&2\nfi;; esac\nexec git \"$@\"\n",
        path = path.unwrap(),
        mark = tools.join("mark").display(),
        top = repo.work().display(),
        program = env!("CARGO_BIN_EXE_git-coord"),
    );
    put_script(&tools.join("git"), &script);
    let check = repo.call("reader").env("PATH", &tools).args(["--json", "domain", "check"]);
    let answer = check.run_unproven().done().json();
    assert_ne!(tip(&repo), old, "somebody wrote meanwhile");
    assert_eq!((&answer["entry"], &answer["verdict"]), (&tip(&repo).into(), &"fresh".into()));
}

/// 2/P0-1: a check beside writers says "fresh" only of an entry that it compared.
#[test]
fn a_check_beside_detections_names_an_entry_of_the_ledger() {
    let repo = project(SERVICE);
    repo.coord("ada", ["domain", "detect"]).done();
    let mut calls: Vec<Call> = (0..RIVALS).map(|n| detect(&repo, n, &["--force"])).collect();
    let check = || repo.call("reader").args(["domain", "check", "--json"]);
    calls.extend((0..RIVALS).map(|_| check()));
    let outputs = race_unproven(&calls);
    let log = repo.git(["rev-list", super::project::DOMAINS_REF]);
    for output in &outputs[RIVALS..] {
        if output.code == exit::BUSY {
            continue;
        }
        let answer = output.json();
        assert_eq!(answer["verdict"], "fresh", "{output:#?}");
        assert!(log.contains(answer["entry"].as_str().unwrap()), "{output:#?}");
    }
    assert!(log.contains(&tip(&repo)));
}

//! Killed at every step: the old snapshot or the new one, and no file of the user's changed.

use super::*;
use crate::ownership::{
    ALICE, BOB, asks, commits, edits, git, hooked, of_file, owners, reports, stops,
};

/// The exit code of a killed process in a shell.
const KILLED: i32 = 128 + 9;

fn fault(call: Call, number: usize, fault: &str) -> Call {
    call.env("GIT_COORD_FAULT", format!("{number}:{fault}"))
}

/// 8/RESCUE: whatever is lost with a process that saves, what an edit has left is not.
#[test]
fn the_end_of_a_turn_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, "src/main.rs", "mine\n");
    prepared.pass("1m");
    let mut number = 0;
    let (mut without, mut with) = (0, 0);
    loop {
        number += 1;
        let repo = prepared.copy();
        let stop = event(&repo, ALICE, "Stop", &json!({ "stop_hook_active": false }));
        let output = fault(stop, number, "kill").run();
        if output.code != KILLED {
            break;
        }
        *(if snapshots(&repo).is_empty() { &mut without } else { &mut with }) += 1;
        repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
        repo.git(["gc", "--quiet", "--prune=now"]);
        rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
        has(&repo, "src/main.rs", b"mine\n");
    }
    assert!(without > 0 && with > 0, "{without} {with} of {number}");
}

/// A file that comes back is there as a whole or not at all.
#[test]
fn bringing_back_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, "src/main.rs", "mine\n");
    stops(&prepared, ALICE);
    prepared.git(["checkout", "--quiet", "--", "src/main.rs"]);
    let before = std::fs::read(prepared.work().join("src/main.rs")).unwrap();
    let (mut old, mut new) = (0, 0);
    for number in 1.. {
        let repo = prepared.copy();
        let output = fault(call(&repo, ALICE, &["restore", "src/main.rs"]), number, "kill");
        if output.run_unproven().code != KILLED {
            break;
        }
        let found = std::fs::read(repo.work().join("src/main.rs")).unwrap();
        assert!(found == before || found == b"mine\n", "step {number}");
        *(if found == before { &mut old } else { &mut new }) += 1;
        rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
        has(&repo, "src/main.rs", b"mine\n");
    }
    assert!(old > 0 && new > 0, "{old} {new}");
}

/// A full disk while a turn ends is no reason to hold the agent up.
#[test]
fn what_cannot_be_saved_holds_nobody_up() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    for number in 1..60 {
        let stop = event(&repo, ALICE, "Stop", &json!({ "stop_hook_active": false }));
        let output = fault(stop, number, "ENOSPC").run();
        // A failure is shown, and blocks nothing.
        assert!(matches!(output.code, exit::DONE | exit::NO), "{number}: {output:#?}");
    }
    has(&repo, "src/main.rs", b"mine\n");
    stops(&repo, ALICE);
    assert_eq!(snapshots(&repo).len(), 1);
}

/// Kills a call at each step, and lets `then` look at what is left. Returns the number of steps.
fn each_step(prepared: &Repo, call: impl Fn(&Repo) -> Call, then: impl Fn(&Repo)) -> usize {
    for number in 1.. {
        let repo = prepared.copy();
        if fault(call(&repo), number, "kill").run_unproven().code != KILLED {
            return number - 1;
        }
        then(&repo);
    }
    unreachable!("a call has an end")
}

fn of_main(repo: &Repo, agent: &str, name: &str) -> Call {
    event(repo, agent, name, &of_file("Edit", &repo.work().join(MAIN)))
}

const MAIN: &str = "src/main.rs";

/// Destroys the change of a file as a person does, and brings it back as a session.
#[track_caller]
fn comes_back(repo: &Repo, path: &str, bytes: &[u8]) {
    has(repo, path, bytes);
    repo.git(["checkout", "--quiet", "--", path]);
    rescue(repo, ALICE, &["restore", path]).done();
    has(repo, path, bytes);
}

/// 8/RESCUE: before an edit, killed at each step: what was there stays and is saved, and the edit
/// is made when it is asked for again.
#[test]
fn the_question_before_an_edit_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, MAIN, "first\n");
    stops(&prepared, ALICE);
    prepared.pass("1m");
    let steps = each_step(
        &prepared,
        |repo| of_main(repo, ALICE, "PreToolUse"),
        |repo| {
            comes_back(repo, MAIN, b"first\n");
            repo.pass("1m");
            edits(repo, ALICE, MAIN, "second\n");
            comes_back(repo, MAIN, b"second\n");
        },
    );
    assert!(steps > 3, "{steps}");
}

/// 8/RESCUE: after an edit, killed at each step: the file has the edit, the end of the turn saves
/// it, and so does the same report again.
#[test]
fn the_report_of_an_edit_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, MAIN, "first\n");
    stops(&prepared, ALICE);
    prepared.pass("1m");
    asks(&prepared, ALICE, MAIN);
    prepared.write(MAIN, "second\n");
    let report = |repo: &Repo| of_main(repo, ALICE, "PostToolUse");
    let steps = each_step(&prepared, report, |repo| {
        has(repo, MAIN, b"second\n");
        stops(repo, ALICE);
        comes_back(repo, MAIN, b"second\n");
    });
    assert!(steps > 3, "{steps}");
    each_step(&prepared, report, |repo| {
        reports(repo, ALICE, MAIN);
        comes_back(repo, MAIN, b"second\n");
        edits(repo, ALICE, MAIN, "third\n");
        comes_back(repo, MAIN, b"third\n");
    });
}

/// 8/RESCUE: before a command that throws work away, killed at each step: what an edit left comes
/// back even if the command runs now, and everything else once the hook was asked again.
#[test]
fn the_look_at_a_command_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, MAIN, "mine\n");
    prepared.write("README.md", "a person's\n");
    let input = json!({ "command": "git reset --quiet --hard" });
    let look = |repo: &Repo| {
        let more = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t9" });
        event(repo, ALICE, "PreToolUse", &more)
    };
    let steps = each_step(&prepared, look, |repo| {
        has(repo, MAIN, b"mine\n");
        has(repo, "README.md", b"a person's\n");
        let unsaved = repo.copy();
        unsaved.git(["reset", "--quiet", "--hard"]);
        rescue(&unsaved, ALICE, &["restore", MAIN]).done();
        has(&unsaved, MAIN, b"mine\n");
        shell(repo, ALICE, "git reset --quiet --hard");
        rescue(repo, ALICE, &["restore", MAIN, "README.md"]).done();
        has(repo, MAIN, b"mine\n");
        has(repo, "README.md", b"a person's\n");
    });
    assert!(steps > 3, "{steps}");
}

/// 8/RESCUE: a takeover that is killed at each step is made once it is asked for again, and the
/// change stays saved.
#[test]
fn a_takeover_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, MAIN, "mine\n");
    stops(&prepared, ALICE);
    let args = ["adopt", MAIN, "--reason", "goes on"];
    let steps = each_step(
        &prepared,
        |repo| repo.call(BOB).args(args),
        |repo| {
            has(repo, MAIN, b"mine\n");
            repo.coord(BOB, args).done();
            assert_eq!(owners(repo), [(MAIN.to_owned(), vec![BOB.to_owned()])]);
            comes_back(repo, MAIN, b"mine\n");
        },
    );
    assert!(steps > 3, "{steps}");
}

/// 8/RESCUE: after a commit, killed at each step: what was not committed stays saved, what was is
/// nobody's any more, and the next commit goes on.
#[test]
fn the_end_of_a_commit_is_killed_at_every_step() {
    let prepared = hooked();
    edits(&prepared, ALICE, MAIN, "mine\n");
    edits(&prepared, ALICE, "README.md", "not yet\n");
    let quiet = ["-c", "core.hooksPath=/dev/null"];
    let commit = ["commit", "--quiet", "--message", "work", "--", MAIN];
    git(&prepared, ALICE, &[&quiet[..], &commit].concat()).done();
    let after = |repo: &Repo| repo.call(ALICE).args(["hook", "post-commit"]);
    let steps = each_step(&prepared, after, |repo| {
        let left = [("README.md".to_owned(), vec![ALICE.to_owned()])];
        assert_eq!(owners(repo), left);
        repo.pass("1m");
        edits(repo, ALICE, MAIN, "more\n");
        commits(repo, ALICE, &["--", MAIN]).done();
        comes_back(repo, "README.md", b"not yet\n");
    });
    assert!(steps > 3, "{steps}");
}

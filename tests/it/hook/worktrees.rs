//! Edits in several worktrees: each protects its own, and both sides are warned.

use super::*;
use crate::support::{race, rounds};

/// The id of a third session.
const THIRD: &str = "31415926-5b1d-4c7e-9a30-1f2e3d4c5b6a";

/// Adds a linked worktree, and returns its directory.
fn linked(repo: &Repo, name: &str) -> PathBuf {
    repo.git(["worktree", "add", "--quiet", "-b", name, &format!("../{name}")]);
    repo.world().join(name)
}

/// 8/TWO-WORKTREES: an edit in another worktree warns both sides at each edit; each has its own
/// reservation, which protects its worktree from everybody else.
#[test]
fn each_worktree_is_protected() {
    let repo = enabled();
    let side = linked(&repo, "side");
    let here = Session::new(&repo, ONE);
    let there = Session::new(&repo, OTHER).standing_in(&side);
    here.edits("src/main.rs");
    for (session, other) in [(&there, ONE_NAME), (&here, OTHER_NAME), (&there, ONE_NAME)] {
        let output = session.edit("src/main.rs");
        let told = context(&output, "PreToolUse");
        assert!(told.contains("another worktree") && told.contains(other), "{told}");
        assert_eq!(output.json()["systemMessage"], told.as_str());
    }
    assert_held(&repo, &[(OTHER_NAME, "src/main.rs"), (ONE_NAME, "src/main.rs")]);
    for directory in [repo.work(), side] {
        Session::new(&repo, THIRD).standing_in(&directory).is_refused("src/main.rs");
    }
    repo.coord_json("alice", ["reserve", "src/main.rs"]).refused("held");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// 8/TWO-WORKTREES: a reservation by a command counts in every worktree, in both directions.
#[test]
fn a_command_reserves_in_every_worktree() {
    let repo = enabled();
    let side = linked(&repo, "side");
    let there = Session::new(&repo, OTHER).standing_in(&side);
    repo.reserve("alice", "docs");
    there.is_refused("docs/guide.md");
    there.edits("README.md");
    assert_eq!(repo.list(&["--holder", OTHER_NAME])[0]["worktree"], "side");
    repo.coord_json("alice", ["reserve", "README.md"]).refused("held");
}

/// 8/TWO-WORKTREES: sessions in two worktrees edit one file at the same moment. One of each
/// worktree gets it, however they race.
#[test]
fn one_of_each_worktree_wins() {
    const IDS: [&str; 6] = [
        "10000000-0000-4000-8000-000000000000",
        "20000000-0000-4000-8000-000000000000",
        "30000000-0000-4000-8000-000000000000",
        "40000000-0000-4000-8000-000000000000",
        "50000000-0000-4000-8000-000000000000",
        "60000000-0000-4000-8000-000000000000",
    ];
    let repo = enabled();
    let side = linked(&repo, "side");
    for _ in 0..rounds().div_ceil(5) {
        let directory = |number: usize| if number < 3 { repo.work() } else { side.clone() };
        let session =
            |number: usize| Session::new(&repo, IDS[number]).standing_in(&directory(number));
        let calls: Vec<Call> = (0..6)
            .map(|number| session(number).edit_call("src/main.rs").config("coord.wait", "1m"))
            .collect();
        let outputs = race(&repo, &calls);
        let is_refused = |output: &Output| output.stdout.contains("\"deny\"");
        for half in outputs.chunks(3) {
            let winners = half.iter().filter(|output| !is_refused(output)).count();
            assert_eq!(winners, 1, "{outputs:#?}");
        }
        assert_eq!(repo.holds().len(), 2);
        repo.coord("ops", ["ledger", "verify"]).done();
        for number in 0..6 {
            session(number).event("Stop");
        }
        assert_eq!(repo.holds().len(), 0, "what came with an edit ends with the turn");
    }
}

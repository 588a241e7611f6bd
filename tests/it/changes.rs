//! `changes`: each uncommitted change with its owners.

use serde_json::{Value, json};

use crate::ownership::{ALICE, BOB, commits, edits, edits_by, hooked, owners, stops};
use crate::support::contract::exit;

/// Everybody's changes are listed, with how, since when and how far the owner is.
#[test]
fn each_change_has_its_owners() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    repo.git(["add", "src/main.rs"]);
    stops(&repo, ALICE);
    repo.pass("1m");
    edits(&repo, BOB, "new.txt", "bob\n");
    edits_by(&repo, BOB, "docs/guide.md", |file| std::fs::remove_file(file).unwrap());
    repo.write("README.md", "a person\n");
    let branch = repo.git(["branch", "--show-current"]);
    let owner = |agent: &str, turn: &str, since: &str| {
        let facts = json!({ "agent": agent, "via": "edit", "turn": turn, "since": since });
        let mut facts = facts.as_object().unwrap().clone();
        facts.insert("branch".to_owned(), json!(branch));
        json!([facts])
    };
    let saved = repo.json("ops", ["rescue", "list"])["snapshots"][0]["id"].take();
    let (first, later) = ("2026-01-05T10:00:00Z", "2026-01-05T10:01:00Z");
    let bobs = || owner(BOB, "running", later);
    let expected = json!([
        { "path": "README.md", "status": "modified", "staged": false, "owners": [] },
        { "path": "docs/guide.md", "status": "deleted", "staged": false, "owners": bobs() },
        { "path": "new.txt", "status": "untracked", "staged": false, "owners": bobs(),
          "saved": "edit" },
        { "path": "src/main.rs", "status": "modified", "staged": true,
          "owners": owner(ALICE, "over", first), "saved": saved },
    ]);
    let answer = repo.json(BOB, ["changes"]);
    assert_eq!(answer["changes"], expected, "{answer:#}");
    assert_eq!(answer["lost"], json!([]));
}

/// 8/RESCUE: each change says whether what is in its file now is saved, and by which snapshot.
#[test]
fn each_change_says_what_has_it() {
    let repo = hooked();
    let saved = || {
        let listed = repo.json("ops", ["changes"])["changes"].take();
        let listed = listed.as_array().unwrap().iter();
        let fact = |change: &Value| (change["path"].clone(), change["saved"].clone());
        listed.map(fact).collect::<Vec<_>>()
    };
    let snapshot = || repo.json("ops", ["rescue", "list"])["snapshots"][0]["id"].take();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    let first = snapshot();
    edits(&repo, BOB, "new.txt", "bob\n");
    edits_by(&repo, BOB, "docs/guide.md", |file| std::fs::remove_file(file).unwrap());
    repo.write("README.md", "a person\n");
    let by_path = |readme: Value, guide: Value, new: Value, main: Value| {
        let paths = ["README.md", "docs/guide.md", "new.txt", "src/main.rs"].map(Value::from);
        paths.into_iter().zip([readme, guide, new, main]).collect::<Vec<_>>()
    };
    assert_eq!(saved(), by_path(Value::Null, Value::Null, json!("edit"), first));
    repo.pass("1m");
    repo.coord("ops", ["rescue", "save"]).done();
    let second = snapshot();
    assert_eq!(saved(), by_path(second.clone(), Value::Null, second.clone(), second.clone()));
    repo.write("README.md", "more of a person's\n");
    assert_eq!(saved(), by_path(Value::Null, Value::Null, second.clone(), second));
}

/// The list is narrowed by path and by owner, and --check answers by the exit code.
#[test]
fn changes_are_chosen_and_checked() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    edits(&repo, "claude:alice/sub", "src/api/users.rs", "sub\n");
    edits(&repo, BOB, "docs/guide.md", "bob\n");
    let paths = |args: &[&str]| {
        let listed = repo.json(BOB, [&["changes"], args].concat())["changes"].take();
        let listed = listed.as_array().unwrap().iter();
        listed.map(|change| change["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&["src"]), ["src/api/users.rs", "src/main.rs"]);
    assert_eq!(paths(&["--mine"]), ["docs/guide.md"]);
    assert_eq!(paths(&["--agent", ALICE]), ["src/api/users.rs", "src/main.rs"]);
    assert_eq!(paths(&["--agent", "claude:alice/sub"]), ["src/api/users.rs"]);
    repo.coord(BOB, ["changes", "--check", "docs"]).done();
    repo.coord(ALICE, ["changes", "--check", "src"]).done();
    let refusal = repo.coord_json(BOB, ["changes", "--check"]).refused("changes_of_others");
    assert_eq!(refusal["refusal"]["changes"].as_array().unwrap().len(), 2);
}

/// Another worktree can be looked at by its name, and has changes of its own.
#[test]
fn another_worktree_can_be_named() {
    let repo = hooked();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    std::fs::write(repo.world().join("side/README.md"), "a person\n").unwrap();
    let listed = repo.json(BOB, ["changes", "--worktree", "side"])["changes"].take();
    assert_eq!((&listed[0]["path"], &listed[1]), (&json!("README.md"), &Value::Null));
    let call = repo.call(BOB).args(["changes", "--worktree", "-", "--json"]);
    let listed = call.dir(repo.world().join("side")).run().done().json();
    assert_eq!(listed["changes"][0]["path"], "src/main.rs");
    repo.coord(BOB, ["changes", "--worktree", "none"]).exits(exit::NOTHING);
}

/// A change that is in no commit and not in the file any more is shown, until its owner changes the
/// file again; one that was committed by another is not.
#[test]
fn what_is_lost_is_shown() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    edits(&repo, ALICE, "docs/guide.md", "alice\n");
    stops(&repo, ALICE);
    let blob = repo.git(["hash-object", "src/main.rs"]);
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    repo.write("docs/guide.md", "alice\na person\n");
    repo.git(["commit", "--quiet", "--no-verify", "--all", "--message", "a person"]);
    let saved = repo.json(BOB, ["rescue", "list"])["snapshots"][0]["id"].take();
    let lost = json!([{
        "path": "src/main.rs",
        "agent": ALICE,
        "at": "2026-01-05T10:00:00Z",
        "blob": blob,
        "saved": saved,
    }]);
    for _ in 0..2 {
        let answer = repo.json(BOB, ["changes"]);
        assert_eq!((&answer["changes"], &answer["lost"]), (&json!([]), &lost));
    }
    edits(&repo, BOB, "src/main.rs", "bob\n");
    assert_eq!(owners(&repo), [("src/main.rs".to_owned(), vec![BOB.to_owned()])]);
    stops(&repo, BOB);
    commits(&repo, BOB, &["--all"]).done();
    edits(&repo, ALICE, "src/main.rs", "alice again\n");
    assert_eq!(repo.json(BOB, ["changes"])["lost"], json!([]));
    assert_eq!(owners(&repo), [("src/main.rs".to_owned(), vec![ALICE.to_owned()])]);
}

/// What another has committed together with its own is in the commit, though no hook saw it.
#[test]
fn what_a_later_commit_has_is_not_lost() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    repo.write("src/main.rs", "alice\na person\n");
    let words = ["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--all", "--message", "x"];
    let commit = repo.call("").program("git").args(words);
    commit.env("GIT_COMMITTER_DATE", repo.later("1m")).run_unproven().done();
    assert_eq!(repo.json(BOB, ["changes"])["lost"], json!([]));
    let notes = repo.git_dir().join("coord/notes");
    assert_eq!(std::fs::read_dir(notes).unwrap().count(), 0);
}

/// A path that is no text is given by its bytes.
#[test]
fn a_path_that_is_no_text_is_given_by_its_bytes() {
    use std::os::unix::ffi::OsStrExt as _;
    let repo = hooked();
    let name = std::ffi::OsStr::from_bytes(b"b\xff");
    if std::fs::write(repo.work().join(name), "x").is_ok() {
        let listed = repo.json(BOB, ["changes"])["changes"].take();
        assert_eq!(listed[0]["path"], json!({ "bytes": "Yv8=" }));
    }
}

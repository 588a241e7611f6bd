//! What the unlucky meet: nothing is overwritten that is not saved, and what comes back is what was
//! there.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::*;
use crate::ownership::{ALICE, edits, hooked, stops};

/// 8/RESCUE: git does not report a change of a file that it ignores or was told not to look at. It
/// is a change all the same.
#[test]
fn a_change_that_git_does_not_report_is_not_overwritten() {
    for (path, way) in [
        ("new.rs", "mkdir -p .git/info && echo new.rs >>.git/info/exclude"),
        ("src/main.rs", "git update-index --skip-worktree src/main.rs"),
        ("src/main.rs", "git update-index --assume-unchanged src/main.rs"),
    ] {
        let repo = hooked();
        edits(&repo, ALICE, path, "mine");
        stops(&repo, ALICE);
        repo.call("").program("sh").args(["-c", way]).run_unproven().done();
        repo.write(path, "a person's");
        let no = call(&repo, ALICE, &["--json", "restore", path]).run().exits(exit::NO).json();
        assert_eq!(no["refused"], json!([{ "path": path, "why": "changed" }]), "{way}");
        has(&repo, path, b"a person's");
        repo.pass("1m");
        rescue(&repo, ALICE, &["restore", "--force", path]).done();
        has(&repo, path, b"mine");
        rescue(&repo, ALICE, &["restore", "--force", path]).done();
        has(&repo, path, b"a person's");
    }
}

/// 8/RESCUE: of many large changes not all fit into a snapshot. Those that do not are not replaced.
#[test]
fn what_does_not_fit_beside_others_stays() {
    let repo = hooked();
    let paths: Vec<String> = (0..9).map(|number| format!("large{number}")).collect();
    for path in &paths {
        edits(&repo, ALICE, path, "mine");
    }
    stops(&repo, ALICE);
    let large = "x".repeat(8 << 20);
    for path in &paths {
        repo.write(path, &large);
    }
    let args = ["--json", "restore", "--force", "."];
    let no = call(&repo, ALICE, &args).run_unproven().exits(exit::NO).json();
    let [refused] = &no["refused"].as_array().unwrap()[..] else { panic!("{no:#}") };
    assert_eq!(refused["why"], "cannot_be_saved");
    let path = refused["path"].as_str().unwrap();
    has(&repo, path, large.as_bytes());
    assert_eq!(no["restored"].as_array().unwrap().len(), 8);
}

/// 8/RESCUE: a file that an edit has made what it was before comes back like that.
#[test]
fn the_last_edit_comes_back_though_it_was_one_before() {
    let repo = hooked();
    for text in ["first", "second", "first"] {
        edits(&repo, ALICE, "src/main.rs", text);
        repo.pass("1m");
    }
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"first");
}

/// 8/RESCUE: in the place of a directory a link is saved as a link, and not what it leads to.
#[test]
fn a_link_in_the_place_of_a_directory_is_saved_as_a_link() {
    let repo = hooked();
    let outside = repo.elsewhere();
    edits(&repo, ALICE, "src/api/users.rs", "mine");
    std::fs::remove_dir_all(repo.work().join("src/api")).unwrap();
    std::fs::write(outside.join("users.rs"), "not of this repository").unwrap();
    symlink(&outside, repo.work().join("src/api")).unwrap();
    rescue(&repo, ALICE, &["save"]).done();
    let id = snapshots(&repo)[0]["commit"].as_str().unwrap().to_owned();
    let listed = repo.git(["ls-tree", "-r", &id, "--", "src/api"]);
    assert!(listed.starts_with("120000 ") && listed.lines().count() == 1, "{listed}");
}

/// 8/RESCUE: what is written to another directory stays in it.
#[test]
fn nothing_leaves_the_directory_that_is_named() {
    let repo = hooked();
    let outside = repo.elsewhere();
    edits(&repo, ALICE, "dir/file", "mine");
    stops(&repo, ALICE);
    std::fs::remove_dir_all(repo.work().join("dir")).unwrap();
    repo.pass("1m");
    symlink(&outside, repo.work().join("dir")).unwrap();
    rescue(&repo, ALICE, &["save"]).done();
    let to = repo.elsewhere();
    let to = to.join("to");
    let args = ["--json", "restore", "--to", to.to_str().unwrap(), "."];
    let no = rescue(&repo, ALICE, &args).exits(exit::NO).json();
    assert_eq!(no["refused"], json!([{ "path": "dir/file", "why": "no_file" }]), "{no:#}");
    assert!(!outside.join("file").exists());
    assert!(to.join("dir").is_symlink());
}

/// 8/RESCUE: a snapshot that cannot be read does not hide the others.
#[test]
fn a_damaged_snapshot_hides_no_other() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    let good = snapshots(&repo)[0]["commit"].as_str().unwrap().to_owned();
    let text = repo.git(["cat-file", "commit", &good]);
    let gone = "1".repeat(40);
    let (_, rest) = text.split_once('\n').unwrap();
    let bad = repo
        .git_call(["hash-object", "-t", "commit", "-w", "--stdin", "--literally"])
        .input(format!("tree {gone}\n{rest}"))
        .run_unproven()
        .done()
        .stdout;
    let refs = repo.git_dir().join("refs/coord/rescue/-");
    std::fs::write(refs.join("20990101T000000Z-11111111"), bad).unwrap();
    assert_eq!(snapshots(&repo).len(), 1);
    repo.call(ALICE).args(["rescue"]).run_unproven().done().says("cannot be read");
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"mine");
    edits(&repo, ALICE, "src/main.rs", "more");
    repo.git(["config", "coord.rescue.max", "1"]);
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"more");
}

/// 8/RESCUE: what is not saved is named, also where nothing is, and where the rest was before.
#[test]
fn what_is_not_saved_is_named_each_time() {
    let repo = hooked();
    repo.git(["config", "coord.rescue.maxFile", "1k"]);
    repo.git(["add", "--all"]);
    repo.git(["commit", "--quiet", "--allow-empty", "--message", "all"]);
    let large = "x".repeat(1025);
    let told = |file: &str| {
        repo.write(file, &large);
        let text = shell(&repo, ALICE, "git clean --dry-run; git checkout -f").json();
        text["systemMessage"].as_str().unwrap_or_default().to_owned()
    };
    assert!(told("src/main.rs").contains("Not saved, because they are too large"));
    repo.write("src/main.rs", &large);
    let only = repo.coord("ops", ["rescue", "save"]).done();
    assert!(only.stdout.is_empty(), "{only:#?}");
    only.says("src/main.rs").says("too large");
    repo.write("new.rs", "mine");
    repo.coord("ops", ["rescue", "save"]).done().says("src/main.rs");
    repo.write("new2.rs", &large);
    repo.coord("ops", ["rescue", "save"]).done().says("was saved already").says("new2.rs");
}

/// 8/RESCUE: a repository without a work tree has nothing to save, and does not say that everything
/// is committed.
#[test]
fn a_bare_repository_saves_nothing() {
    let repo = hooked();
    repo.git(["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let bare = repo.work().parent().unwrap().join("bare.git");
    let no = call(&repo, ALICE, &["save"]).dir(&bare).run_unproven();
    assert_ne!(no.code, exit::DONE);
    assert!(!no.stderr.contains("everything is committed"), "{no:#?}");
    call(&repo, ALICE, &["list"]).dir(&bare).run_unproven().done().says("nothing is saved");
}

/// A word that means a snapshot and a file is not guessed at.
#[test]
fn an_id_that_is_a_file_too_is_not_guessed_at() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    let commit = snapshots(&repo)[0]["commit"].as_str().unwrap().to_owned();
    let id = &commit[..8];
    repo.write(id, "a file");
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    let no = rescue(&repo, ALICE, &["restore", id]);
    no.exits(exit::USAGE).says(&format!("write './{id}' for the file"));
    rescue(&repo, ALICE, &["restore", &format!("./{id}")]).exits(exit::NOTHING);
    rescue(&repo, ALICE, &["restore", &commit]).done();
    has(&repo, "src/main.rs", b"mine");
}

/// 8/RESCUE: a new file is one whatever its name, also where nothing is committed yet.
#[test]
fn a_new_file_of_one_letter_is_saved() {
    let repo = hooked();
    repo.git(["checkout", "--quiet", "--orphan", "other"]);
    repo.git(["rm", "-r", "--quiet", "--force", "."]);
    repo.write("o", "mine");
    assert_eq!(repo.json("ops", ["changes"])["changes"][0]["path"], "o");
    repo.coord("ops", ["rescue", "save"]).done();
    std::fs::remove_file(repo.work().join("o")).unwrap();
    rescue(&repo, ALICE, &["restore", "o"]).done();
    has(&repo, "o", b"mine");
}

/// 8/RESCUE: a tree that few objects make endless is given up, and hides no other snapshot.
#[test]
fn a_maze_of_trees_is_given_up() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    let make = |listed: String| {
        let made = repo.git_call(["mktree"]).input(listed).run_unproven().done();
        made.stdout.trim().to_owned()
    };
    let blob = repo.git(["rev-parse", "HEAD:src/main.rs"]);
    let file = |number: usize| format!("100644 blob {blob}\tf{number}\n");
    let mut tree = make((0..500).map(file).collect::<Vec<_>>().concat());
    for _ in 0..30 {
        tree = make(["a", "b"].map(|name| format!("040000 tree {tree}\t{name}\n")).concat());
    }
    let record = "{\"rescue\":\"turn\",\"at\":\"2026-01-05T09:00:00.000Z\",\"agent\":\"bob\"}";
    let endless = repo.git(["commit-tree", "-p", "HEAD", "-m", "x", "-m", record, &tree]);
    repo.git(["update-ref", "refs/coord/rescue/-/20260105T090000Z-11111111", &endless]);
    assert_eq!(snapshots(&repo).len(), 1);
    repo.coord(ALICE, ["rescue"]).done().says("too many files");
}

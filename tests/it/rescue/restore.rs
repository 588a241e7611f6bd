//! What was lost comes back, and nothing is overwritten unsaid.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use super::*;
use crate::ownership::{ALICE, BOB, edits, edits_by, hooked, stops};
use crate::support::texts;

/// 8/CLEAN: new files as well, with odd names, and whatever is collected in between.
#[test]
fn new_files_come_back_after_clean_and_gc() {
    let repo = hooked();
    let names = ["new.rs", "deep/er/a \"b\"\t.rs", "gr\u{f6}\u{df}er", "-", "[x]"];
    for name in names {
        edits_by(&repo, ALICE, name, |file| {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, BYTES).unwrap();
        });
    }
    stops(&repo, ALICE);
    repo.git(["clean", "--quiet", "--force", "-d"]);
    repo.git(["gc", "--quiet", "--prune=now"]);
    assert!(!repo.work().join("deep").exists());
    let answer = rescue(&repo, ALICE, &["--json", "restore", "."]).done().json();
    assert_eq!(answer["restored"].as_array().unwrap().len(), names.len(), "{answer:#}");
    for name in names {
        has(&repo, name, BYTES);
    }
}

/// A symbolic link and the permission to execute are content.
#[test]
fn links_and_modes_come_back() {
    let repo = hooked();
    edits_by(&repo, ALICE, "run.sh", |file| {
        std::fs::write(file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    });
    repo.write("link", "x");
    edits_by(&repo, ALICE, "link", |file| {
        std::fs::remove_file(file).unwrap();
        symlink("src/main.rs", file).unwrap();
    });
    stops(&repo, ALICE);
    repo.git(["clean", "--quiet", "--force"]);
    rescue(&repo, ALICE, &["restore", "run.sh", "link"]).done();
    let mode = std::fs::metadata(repo.work().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    let target = std::fs::read_link(repo.work().join("link")).unwrap();
    assert_eq!(target.to_str(), Some("src/main.rs"));
}

/// Of a file that was edited on, the newest version that differs comes back; a name brings back an
/// older one.
#[test]
fn an_older_version_comes_back_by_its_id() {
    let repo = hooked();
    for (time, text) in ["first", "second"].into_iter().enumerate() {
        edits(&repo, ALICE, "src/main.rs", text);
        repo.pass("1m");
        stops(&repo, ALICE);
        assert_eq!(snapshots(&repo).len(), time + 1);
    }
    let old = snapshots(&repo)[1]["id"].as_str().unwrap().to_owned();
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"second");
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    rescue(&repo, ALICE, &["restore", &old, "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"first");
}

/// 8/RESCUE: a change that no commit has is replaced only if that was said, and is saved first.
#[test]
fn nothing_is_overwritten_unsaid() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    repo.write("src/main.rs", "a person's");
    let no = call(&repo, ALICE, &["--json", "restore", "src/main.rs"]).run().exits(exit::NO).json();
    assert_eq!(no["refused"], json!([{ "path": "src/main.rs", "why": "changed" }]));
    assert_eq!(no["refusal"]["code"], "changed");
    let next = &no["refusal"]["next"][0];
    assert_eq!(
        next,
        &json!(["git", "coord", "rescue", "restore", "--force", "--", ":/src/main.rs"])
    );
    repo.pass("1m");
    rescue(&repo, ALICE, &["restore", "--force", "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"mine");
    // Its way back is the same command.
    rescue(&repo, ALICE, &["restore", "--force", "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"a person's");
}

/// What is too large to be saved is never replaced.
#[test]
fn what_cannot_be_saved_stays() {
    let repo = hooked();
    repo.git(["config", "coord.rescue.maxFile", "1k"]);
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    let large = "x".repeat(1025);
    repo.write("src/main.rs", &large);
    let args = ["--json", "restore", "--force", "src/main.rs"];
    let no = call(&repo, ALICE, &args).run().exits(exit::NO).json();
    assert_eq!(no["refused"][0]["why"], "cannot_be_saved");
    has(&repo, "src/main.rs", large.as_bytes());
}

/// 8/RESCUE: a reservation of another agent is in the way, forced or not. What comes back is
/// reserved and noted like an edit.
#[test]
fn bringing_back_is_an_edit() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    repo.reserve(BOB, "src");
    let args = ["--json", "restore", "--force", "src/main.rs"];
    let no = call(&repo, ALICE, &args).run().exits(exit::NO).json();
    assert_eq!(
        (&no["refused"][0]["why"], &no["refusal"]["code"]),
        (&json!("held"), &json!("held"))
    );
    assert_eq!(no["refusal"]["next"][0][2], "ask", "{no:#}");
    repo.coord(BOB, ["release", "--mine"]).done();
    let answer = rescue(&repo, ALICE, &["restore", "--json", "src/main.rs"]).done().json();
    assert_eq!(answer["entry"], repo.tip(), "the answer names the reservation: {answer:#}");
    assert!(answer["op"].is_string(), "{answer:#}");
    assert_eq!(texts(&json!(repo.holds()), "holder"), [ALICE]);
    let changes = repo.json("ops", ["changes"])["changes"].take();
    assert_eq!(changes[0]["owners"][0]["agent"], ALICE, "{changes:#}");
}

/// Whoever works without hooks keeps no reservation: nothing would end it.
#[test]
fn people_keep_no_reservation() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    let answer = rescue(&repo, "ops", &["restore", "--json", "src/main.rs"]).done().json();
    assert_eq!(answer["entry"], repo.tip(), "the last entry is the release: {answer:#}");
    has(&repo, "src/main.rs", b"mine");
    assert_eq!(repo.holds(), [] as [Value; 0]);
}

/// 8/RESCUE: a path of which nothing is saved is named, also beside others that come back.
#[test]
fn a_path_that_is_not_saved_is_named() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    let id = snapshots(&repo)[0]["id"].as_str().unwrap().to_owned();
    for words in [&["src", "docs/guide.md", "*.none"][..], &[&id, "src", "docs/guide.md", "*.none"]]
    {
        repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
        let args = [&["--json", "restore"], words].concat();
        let no = rescue(&repo, ALICE, &args).exits(exit::NO).json();
        assert_eq!(no["restored"][0]["path"], "src/main.rs", "{no:#}");
        assert_eq!(no["missing"], json!(["docs/guide.md", "*.none"]), "{no:#}");
        assert_eq!(no["refusal"]["code"], "not_saved");
        has(&repo, "src/main.rs", b"mine");
    }
    let no = rescue(&repo, ALICE, &["restore", "src", "docs/guide.md"]).exits(exit::NO);
    no.says("not saved  docs/guide.md");
    let all = rescue(&repo, ALICE, &["--json", "restore", "src"]).done().json();
    assert_eq!(all["missing"], json!([]));
}

/// What was committed after it was saved does not come back by accident.
#[test]
fn what_was_committed_since_comes_back_by_its_id_only() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "old");
    stops(&repo, ALICE);
    repo.write("src/main.rs", "new");
    let commit = ["commit", "--quiet", "--all", "--message", "new"];
    repo.git_call(commit).env("GIT_COMMITTER_DATE", repo.later("1m")).run_unproven().done();
    let no = call(&repo, ALICE, &["--json", "restore", "src"]).run().exits(exit::NO).json();
    assert_eq!(no["committed"], json!(["src/main.rs"]));
    assert_eq!(no["refusal"]["code"], "committed");
    let id = snapshots(&repo)[0]["id"].as_str().unwrap().to_owned();
    rescue(&repo, ALICE, &["restore", &id, "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"old");
}

/// A directory, a link or another repository in the way is left alone, and nothing is written
/// outside of the work tree.
#[test]
fn nothing_is_written_elsewhere() {
    let repo = hooked();
    edits(&repo, ALICE, "src/api/users.rs", "mine");
    edits(&repo, ALICE, "src/main.rs", "mine");
    stops(&repo, ALICE);
    let outside = repo.elsewhere();
    repo.git(["checkout", "--quiet", "--", "."]);
    std::fs::remove_dir_all(repo.work().join("src/api")).unwrap();
    symlink(&outside, repo.work().join("src/api")).unwrap();
    std::fs::remove_file(repo.work().join("src/main.rs")).unwrap();
    std::fs::create_dir(repo.work().join("src/main.rs")).unwrap();
    let id = snapshots(&repo)[0]["id"].as_str().unwrap().to_owned();
    for args in
        [&["--json", "restore", &id, ":/"][..], &["--json", "restore", "--force", &id, ":/"]]
    {
        let no = rescue(&repo, ALICE, args).exits(exit::NO).json();
        let whys: Vec<&Value> =
            no["refused"].as_array().unwrap().iter().map(|refused| &refused["why"]).collect();
        assert_eq!(whys, ["no_file", "no_file"], "{no:#}");
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    let to = outside.join("copy");
    let to = to.to_str().unwrap();
    rescue(&repo, ALICE, &["restore", "--to", to, ":/"]).done();
    assert_eq!(std::fs::read(outside.join("copy/src/api/users.rs")).unwrap(), b"mine");
    let no = rescue(&repo, ALICE, &["restore", "--to", to, ":/"]);
    no.exits(exit::NO).says("has an uncommitted change");
    let inside = call(&repo, ALICE, &["restore", "--to", "src/copy", ":/"]).run();
    inside.exits(exit::USAGE).says("is in the work tree");
}

/// A worktree may be gone, and what was in it comes back.
#[test]
fn what_was_in_a_removed_worktree_comes_back() {
    let repo = hooked();
    repo.git(["worktree", "add", "--quiet", "../linked", "-b", "linked"]);
    let linked = repo.work().parent().unwrap().join("linked");
    let file = linked.join("src/main.rs");
    let more = crate::ownership::of_file("Edit", &file);
    event(&repo, ALICE, "PreToolUse", &more).dir(&linked).run_unproven().done();
    std::fs::write(&file, BYTES).unwrap();
    event(&repo, ALICE, "PostToolUse", &more).dir(&linked).run_unproven().done();
    repo.git(["worktree", "remove", "--force", "../linked"]);
    let args = ["restore", "--worktree", "linked", "src/main.rs"];
    rescue(&repo, ALICE, &args).done();
    has(&repo, "src/main.rs", BYTES);
}

/// A patch of `diff` is what `restore` would do.
#[test]
fn a_difference_is_what_comes_back() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "fn main() {}\n// more\n");
    edits(&repo, ALICE, "new.rs", "new\n");
    repo.git(["stash", "--quiet", "--include-untracked"]);
    let diff = repo.call(ALICE).args(["rescue", "diff"]).run().done();
    repo.call("").program("git").args(["apply"]).input(diff.stdout).run_unproven().done();
    has(&repo, "src/main.rs", b"fn main() {}\n// more\n");
    has(&repo, "new.rs", b"new\n");
    let none = repo.call(ALICE).args(["rescue", "diff"]).run().done();
    assert_eq!(none.stdout, "", "there is no difference any more");
    let against = repo.call(ALICE).args(["rescue", "diff", "--against", "head", "new.rs"]).run();
    assert!(against.done().stdout.contains("+new\n"));
}

/// Names that lead nowhere are told from refusals.
#[test]
fn nothing_saved_is_nothing_there() {
    let repo = hooked();
    call(&repo, ALICE, &["restore", "src"]).run().exits(exit::NOTHING).says("nothing is saved");
    call(&repo, ALICE, &["diff", "src"]).run().exits(exit::NOTHING);
    call(&repo, ALICE, &["drop", "12345678"]).run().exits(exit::NOTHING).says("12345678");
    call(&repo, ALICE, &["restore"]).run().exits(exit::USAGE);
    call(&repo, ALICE, &["drop"]).run().exits(exit::USAGE);
    let list = call(&repo, ALICE, &["list"]).run().done();
    list.says("nothing is saved");
}

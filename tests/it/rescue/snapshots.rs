//! What is saved, when, and for how long.

use serde_json::json;

use super::*;
use crate::ownership::{ALICE, BOB, edits, edits_by, ends, hooked, stops};
use crate::support::content::Content;
use crate::support::kind::{Hash, Kind, Place, RefFormat};
use crate::support::texts;

/// 8/RESCUE: the end of a turn saves what agents have changed, as a commit that git shows; the same
/// is not saved twice.
#[test]
fn the_end_of_a_turn_saves_what_agents_have_changed() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    edits(&repo, ALICE, "new.rs", "new\n");
    repo.write("docs/guide.md", "a person's\n");
    assert_eq!(texts(&saved(&repo)["edits"], "path"), ["new.rs", "src/main.rs"]);
    stops(&repo, ALICE);
    stops(&repo, ALICE);
    ends(&repo, ALICE);
    let all = snapshots(&repo);
    let [snapshot] = &all[..] else { panic!("{all:#?}") };
    assert_eq!((&snapshot["why"], &snapshot["agent"]), (&json!("turn"), &json!(ALICE)));
    assert_eq!(texts(&snapshot["paths"], "path"), ["new.rs", "src/main.rs"]);
    assert_eq!(texts(&snapshot["paths"], "owner"), [ALICE, ALICE]);
    assert_eq!(saved(&repo)["edits"], json!([]), "the snapshot has them");
    let id = snapshot["commit"].as_str().unwrap();
    assert_eq!(repo.git(["show", &format!("{id}:src/main.rs")]), "mine");
    let changed = repo.git(["diff-tree", "-r", "--name-only", "HEAD", id]);
    assert_eq!(changed.lines().collect::<Vec<_>>(), ["new.rs", "src/main.rs"]);
    assert_eq!(repo.git(["rev-parse", &format!("{id}^")]), repo.git(["rev-parse", "HEAD"]));
    repo.git(["fsck", "--strict", "--no-dangling"]);
    assert_eq!(repo.git(["branch", "--all", "--contains", id]), "", "no branch leads to it");
}

/// 8/RESCUE: what an agent's own command throws away is saved first, also what is a person's, what
/// is staged, and what git does not track.
#[test]
fn a_command_that_goes_ahead_is_saved_before() {
    for command in
        ["git reset --hard", "git stash --include-untracked", "git checkout . && git clean -fd"]
    {
        let repo = hooked();
        edits(&repo, ALICE, "src/main.rs", "mine\n");
        stops(&repo, ALICE);
        repo.write("docs/guide.md", "a person's\n");
        repo.write("notes.txt", "a person's\n");
        repo.write("README.md", "staged\n");
        repo.git(["add", "README.md"]);
        repo.write("README.md", "not staged\n");
        repo.pass("1m");
        let told = shell(&repo, ALICE, command).json();
        let text = told["systemMessage"].as_str().unwrap();
        assert!(text.contains("git coord: the uncommitted content of 4 files was saved"), "{text}");
        assert_eq!(told["hookSpecificOutput"]["additionalContext"], text);
        let snapshot = &snapshots(&repo)[0];
        assert_eq!(snapshot["why"], "verb", "{snapshot:#}");
        let first = command.split(" && ").next().unwrap();
        assert_eq!(snapshot["command"], first);
        let commit = snapshot["commit"].as_str().unwrap();
        assert_eq!(repo.git(["show", &format!("{commit}^2:README.md")]), "staged");
        let id = snapshot["id"].as_str().unwrap();
        rescue(&repo, ALICE, &["restore", "--force", id, ":/"]).done();
        for (path, text) in [
            ("src/main.rs", "mine\n"),
            ("docs/guide.md", "a person's\n"),
            ("notes.txt", "a person's\n"),
            ("README.md", "not staged\n"),
        ] {
            has(&repo, path, text.as_bytes());
        }
    }
}

/// A command that throws nothing away is not held up, and nothing is saved for it.
#[test]
fn harmless_commands_save_nothing() {
    let repo = hooked();
    repo.write("docs/guide.md", "a person's\n");
    for command in ["git status", "git reset --soft HEAD", "git stash list", "git clean -n", "true"]
    {
        let answer = shell(&repo, ALICE, command);
        assert_eq!((&*answer.stdout, &*answer.stderr), ("", ""), "{command}");
    }
    assert_eq!(snapshots(&repo), [] as [Value; 0]);
    // There is nothing to save.
    repo.git(["checkout", "--quiet", "."]);
    assert_eq!(shell(&repo, ALICE, "git reset --hard").stdout, "");
}

/// With `coord.hook.changes` set to warn, what a command destroys of others is saved.
#[test]
fn what_a_warned_command_destroys_is_saved() {
    let repo = hooked();
    repo.git(["config", "coord.hook.changes", "warn"]);
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    stops(&repo, ALICE);
    repo.write("notes.txt", "a person's\n");
    repo.pass("1m");
    shell(&repo, BOB, "git reset --hard && git clean -fd");
    assert_eq!(snapshots(&repo)[0]["why"], "verb");
    repo.coord("ops", ["rescue", "list", "notes.txt"]).done().says("notes.txt");
    rescue(&repo, ALICE, &["restore", "src/main.rs", "notes.txt"]).done();
    has(&repo, "src/main.rs", b"mine\n");
    has(&repo, "notes.txt", b"a person's\n");
}

/// Ignored files, other repositories and large files are no part of a snapshot; the last are named.
#[test]
fn what_is_left_out_is_named() {
    let repo = hooked();
    repo.git(["config", "coord.rescue.maxFile", "1k"]);
    repo.write(".git/info/exclude", "ignored\n");
    repo.write("ignored", "x");
    repo.write("large", &"x".repeat(1025));
    repo.write("small", "x");
    repo.git(["init", "--quiet", "nested"]);
    repo.write("nested/x", "x");
    let answer = repo.json("ops", ["rescue", "save", "--reason", "before a test"]);
    let snapshot = &answer["snapshot"];
    assert_eq!(snapshot["left_out"], json!([{ "path": "large", "bytes": 1025 }]));
    assert_eq!(texts(&snapshot["paths"], "path"), ["small"]);
    assert_eq!((&snapshot["why"], &snapshot["reason"]), (&json!("asked"), &json!("before a test")));
    let again = repo.coord("ops", ["rescue", "save"]).done();
    again.says("it was saved already").says("too large");
    std::fs::remove_dir_all(repo.work().join("nested")).unwrap();
    for name in ["small", "large"] {
        std::fs::remove_file(repo.work().join(name)).unwrap();
    }
    repo.coord("ops", ["rescue", "save"]).done().says("nothing to save");
}

/// Only so many snapshots are kept, and a change that its owner has lost goes last.
#[test]
fn snapshots_are_pruned_and_lost_work_goes_last() {
    let repo = hooked();
    repo.git(["config", "coord.rescue.max", "3"]);
    edits(&repo, ALICE, "src/main.rs", "lost\n");
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "."]);
    let lost = repo.json("ops", ["changes"])["lost"].take();
    assert_eq!(texts(&lost, "path"), ["src/main.rs"]);
    assert_eq!(lost[0]["saved"], snapshots(&repo)[0]["id"]);
    let listed = repo.coord("ops", ["changes"]).done();
    listed.says("to bring it back: git coord rescue restore -- :/src/main.rs");
    for round in 0..5 {
        repo.pass("1m");
        edits(&repo, BOB, "new.rs", &format!("{round}\n"));
        stops(&repo, BOB);
    }
    let kept = snapshots(&repo);
    let paths: Vec<Vec<String>> =
        kept.iter().map(|snapshot| texts(&snapshot["paths"], "path")).collect();
    assert_eq!(paths, [["new.rs"], ["new.rs"], ["src/main.rs"]]);
    repo.pass("30d");
    edits(&repo, BOB, "new.rs", "later\n");
    stops(&repo, BOB);
    let kept = snapshots(&repo);
    assert_eq!(kept.len(), 2, "only what is needed is kept longer: {kept:#?}");
    rescue(&repo, ALICE, &["restore", "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"lost\n");
}

/// Switched off, nothing is saved; what is there stays until it is dropped.
#[test]
fn it_can_be_switched_off_and_dropped() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    stops(&repo, ALICE);
    repo.git(["config", "coord.rescue.enabled", "false"]);
    repo.pass("1m");
    edits(&repo, ALICE, "new.rs", "mine\n");
    stops(&repo, ALICE);
    assert_eq!((snapshots(&repo).len(), saved(&repo)["edits"].as_array().unwrap().len()), (1, 0));
    assert_eq!(shell(&repo, ALICE, "git clean -fd").stdout, "");
    let off = repo.coord("ops", ["rescue", "save"]).exits(exit::NO);
    off.says("coord.rescue.enabled is off");
    let id = snapshots(&repo)[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(repo.json("ops", ["rescue", "drop", &id])["dropped"], json!([id]));
    assert_eq!(snapshots(&repo), [] as [Value; 0]);
    repo.coord("ops", ["rescue", "drop", "--all"]).exits(exit::NOTHING);
}

/// 8/RESCUE: a snapshot is never pushed, by people neither: it has what nobody chose to publish.
#[test]
fn snapshots_are_never_pushed() {
    let repo = hooked();
    repo.git(["init", "--quiet", "--bare", "--template=", "../mirror.git"]);
    repo.git(["remote", "add", "mirror", "../mirror.git"]);
    edits(&repo, ALICE, "src/main.rs", "a secret\n");
    stops(&repo, ALICE);
    let push = |args: &[&str]| repo.git_call(args).run_unproven();
    let no = push(&["push", "--quiet", "--mirror", "mirror"]);
    assert_ne!(no.code, exit::DONE);
    no.says("this push would publish uncommitted content").says("git push mirror 'refs/heads/*'");
    assert_eq!(repo.git(["-C", "../mirror.git", "for-each-ref"]), "");
    // The same commit under other names, and below a branch.
    let id = snapshots(&repo)[0]["commit"].as_str().unwrap().to_owned();
    repo.git(["branch", "leak", &id]);
    repo.git(["branch", "later", &repo.git(["commit-tree", "-p", &id, "-m", "x", "HEAD^{tree}"])]);
    for name in [&id, "leak", "later"] {
        let no = push(&["push", "--quiet", "mirror", &format!("{name}:refs/heads/leak")]);
        assert_ne!(no.code, exit::DONE, "{name}");
        no.says("this push would publish uncommitted content");
    }
    repo.git(["branch", "--quiet", "-D", "leak", "later"]);
    push(&["push", "--quiet", "mirror", "refs/heads/*", "refs/tags/*"]).done();
    push(&["push", "--quiet", "mirror", "refs/coord/reservations"]).done();
    let refs = repo.git(["-C", "../mirror.git", "for-each-ref", "--format=%(refname)"]);
    assert!(!refs.contains("rescue") && refs.contains("refs/coord/reservations"), "{refs}");
}

/// Doctor and the ledgers take snapshots for what they are.
#[test]
fn snapshots_are_in_nobodys_way() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    stops(&repo, ALICE);
    let doctor = repo.call("ops").args(["--json", "doctor"]).run_unproven().json();
    let ledgers: Vec<&Value> =
        doctor["checks"].as_array().unwrap().iter().filter(|it| it["name"] == "refs").collect();
    assert!(ledgers.iter().all(|check| check["state"] == "ok"), "{ledgers:#?}");
    repo.coord("ops", ["ledger", "verify"]).done();
    repo.coord("ops", ["ledger", "log", "reservations"]).done();
}

/// Every kind of repository, before the first commit too.
#[test]
fn every_kind_of_repository_keeps_what_is_saved() {
    for (refs, hash) in [
        (RefFormat::Files, Hash::Sha256),
        (RefFormat::Reftable, Hash::Sha1),
        (RefFormat::Reftable, Hash::Sha256),
    ] {
        let Some(repo) = Repo::of(Kind { refs, hash, place: Place::Main }) else { continue };
        repo.write("deep/new.rs", "new\n");
        let saved = repo.json("ops", ["rescue", "save"]);
        let files = texts(&saved["snapshot"]["paths"], "path");
        assert!(files.contains(&"deep/new.rs".to_owned()), "{saved:#}");
        std::fs::remove_dir_all(repo.work().join("deep")).unwrap();
        rescue(&repo, "ops", &["restore", "deep"]).done();
        has(&repo, "deep/new.rs", b"new\n");
    }
    let repo = Repo::unborn();
    repo.write("new.rs", "new\n");
    let saved = repo.json("ops", ["rescue", "save"]);
    assert_eq!(saved["snapshot"].get("head"), None);
    std::fs::remove_file(repo.work().join("new.rs")).unwrap();
    rescue(&repo, "ops", &["restore", "new.rs"]).done();
    has(&repo, "new.rs", b"new\n");
}

/// Deep directories that become files and back, and a file that is deleted.
#[test]
fn a_snapshot_is_the_work_tree() {
    let repo = Repo::with(&Content::clean());
    std::fs::remove_dir_all(repo.work().join("src/api")).unwrap();
    repo.write("src/api", "a file now\n");
    std::fs::remove_file(repo.work().join("README.md")).unwrap();
    std::fs::create_dir(repo.work().join("README.md")).unwrap();
    repo.write("README.md/inside", "a directory now\n");
    std::fs::remove_file(repo.work().join("docs/guide.md")).unwrap();
    let commit = repo.json("ops", ["rescue", "save"])["snapshot"]["commit"].take();
    let commit = commit.as_str().unwrap();
    repo.git(["add", "--all"]);
    assert_eq!(repo.git(["rev-parse", &format!("{commit}^{{tree}}")]), repo.git(["write-tree"]));
}

/// Each saved file has its size. A file that was deleted has none.
#[test]
fn saved_files_have_their_sizes() {
    let repo = hooked();
    edits_by(&repo, ALICE, "src/main.rs", |file| std::fs::write(file, BYTES).unwrap());
    edits(&repo, ALICE, "empty", "");
    edits_by(&repo, ALICE, "docs/guide.md", |file| std::fs::remove_file(file).unwrap());
    stops(&repo, ALICE);
    let sizes = || {
        let paths = snapshots(&repo)[0]["paths"].take();
        let sizes = paths.as_array().unwrap().iter();
        sizes.map(|file| (file["path"].clone(), file["bytes"].clone())).collect::<Vec<_>>()
    };
    let expected = [
        (json!("docs/guide.md"), Value::Null),
        (json!("empty"), json!(0)),
        (json!("src/main.rs"), json!(BYTES.len())),
    ];
    assert_eq!(sizes(), expected);
    repo.git(["gc", "--quiet"]);
    assert_eq!(sizes(), expected, "in a pack of git's");
}

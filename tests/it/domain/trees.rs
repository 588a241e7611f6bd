//! The trees that detection reads: work tree, index, HEAD, in every kind of repository.

use std::fs;
use std::os::unix::fs::symlink;

use super::project::{SERVICE, check_code, detected, names, project, tip};
use super::skeletons::MONOREPO;
use crate::support::Repo;
use crate::support::contract::exit;
use crate::support::kind::{Kind, Place};

fn fingerprint(repo: &Repo, from: &str) -> String {
    let answer = repo.coord_json("ada", ["domain", "detect", "--force", "--from", from]).json();
    answer["fingerprint"].as_str().unwrap_or_default().to_owned()
}

/// An answer is keyed by content: all trees of a clean checkout have one fingerprint.
#[test]
fn a_clean_checkout_has_one_fingerprint() {
    for files in [SERVICE, MONOREPO] {
        let repo = project(files);
        fs::create_dir_all(repo.work().join("migrations/empty")).unwrap();
        let all = ["worktree", "index", "head"].map(|from| fingerprint(&repo, from));
        assert!(all[0] == all[1] && all[1] == all[2], "{all:?}");
    }
}

#[test]
fn each_tree_is_looked_at_by_itself() {
    let repo = project(SERVICE);
    let before = fingerprint(&repo, "head");
    repo.write("go.mod", "module x\n");
    assert_ne!(fingerprint(&repo, "worktree"), before);
    assert_eq!(fingerprint(&repo, "index"), before);
    repo.git(["add", "go.mod"]);
    assert_ne!(fingerprint(&repo, "index"), before);
    assert_eq!(fingerprint(&repo, "head"), before);
}

/// In CI and on a server: HEAD of a bare clone, with the ledger that came along.
#[test]
fn a_bare_clone_agrees_with_the_work_tree() {
    let repo = detected();
    let bare = repo.world().join("elsewhere/bare.git");
    repo.git(["clone", "--quiet", "--mirror", ".", &bare.display().to_string()]);
    let call = |args: &[&str]| repo.call("ada").dir(&bare).args(args).run().code;
    assert_eq!(call(&["domain", "check"]), exit::DONE);
    assert_eq!(call(&["domain", "check", "--dry-run"]), exit::DONE);
    assert_eq!(call(&["domain", "detect"]), exit::DONE);
    assert_eq!(call(&["domain", "check", "--from", "worktree"]), exit::FAILURE);
}

/// Linked worktrees, bare repositories, tables of refs, SHA-256.
#[test]
fn every_kind_of_repository_is_looked_at() {
    for kind in Kind::all() {
        let Some(repo) = Repo::of(kind) else { continue };
        if kind.place == Place::Bare {
            repo.coord("ada", ["domain", "detect"]).exits(exit::NO);
            assert_eq!(check_code(&repo), exit::NO, "{kind}");
            continue;
        }
        for (path, text) in SERVICE {
            repo.write(path, text);
        }
        repo.write(".gitignore", "made/\n");
        repo.write("made/go.mod", "module made\n");
        let answer = repo.json("ada", ["domain", "detect"]);
        assert_eq!(names(&answer)[0], "web-api", "{kind}: {answer:#}");
        assert!(!answer.to_string().contains("made"), "{kind}: ignored");
        assert_eq!(check_code(&repo), exit::DONE, "{kind}");
        repo.write("package.json", "{}");
        assert_eq!(check_code(&repo), exit::STALE, "{kind}");
        repo.coord("ops", ["ledger", "verify"]).done();
    }
}

/// From a subdirectory the same tree is looked at: paths of projects are from the top.
#[test]
fn the_whole_tree_counts_wherever_one_stands() {
    let repo = detected();
    let call = repo.call("ada").dir("src/routes").args(["domain", "check", "--json"]);
    assert_eq!(call.run().done().json()["entry"], tip(&repo));
}

/// An index that only git reads, and one of each version.
#[test]
fn every_form_of_index_is_read() {
    for set in [
        &["update-index", "--index-version", "4"][..],
        &["update-index", "--split-index"],
        &["update-index", "--index-version", "2"],
    ] {
        let repo = project(SERVICE);
        repo.git(set);
        repo.git(["add", "--all"]);
        assert_eq!(fingerprint(&repo, "index"), fingerprint(&repo, "worktree"), "{set:?}");
        assert_eq!(check_code(&repo), exit::DONE, "{set:?}");
    }
}

/// Links are not followed, and a repository in the repository is another's.
#[test]
fn links_and_other_repositories_are_not_looked_into() {
    let repo = detected();
    let outside = repo.elsewhere();
    fs::write(outside.join("Cargo.toml"), "").unwrap();
    symlink(&outside, repo.work().join("link")).unwrap();
    symlink(outside.join("Cargo.toml"), repo.work().join("Cargo.toml")).unwrap();
    assert_eq!(check_code(&repo), exit::DONE);
    fs::create_dir(repo.work().join("inner")).unwrap();
    repo.git(["init", "--quiet", "inner"]);
    repo.write("inner/Cargo.toml", "");
    assert_eq!(check_code(&repo), exit::DONE);
}

#[test]
fn before_the_first_commit_there_is_a_work_tree() {
    let repo = Repo::unborn();
    repo.write("package.json", SERVICE[0].1);
    repo.write("routes/a.js", "");
    repo.coord("ada", ["domain", "detect"]).done();
    assert_eq!(check_code(&repo), exit::DONE);
    repo.coord("ada", ["domain", "check", "--dry-run"]).done();
    repo.coord("ada", ["domain", "detect", "--from", "head", "--force"]).exits(exit::NO);
}

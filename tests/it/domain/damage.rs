//! A damaged cache is reported, kept, and detected again (2/IMP-3).

use super::project::{DOMAINS_REF, check_code, detected, names, tip};
use crate::support::Repo;
use crate::support::contract::exit;

/// Replaces the detected state by another text, behind the program's back.
fn forge(repo: &Repo, text: &str) {
    let index = repo.world().join("tmp/index-of-damage");
    let git = |args: &[&str]| {
        let call = repo.git_call(args).env("GIT_INDEX_FILE", &index);
        call.run_unproven().done().stdout.trim_end().to_owned()
    };
    let blob = repo.store_blob(text);
    git(&["read-tree", DOMAINS_REF]);
    let paths = git(&["ls-files", "detected"]);
    for path in paths.lines() {
        git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{path}")]);
    }
    let tree = git(&["write-tree"]);
    let message = repo.world().join("tmp/message");
    std::fs::write(&message, repo.git(["log", "-1", "--format=%B", DOMAINS_REF])).unwrap();
    let commit = repo.git(["commit-tree", &tree, "-F", &message.display().to_string()]);
    repo.git(["update-ref", DOMAINS_REF, &commit]);
}

/// Checks that `check` reports the damaged state, `detect` keeps it aside, and detection continues.
#[track_caller]
fn goes_on(repo: &Repo) {
    let damaged = repo.git(["rev-parse", DOMAINS_REF]);
    let check = repo.coord("ada", ["domain", "check"]).exits(exit::NOTHING);
    check.says("damaged").says("git coord domain detect");
    let detect = repo.coord_json("ada", ["domain", "detect"]).done();
    detect.says("damaged");
    let answer = detect.json();
    assert_eq!(names(&answer), ["web-api"]);
    let kept = answer["set_aside"].as_str().unwrap();
    assert!(kept.starts_with("refs/coord/damaged/domains/"), "{kept}");
    assert_eq!(repo.git(["rev-parse", kept]), damaged);
    assert_eq!(check_code(repo), exit::DONE);
    repo.coord("ops", ["ledger", "verify"]).done();
}

#[test]
fn a_ref_that_is_no_entry_is_set_aside() {
    let repo = detected();
    repo.git(["update-ref", DOMAINS_REF, "HEAD"]);
    goes_on(&repo);
    assert_eq!(repo.events("repaired").len(), 1);
}

/// 2/IMP-3: what somebody classified outlives the damage, and is what is answered.
#[test]
fn a_classification_outlives_the_damage() {
    let damages: [fn(&Repo); 2] = [
        |repo| {
            repo.git(["update-ref", DOMAINS_REF, "HEAD"]);
        },
        |repo| forge(repo, "{"),
    ];
    for damage in damages {
        let repo = detected();
        let set = ["domain", "set", "cli-tool", "--source", "human", "--reason", "I know"];
        repo.coord("ada", set).done();
        damage(&repo);
        repo.coord("ada", ["domain", "check"]).exits(exit::NOTHING).says("damaged");
        let answer = repo.coord_json("ada", ["domain", "detect"]).done().json();
        assert_eq!(names(&answer), ["cli-tool"], "{answer:#}");
        assert_eq!(names(&repo.json("ada", ["domain", "show"])), ["cli-tool"]);
        assert_eq!(check_code(&repo), exit::DONE);
        repo.coord("ada", ["domain", "set", "--clear", "--reason", "x"]).done();
        assert_eq!(names(&repo.json("ada", ["domain", "show"])), ["web-api"]);
    }
}

/// Nothing whole is left of it: it begins again.
#[test]
fn a_cache_that_never_was_one_is_begun_again() {
    let repo = super::project::project(super::project::SERVICE);
    repo.git(["update-ref", DOMAINS_REF, "HEAD"]);
    goes_on(&repo);
}

#[test]
fn a_document_that_says_nothing_is_set_aside() {
    for text in ["", "{", "[]", "{\"domains\":7}"] {
        let repo = detected();
        forge(&repo, text);
        let damaged = tip(&repo);
        repo.coord("ada", ["domain", "check"]).exits(exit::NOTHING).says("damaged document");
        let answer = repo.json("ada", ["domain", "detect"]);
        let kept = answer["set_aside"].as_str().unwrap();
        assert_eq!(repo.git(["rev-parse", kept]), damaged, "{text:?}");
        assert_eq!(check_code(&repo), exit::DONE, "{text:?}");
        assert_eq!(repo.git(["fsck", "--strict", "--no-dangling"]), "");
    }
}

/// A later program's ledger is neither damaged nor read.
#[test]
fn a_newer_format_is_refused_with_nothing_changed() {
    let repo = detected();
    let before = tip(&repo);
    let format = repo.git(["show", &format!("{DOMAINS_REF}:format")]);
    let index = repo.world().join("tmp/index-of-format");
    let git = |args: &[&str]| {
        let call = repo.git_call(args).env("GIT_INDEX_FILE", &index);
        call.run_unproven().done().stdout.trim_end().to_owned()
    };
    let newer = repo.store_blob(&format.replace("\"version\": 2", "\"version\": 99"));
    git(&["read-tree", DOMAINS_REF]);
    git(&["update-index", "--cacheinfo", &format!("100644,{newer},format")]);
    let tree = git(&["write-tree"]);
    let message = repo.world().join("tmp/message");
    std::fs::write(&message, repo.git(["log", "-1", "--format=%B", DOMAINS_REF])).unwrap();
    let commit = repo.git(["commit-tree", &tree, "-F", &message.display().to_string()]);
    repo.git(["update-ref", DOMAINS_REF, &commit]);
    for verb in ["check", "detect", "show"] {
        repo.coord("ada", ["domain", verb]).exits(exit::FAILURE).says("newer git-coord");
    }
    assert_eq!(tip(&repo), commit);
    assert_ne!(before, commit);
}

/// 7/SYMLINK
#[test]
fn state_is_not_kept_through_a_link() {
    let repo = detected();
    let refs = repo.git_dir().join("refs/coord");
    let outside = repo.elsewhere().join("refs");
    std::fs::rename(&refs, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &refs).unwrap();
    repo.coord("ada", ["domain", "detect"]).exits(exit::FAILURE).says("symbolic link");
}

//! `domain check`: compares content and ignores the clock.

use std::fs;

use super::project::{SERVICE, check, check_code, detected, project, reasons, tip};
use crate::support::Repo;
use crate::support::contract::exit;

const OTHER: &str = r#"{"dependencies":{"express":"^5"}}"#;

fn rename(repo: &Repo, from: &str, to: &str) {
    fs::rename(repo.work().join(from), repo.work().join(to)).unwrap();
}

/// 2/P0-2, 2/P0-2-basis: all within one second of the clock, and no loop.
#[track_caller]
fn stale_once_then_fresh(repo: &Repo) {
    let zoned = |args: &[&str]| repo.coord_json("ada", [&["domain"], args].concat()).code;
    assert_eq!(zoned(&["detect"]), exit::DONE);
    assert_eq!(zoned(&["check"]), exit::DONE);
    repo.write("package.json", OTHER);
    assert_eq!(zoned(&["check"]), exit::STALE);
    assert_eq!(zoned(&["detect"]), exit::DONE);
    let before = tip(repo);
    for _ in 0..3 {
        assert_eq!(zoned(&["check"]), exit::DONE);
        assert_eq!(zoned(&["detect"]), exit::DONE);
    }
    assert_eq!(tip(repo), before, "no loop");
}

#[test]
fn a_change_within_one_second_is_seen_and_then_no_more() {
    stale_once_then_fresh(&project(SERVICE));
}

/// 2/P0-2-zone: in zones that are behind, ahead and level, and while clocks are changed there.
#[test]
fn zones_and_changes_of_the_clock_do_not_count() {
    for zone in ["America/Los_Angeles", "Asia/Kolkata", "UTC"] {
        let repo = project(SERVICE);
        let call = |args: &[&str]| repo.call("ada").env("TZ", zone).args(args).run().code;
        // An hour that does not exist there, then one that comes twice.
        for (before, after) in [
            ("2026-03-08T09:59:59Z", "2026-03-08T10:00:01Z"),
            ("2026-11-01T08:59:59Z", "2026-11-01T09:00:01Z"),
        ] {
            repo.at(before);
            repo.write("package.json", SERVICE[0].1);
            assert_eq!(call(&["domain", "detect"]), exit::DONE, "{zone}");
            repo.at(after);
            assert_eq!(call(&["domain", "check"]), exit::DONE, "{zone} {after}");
            // Another one each time: what the tree was once has its answer.
            repo.write("package.json", &OTHER.replace("^5", after));
            assert_eq!(call(&["domain", "check"]), exit::STALE, "{zone} {after}");
            repo.at(before);
            assert_eq!(call(&["domain", "check"]), exit::STALE, "{zone}: a clock turned back");
            assert_eq!(call(&["domain", "detect"]), exit::DONE, "{zone}");
            assert_eq!(call(&["domain", "check"]), exit::DONE, "{zone}");
        }
    }
}

/// 2/P0-2-basis: what was touched and says the same is the same; what is old is not stale.
#[test]
fn dates_of_files_and_age_do_not_count() {
    let repo = detected();
    repo.write("package.json", SERVICE[0].1);
    let touch = repo.call("").program("touch").args(["-d", "2001-01-01", "package.json"]);
    touch.run_unproven().done();
    repo.pass("400d");
    assert_eq!(check_code(&repo), exit::DONE);
    repo.git(["commit", "--quiet", "--allow-empty", "--message", "later"]);
    assert_eq!(check_code(&repo), exit::DONE);
}

/// 2/P2-2: a rename counts where it crosses the border of what is structural.
#[test]
fn renames_count_where_something_leaves_or_comes_in() {
    let repo = detected();
    rename(&repo, "package.json", "package.json.bak");
    assert_eq!(reasons(&repo), ["manifest_left"]);
    rename(&repo, "package.json.bak", "package.json");
    assert_eq!(check_code(&repo), exit::DONE, "and back");
    rename(&repo, "notes.txt", "Cargo.toml");
    assert_eq!(reasons(&repo), ["manifest_came"]);
    rename(&repo, "Cargo.toml", "notes.md");
    assert_eq!(check_code(&repo), exit::DONE, "neither name is structural");
    repo.write("a.proto", "");
    repo.coord("ada", ["domain", "detect"]).done();
    rename(&repo, "a.proto", "b.proto");
    assert_eq!(check_code(&repo), exit::DONE, "both names are structural");
    repo.write("openapi.yaml", "");
    repo.coord("ada", ["domain", "detect"]).done();
    rename(&repo, "b.proto", "b.txt");
    assert_eq!(reasons(&repo), ["signal_left"]);
    fs::remove_file(repo.work().join("openapi.yaml")).unwrap();
    assert_eq!(check_code(&repo), exit::DONE, "what the tree was once has its answer");
}

/// 2/P1-2-collision: absent, empty, swapped, and the same under another name all differ.
#[test]
fn states_that_differ_are_told_apart() {
    let repo = project(&[("package.json", "{}"), ("Cargo.toml", ""), ("README.md", "")]);
    repo.coord("ada", ["domain", "detect"]).exits(exit::NO);
    repo.write("package.json", "");
    repo.write("Cargo.toml", "{}");
    assert_eq!(reasons(&repo), ["manifest_changed", "manifest_changed"], "swapped");
    repo.write("package.json", "{}");
    fs::remove_file(repo.work().join("Cargo.toml")).unwrap();
    assert_eq!(reasons(&repo), ["manifest_left"], "absent is not empty");
    repo.write("go.mod", "");
    assert_eq!(reasons(&repo), ["manifest_left", "manifest_came"], "another name");
}

/// Uncommitted changes count, and what git ignores does not.
#[test]
fn the_work_tree_counts_without_what_is_ignored() {
    let repo = detected();
    repo.write(".gitignore", "generated/\n*.local.json\n");
    repo.write("generated/package.json", "{}");
    repo.write("generated/scenes/a.tscn", "");
    assert_eq!(check_code(&repo), exit::DONE);
    repo.write("tools/package.json", "{}");
    assert_eq!(reasons(&repo), ["manifest_came"], "not even added to the index");
    repo.git(["add", "tools"]);
    assert_eq!(reasons(&repo), ["manifest_came"]);
    // A tracked file counts, whatever the ignore rules say.
    repo.git(["rm", "--quiet", "--cached", "-r", "tools"]);
    fs::remove_dir_all(repo.work().join("tools")).unwrap();
    repo.git(["add", "--force", "generated/package.json"]);
    assert_eq!(reasons(&repo), ["manifest_came"]);
}

/// 2/P1-2, 2/IMP-2, 2/P1-2-upgrade, 2/P2-1: a longer list means one more detection, and then
/// fresh again, for both lists.
#[test]
fn a_longer_list_causes_one_detection() {
    let repo = detected();
    repo.write("own.toml", "[[domain]]\nname = \"quantum\"\nfiles = [\"*.qasm\"]\n");
    assert_eq!(check_code(&repo), exit::DONE);
    repo.git(["config", "coord.domainIndex", "own.toml"]);
    assert_eq!(reasons(&repo), ["list"]);
    repo.coord("ada", ["domain", "detect"]).done();
    assert_eq!(check_code(&repo), exit::DONE);
    repo.write("x.qasm", "");
    assert_eq!(reasons(&repo), ["signal_came"], "the new signal is structural");
    fs::remove_file(repo.work().join("x.qasm")).unwrap();
    let before = tip(&repo);
    // 2/P1-3-format: the program with the shorter list goes on, too; there is no loop.
    repo.git(["config", "--unset", "coord.domainIndex"]);
    assert_eq!(check_code(&repo), exit::DONE);
    repo.coord("ada", ["domain", "detect"]).done();
    assert_eq!(tip(&repo), before);
}

/// 2/P0-1: the answer names the entry that was compared.
#[test]
fn the_answer_names_what_was_compared() {
    let repo = detected();
    assert_eq!(check(&repo).json()["entry"], tip(&repo));
    repo.coord("ada", ["domain", "check"]).done().says(&tip(&repo)[..10]);
}

/// 2/P0-1: what is beyond the projects that are kept one by one is compared all the same.
#[test]
fn of_very_many_projects_every_one_is_compared() {
    let repo = detected();
    for number in 0..430 {
        repo.write(&format!("packages/p{number:03}/package.json"), "{}");
    }
    repo.coord("ada", ["domain", "detect"]).done().says("more projects here than are looked at");
    let note = &repo.json("ada", ["domain", "show"])["notes"][0];
    assert_eq!(note["text"], "there are more projects here than are looked at");
    assert_eq!(check_code(&repo), exit::DONE);
    repo.write("packages/p429/package.json", "{ }");
    assert_eq!(reasons(&repo), ["beyond"]);
    let answer = repo.coord_json("ada", ["domain", "check", "--dry-run"]).json();
    let counted = answer["changes"].as_array().unwrap();
    let counted = counted.iter().filter(|change| change["path"] == "packages/p429/package.json");
    assert!(counted.clone().all(|change| change["structural"] == true), "{answer:#}");
    repo.coord("ada", ["domain", "detect"]).done();
    assert_eq!(check_code(&repo), exit::DONE);
}

/// A manifest that nobody would read is still told from another.
#[test]
fn a_manifest_of_any_length_is_compared() {
    let repo = detected();
    let long = repo.work().join("tools/package.json");
    repo.write("tools/package.json", "{}");
    fs::File::options().write(true).open(&long).unwrap().set_len(70 * 1024 * 1024).unwrap();
    repo.coord("ada", ["domain", "detect"]).done();
    assert_eq!(check_code(&repo), exit::DONE);
    let mut bytes = fs::File::options().append(true).open(&long).unwrap();
    std::io::Write::write_all(&mut bytes, b"x").unwrap();
    assert_eq!(reasons(&repo), ["manifest_changed"]);
}

/// What is made because of an answer does not make it stale, wherever it goes.
#[test]
fn agents_that_are_made_do_not_make_the_answer_stale() {
    let repo = detected();
    repo.git(["config", "coord.agentsDirectory", "agents"]);
    repo.call("ada").args(["domain", "agents", "generate"]).run_unproven().done();
    assert!(repo.work().join("agents/fd-api-contract.md").is_file());
    assert_eq!(check_code(&repo), exit::DONE);
}

#[test]
fn a_manifest_of_a_project_further_down_counts() {
    let repo = detected();
    repo.write("packages/one/package.json", "{}");
    repo.coord("ada", ["domain", "detect"]).done();
    repo.write("packages/one/package.json", "{ }");
    let answer = check(&repo).exits(exit::STALE).json();
    assert_eq!(answer["reasons"][0]["path"], "packages/one/package.json");
}

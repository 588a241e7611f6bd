//! The same ledger from everywhere (1/ARCH-4), whatever the caller's environment (7/CALLER-ENV).

use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::contract::exit;
use crate::support::{Call, Repo, texts};

/// Fails unless a call sees the one hold that was made from the top of the work tree.
#[track_caller]
fn sees_the_hold(call: Call) {
    let answer = call.args(["list", "--json"]).run().done().json();
    assert_eq!(texts(&answer["reservations"], "pattern"), ["src/**"]);
}

#[track_caller]
fn pattern_of(call: Call) -> Value {
    call.args(["--json"]).run().done().json()["granted"][0]["pattern"].clone()
}

#[test]
fn from_a_subdirectory_patterns_are_relative_to_it() {
    let repo = Repo::new();
    let here = || repo.call("alice").dir("src");
    assert_eq!(pattern_of(here().args(["reserve", "api/*"])), "src/api/*");
    assert_eq!(pattern_of(here().args(["reserve", "../docs/**"])), "docs/**");
    assert_eq!(pattern_of(here().args(["reserve", ":/README.md"])), "README.md");
    assert_eq!(pattern_of(here().args(["reserve", "./main.rs"])), "src/main.rs");
    assert_eq!(pattern_of(repo.call("bob").args(["-C", "src", "reserve", "x"])), "src/x");
}

#[test]
fn absolute_paths_inside_are_made_relative() {
    let repo = Repo::new();
    let inside = repo.work().join("src/main.rs").display().to_string();
    assert_eq!(repo.reserve("alice", &inside)["pattern"], "src/main.rs");
}

#[test]
fn paths_outside_are_wrong_usage() {
    let repo = Repo::new();
    let outside = repo.elsewhere().join("x").display().to_string();
    for path in ["../x", "src/../../x", &outside, "/"] {
        repo.coord("alice", ["reserve", path]).exits(exit::USAGE);
    }
    assert_eq!(repo.tip(), "");
}

#[test]
fn a_linked_worktree_shares_the_ledger() {
    let repo = Repo::new();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    repo.reserve("alice", "src/**");
    let linked = repo.world().join("linked");
    sees_the_hold(repo.call("bob").dir(&linked));
    sees_the_hold(repo.call("bob").dir(linked.join("src/api")));
    let no = repo.call("bob").dir(linked.join("src")).args(["reserve", "main.rs"]).run();
    no.exits(exit::NO);
}

#[test]
fn a_symlink_and_a_trailing_slash_change_nothing() {
    let repo = Repo::new();
    symlink(repo.work(), repo.world().join("link")).unwrap();
    repo.reserve("alice", "src/**");
    let elsewhere = || repo.call("bob").dir(repo.elsewhere());
    for directory in ["../link", "../link/", "../work/", "../link/src/", "../work/./src/.."] {
        sees_the_hold(elsewhere().args(["-C", directory]));
    }
    let through = repo.call("alice").dir(repo.world().join("link/src"));
    assert_eq!(pattern_of(through.args(["reserve", "main.rs"])), "src/**", "renews the wider hold");
    let absolute = repo.world().join("link/docs/guide.md").display().to_string();
    assert_eq!(repo.reserve("alice", &absolute)["pattern"], "docs/guide.md");
}

#[test]
fn a_bare_repository_has_a_ledger() {
    let repo = Repo::new();
    repo.git(["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let bare = || repo.call("alice").dir(repo.world().join("bare.git"));
    assert_eq!(pattern_of(bare().args(["reserve", "src/**"])), "src/**");
    sees_the_hold(bare());
    assert_eq!(repo.tip(), "", "another repository, another ledger");
}

#[test]
fn before_the_first_commit() {
    let repo = Repo::unborn();
    repo.reserve("alice", "src/**");
    sees_the_hold(repo.call("bob"));
    assert_eq!(repo.git(["for-each-ref", "refs/heads"]), "");
}

/// 7/CALLER-ENV: variables of the caller do not change where state goes.
#[test]
fn variables_of_the_caller_do_not_move_the_state() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let git_dir = repo.git_dir();
    let index = repo.world().join("home/another-index");
    std::fs::copy(git_dir.join("index"), &index).unwrap();
    sees_the_hold(repo.call("bob").env("GIT_DIR", ".git"));
    sees_the_hold(repo.call("bob").env("GIT_INDEX_FILE", &index));
    sees_the_hold(repo.call("bob").env("GIT_DIR", &git_dir).env("GIT_INDEX_FILE", &index));
    let away = || repo.call("bob").dir(repo.elsewhere()).env("GIT_DIR", &git_dir);
    sees_the_hold(away());
    sees_the_hold(away().env("GIT_WORK_TREE", repo.work()));
    sees_the_hold(away().env("GIT_WORK_TREE", repo.work()).env("GIT_INDEX_FILE", &index));
    let write = away().env("GIT_WORK_TREE", repo.work()).env("GIT_INDEX_FILE", &index);
    write.args(["-C", "../work/docs", "reserve", "guide.md"]).run().done();
    assert_eq!(repo.list(&["--path", "docs/guide.md"]).len(), 1);
}

/// Objects go to the common directory's store, or the command is refused.
#[test]
fn a_foreign_object_directory_is_refused() {
    let repo = Repo::new();
    let foreign = repo.world().join("tmp/objects");
    std::fs::create_dir(&foreign).unwrap();
    let call = repo.call("alice").env("GIT_OBJECT_DIRECTORY", &foreign);
    call.args(["reserve", "src/**"]).run().exits(exit::FAILURE).says("GIT_OBJECT_DIRECTORY");
    assert_eq!(repo.tip(), "");
}

#[test]
fn git_finds_the_program() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let call = repo.git_call(["coord", "list"]).env("GIT_COORD_AGENT", "bob");
    call.run().done().says("src/**");
    let below = repo.git_call(["coord", "--json", "reserve", "main.rs"]).dir("src");
    let no = below.env("GIT_COORD_AGENT", "bob").run().exits(exit::NO).json();
    assert_eq!(no["conflicts"][0]["pattern"], "src/main.rs");
}

#[test]
fn global_options_stand_before_or_after_the_command() {
    let repo = Repo::new();
    let before = repo.coord("", ["--as", "alice", "--json", "reserve", "src/**"]).done().json();
    let after = repo.coord("", ["reserve", "src/**", "--json", "--as", "alice"]).done().json();
    assert_eq!(after["granted"][0]["id"], before["granted"][0]["id"]);
}

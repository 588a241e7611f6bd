//! Every directory leads to the same ledger (1/ARCH-4), whatever the caller's environment
//! (7/CALLER-ENV).

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use git_coord::app::open::{Door, Pace};
use git_coord::core::environment::Environment;
use git_coord::store::git::repository::Repository;
use serde_json::Value;

use crate::support::contract::{LOCAL_DIR, RESERVATIONS_REF, exit};
use crate::support::hooks::put_script;
use crate::support::kind::{Hash, Kind, Place, RefFormat};
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

/// What is not there yet is where its directory leads.
#[test]
fn an_absolute_path_is_followed_as_far_as_it_exists() {
    let repo = Repo::new();
    symlink("docs", repo.work().join("alias")).unwrap();
    symlink(repo.elsewhere(), repo.work().join("out")).unwrap();
    let absolute = |path: &str| repo.work().join(path).display().to_string();
    let inside = repo.reserve("alice", &absolute("alias/new/deep.md"));
    assert_eq!(inside["pattern"], "docs/new/deep.md");
    repo.coord("alice", ["reserve", &absolute("out/new.md")]).exits(exit::USAGE);
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

/// 7/CALLER-ENV: variables of the caller, alone and together, do not change where state goes. Each
/// call reads the holds there and writes beside them.
#[track_caller]
pub(crate) fn variables_of_the_caller_do_not_move_the_state(repo: &Repo, place: Place) {
    repo.reserve("alice", "src/**");
    let (top, common) = (repo.work(), repo.git_dir());
    let git_dir = PathBuf::from(repo.git(["rev-parse", "--absolute-git-dir"]));
    let (from_top, from_elsewhere) = match place {
        Place::Main => (".git", "../work/.git"),
        Place::Worktree => ("../work/.git/worktrees/linked", "../work/.git/worktrees/linked"),
        Place::Bare => (".", "../bare.git/"),
    };
    let index = repo.world().join("home/another-index");
    if place != Place::Bare {
        std::fs::copy(git_dir.join("index"), &index).unwrap();
    }
    let here = || repo.call("bob");
    let away = || repo.call("bob").dir(repo.elsewhere());
    let mut calls = vec![
        here().env("GIT_DIR", &git_dir),
        here().env("GIT_DIR", from_top),
        here().env("GIT_INDEX_FILE", &index),
        here().env("GIT_DIR", from_top).env("GIT_INDEX_FILE", &index),
        here().env("GIT_NAMESPACE", "other"),
        here().env("GIT_DIR", &git_dir).env("GIT_COMMON_DIR", &common),
        here().env("GIT_CEILING_DIRECTORIES", repo.world()),
        here().env("GIT_OBJECT_DIRECTORY", common.join("objects")),
        here().env("GIT_PREFIX", "docs/"),
        away().env("GIT_DIR", &git_dir),
        away().env("GIT_DIR", from_elsewhere).env("GIT_NAMESPACE", "other"),
        away()
            .env("GIT_DIR", &git_dir)
            .env("GIT_COMMON_DIR", &common)
            .env("GIT_INDEX_FILE", &index),
    ];
    if place != Place::Bare {
        let with_tree = || away().env("GIT_DIR", from_elsewhere).env("GIT_WORK_TREE", &top);
        calls.push(with_tree());
        calls.push(with_tree().env("GIT_INDEX_FILE", &index));
        calls.push(with_tree().args(["-C"]).args([top.join("docs")]).env("GIT_DIR", &git_dir));
        calls.push(here().dir("src").env("GIT_CEILING_DIRECTORIES", repo.world()));
        calls.push(here().dir("src").env("GIT_DIR", &git_dir).env("GIT_WORK_TREE", ".."));
    }
    let count = calls.len();
    for (number, call) in calls.into_iter().enumerate() {
        let paths = [":/src/main.rs".to_owned(), format!(":/by-{number}")];
        let answer = call.args(["reserve", "--json", "--each"]).args(paths).run();
        let answer = answer.exits(exit::NO).json();
        assert_eq!(texts(&answer["granted"], "pattern"), [format!("by-{number}")]);
    }
    assert_eq!(repo.entry_count(), count + 1);
    assert_eq!(repo.list(&["--holder", "bob"]).len(), count);
    let ours = repo.git(["for-each-ref", "--format=%(refname)", "refs/coord", "refs/namespaces"]);
    assert_eq!(ours, RESERVATIONS_REF);
}

/// Above a ceiling nothing is looked for, as in git.
#[test]
fn a_ceiling_hides_what_is_above_it() {
    for refs in [RefFormat::Files, RefFormat::Reftable] {
        let kind = Kind { refs, hash: Hash::Sha1, place: Place::Main };
        let Some(repo) = Repo::of(kind) else { continue };
        let below = || repo.call("bob").dir("src").env("GIT_CEILING_DIRECTORIES", repo.work());
        below().program("git").args(["rev-parse"]).run().exits(exit::FAILURE);
        let no = below().args(["reserve", "main.rs"]).run().exits(exit::FAILURE);
        no.says("not a git repository");
    }
}

/// Returns everything that a write could leave in a git directory.
fn traces(repo: &Repo) -> (String, usize, bool) {
    let packs = std::fs::read_dir(repo.git_dir().join("objects/pack"));
    let packs = packs.map_or(0, Iterator::count);
    (repo.tip(), packs, repo.git_dir().join(LOCAL_DIR).exists())
}

/// Objects go to the common directory's store, or the command is refused with nothing written.
#[test]
fn objects_that_would_go_elsewhere_are_refused() {
    for kind in Kind::all() {
        let Some(repo) = Repo::of(kind) else { continue };
        let before = traces(&repo);
        let foreign = repo.world().join("tmp/objects");
        std::fs::create_dir(&foreign).unwrap();
        let call = || repo.call("alice").args(["reserve", "src/**"]);
        let no = call().env("GIT_OBJECT_DIRECTORY", &foreign).run().exits(exit::FAILURE);
        no.says("GIT_OBJECT_DIRECTORY");
        let no = call().env("GIT_QUARANTINE_PATH", &foreign).run().exits(exit::FAILURE);
        no.says("quarantine");
        assert_eq!(traces(&repo), before, "{kind}");
        assert_eq!(std::fs::read_dir(&foreign).unwrap().count(), 0, "{kind}");
    }
}

/// 7/CALLER-ENV: what git sets for a hook of a commit: its own index, and in a linked worktree the
/// git directory as well.
#[test]
fn in_a_hook_of_a_commit_the_state_is_the_same() {
    for kind in Kind::all().into_iter().filter(|kind| kind.place != Place::Bare) {
        let Some(repo) = Repo::of(kind) else { continue };
        let hook = repo.git_dir().join("hooks/pre-commit");
        put_script(&hook, "#!/bin/sh\nexec git coord reserve README.md\n");
        let commit = ["commit", "--quiet", "--message", "with a hook", "--", "src/main.rs"];
        repo.git_call(commit).env("GIT_COORD_AGENT", "alice").run_unproven().done();
        assert_eq!(repo.holds()[0]["pattern"], "README.md", "{kind}");
        let changed = repo.git(["show", "--name-only", "--format=", "HEAD"]);
        assert_eq!(changed, "src/main.rs", "{kind}: the commit is the user's alone");
    }
}

/// What git sets for a hook of a push: a ref would outlive its objects if the push is refused.
#[test]
fn in_a_hook_before_a_push_is_accepted_nothing_is_written() {
    for refs in [RefFormat::Files, RefFormat::Reftable] {
        let kind = Kind { refs, hash: Hash::Sha1, place: Place::Bare };
        let Some(repo) = Repo::of(kind) else { continue };
        let before = traces(&repo);
        let hook = repo.git_dir().join("hooks/pre-receive");
        put_script(&hook, "#!/bin/sh\ngit coord reserve src 2>&1; echo exit $?\n");
        let push = repo.git_call(["push", "../bare.git", "main:pushed"]);
        let said = push.dir(repo.world().join("work")).run_unproven().done();
        said.says("quarantine").says(&format!("exit {}", exit::FAILURE));
        let after = traces(&repo);
        assert_eq!((&after.0, after.2), (&before.0, before.2), "{kind}");
    }
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

/// The process stays where it was started: what a caller gives relative to `-C` is found from
/// there.
#[test]
fn what_is_relative_is_relative_to_the_directory_that_was_asked_for() {
    let repo = Repo::new();
    let elsewhere = || repo.call("alice").dir(repo.elsewhere());
    let work = repo.work().canonicalize().unwrap();
    let from = |args: &[&str]| elsewhere().args([&["-C", "../work"], args].concat()).run();
    assert_eq!(from(&["with", "src", "--", "pwd"]).done().stdout.trim(), work.to_str().unwrap());
    let gates = serde_json::json!([{ "from": "a", "to": "b", "rules": [] }]);
    let file = repo.world().join("gates.json");
    std::fs::write(&file, gates.to_string()).unwrap();
    let create = ["run", "create", "--goal", "x", "--phases", "a,b", "--gates", "../gates.json"];
    from(&create).done();
    // As git does, with its variables.
    let named = elsewhere().env("GIT_DIR", ".git").env("GIT_WORK_TREE", ".");
    let seen = named.args(["-C", "../work", "check", "src/x", "--json"]).run().done().json();
    assert_eq!(seen["free"], true);
    // Another index than the usual one.
    repo.git(["config", "coord.enabled", "true"]);
    repo.reserve("bob", "docs/**");
    repo.write("docs/guide.md", "changed");
    let git = |args: &[&str]| {
        repo.git_call(args)
            .env("GIT_INDEX_FILE", repo.git_dir().join("other"))
            .run_unproven()
            .done();
    };
    git(&["read-tree", "HEAD"]);
    git(&["add", "docs/guide.md"]);
    let hook = elsewhere().args(["-C", "../work", "hook", "pre-commit"]);
    hook.run().done();
    let hook = elsewhere().args(["-C", "../work", "hook", "pre-commit"]);
    hook.env("GIT_INDEX_FILE", ".git/other").run().exits(exit::NO);
    // A message.
    let message = repo.world().join("tmp/message");
    std::fs::write(&message, "subject\n").unwrap();
    repo.git(["config", "coord.trailers", "true"]);
    from(&["hook", "prepare-commit-msg", "../tmp/message", "message"]).done();
    assert!(std::fs::read_to_string(message).unwrap().contains("Coord-Agent: alice"));
}

/// Makes a home with a configuration of its own, and the environment of a request from there.
fn request_from(repo: &Repo, user: &str, ignored: &str) -> Environment {
    let home = repo.world().join(format!("home-of-{user}"));
    std::fs::create_dir(&home).unwrap();
    let of_home = format!(
        "[user]\n\tname = {user}\n\temail = {user}@example.org\n[coord]\n\tagent = {user}\n"
    );
    std::fs::write(home.join(".gitconfig"), of_home).unwrap();
    let excludes = home.join("excludes");
    std::fs::write(&excludes, format!("{ignored}\n")).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let variables = [
        ("PATH", path),
        ("HOME", home.into()),
        ("GIT_COORD_NOW", repo.now().into()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_CONFIG_COUNT", "2".into()),
        ("GIT_CONFIG_KEY_0", "coord.note".into()),
        ("GIT_CONFIG_VALUE_0", format!("of {user}").into()),
        ("GIT_CONFIG_KEY_1", "core.excludesFile".into()),
        ("GIT_CONFIG_VALUE_1", excludes.into()),
    ];
    variables.into_iter().collect::<Environment>().at(repo.work().canonicalize().unwrap())
}

/// 7/CALLER-ENV: one process answers for several environments. Each request sees its own settings
/// and its own user, and git is called with its variables.
#[test]
fn each_request_of_a_process_has_its_own_environment() {
    for refs in [RefFormat::Files, RefFormat::Reftable] {
        let kind = Kind { refs, hash: Hash::Sha1, place: Place::Main };
        let Some(repo) = Repo::of(kind) else { continue };
        let users = [("ann", "*.ann"), ("ben", "*.ben")];
        let requests = users.map(|(user, ignored)| (user, request_from(&repo, user, ignored)));
        for (user, environment) in requests.iter().chain(&requests) {
            let door = Door::find(environment).unwrap();
            assert_eq!(door.get("coord.note"), Some(format!("of {user}")), "{kind}");
            assert_eq!(door.get("user.name").as_deref(), Some(*user), "{kind}");
            let ctx = door.open(None, door.settings().unwrap(), Pace::Command).unwrap();
            assert_eq!(ctx.identity().name.as_str(), *user, "{kind}");
            let program = Repository::discover(environment).unwrap().program();
            let ignores = |name: &str| program.ignores(&repo.work(), name.as_ref()).unwrap();
            let own = [ignores("x.ann"), ignores("x.ben")];
            assert_eq!(own, [*user == "ann", *user == "ben"], "{kind}: {user}");
        }
    }
}

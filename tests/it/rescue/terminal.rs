//! Work of people, which no hook of an agent has noted, under git commands that they type.

use std::fs;
use std::path::Path;

use super::*;
use crate::ownership::{ALICE, edits, hooked};
use crate::support::gits::gits;
use crate::support::hooks::put_script;
use crate::support::texts;

/// The tracked file that a person changes, and the new one.
const TRACKED: &str = "src/main.rs";
const NEW: &str = "deep/er/new.bin";
/// The answer that git expects: a token, and that everything may have changed.
const ANSWER: &str = "git-coord\0/\0";

/// Creates a repository in which git saves uncommitted work before it touches files.
fn watched() -> Repo {
    let repo = hooked();
    watch(&repo);
    repo
}

fn watch(repo: &Repo) {
    repo.call("").args(["install", "--terminal", "--agents", "none"]).run_unproven().done();
    assert!(repo.git(["config", "core.fsmonitor"]).ends_with("git-coord hook fsmonitor"));
}

/// Commands that a person types, each of which destroys a change or a new file.
const VERBS: [&str; 14] = [
    "git reset --quiet --hard",
    "git clean --quiet --force -d",
    "git checkout --quiet -- .",
    "git stash --quiet",
    "git stash push --quiet --include-untracked",
    "git restore .",
    "cd src && git checkout --quiet main.rs",
    "git -C deep checkout --quiet --force HEAD",
    "git switch --quiet --discard-changes --detach HEAD",
    "git checkout-index --quiet --force --all",
    "git read-tree --reset -u HEAD",
    "git rm --quiet --force src/main.rs",
    "git undo",
    "f() { git reset --quiet --hard; }; f",
];

/// 8/TERMINAL: with each git of this machine, byte for byte.
#[test]
fn what_a_person_throws_away_comes_back() {
    for git in gits() {
        let repo = watched();
        repo.prefer(git);
        repo.git(["config", "alias.undo", "reset --hard --quiet"]);
        for verb in VERBS {
            let content = |of: &str| [BYTES, verb.as_bytes(), of.as_bytes()].concat();
            repo.pass("1m");
            for path in [TRACKED, NEW] {
                let file = repo.work().join(path);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, content(path)).unwrap();
            }
            let typed = repo.call("").program("sh").args(["-c", verb]).run_unproven().done();
            assert_eq!((typed.stdout.as_str(), typed.stderr.as_str()), ("", ""), "{verb}");
            let is_lost = |path: &&str| {
                fs::read(repo.work().join(path)).ok().as_deref() != Some(&content(path))
            };
            let lost: Vec<&str> = [TRACKED, NEW].into_iter().filter(is_lost).collect();
            assert!(!lost.is_empty(), "{verb} destroys nothing");
            let newest = &snapshots(&repo)[0];
            assert_eq!(newest["why"], "terminal", "{verb}: {newest:#}");
            repo.pass("1m");
            let args = [&["--json", "restore", "--"], &lost[..]].concat();
            let answer = rescue(&repo, "ops", &args).done().json();
            assert_eq!(texts(&answer["restored"], "path").len(), lost.len(), "{answer:#}");
            for path in [TRACKED, NEW] {
                has(&repo, path, &content(path));
            }
        }
        let command = |one: &Value| one["command"].as_str().map(str::to_owned);
        let commands: Vec<String> = snapshots(&repo).iter().filter_map(command).collect();
        let behind_alias = "git reset --hard --quiet".to_owned();
        assert!(commands.contains(&behind_alias), "{commands:?}");
    }
}

/// 8/TERMINAL: git sees each change at once, as it does without us.
#[test]
fn git_sees_what_it_sees_without_us() {
    for git in gits() {
        let repo = watched();
        repo.prefer(git);
        let agrees = |step: &str| {
            for words in [
                &["status", "--porcelain", "--untracked-files=all"][..],
                &["diff", "--stat"],
                &["diff", "--stat", "--cached"],
                &["ls-files", "--modified", "--others"],
            ] {
                let without = [&["-c", "core.fsmonitor=false"], words].concat();
                assert_eq!(repo.git(words), repo.git(without), "{step}: {words:?}");
            }
        };
        agrees("clean");
        for text in ["one\n", "two\n", "fn main() {}\n"] {
            repo.write(TRACKED, text);
            repo.write(NEW, text);
            agrees(text);
        }
        repo.git(["add", "--all"]);
        agrees("staged");
        repo.git(["commit", "--quiet", "--message", "work"]);
        fs::remove_file(repo.work().join(TRACKED)).unwrap();
        agrees("removed");
        repo.git(["stash", "--quiet"]);
        repo.git(["stash", "pop", "--quiet"]);
        agrees("stashed and back");
    }
}

/// The hook answers whatever goes wrong, and prints the protocol and nothing else.
#[test]
fn the_answer_is_given_whatever_goes_wrong() {
    let repo = watched();
    let answers = |what: &str, call: Call| {
        let output = call.run().done();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (ANSWER, ""), "{what}");
    };
    let hook = || repo.call("").args(["hook", "fsmonitor", "2", "token"]);
    answers("in a clean work tree", hook());
    let first = repo.call("").args(["hook", "fsmonitor", "1", "1700000000000000000"]).run().done();
    assert_eq!(first.stdout, "/\0");
    fs::write(repo.git_dir().join("index.lock"), "").unwrap();
    repo.write(TRACKED, "changed\n");
    answers("while the index is locked", hook());
    fs::remove_file(repo.git_dir().join("index.lock")).unwrap();
    answers("outside of a repository", hook().dir(repo.elsewhere()));
    answers("in a bare repository", hook().dir(repo.git_dir()));
    answers("with a wrong setting", hook().config("coord.rescue.max", "nonsense"));
    let saved = repo.git_dir().join("refs/coord");
    fs::remove_dir_all(&saved).ok();
    fs::write(&saved, "in the way").unwrap();
    answers("where nothing can be saved", hook());
}

/// 8/TERMINAL: a linked worktree has its own work.
#[test]
fn work_in_a_linked_worktree_comes_back() {
    let repo = watched();
    repo.git(["worktree", "add", "--quiet", "../linked", "-b", "linked"]);
    let linked = repo.work().parent().unwrap().join("linked");
    fs::write(linked.join(TRACKED), BYTES).unwrap();
    let git = |words: &[&str]| repo.git_call(words).dir(&linked).run_unproven().done();
    git(&["reset", "--quiet", "--hard"]);
    let restore = repo.call("ops").args(["rescue", "restore", TRACKED]).dir(&linked);
    restore.run_unproven().done();
    assert_eq!(fs::read(linked.join(TRACKED)).unwrap(), BYTES);
    assert_eq!(snapshots(&repo), [] as [Value; 0], "the main one has its own");
}

/// 8/TERMINAL: nothing is done where hooks do not act.
#[test]
fn nothing_is_done_where_hooks_do_not_act() {
    let repo = watched();
    repo.git(["config", "--unset", "coord.enabled"]);
    repo.write(TRACKED, "a person's\n");
    repo.git(["reset", "--quiet", "--hard"]);
    assert_eq!(snapshots(&repo), [] as [Value; 0]);
    repo.git(["config", "coord.enabled", "true"]);
    repo.git(["config", "coord.rescue.enabled", "false"]);
    repo.write(TRACKED, "a person's\n");
    repo.git(["reset", "--quiet", "--hard"]);
    assert_eq!(snapshots(&repo), [] as [Value; 0]);
}

/// A command that throws nothing away saves what agents have changed, if it is not saved yet.
#[test]
fn a_look_saves_what_edits_have_not() {
    let repo = watched();
    edits(&repo, ALICE, TRACKED, "alice\n");
    repo.write("README.md", "a person's\n");
    repo.git(["status"]);
    assert_eq!(snapshots(&repo), [] as [Value; 0], "the edit is saved");
    repo.write(TRACKED, "alice\nand a person\n");
    for _ in 0..3 {
        repo.git(["status"]);
        repo.git(["diff", "--quiet", "--cached"]);
    }
    let all = snapshots(&repo);
    let [snapshot] = &all[..] else { panic!("{all:#?}") };
    assert_eq!((&snapshot["why"], &snapshot["command"]), (&json!("terminal"), &Value::Null));
    assert_eq!(texts(&snapshot["paths"], "path"), [TRACKED]);
}

/// A file that is too large to be saved is named before it is lost.
#[test]
fn what_is_not_saved_is_said() {
    let repo = watched();
    repo.git(["config", "coord.rescue.maxFile", "1k"]);
    repo.write(TRACKED, &"x".repeat(2_000));
    let output = repo.git_call(["reset", "--quiet", "--hard"]).run_unproven().done();
    assert!(output.stderr.contains("git coord: not saved, because"), "{output:#?}");
    assert!(output.stderr.contains(TRACKED), "{output:#?}");
    repo.write(TRACKED, &"x".repeat(2_000));
    assert_eq!(repo.git_call(["status"]).run_unproven().done().stderr, "");
}

/// 8/TERMINAL: the calls of git that saving takes do not call the hook in turn.
#[test]
fn the_hook_does_not_call_itself() {
    let repo = watched();
    let log = repo.elsewhere().join("calls");
    let call = format!("echo x >>'{}'; git-coord hook fsmonitor", log.display());
    let user = repo.elsewhere().join("gitconfig");
    fs::write(&user, "").unwrap();
    let calls = |words: &[&str]| {
        repo.write(TRACKED, "a person's\n");
        fs::write(&log, "").unwrap();
        repo.git_call(words).env("GIT_CONFIG_GLOBAL", &user).run_unproven().done();
        fs::read_to_string(&log).unwrap().lines().count()
    };
    let given = format!("core.fsmonitor={call}");
    repo.git(["config", "core.fsmonitor", &call]);
    let by_repository = calls(&["reset", "--quiet", "--hard"]);
    repo.git(["config", "--unset", "core.fsmonitor"]);
    let user_file = user.to_str().unwrap();
    repo.git(["config", "--file", user_file, "core.fsmonitor", &call]);
    let by_user = calls(&["reset", "--quiet", "--hard"]);
    fs::write(&user, "").unwrap();
    let by_call = calls(&["-c", &given, "reset", "--quiet", "--hard"]);
    assert!((1..=4).contains(&by_repository), "{by_repository}");
    assert_eq!(by_repository, by_user);
    assert!(by_call < 8, "{by_call}");
}

/// 8/TERMINAL: a watcher of the user's stays, and the way back takes away what was set.
#[test]
fn a_watcher_of_the_users_stays() {
    let install = |repo: &Repo| {
        let args = ["install", "--terminal", "--agents", "none", "--json"];
        repo.call("").args(args).run_unproven().done().json()
    };
    let monitor = |repo: &Repo| {
        let call = repo.git_call(["config", "--get", "core.fsmonitor"]).run_unproven();
        call.stdout.trim_end().to_owned()
    };
    for other in ["true", "false", ".git/hooks/fsmonitor-watchman"] {
        let repo = hooked();
        repo.git(["config", "core.fsmonitor", other]);
        let items = install(&repo)["items"].to_string();
        assert!(items.contains(&format!("core.fsmonitor is '{other}' already")), "{items}");
        repo.call("").args(["uninstall"]).run_unproven().done();
        assert_eq!(monitor(&repo), other);
    }
    let repo = hooked();
    repo.call("").args(["install", "--agents", "none"]).run_unproven().done();
    assert_eq!(monitor(&repo), "", "only if it is asked for");
    install(&repo);
    let items = install(&repo)["items"].to_string();
    assert!(items.contains("configuration core.fsmonitor"), "{items}");
    let doctor = repo.call("").args(["doctor", "--json"]).run().json();
    let said = "made-up work was saved before 'git reset --hard'";
    assert!(doctor.to_string().contains(said), "{doctor:#}");
    repo.call("").args(["uninstall"]).run_unproven().done();
    assert_eq!(monitor(&repo), "");
}

/// 8/TERMINAL: a repository that names programs everywhere gains nothing by the hook: it runs none
/// of them, and `install` follows none.
#[test]
fn a_hostile_repository_gains_nothing() {
    let repo = watched();
    let trap = repo.work().join("trap.sh");
    let caught = repo.elsewhere().join("caught");
    put_script(&trap, &format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\ncat\n", caught.display()));
    fs::copy(&trap, repo.work().join("git-coord")).unwrap();
    repo.write(".gitattributes", "* filter=trap diff=trap\n");
    let run = trap.to_str().unwrap();
    for key in ["alias.status", "alias.rev-parse", "alias.x"] {
        repo.git(["config", key, &format!("!{run}")]);
    }
    for key in ["filter.trap.clean", "diff.trap.textconv", "core.sshCommand", "core.pager"] {
        repo.git(["config", key, run]);
    }
    let hook = || repo.call("").args(["hook", "fsmonitor", "2", "token"]);
    assert_eq!(hook().run().done().stdout, ANSWER);
    edits(&repo, ALICE, "README.md", "alice\n");
    repo.write("README.md", "alice\nand a person\n");
    assert_eq!(hook().run().done().stdout, ANSWER);
    assert_eq!(snapshots(&repo)[0]["why"], "terminal");
    // A process with the words of 'git reset --hard' that runs none of git's own programs.
    repo.pass("1m");
    let as_git = "exec -a git sh -c 'git-coord hook fsmonitor 2 token; true' reset --hard";
    let answer = repo.call("").program("bash").args(["-c", as_git]).run_unproven().done();
    assert_eq!(answer.stdout, ANSWER);
    let newest = snapshots(&repo)[0]["command"].as_str().unwrap().to_owned();
    assert!(newest.ends_with("reset --hard"), "{newest}");
    repo.git(["config", "core.fsmonitor", run]);
    let install = repo.call("").args(["install", "--terminal", "--agents", "none"]);
    install.run_unproven().done().says("core.fsmonitor is");
    for words in [&["doctor"][..], &["changes"], &["rescue", "save"]] {
        repo.call("").args(words).run();
    }
    let caught = fs::read_to_string(&caught).unwrap_or_default();
    assert_eq!(caught, "", "a program of the repository ran");
    assert!(Path::new(&trap).exists());
}

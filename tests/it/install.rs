//! `install`: git and agents call us, beside the programs that they called before. Commits and
//! pushes of a real git run the hooks; a stand-in for the program records its calls.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::contract::exit;
use crate::support::gits::Version;
use crate::support::hooks::{StandIn, put_program, put_script, repo_with_hooks_in_files};
use crate::support::kind::{Kind, Place};
use crate::support::untouched::Untouched;
use crate::support::{Output, Repo};

const HOOKS: [&str; 5] =
    ["pre-commit", "pre-merge-commit", "post-commit", "pre-push", "prepare-commit-msg"];
const SETTINGS: &str = ".claude/settings.local.json";

/// Creates a repository without any hook.
fn without_hooks() -> Repo {
    let repo = repo_with_hooks_in_files();
    fs::remove_dir_all(repo.git_dir().join("hooks")).unwrap();
    repo
}

#[track_caller]
fn install(repo: &Repo, args: &[&str]) -> Output {
    repo.call("").args(["install"]).args(args).run_unproven().done()
}

fn hook(repo: &Repo, name: &str) -> PathBuf {
    repo.git_dir().join("hooks").join(name)
}

fn settings(repo: &Repo, name: &str) -> Value {
    serde_json::from_slice(&fs::read(repo.work().join(name)).unwrap()).unwrap()
}

/// Lists the words in the first column.
fn states(output: &Output) -> BTreeSet<&str> {
    let word = |line: &'_ str| line.split("  ").next().unwrap_or_default().len();
    output.stdout.lines().map(|line| &line[..word(line)]).collect()
}

fn commit(repo: &Repo, stand_in: &StandIn) -> Output {
    stand_in.git(repo, &["commit", "--quiet", "--allow-empty", "--message", "x"]).run_unproven()
}

#[test]
fn without_flags_it_touches_hooks_and_configuration_only() {
    let repo = without_hooks();
    let before = Untouched::of(repo.world());
    let done = install(&repo, &[]);
    let mut expected: BTreeSet<PathBuf> =
        HOOKS.iter().map(|name| Path::new("work/.git/hooks").join(name)).collect();
    expected.insert("work/.git/config".into());
    assert_eq!(before.changed(), expected, "{done:#?}");
    assert_eq!(repo.git(["config", "coord.enabled"]), "true");
    assert_eq!(repo.git(["config", "--get-all", "log.excludeDecoration"]), "refs/coord/*");
    done.says("Claude Code was not found").says("the program runs from where it was built");
    for name in HOOKS {
        done.says(&format!("hook {name}: file "));
        let shim = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks").join(name));
        assert_eq!(fs::read(hook(&repo, name)).unwrap(), shim.unwrap(), "{name}");
    }
}

#[test]
fn twice_is_once() {
    let repo = Repo::new();
    install(&repo, &["--agents", "claude"]).says("restart open sessions");
    let before = Untouched::of(repo.world());
    let again = install(&repo, &["--agents", "claude"]);
    before.assert_still_so("the second install");
    assert_eq!(states(&again), BTreeSet::from(["already so", "note"]));
    assert!(!again.stderr.contains("restart"), "{again:#?}");
    assert_eq!(repo.git(["config", "--get-all", "log.excludeDecoration"]), "refs/coord/*");
}

/// 7/CALLER-ENV: a dry run writes nothing and names each item.
#[test]
fn a_dry_run_writes_nothing() {
    let repo = Repo::new();
    let args = ["install", "--agents", "claude", "--dry-run"];
    let would = repo.coord("", args).done();
    assert_eq!(states(&would), BTreeSet::from(["would do", "note"]));
    for name in HOOKS {
        would.says(&format!("hook {name}: "));
    }
    would.says(SETTINGS).says("coord.enabled = true");
    let json = repo.coord_json("", args).done().json();
    assert_eq!(json["dry_run"], true);
    assert_eq!(json["items"].as_array().unwrap().len(), would.stdout.lines().count());
}

#[test]
fn a_commit_runs_the_hooks() {
    let repo = without_hooks();
    install(&repo, &[]);
    let stand_in = StandIn::in_world_of(&repo);
    commit(&repo, &stand_in).done();
    let log = stand_in.log();
    assert_eq!(log.len(), 3, "{log:?}");
    assert_eq!(log[0].trim_end(), "git-coord: hook pre-commit");
    assert!(log[1].starts_with("git-coord: hook prepare-commit-msg .git/COMMIT_EDITMSG"));
    assert_eq!(log[2].trim_end(), "git-coord: hook post-commit");
    stand_in.answer(1);
    let head = repo.git(["rev-parse", "HEAD"]);
    commit(&repo, &stand_in).exits(exit::NO);
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head, "a refusal stops the commit");
}

#[test]
fn where_the_program_is_gone_git_goes_on() {
    let repo = without_hooks();
    install(&repo, &[]);
    let machine = std::env::var_os("PATH").unwrap();
    let has_ours = |place: &PathBuf| place.join("git-coord").exists();
    let others = std::env::split_paths(&machine).filter(|place| !has_ours(place));
    let path = std::env::join_paths(others).unwrap();
    let commit = repo.git_call(["commit", "--quiet", "--allow-empty", "--message", "x"]);
    commit.env("PATH", path).run_unproven().done();
}

/// Existing sh hooks, and existing hooks of another kind: both run after us, with the same
/// arguments and input, and their exit code counts.
#[test]
fn the_hooks_that_were_there_still_run() {
    for is_shell in [true, false] {
        let repo = without_hooks();
        let stand_in = StandIn::in_world_of(&repo);
        let put = |name: &str, code| {
            if is_shell {
                stand_in.put_hook(&hook(&repo, name), code);
            } else {
                stand_in.put_foreign_hook(&hook(&repo, name), code);
            }
        };
        for name in HOOKS {
            put(name, 0);
        }
        let done = install(&repo, &[]);
        done.says(if is_shell { "lines in" } else { "before the one that was there" });
        commit(&repo, &stand_in).done();
        let log = stand_in.log();
        assert_eq!(log.len(), 6, "{log:?}");
        for (ours, theirs) in [(0, 1), (2, 3), (4, 5)] {
            let arguments = |line: &str, who: &str| line.strip_prefix(who).unwrap().to_owned();
            let (ours, theirs) = (&log[ours], &log[theirs]);
            let ours = arguments(ours, "git-coord: hook ");
            let ours = ours.split_once(' ').map_or("", |(_, rest)| rest).to_owned();
            assert_eq!(ours.trim_end(), arguments(theirs, "theirs: ").trim_end(), "{log:?}");
        }
        stand_in.answer(1);
        commit(&repo, &stand_in).exits(exit::NO);
        assert_eq!(stand_in.log().len(), 1, "who comes after a refusal is not asked");
    }
}

#[test]
fn the_refusal_of_a_hook_that_was_there_counts() {
    for is_shell in [true, false] {
        let repo = without_hooks();
        let stand_in = StandIn::in_world_of(&repo);
        let path = hook(&repo, "pre-commit");
        if is_shell {
            stand_in.put_hook(&path, 1);
        } else {
            stand_in.put_foreign_hook(&path, 1);
        }
        install(&repo, &[]);
        commit(&repo, &stand_in).exits(exit::NO);
        assert_eq!(stand_in.log().len(), 2);
    }
}

#[test]
fn both_read_what_is_pushed() {
    for is_shell in [true, false] {
        let repo = without_hooks();
        repo.git(["init", "--quiet", "--bare", "../elsewhere/remote.git"]);
        repo.git(["remote", "add", "origin", "../elsewhere/remote.git"]);
        repo.git(["branch", "other"]);
        let stand_in = StandIn::in_world_of(&repo);
        let path = hook(&repo, "pre-push");
        if is_shell {
            stand_in.put_hook(&path, 0);
        } else {
            stand_in.put_foreign_hook(&path, 0);
        }
        install(&repo, &[]);
        let push = || stand_in.git(&repo, &["push", "--quiet", "origin", "main", "other"]);
        push().run_unproven().done();
        let log = stand_in.log();
        let of = |who: &str| -> Vec<String> {
            let own = log.iter().filter_map(|line| line.strip_prefix(who));
            own.map(str::to_owned).collect()
        };
        assert_eq!(of("git-coord: "), ["hook pre-push origin ../elsewhere/remote.git"]);
        assert_eq!(of("theirs: "), ["origin ../elsewhere/remote.git"]);
        assert_eq!(of("git-coord reads: ").len(), 2, "{log:?}");
        assert_eq!(of("git-coord reads: "), of("theirs reads: "));
        // With nothing to push there is nothing to read, for anybody.
        push().run_unproven().done();
        assert_eq!(stand_in.log(), ["theirs: origin ../elsewhere/remote.git"]);
    }
}

#[test]
fn a_hook_that_was_switched_off_stays_off() {
    let repo = without_hooks();
    let stand_in = StandIn::in_world_of(&repo);
    let path = hook(&repo, "pre-commit");
    stand_in.put_hook(&path, 1);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    install(&repo, &[]);
    commit(&repo, &stand_in).done();
    assert!(!stand_in.log().iter().any(|line| line.starts_with("theirs")));
}

#[test]
fn a_hook_that_is_a_link_is_kept_as_one() {
    let repo = without_hooks();
    let stand_in = StandIn::in_world_of(&repo);
    let shared = repo.elsewhere().join("pre-commit");
    stand_in.put_hook(&shared, 0);
    let before = fs::read(&shared).unwrap();
    fs::create_dir_all(repo.git_dir().join("hooks")).unwrap();
    symlink(&shared, hook(&repo, "pre-commit")).unwrap();
    install(&repo, &[]);
    assert_eq!(fs::read(&shared).unwrap(), before, "a file elsewhere is nobody's business");
    commit(&repo, &stand_in).done();
    assert_eq!(stand_in.log()[1].trim_end(), "theirs:");
}

#[test]
fn where_hooks_are_elsewhere_nothing_is_written_and_the_line_is_said() {
    for (marker, word) in [
        (
            ".husky/_/h",
            "add to '.husky/pre-push': ! command -v git-coord >/dev/null 2>&1 || git-coord hook ",
        ),
        ("lefthook.yml", "add to 'lefthook.yml', under 'jobs' of 'pre-push': "),
        (".pre-commit-config.yaml", "|| git-coord hook pre-push \"$@\"' git-coord, language"),
        ("other", "add to '.husky/_/pre-push': ! command -v git-coord "),
    ] {
        let repo = repo_with_hooks_in_files();
        repo.write(marker, "");
        repo.git(["config", "core.hooksPath", ".husky/_"]);
        let before = Untouched::of(repo.world());
        install(&repo, &[]).says(word).says("core.hooksPath is '.husky/_'");
        assert_eq!(before.changed(), BTreeSet::from(["work/.git/config".into()]));
    }
    let repo = repo_with_hooks_in_files();
    repo.git(["config", "core.hooksPath", ".husky/_"]);
    for name in HOOKS {
        repo.write(&format!(".husky/{name}"), &format!("git-coord hook {name} \"$@\"\n"));
    }
    let stand_in = StandIn::in_world_of(&repo);
    for name in HOOKS {
        let husky = format!("#!/bin/sh\n. \"${{0%/*}}/../{name}\"\n");
        put_script(&repo.work().join(".husky/_").join(name), &husky);
    }
    let states = install(&repo, &[]);
    assert!(states.stdout.contains("already so  hook pre-push: called from"), "{states:#?}");
    commit(&repo, &stand_in).done();
    assert_eq!(stand_in.log().len(), 3);
}

/// The configuration of a git that takes hooks from there; its words are run as git would.
#[test]
fn a_git_that_takes_hooks_from_its_configuration_gets_no_files() {
    let repo = without_hooks();
    repo.git_says(Version(2, 54));
    repo.git(["config", "core.hooksPath", ".husky/_"]);
    install(&repo, &[]).says("hook pre-push: configuration");
    assert!(!repo.git_dir().join("hooks").exists());
    let stand_in = StandIn::in_world_of(&repo);
    for name in HOOKS {
        let key = |field: &str| format!("hook.git-coord-{name}.{field}");
        assert_eq!(repo.git(["config", "--get-all", &key("event")]), name);
        let command = repo.git(["config", "--get-all", &key("command")]);
        let run = format!("alias.run=!sh -c '{command} \"$@\"' -");
        for code in [0, 1] {
            stand_in.answer(code);
            stand_in.git(&repo, &["-c", &run, "run", "a b"]).run_unproven().exits(code);
            assert_eq!(stand_in.log(), [format!("git-coord: hook {name} a b")]);
        }
    }
    let again = install(&repo, &[]);
    assert!(!again.stdout.contains("done"), "{again:#?}");
}

/// Linked worktrees share the hooks; bare repositories have nobody who commits.
#[test]
fn every_kind_of_repository() {
    for kind in Kind::all() {
        let Some(repo) = Repo::of(kind) else { continue };
        fs::remove_dir_all(repo.git_dir().join("hooks")).unwrap();
        let done = install(&repo, &["--agents", "claude"]);
        assert_eq!(repo.git(["config", "coord.enabled"]), "true", "{kind}");
        if kind.place == Place::Bare {
            done.says("nobody commits in a bare repository").says("no work tree here");
            assert!(!repo.git_dir().join("hooks").exists(), "{kind}");
            continue;
        }
        assert!(repo.work().join(SETTINGS).is_file(), "{kind}");
        let stand_in = StandIn::in_world_of(&repo);
        commit(&repo, &stand_in).done();
        assert_eq!(stand_in.log().len(), 3, "{kind}");
        let again = install(&repo, &["--agents", "claude"]);
        assert!(!again.stdout.contains("done"), "{kind}: {again:#?}");
    }
}

#[test]
fn claude_is_set_up_where_it_is_found() {
    for mark in [".claude/x", "../home/.claude/x", "../bin/claude"] {
        let repo = Repo::new();
        repo.write(mark, "");
        install(&repo, &[]).says("hooks of Claude Code in").says("restart open sessions");
        let found = settings(&repo, SETTINGS);
        let command = "command -v git-coord >/dev/null 2>&1 || exit 0; exec git-coord hook auto";
        let handler = json!([{ "type": "command", "command": command, "timeout": 5 }]);
        let tools = "Edit|Write|MultiEdit|NotebookEdit|Bash";
        let calls = json!([{"matcher": tools, "hooks": handler}]);
        assert_eq!(found["hooks"]["PreToolUse"], calls, "{mark}");
        let of_tools = ["PostToolUse", "PostToolUseFailure"];
        let of_turns = ["SessionStart", "UserPromptSubmit", "Stop", "StopFailure"];
        let of_both = [&of_tools[..], &of_turns, &["SubagentStart", "SubagentStop", "SessionEnd"]];
        for event in of_both.concat() {
            assert_eq!(found["hooks"][event], json!([{"hooks": handler}]), "{mark}");
        }
        assert_eq!(found["hooks"].as_object().unwrap().len(), 10);
    }
    let repo = Repo::new();
    repo.write(".claude/x", "");
    install(&repo, &["--agents", "none"]);
    assert!(!repo.work().join(SETTINGS).exists());
    repo.coord("", ["install", "--agents", "none,claude"]).exits(exit::USAGE);
}

#[test]
fn settings_that_are_there_stay() {
    let repo = Repo::new();
    let before = r#"{"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command",
        "command": "say done"}]}]}, "permissions": {"deny": ["Bash(rm:*)"]}, "zebra": [1, 2.50]}"#;
    repo.write(".claude/settings.json", before);
    let shared = ["--shared", "--allow", "--agents", "claude"];
    install(&repo, &shared);
    assert!(!repo.work().join(SETTINGS).exists());
    let mut found = settings(&repo, ".claude/settings.json");
    let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "hooks", "permissions", "zebra"]);
    assert_eq!(found["hooks"]["Stop"][0]["hooks"][0]["command"], "say done");
    assert_eq!(found["hooks"]["Stop"].as_array().unwrap().len(), 2);
    let allowed: Vec<String> = texts_of(&found["permissions"]["allow"]);
    assert!(allowed.contains(&"Bash(git coord reserve:*)".to_owned()), "{allowed:?}");
    // A rule for all of it would be one for whatever 'git coord with' is told to run.
    let covers_with = |rule: &String| "git coord with".starts_with(prefix(rule));
    assert!(!allowed.iter().any(covers_with), "{allowed:?}");
    let before: Value = serde_json::from_str(before).unwrap();
    // 8/NO-HARM: to act elsewhere, as somebody else or against another stays a question.
    let asked: Vec<String> = texts_of(&found["permissions"]["ask"]);
    assert_eq!(asked.len(), 5, "{asked:?}");
    for list in ["allow", "ask"] {
        found["permissions"].as_object_mut().unwrap().remove(list);
    }
    assert_eq!(found["permissions"], before["permissions"]);
    assert_eq!(found["zebra"], before["zebra"]);
}

fn texts_of(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Returns the prefix of a rule for a shell command.
fn prefix(rule: &str) -> &str {
    rule.strip_prefix("Bash(").and_then(|rule| rule.strip_suffix(":*)")).unwrap()
}

/// Lines for files that everybody shares have to do for those who have not installed us.
#[test]
fn a_line_for_a_manager_does_without_the_program() {
    let repo = repo_with_hooks_in_files();
    repo.write(".husky/_/h", "");
    repo.git(["config", "core.hooksPath", ".husky/_"]);
    let said = install(&repo, &[]).stdout;
    let (_, line) = said.split_once("add to '.husky/pre-commit': ").unwrap();
    let line = line.lines().next().unwrap();
    let stand_in = StandIn::in_world_of(&repo);
    let husky = "#!/bin/sh\nexec sh -e \"${0%/*}/../pre-commit\" \"$@\"\n";
    put_script(&repo.work().join(".husky/_/pre-commit"), husky);
    repo.write(".husky/pre-commit", &format!("{line}\necho further >>\"$LOG\"\n"));
    let log = repo.world().join("tmp/further");
    let commit = |call: crate::support::Call| call.env("LOG", &log).run_unproven();
    let words = ["commit", "--quiet", "--allow-empty", "--message", "x"];
    commit(stand_in.git(&repo, &words)).done();
    assert_eq!(stand_in.log(), ["git-coord: hook pre-commit"]);
    stand_in.answer(1);
    commit(stand_in.git(&repo, &words)).exits(exit::NO);
    let machine = std::env::var_os("PATH").unwrap();
    let has_ours = |place: &PathBuf| place.join("git-coord").exists();
    let others = std::env::split_paths(&machine).filter(|place| !has_ours(place));
    let path = std::env::join_paths(others).unwrap();
    commit(repo.git_call(words).env("PATH", path)).done();
    assert_eq!(fs::read_to_string(&log).unwrap(), "further\nfurther\n");
}

#[test]
fn what_to_think_of_is_said() {
    let repo = Repo::new();
    let said = install(&repo, &["--agents", "claude"]);
    said.says("is private and not ignored by git").says("--allow permits those of its commands");
    repo.write(".gitignore", ".claude/settings.local.json\n");
    let said = install(&repo, &["--agents", "claude", "--allow"]);
    assert!(!said.stdout.contains("private"), "{said:#?}");
    assert!(!said.stdout.contains("--allow"), "{said:#?}");
    // The user's choice to fail closed is handed on.
    repo.git(["config", "coord.hook.failClosed", "true"]);
    install(&repo, &["--agents", "claude"]);
    let found = settings(&repo, SETTINGS);
    assert_eq!(found["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
    assert!(found["hooks"]["Stop"][0]["hooks"][0].get("onFailure").is_none());
}

/// Whatever is wrong is found before anything is changed.
#[test]
fn settings_that_cannot_be_read_change_nothing() {
    for broken in ["{,}", "", "[]", r#"{"hooks": 1}"#, r#"{"hooks": {"Stop": 1}}"#] {
        let repo = Repo::new();
        repo.write(SETTINGS, broken);
        let refused = repo.coord("", ["install"]).exits(exit::FAILURE);
        refused.says("settings.local.json").says("nothing was changed");
    }
}

#[test]
fn a_hooks_directory_that_cannot_be_written_is_named() {
    let repo = without_hooks();
    fs::write(repo.git_dir().join("hooks"), "no directory").unwrap();
    let refused = repo.coord("", ["install"]).exits(exit::FAILURE);
    refused.says(&repo.git_dir().join("hooks").display().to_string());
    assert!(!repo.git_call(["config", "coord.enabled"]).run_unproven().stdout.contains("true"));
}

#[test]
fn manual_and_completions_go_beside_an_installed_program() {
    let repo = Repo::new();
    let prefix = repo.elsewhere().join("prefix");
    let program = prefix.join("bin/git-coord");
    put_program(&program);
    let call = || repo.call("").program(&program).args(["install"]);
    call().run_unproven().done();
    let documents = [
        "share/man/man1/git-coord.1",
        "share/bash-completion/completions/git-coord",
        "share/zsh/site-functions/_git-coord",
        "share/fish/vendor_completions.d/git-coord.fish",
    ];
    for document in documents {
        assert!(prefix.join(document).is_file(), "{document}");
    }
    let man = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man/git-coord.1");
    assert_eq!(fs::read(prefix.join(documents[0])).unwrap(), fs::read(man).unwrap());
    fs::write(prefix.join(documents[0]), "an older one").unwrap();
    let again = call().run_unproven().done();
    assert_eq!(again.stdout.matches("done").count(), 1, "{again:#?}");
    let uninstall = || repo.call("").program(&program).args(["uninstall"]).run_unproven().done();
    uninstall().says("no file").says("git-coord.fish");
    assert!(!prefix.join("share").exists(), "the directories went with the files");
    assert!(!uninstall().stdout.contains("no file"));
    // The former hook is replaced, and is not ours to remove.
    fs::create_dir_all(prefix.join("share/man/man1")).unwrap();
    fs::write(prefix.join(documents[0]), "of a package").unwrap();
    call().run_unproven().done();
    uninstall();
    assert!(prefix.join(documents[0]).is_file() && !prefix.join(documents[1]).exists());
    // Of several repositories the last takes them along.
    let other = Repo::new();
    let of_other = |verb: &str| {
        other.call("").program(&program).args([verb]).run_unproven().done();
    };
    fs::remove_file(prefix.join(documents[0])).unwrap();
    call().run_unproven().done();
    of_other("install");
    uninstall().says("stay for 1 other");
    assert!(documents.iter().all(|document| prefix.join(document).is_file()));
    of_other("uninstall");
    assert!(!documents.iter().any(|document| prefix.join(document).exists()));
    // In no 'bin' nothing can be found beside it.
    let lone = repo.elsewhere().join("git-coord");
    fs::rename(&program, &lone).unwrap();
    repo.call("").program(&lone).args(["install"]).run_unproven().done().says("in no 'bin'");
}

/// The repository is a plugin as it stands, and tells hook managers the same as `install`.
#[test]
fn what_is_published_is_what_is_installed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let json = |path: &str| -> Value {
        serde_json::from_slice(&fs::read(root.join(path)).unwrap()).unwrap()
    };
    let repo = Repo::new();
    install(&repo, &["--agents", "claude"]);
    assert_eq!(json("hooks/hooks.json")["hooks"], settings(&repo, SETTINGS)["hooks"]);
    let plugin = json(".claude-plugin/plugin.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json(".claude-plugin/marketplace.json")["plugins"][0]["name"], plugin["name"]);
    let managers = fs::read_to_string(root.join(".pre-commit-hooks.yaml")).unwrap();
    for name in HOOKS {
        assert!(
            managers.contains(&format!("|| git-coord hook {name} \"$@\"' git-coord\n")),
            "{name}"
        );
        let mode = fs::metadata(root.join("hooks").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o100, 0o100, "hooks/{name} can be copied as it is");
    }
}

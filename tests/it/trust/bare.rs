//! A bare repository that is found, and not named: a directory of a few files in a clone looks like
//! one, and its author controls its configuration.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Trap, edit_of, events, hook};
use crate::support::contract::exit;
use crate::support::{Call, Repo};

/// Plants five files that make a directory look like a bare repository, whose ledger has to be
/// fetched through the trap.
fn plant(repo: &Repo, trap: &Trap) -> PathBuf {
    let planted = repo.work().join("fixtures/w");
    for directory in ["refs/coord", "objects/pack"] {
        fs::create_dir_all(planted.join(directory)).unwrap();
    }
    let one = "1".repeat(40);
    let command = trap.command();
    let config = format!(
        "[core]\n\tbare = true\n[coord]\n\tenabled = true\n\troster = !{command}\n\
         [remote \"o\"]\n\turl = .\n\tpromisor = true\n\tuploadpack = \"{command};:\"\n"
    );
    for (file, text) in [
        ("HEAD", "ref: refs/heads/main\n"),
        ("objects/pack/a.promisor", "x\n"),
        ("refs/coord/reservations", &format!("{one}\n")),
        ("refs/coord/routing", &format!("{one}\n")),
        ("config", &config),
    ] {
        fs::write(planted.join(file), text).unwrap();
    }
    planted
}

fn explicit(call: Call) -> Call {
    call.config("safe.bareRepository", "explicit")
}

/// 8/NO-HARM: five text files do not make any command run a program. Git itself would, unless
/// `safe.bareRepository` is set; where it is, the repository is not even opened.
#[test]
fn a_planted_repository_runs_nothing() {
    let repo = Repo::new();
    let trap = Trap::in_world_of(&repo);
    let planted = plant(&repo, &trap);
    let planted_text = planted.to_str().unwrap();
    for words in [
        &["status"][..],
        &["list"],
        &["check", "x"],
        &["inbox"],
        &["agents"],
        &["reserve", "x"],
        &["renew", "x"],
        &["release", "x"],
        &["route", "fd-style"],
        &["override", "list"],
        &["doctor"],
        &["doctor", "--repair"],
        &["events"],
        &["ledger", "log", "reservations"],
        &["ledger", "verify"],
        &["run", "list"],
        &["domain", "show"],
    ] {
        let call = repo.call("ada").args(words).args(["-C", planted_text]);
        let told = call.run_unproven();
        trap.was_not_run(&told.called);
        let refused = explicit(call).run_unproven();
        trap.was_not_run(&refused.called);
        if words[0] != "doctor" {
            refused.exits(exit::FAILURE).says("safe.bareRepository").says("--git-dir");
        }
    }
}

/// The way out that the refusal names: whoever names a repository means it.
#[test]
fn a_bare_repository_that_is_named_is_used() {
    let repo = Repo::new();
    repo.git(["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let bare = repo.world().join("bare.git");
    let call = || explicit(repo.call("ada").args(["reserve", "src/**"]));
    call().dir(&bare).run().exits(exit::FAILURE).says("safe.bareRepository");
    call().dir(&bare).env("GIT_DIR", &bare).run().done();
    let by_git = repo.git_call(["-c", "safe.bareRepository=explicit"]);
    let by_git = by_git.args([&format!("--git-dir={}", bare.display()), "coord", "list"]);
    by_git.run().done().says("src/**");
}

/// 8/NO-HARM: an agent that has gone into such a directory has not left the repository around it.
#[test]
fn hooks_pass_a_planted_repository_over() {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    repo.reserve("bob", "fixtures/**");
    let trap = Trap::in_world_of(&repo);
    let planted = plant(&repo, &trap);
    let file = planted.join("x.txt");
    for (settings, event) in events().iter().flat_map(|event| [(false, event), (true, event)]) {
        let call = hook(&repo, event, &planted, &edit_of(&file));
        let call = if settings { explicit(call) } else { call };
        let told = call.run_unproven().done();
        trap.was_not_run(event);
        if event == "PreToolUse" {
            let answer: Value = serde_json::from_str(&told.stdout).unwrap();
            let decision = &answer["hookSpecificOutput"]["permissionDecision"];
            assert_eq!(*decision, json!("deny"), "the file is held: {answer}");
        }
    }
    assert!(!planted.join("coord").exists(), "nothing was kept in it");
}

/// 8/NO-HARM: nor does the text of a command make hooks use it: an agent may have read that text in
/// a file of the same clone.
#[test]
fn hooks_use_no_planted_repository_that_a_command_names() {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    let trap = Trap::in_world_of(&repo);
    let planted = plant(&repo, &trap);
    let config = fs::read_to_string(planted.join("config")).unwrap();
    fs::write(planted.join("config"), config.replace("bare = true", "bare = false")).unwrap();
    for command in [
        "git --git-dir=fixtures/w --work-tree=. reset --hard",
        "GIT_DIR=fixtures/w GIT_WORK_TREE=. git checkout -- README.md",
        "export GIT_DIR=fixtures/w; git --work-tree=. stash",
        "git --git-dir fixtures/w --work-tree . clean -fd",
    ] {
        let bash = json!({
            "tool_name": "Bash",
            "tool_use_id": "one",
            "tool_input": { "command": command },
        });
        hook(&repo, "PreToolUse", &repo.work(), &bash).run_unproven().done();
        trap.was_not_run(command);
        assert!(!planted.join("coord").exists(), "{command}: nothing was kept in it");
    }
    repo.write("README.md", "changed\n");
    let by_dot_git = "git --git-dir=.git --work-tree=. reset --hard";
    let bash = json!({
        "tool_name": "Bash",
        "tool_use_id": "two",
        "tool_input": { "command": by_dot_git },
    });
    let told = hook(&repo, "PreToolUse", &repo.work(), &bash).run_unproven().done();
    told.says("git coord rescue");
}

/// Where nothing is around it, hooks have nothing to say, however broken it is.
#[test]
fn hooks_are_silent_in_a_bare_repository() {
    let repo = Repo::new();
    let bare = repo.elsewhere().join("bare.git");
    repo.git(["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    for broken in [false, true] {
        let config = "[coord]\n\tenabled = true\n[coord \"hook\"]\n\tfailClosed = true\n";
        let slip = if broken { "[core\n" } else { "" };
        fs::write(bare.join("config"), format!("{config}{slip}")).unwrap();
        for event in events() {
            let told = hook(&repo, &event, &bare, &edit_of(&bare.join("x.txt"))).run().done();
            assert_eq!((told.stdout.as_str(), told.stderr.as_str()), ("", ""), "{event}");
        }
    }
    assert!(!bare.join("coord").exists(), "nothing was kept in it");
}

/// 1/ARCH-4: what git uses is used, and what git refuses is refused, wherever one stands.
#[test]
fn what_git_uses_is_used() {
    let repo = Repo::new();
    repo.git(["worktree", "add", "--quiet", "../linked"]);
    for place in ["../bare.git", ".git/modules/m", "nested/.git/inside", "hidden/.bare"] {
        repo.git(["clone", "--quiet", "--bare", ".", place]);
    }
    fs::write(repo.work().join("hidden/.git"), "gitdir: ./.bare\n").unwrap();
    let bare = repo.world().join("bare.git");
    repo.git_call(["config", "safe.bareRepository", "all"]).dir(&bare).run_unproven().done();
    let global = repo.world().join("home/own");
    fs::write(&global, "[safe]\n\tbareRepository = explicit\n").unwrap();
    let places = [
        ".",
        "src",
        ".git",
        ".git/refs",
        ".git/worktrees/linked",
        ".git/modules/m",
        ".git/modules/m/refs",
        "../linked",
        "../bare.git",
        "../bare.git/refs",
        "nested/.git/inside",
        "hidden",
        "hidden/.bare",
    ];
    for place in places {
        let directory = repo.work().join(place);
        let said = |call: Call, names: bool| {
            let call = call.dir(&directory).without_env("GIT_COORD_NOW");
            let call = if names { call.env("GIT_DIR", git_dir_of(&directory)) } else { call };
            let all = call.clone().config("safe.bareRepository", "all").run_unproven().code;
            let explicit = explicit(call.clone()).run_unproven().code;
            let last = call.clone().config("safe.bareRepository", "explicit");
            let last = last.config("SAFE.bareRepository", "all").run_unproven().code;
            let own = call.env("GIT_CONFIG_GLOBAL", &global).run_unproven().code;
            [all, explicit, last, own]
        };
        for names in [false, true] {
            let by_git = said(repo.git_call(["rev-parse", "--git-dir"]), names);
            let by_us = said(repo.call("ada").args(["list"]), names);
            assert_eq!(by_us, by_git, "{place}, named: {names}");
        }
    }
}

/// Returns the git directory to name for a current directory.
fn git_dir_of(directory: &Path) -> PathBuf {
    let inside = directory.join(".git");
    if inside.is_dir() { inside } else { directory.to_owned() }
}

/// What a partial clone has left behind is fetched by whoever names it; one that is merely come
/// upon fetches nothing, and says so: nothing of it is damaged.
#[test]
fn a_bare_partial_clone_fetches_where_it_is_named() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.git(["config", "uploadpack.allowFilter", "true"]);
    let remote = format!("file://{}", repo.work().display());
    let clone = ["clone", "--quiet", "--bare", "--filter=blob:none", &remote, "../part.git"];
    repo.git(clone);
    let bare = repo.world().join("part.git");
    let ledger = "refs/coord/reservations:refs/coord/reservations";
    let fetch = repo.git_call(["fetch", "--quiet", "--filter=blob:none", "origin", ledger]);
    fetch.dir(&bare).run_unproven().done();
    let check = || repo.call("bob").dir(&bare).args(["check", "src/x"]);
    let told = check().run_unproven().exits(exit::FAILURE);
    told.says("nobody has named").says("--git-dir");
    assert!(!told.stderr.contains("damage"), "{}", told.stderr);
    check().env("GIT_DIR", &bare).run_unproven().exits(exit::NO).says("src/**");
}

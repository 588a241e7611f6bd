//! Before a shell command: what would destroy, commit or move uncommitted work of others does not
//! run.

use serde_json::json;

use super::*;

/// The call before a shell command.
fn shell_call(session: &Session<'_>, command: &str) -> Call {
    let input = json!({ "command": command, "description": "a command" });
    let more = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "toolu_1" });
    session.call("PreToolUse", &more)
}

/// Returns the reason why a command is refused. A look that takes too long is given up, and a
/// machine may be slow, so this asks more than once.
#[track_caller]
fn is_stopped(session: &Session<'_>, command: &str) -> String {
    for _ in 0..20 {
        let output = shell_call(session, command).run().done();
        if !output.stdout.is_empty() {
            return denial(&output);
        }
    }
    panic!("passes: {command}");
}

#[track_caller]
fn runs(session: &Session<'_>, command: &str) {
    let output = shell_call(session, command).run();
    let is_saved = output.stdout.contains("saved before this command");
    assert!(output.stdout.is_empty() || is_saved, "{command}: {output:#?}");
    assert_eq!(output.stderr, "", "{command}");
}

/// Edits a file through the hooks.
#[track_caller]
fn change(session: &Session<'_>, path: &str) {
    session.edits(path);
    session.repo.write(path, &format!("// by {}\n", session.id));
    session.has_edited(path);
}

/// 8/RESET, 8/STASH, 8/CHECKOUT, 8/CLEAN: while the turn of the other runs, its holder can be
/// asked; the own paths are spelled out.
#[test]
fn what_would_destroy_the_work_of_others_does_not_run() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    change(&other, "src/main.rs");
    change(&other, "src/new.rs");
    change(&one, "docs/guide.md");
    let text = is_stopped(&one, "git reset --hard HEAD");
    for part in [
        "git coord: not run, 'git reset --hard HEAD' would throw away uncommitted changes of",
        &format!("- \"src/main.rs\" was changed by {OTHER_NAME} "),
        "whose turn still runs",
        "\n  git restore --staged --worktree -- :/docs/guide.md\n",
        &format!("git coord ask --holder={OTHER_NAME} --reason"),
        "-- :/src/main.rs",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(!text.contains("new.rs"), "an untracked file stays: {text}");
    assert!(is_stopped(&one, "git clean -fd").contains("\"src/new.rs\""));
    for command in [
        "git stash",
        "git checkout -- src/main.rs",
        "git restore .",
        "git checkout .",
        "cd src && git checkout main.rs",
        "bash -c 'git reset --hard'",
        "git add -A",
        "git commit -am all",
        "git checkout -b mine",
        "git rebase HEAD~1",
        "rm src/main.rs",
        "echo x > src/new.rs",
        "git -C src stash push -- main.rs",
        "ls | xargs git checkout --",
        "env GIT_DIR=.git git reset --hard",
        "git --git-dir=.git --work-tree=. reset --hard",
        "ln -sf README.md src/main.rs",
        "install README.md src/main.rs",
        "shred -u src/new.rs",
    ] {
        is_stopped(&one, command);
    }
    for command in [
        "git restore docs/guide.md",
        "git add docs",
        "git commit -m x -- docs/guide.md",
        "git status",
    ] {
        runs(&one, command);
    }
    // It is the other's own to lose.
    for command in ["git reset --hard", "git stash", "git clean -fd", "git checkout -- src/main.rs"]
    {
        let own = Session::new(&repo, OTHER);
        if command.contains("--hard") || command == "git stash" {
            assert!(is_stopped(&own, command).contains("docs/guide.md"));
        } else {
            runs(&own, command);
        }
    }
}

/// 8/RESET, 8/OWN-INDEX: a command that names an index still works in this work tree. What it
/// stages and commits by an index of its own is the commit hooks' to judge.
#[test]
fn an_index_of_its_own_hides_no_work_tree() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    change(&other, "src/main.rs");
    change(&other, "src/new.rs");
    let usual = repo.git_dir().join("index");
    for index in [".git/index", "/tmp/i", usual.to_str().unwrap()] {
        for command in [
            "git reset --hard",
            "git checkout -- src/main.rs",
            "git clean -fd",
            "git stash",
            "git switch -c x",
        ] {
            is_stopped(&one, &format!("GIT_INDEX_FILE={index} {command}"));
            is_stopped(&one, &format!("env GIT_INDEX_FILE={index} {command}"));
            is_stopped(&one, &format!("export GIT_INDEX_FILE={index}; {command}"));
        }
    }
    is_stopped(&one, "export GIT_INDEX_FILE=\"$X\"; git reset --hard");
    is_stopped(&one, "GIT_INDEX_FILE=.git/index git add -A");
    is_stopped(&one, "cd src && GIT_INDEX_FILE=.git/index git commit -am x");
    for command in ["git add -A", "git commit -am x", "git read-tree HEAD", "git reset"] {
        runs(&one, &format!("GIT_INDEX_FILE=/tmp/i {command}"));
    }
}

/// 8/RESET, 8/SWEEP: the end of the turn ends the hold and not the ownership. What is committed or
/// as before is nobody's any more.
#[test]
fn ownership_outlives_the_turn_until_it_is_settled() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    let before = std::fs::read_to_string(repo.work().join("src/api/users.rs")).unwrap();
    change(&other, "src/api/users.rs");
    silent(&other.event("Stop"));
    let text = is_stopped(&one, "git stash");
    assert!(text.contains("whose turn is over") && !text.contains("git coord ask"), "{text}");
    let text = is_stopped(&one, "git commit -am mine");
    assert!(text.contains("'git commit -am mine' would commit what is not yours to change:"));
    is_stopped(&one, "git add -A");
    repo.write("src/api/users.rs", &before);
    runs(&one, "git stash");
    // Its change is gone, and it is told so.
    context(&other.edit("src/api/users.rs"), "PreToolUse");
    change(&other, "src/api/users.rs");
    silent(&other.event("Stop"));
    is_stopped(&one, "git reset --hard");
    repo.git(["commit", "--quiet", "--no-verify", "-m", "theirs", "--", "src/api/users.rs"]);
    runs(&one, "git reset --hard");
    other.edits("src/api/users.rs");
    repo.write("src/api/users.rs", "// more than before\n");
    other.has_edited("src/api/users.rs");
    silent(&other.event("SessionEnd"));
    let text = is_stopped(&one, "git reset --hard");
    assert!(text.contains("whose session has ended"), "{text}");
    runs(&one, "git add -A && git commit -m 'what the last session did'");
}

/// 8/SWITCH: a branch is not changed under others, also before their first edit is made; a work
/// tree of its own is the way on.
#[test]
fn a_branch_is_not_changed_under_others() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    other.edits("src/api/users.rs");
    let text = is_stopped(&one, "git switch -c topic/mine");
    assert!(text.contains("\n  git worktree add ../mine -b topic/mine\n"), "{text}");
    assert!(text.contains(&format!("\"src/api/users.rs\" is held by {OTHER_NAME}")), "{text}");
    runs(&one, "git worktree add ../mine -b topic/mine");
    runs(&one, "git switch main");
    silent(&other.event("Stop"));
    runs(&one, "git switch -c topic/mine");
}

/// 8/SIBLING: subagents of one session do not destroy each other's work, and the session covers
/// both.
#[test]
fn siblings_are_others() {
    let repo = enabled();
    let session = Session::new(&repo, ONE);
    let (first, second) = (session.subagent("aaaa1111"), session.subagent("bbbb2222"));
    change(&first, "src/main.rs");
    is_stopped(&second, "git checkout src/main.rs");
    runs(&first, "git checkout src/main.rs");
    runs(&session, "git checkout src/main.rs");
}

/// 8/WORKTREE-REMOVE: each work tree has its own work, and a command is judged where it works.
#[test]
fn a_command_is_judged_in_the_work_tree_that_it_means() {
    let repo = enabled();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let side = repo.world().join("side");
    let one = Session::new(&repo, ONE).standing_in(&side);
    let other = Session::new(&repo, OTHER);
    change(&other, "src/main.rs");
    runs(&one, "git reset --hard");
    runs(&one, "git add -A && git commit -m mine");
    is_stopped(&one, "git -C ../work reset --hard");
    is_stopped(&one, "cd ../work && git stash");
    let there = Session::new(&repo, ONE);
    one.edits("README.md");
    std::fs::write(side.join("README.md"), "mine\n").unwrap();
    let text = is_stopped(&other, "git worktree remove --force ../side");
    assert!(text.contains("\"README.md\"") && text.contains("work tree"), "{text}");
    runs(&there, "git worktree remove --force ../side");
    runs(&other, "git worktree remove ../side");
}

/// 8/WORKTREE-REMOVE: a work tree is removed by `rm` as well, and a directory above it takes it
/// along.
#[test]
fn a_work_tree_of_others_is_not_removed_by_other_programs() {
    let repo = enabled();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let side = repo.world().join("side");
    let one = Session::new(&repo, ONE).standing_in(&side);
    let other = Session::new(&repo, OTHER);
    one.edits("README.md");
    std::fs::write(side.join("README.md"), "mine\n").unwrap();
    one.has_edited("README.md");
    for command in [
        "rm -rf ../side",
        "rm -r ..",
        "rm -rf ../s*",
        "rm --recurs ../side/",
        "cd .. && rm -fr side",
        "cd /; rm -rf \"$HOME\" '{world}'",
        "sudo rm -rf '{world}/side'",
    ] {
        let command = command.replace("{world}", repo.world().to_str().unwrap());
        let text = is_stopped(&other, &command);
        assert!(
            text.contains("would delete a work tree") && text.contains("\"README.md\""),
            "{text}"
        );
    }
    for command in ["rm -rf target ../side/docs", "rm -f ../side", "rm -rf ../sid", "rm -rf ../*.o"]
    {
        runs(&other, command);
    }
    // Its own work tree, too.
    change(&other, "src/main.rs");
    for command in ["rm -rf ../work", "rm -rf \"$PWD\""] {
        is_stopped(&Session::new(&repo, ONE), command);
    }
}

/// 8/CLEAN: nothing brings ignored files back, so they stay while another agent is at work here,
/// also one that has changed nothing yet.
#[test]
fn ignored_files_stay_while_others_are_at_work() {
    let repo = enabled();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    runs(&one, "git clean -fdx");
    silent(&other.clone().standing_in(&repo.world().join("side")).event("Stop"));
    runs(&one, "git clean -fdx");
    silent(&other.event("Stop"));
    for command in ["git clean -fdx", "git clean -X --forc"] {
        let text = is_stopped(&one, command);
        assert!(text.contains(&format!("- {OTHER_NAME} works here, and was seen ")), "{text}");
    }
    runs(&one, "git clean -fd");
    runs(&one, "git clean -fdx target");
    runs(&other.subagent("aaaa1111"), "ls");
    let siblings = other.subagent("bbbb2222");
    is_stopped(&siblings, "git clean -fdx");
    silent(&other.event("SessionEnd"));
    runs(&one, "git clean -fdx");
}

/// Another repository is judged by its own settings, and one that has no hooks is not judged.
#[test]
fn another_repository_has_its_own_settings() {
    let (repo, plain) = (enabled(), Repo::new());
    let one = Session::new(&repo, ONE);
    let other = Session::new(&plain, OTHER);
    plain.git(["config", "coord.enabled", "true"]);
    change(&other, "src/main.rs");
    let command = format!("git -C '{}' reset --hard", plain.work().display());
    is_stopped(&one, &command);
    plain.git(["config", "coord.enabled", "false"]);
    runs(&one, &command);
}

/// What a person has changed is nobody's; what an agent holds by command counts for its paths.
#[test]
fn holds_by_command_count_and_work_of_people_does_not() {
    let repo = enabled();
    let one = Session::new(&repo, ONE);
    repo.write("src/main.rs", "// by a person\n");
    for command in ["git stash", "git reset --hard", "git checkout src/main.rs", "git add -A"] {
        runs(&one, command);
    }
    repo.reserve("alice", "docs");
    let text = is_stopped(&one, "git rm docs/guide.md");
    assert!(text.contains("\"docs\" is held by alice") && text.contains("git coord ask"), "{text}");
    runs(&one, "git reset --hard");
}

/// The settings: `coord.hook.shell` switches the look off, `coord.hook.changes` makes it a warning.
#[test]
fn the_gate_can_be_a_warning_or_off() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    change(&other, "src/main.rs");
    repo.git(["config", "alias.undo", "reset --hard"]);
    is_stopped(&one, "git undo");
    repo.git(["config", "coord.hook.changes", "warn"]);
    let output =
        (0..20).map(|_| shell_call(&one, "git undo").run()).find(|said| !said.stdout.is_empty());
    let told = context(&output.unwrap(), "PreToolUse");
    assert!(told.starts_with("git coord: look out, 'git undo' would throw away"), "{told}");
    repo.git(["config", "coord.hook.shell", "false"]);
    runs(&one, "git undo");
}

/// At most five paths are named, and text of others stands in quotes.
#[test]
fn the_answer_is_bounded() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    for number in 0..8 {
        change(&other, &format!("src/{number} \"quoted\".rs"));
    }
    let text = is_stopped(&one, "git clean -f");
    assert_eq!(text.matches("was changed by").count(), 5, "{text}");
    assert!(
        text.contains("- and 3 more") && text.contains("\"src/0 \\\"quoted\\\".rs\""),
        "{text}"
    );
}

/// 8/HOOKS: a call that cannot be read, a broken ledger and a slow git let the command pass.
#[test]
fn what_cannot_be_looked_at_passes() {
    let repo = enabled();
    let (one, other) = (Session::new(&repo, ONE), Session::new(&repo, OTHER));
    change(&other, "src/main.rs");
    let more = json!({ "tool_name": "Bash", "tool_input": { "command": 7 } });
    silent(&one.call("PreToolUse", &more).run());
    is_stopped(&one, "git reset --hard");
    let machine = std::env::var("PATH").unwrap();
    let slow = format!("#!/bin/sh\nsleep 5\nPATH='{machine}' exec git \"$@\"\n");
    crate::support::hooks::put_script(&repo.world().join("bin/git"), &slow);
    runs(&one, "git reset --hard");
}

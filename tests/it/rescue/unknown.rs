//! What is saved before a command of which the text does not tell all.

use serde_json::json;

use super::*;
use crate::ownership::{ALICE, BOB, edits, ends, hooked, stops};
use crate::support::texts;

/// Asks the hook about a shell command, which may not be refused, and returns the answer.
#[track_caller]
fn passes(repo: &Repo, agent: &str, command: &str) -> Output {
    let input = json!({ "command": command });
    let more = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t9" });
    let answer = event(repo, agent, "PreToolUse", &more).run().done();
    assert!(!answer.stdout.contains("\"deny\""), "{command}: {answer:#?}");
    answer
}

/// Fails unless everything uncommitted is saved before a command, which passes.
#[track_caller]
fn saves(repo: &Repo, command: &str) {
    repo.pass("1m");
    repo.write("notes.txt", command);
    passes(repo, ALICE, command).says("saved before this command");
    let newest = &snapshots(repo)[0];
    assert_eq!(newest["why"], "verb", "{command}");
    assert_eq!(texts(&newest["paths"], "path"), ["notes.txt", "src/main.rs"], "{command}");
    let commit = newest["commit"].as_str().unwrap();
    assert_eq!(repo.git(["show", &format!("{commit}:notes.txt")]), command.trim_end());
}

/// 8/RESCUE: what is not known from the text refuses nothing, and is saved first: the paths, the
/// place, the verb, the program.
#[test]
fn what_is_not_known_is_saved_first() {
    let repo = hooked();
    edits(&repo, BOB, "src/main.rs", "theirs\n");
    for command in [
        "git checkout -- \"$F\"",
        "git checkout $F",
        "git restore $F",
        "git restore -- ':(attr:x)y'",
        "git restore --pathspec-from-file=list",
        "git rm -f \"$(head -1 list)\"",
        "git reset \"$MODE\"",
        "git clean $OPTIONS",
        "git stash $SUB",
        "git switch $OPTIONS",
        "git merge $OPTIONS",
        "cd \"$X\" && git reset --hard",
        "cd missing; git reset --hard",
        "git -C \"$D\" stash",
        "GIT_DIR=\"$D\" git reset --hard",
        "git --work-tree=\"$D\" clean -fd",
        "git $V --hard",
        "git \"$V\"",
        "$G reset --hard",
        "\"$G\" checkout -- src/main.rs",
        "timeout $T git reset --hard",
        "env \"A=$A\" git reset --hard",
        "eval \"$X\"",
        "bash -c \"$X\"",
        "xargs $C < list",
    ] {
        saves(&repo, command);
    }
    repo.pass("1m");
    let before = snapshots(&repo).len();
    for command in [
        "git checkout -b \"$B\"",
        "git log $X",
        "git status \"$F\"",
        "echo $X > /dev/null",
        "cd \"$X\" && git status",
        "cd \"$X\" && git add -A",
        "cat \"$F\" | grep $X",
        "git -C \"$D\" log",
        "G=git; $G status",
    ] {
        // The owner itself asks: nobody else's work is in its way.
        assert_eq!(passes(&repo, BOB, command).stdout, "", "{command}");
    }
    assert_eq!(snapshots(&repo).len(), before);
}

/// 8/RESCUE: what is too much to be read is saved first.
#[test]
fn what_is_too_much_to_be_read_is_saved_first() {
    let repo = hooked();
    edits(&repo, BOB, "src/main.rs", "theirs\n");
    let nested = (0..6)
        .fold("git reset --hard".to_owned(), |text, at| format!("f{at}() {{ {text}; }}; f{at}"));
    let trees: Vec<String> = (0..5).map(|number| format!("git -C d{number} stash list")).collect();
    for number in 0..5 {
        std::fs::create_dir(repo.work().join(format!("d{number}"))).unwrap();
    }
    for command in [
        format!("git reset --hard # {}", "x".repeat(64 * 1024)),
        format!("{}git reset --hard", "true;".repeat(500)),
        nested,
        "true 'and so on\ngit reset --hard".to_owned(),
        format!("{}; git reset --hard", trees.join("; ")),
    ] {
        saves(&repo, &command);
    }
}

/// 8/RESCUE: before a program that may do anything, what agents have changed is saved, as far as it
/// is not saved yet. Nobody is told, because most such programs do no harm.
#[test]
fn noted_files_are_saved_before_what_may_do_anything() {
    let repo = hooked();
    repo.write("docs/guide.md", "a person's\n");
    passes(&repo, ALICE, "make");
    assert_eq!(snapshots(&repo), [] as [Value; 0], "there are no notes");
    edits(&repo, BOB, "src/main.rs", "theirs\n");
    passes(&repo, ALICE, "make");
    assert_eq!(snapshots(&repo), [] as [Value; 0], "the edit is saved by itself");
    let programs =
        ["make", "./script.sh", "npm run build", "python3 x.py", ". ./env", "git x", "sh"];
    for (round, command) in programs.iter().enumerate() {
        repo.pass("1m");
        repo.write("src/main.rs", &format!("formatted {round}\n"));
        for harmless in ["ls -la", "cat src/main.rs | grep x", "git status", "sed -n 1p README.md"]
        {
            assert_eq!(passes(&repo, ALICE, harmless).stdout, "");
        }
        assert_eq!(snapshots(&repo).len(), round);
        for _ in 0..2 {
            assert_eq!(passes(&repo, ALICE, command).stdout, "", "{command}");
        }
        let all = snapshots(&repo);
        assert_eq!(all.len(), round + 1, "{command}");
        assert_eq!(texts(&all[0]["paths"], "path"), ["src/main.rs"]);
        assert_eq!((&all[0]["why"], &all[0]["command"]), (&json!("verb"), &json!(command)));
    }
}

/// 8/REBASE, 8/RESCUE: a rebase that puts changes aside by itself is refused for others who may
/// come back; what an ended session has left is saved first.
#[test]
fn what_a_rebase_puts_aside_is_saved_first() {
    let repo = hooked();
    edits(&repo, BOB, "src/main.rs", "theirs\n");
    stops(&repo, BOB);
    ends(&repo, BOB);
    repo.git(["config", "rebase.autoStash", "true"]);
    repo.pass("1m");
    assert_eq!(passes(&repo, ALICE, "git rebase --no-autostash main").stdout, "");
    passes(&repo, ALICE, "git rebase main").says("saved before this command");
    repo.git(["config", "--unset", "rebase.autoStash"]);
    repo.write("src/main.rs", "more\n");
    repo.pass("1m");
    assert_eq!(passes(&repo, ALICE, "git rebase main").stdout, "");
    passes(&repo, ALICE, "git rebase --autost main").says("saved before this command");
    assert_eq!(texts(&snapshots(&repo)[0]["paths"], "path"), ["src/main.rs"]);
}

/// 8/WORKTREE-REMOVE, 8/RESCUE: a work tree that is removed is saved before, whoever removes it.
#[test]
fn a_removed_work_tree_is_saved_first() {
    for command in ["git worktree remove --force ../side", "rm -rf ../side", "cd .. && rm -r side"]
    {
        let repo = hooked();
        repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
        let side = repo.world().join("side");
        std::fs::write(side.join("README.md"), BYTES).unwrap();
        std::fs::write(side.join("new.txt"), "new\n").unwrap();
        shell(&repo, ALICE, command);
        assert!(!side.exists(), "{command}");
        let listed = repo.json("ops", ["rescue", "list", "--worktree", "side"]);
        let snapshot = &listed["snapshots"][0];
        assert_eq!(texts(&snapshot["paths"], "path"), ["README.md", "new.txt"], "{command}");
        let id = snapshot["id"].as_str().unwrap();
        let to = repo.elsewhere().join("back");
        let args = ["restore", "--worktree", "side", "--to", to.to_str().unwrap(), id, ":/"];
        rescue(&repo, ALICE, &args).done();
        assert_eq!(std::fs::read(to.join("README.md")).unwrap(), BYTES, "{command}");
        assert_eq!(std::fs::read(to.join("new.txt")).unwrap(), b"new\n", "{command}");
    }
}

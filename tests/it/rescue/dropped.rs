//! Commits and entries of the stash that a command drops when it goes ahead.

use serde_json::json;

use super::*;
use crate::ownership::{ALICE, BOB, commits, edits, ends, git, hooked, stops};
use crate::support::texts;

/// Makes a commit as a person does, without hooks.
fn person_commits(repo: &Repo, path: &str) -> String {
    repo.write(path, "a person's\n");
    repo.git(["add", path]);
    repo.git(["commit", "--quiet", "--no-verify", "--message", path]);
    repo.git(["rev-parse", "HEAD"])
}

/// Runs a command as an agent, and returns what agent and person are told before it.
#[track_caller]
fn told(repo: &Repo, agent: &str, command: &str) -> String {
    let answer = shell(repo, agent, command).json();
    let text = answer["systemMessage"].as_str().unwrap().to_owned();
    assert_eq!(answer["hookSpecificOutput"]["additionalContext"], text);
    text
}

/// Lists the commits that are kept, with the commands that bring them back.
fn kept(repo: &Repo) -> Vec<(Vec<String>, String)> {
    let all = snapshots(repo).into_iter().filter_map(|it| it.get("dropped").cloned());
    let commits = |it: &Value| -> Vec<String> {
        let all = it["commits"].as_array().unwrap().iter();
        all.map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    all.map(|it| (commits(&it), it["back"].as_str().unwrap().to_owned())).collect()
}

/// Lets git forget what nothing leads to.
fn collect_garbage(repo: &Repo) {
    repo.git(["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    repo.git(["gc", "--quiet", "--prune=now"]);
}

/// 8/DROPPED: commits of others that a reset leaves behind are kept, told in a line, survive git's
/// upkeep, and come back with the command that was told.
#[test]
fn commits_that_a_reset_leaves_behind_are_kept() {
    for how in ["--soft", "--mixed", "", "--hard", "--keep"] {
        let repo = hooked();
        let first = person_commits(&repo, "one.rs");
        let tip = person_commits(&repo, "two.rs");
        let command = format!("git reset -q {how} HEAD~2");
        let text = told(&repo, ALICE, &command);
        let back = text.split("back: ").last().unwrap().to_owned();
        assert_eq!(back, format!("git branch rescued-{0} {0}", &tip[..10]), "{text}");
        assert!(text.lines().count() == 1, "{text}");
        assert_eq!(kept(&repo), [(vec![tip.clone()], back.clone())]);
        assert_eq!(texts(&snapshots(&repo)[0]["paths"], "path"), ["one.rs", "two.rs"]);
        collect_garbage(&repo);
        repo.call("ops").program("sh").args(["-c", &back]).run_unproven().done();
        assert_eq!(repo.git(["rev-parse", &format!("rescued-{}~1", &tip[..10])]), first);
    }
}

/// What is the agent's own, or has another name, is nobody's loss when a branch is moved.
#[test]
fn what_is_not_lost_is_not_kept() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    commits(&repo, ALICE, &["--all"]).done();
    stops(&repo, ALICE);
    let quiet = |agent: &str, command: &str| {
        assert_eq!(shell(&repo, agent, command).stdout, "", "{command}");
    };
    quiet(ALICE, "git reset -q --soft HEAD~1");
    quiet(ALICE, "git reset -q --soft ORIG_HEAD");
    person_commits(&repo, "one.rs");
    repo.git(["branch", "copy"]);
    for command in [
        "git reset -q --soft HEAD~1",
        "git reset -q --soft copy",
        "git reset -q HEAD",
        "git reset -q HEAD -- one.rs",
        "git reset -q --soft no-such-commit || true",
        "git branch -f copy main",
        "git branch -D copy",
        "git stash list",
    ] {
        quiet(BOB, command);
    }
    assert_eq!(kept(&repo), []);
    repo.git(["config", "coord.rescue.enabled", "false"]);
    quiet(BOB, "git reset -q --soft HEAD~1");
}

/// 8/DROPPED: so is what only a branch has that an agent deletes or moves, its own too.
#[test]
fn the_tip_of_a_branch_is_kept() {
    for command in [
        "git branch -q -D side",
        "git branch -q --delete --force side",
        "git branch -f side main",
        "git update-ref -d refs/heads/side",
        "git update-ref refs/heads/side main",
    ] {
        let repo = hooked();
        git(&repo, ALICE, &["switch", "--quiet", "-c", "side"]).done();
        edits(&repo, ALICE, "src/main.rs", "mine\n");
        commits(&repo, ALICE, &["--all"]).done();
        let tip = repo.git(["rev-parse", "HEAD"]);
        git(&repo, ALICE, &["switch", "--quiet", "main"]).done();
        let text = told(&repo, ALICE, command);
        assert!(text.starts_with("git coord: commits that no other branch has"), "{text}");
        let [(commits, back)] = &kept(&repo)[..] else { panic!("{command}: {:?}", kept(&repo)) };
        assert_eq!(commits.first(), Some(&tip));
        assert_eq!(commits.len(), 1);
        collect_garbage(&repo);
        repo.call("ops").program("sh").args(["-c", back]).run_unproven().done();
        assert_eq!(repo.git(["show", &format!("{tip}:src/main.rs")]), "mine");
    }
}

/// A branch that goes ahead loses nothing, whoever made its commits.
#[test]
fn a_branch_that_moves_on_drops_nothing() {
    let repo = hooked();
    git(&repo, ALICE, &["switch", "--quiet", "-c", "side"]).done();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    commits(&repo, ALICE, &["--all"]).done();
    git(&repo, ALICE, &["switch", "--quiet", "-c", "further"]).done();
    let tree = repo.git(["rev-parse", "HEAD^{tree}"]);
    let next = repo.git(["commit-tree", "-p", "HEAD", "-m", "next", &tree]);
    assert_eq!(shell(&repo, BOB, &format!("git branch -f side {next}")).stdout, "");
    assert_eq!(kept(&repo), []);
}

/// 8/DROPPED: an entry of the stash that its author takes or throws away is kept, and comes back as
/// an entry.
#[test]
fn entries_of_the_stash_are_kept() {
    for (command, count) in [
        ("git stash drop -q", 1),
        ("git stash pop -q", 1),
        ("git stash pop -q stash@{0}", 1),
        ("git stash clear", 2),
        ("git update-ref -d refs/stash", 2),
    ] {
        let repo = hooked();
        let stash = |path: &str| {
            edits(&repo, ALICE, path, "mine\n");
            repo.git(["stash", "--quiet"]);
            repo.git(["rev-parse", "stash"])
        };
        let entries = [stash("docs/guide.md"), stash("src/main.rs")];
        let text = told(&repo, ALICE, command);
        let newest = &entries[1];
        assert!(text.ends_with(&format!("git stash store {}", &newest[..10])), "{text}");
        let [(commits, back)] = &kept(&repo)[..] else { panic!("{command}: {:?}", kept(&repo)) };
        let expected: Vec<String> = entries.iter().rev().take(count).cloned().collect();
        assert_eq!(*commits, expected, "{command}");
        collect_garbage(&repo);
        repo.git(["checkout", "--quiet", "."]);
        repo.call("ops").program("sh").args(["-c", back]).run_unproven().done();
        assert_eq!(repo.git(["rev-parse", "stash"]), *newest);
        repo.git(["stash", "pop", "--quiet"]);
        has(&repo, "src/main.rs", b"mine\n");
    }
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    repo.git(["stash", "--quiet"]);
    assert_eq!(shell(&repo, ALICE, "git stash apply -q").stdout, "", "it stays");
}

/// What is kept is shown and compared like a snapshot, and is none of the versions of a file that
/// uncommitted work is looked for in.
#[test]
fn what_is_kept_is_listed_compared_and_dropped() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "uncommitted\n");
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "."]);
    repo.pass("1m");
    person_commits(&repo, "src/main.rs");
    ends(&repo, ALICE);
    shell(&repo, BOB, "git reset -q --hard HEAD~1");
    // What one command drops is kept once, also if git refuses the command.
    repo.git(["reset", "--quiet", "--hard", "ORIG_HEAD"]);
    repo.pass("1m");
    shell(&repo, BOB, "git reset -q --soft HEAD~1 && git reset -q --hard");
    let [(commits, back)] = &kept(&repo)[..] else { panic!("{:?}", kept(&repo)) };
    let list = repo.coord("ops", ["rescue", "list"]).done();
    list.says(&format!("commits, back with: {back}"));
    let snapshot = snapshots(&repo).into_iter().find(|it| it.get("dropped").is_some()).unwrap();
    assert_eq!(snapshot["dropped"]["from"], "branch");
    assert_eq!(snapshot["command"], json!("git reset -q --hard 'HEAD~1'"));
    let id = snapshot["id"].as_str().unwrap();
    repo.coord("ops", ["rescue", "diff", id]).done().says("+a person's");
    rescue(&repo, "ops", &["restore", "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"uncommitted\n");
    rescue(&repo, "ops", &["restore", "--force", id, "src/main.rs"]).done();
    has(&repo, "src/main.rs", b"a person's\n");
    assert_eq!(repo.json("ops", ["rescue", "drop", id])["dropped"], json!([id]));
    assert_eq!(kept(&repo), []);
    // The commit itself may be published, once somebody has taken it back.
    repo.git(["branch", "back", &commits[0]]);
    repo.git(["init", "--quiet", "--bare", "--template=", "../other.git"]);
    repo.git_call(["push", "--quiet", "../other.git", "back"]).run_unproven().done();
}

/// 8/DROPPED: what is kept is never pushed, and bounded like snapshots.
#[test]
fn what_is_kept_is_not_pushed_and_bounded() {
    let repo = hooked();
    repo.git(["config", "coord.rescue.max", "2"]);
    for round in 0..4 {
        person_commits(&repo, &format!("{round}.rs"));
        repo.pass("1m");
        told(&repo, ALICE, "git reset -q --hard HEAD~1");
    }
    assert_eq!(kept(&repo).len(), 2);
    repo.git(["init", "--quiet", "--bare", "--template=", "../mirror.git"]);
    let push = repo.git_call(["push", "--quiet", "--mirror", "../mirror.git"]).run_unproven();
    push.says("this push would publish uncommitted content");
    assert_eq!(repo.git(["-C", "../mirror.git", "for-each-ref"]), "");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// With `coord.hook.changes` set to warn, a branch of another goes, and what it had stays.
#[test]
fn what_a_warned_command_drops_is_kept() {
    let repo = hooked();
    repo.git(["config", "coord.hook.changes", "warn"]);
    git(&repo, ALICE, &["switch", "--quiet", "-c", "side"]).done();
    edits(&repo, ALICE, "src/main.rs", "mine\n");
    commits(&repo, ALICE, &["--all"]).done();
    git(&repo, ALICE, &["switch", "--quiet", "main"]).done();
    shell(&repo, BOB, "git branch -q -D side");
    assert_eq!(kept(&repo).len(), 1);
}

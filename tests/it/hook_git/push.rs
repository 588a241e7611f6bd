//! `pre-push`: the safety net for commits that no other hook saw.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use super::{BOB, commit, edit, git, hooked, look_once, objects_to};
use crate::support::contract::exit;
use crate::support::{Call, Output, Repo};

/// Creates a repository that has pushed its first commit to `origin`.
fn with_remote() -> Repo {
    let repo = hooked();
    repo.git(["init", "--quiet", "--bare", "--template=", "../remote.git"]);
    repo.git(["remote", "add", "origin", "../remote.git"]);
    push(&repo, "alice", &["main"]).done();
    repo
}

fn push(repo: &Repo, agent: &str, refs: &[&str]) -> Output {
    git(repo, agent, &[&["push", "--quiet", "origin"], refs].concat())
}

/// Makes a commit on the current branch that no commit hook has seen, as after a rebase.
fn cherry_picked(repo: &Repo, path: &str) {
    repo.git(["checkout", "--quiet", "-B", "picked-from"]);
    commit(repo, "", path).done();
    repo.git(["checkout", "--quiet", "main"]);
    repo.git(["cherry-pick", "--allow-empty", "picked-from"]);
}

#[test]
fn what_cherry_pick_and_rebase_bring_is_seen_before_the_push() {
    let repo = with_remote();
    let id = repo.reserve_id("bob", "docs/**");
    cherry_picked(&repo, "docs/guide.md");
    let output = objects_to(push(&repo, "alice", &["main"]), "'docs/guide.md'", "bob");
    output.says("this push changes what others hold").says("git coord check -- :/docs/guide.md");
    push(&repo, "bob", &["main:of-bob"]).done();
    repo.git(["update-ref", "-d", "refs/remotes/origin/of-bob"]);
    repo.git(["checkout", "--quiet", "-b", "rebased", "main~1"]);
    commit(&repo, "alice", "src/main.rs").done();
    git(&repo, "alice", &["rebase", "--quiet", "main"]).done();
    objects_to(push(&repo, "alice", &["rebased"]), "'docs/guide.md'", "bob");
    repo.coord("bob", ["release", &id]).done();
    push(&repo, "alice", &["main", "rebased"]).done();
}

/// A hold keeps others from changing a path, not from sending on what its holder has changed.
#[test]
fn what_the_holder_has_committed_may_be_pushed_by_anybody() {
    let repo = with_remote();
    repo.reserve("bob", "docs/**");
    commit(&repo, "bob", "docs/guide.md").done();
    commit(&repo, "bob/helper", "docs/guide.md").done();
    push(&repo, "alice", &["--dry-run", "main"]).done();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    let linked = repo.call("alice").program("git").dir(repo.world().join("linked"));
    linked.args(["push", "--quiet", "--dry-run", "origin", "side"]).run_unproven().done();
    commit(&repo, "", "docs/guide.md").done();
    objects_to(push(&repo, "alice", &["main"]), "'docs/guide.md'", "bob");
    repo.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    // Nothing is known any more of who made it.
    fs::remove_dir_all(repo.git_dir().join("coord/makers")).unwrap();
    objects_to(push(&repo, "alice", &["main"]), "'docs/guide.md'", "bob");
}

/// The name of the holder's own commit, as a file of another's, attributes nothing.
#[test]
fn a_path_that_looks_like_a_commit_is_a_path() {
    let repo = with_remote();
    repo.reserve("bob", "zzz");
    commit(&repo, "bob", "of-bob").done();
    let of_bob = repo.git(["rev-parse", "HEAD"]);
    repo.write(&of_bob, "named like a commit\n");
    repo.git(["add", "--", &of_bob]);
    commit(&repo, "", "zzz").done();
    objects_to(push(&repo, "alice", &["main"]), "'zzz'", "bob");
}

#[test]
fn trailers_tell_who_made_a_commit_wherever_it_came_from() {
    let repo = with_remote();
    look_once(&repo);
    repo.reserve("bob", "docs/**");
    let made_by = |agents: &[&str]| {
        repo.write("docs/guide.md", &format!("by {agents:?}\n"));
        let trailers = agents.iter().map(|agent| format!("--trailer=Coord-Agent: {agent}"));
        let trailers: Vec<String> = trailers.collect();
        let commit = ["commit", "--quiet", "--all", "--no-verify", "--message", "work"];
        let words: Vec<&str> = commit.into_iter().chain(trailers.iter().map(|t| &**t)).collect();
        git(&repo, "alice", &words).done();
    };
    made_by(&["bob"]);
    push(&repo, "alice", &["main"]).done();
    for agents in [&["carol"][..], &["bob", "carol"], &["not a name"]] {
        made_by(agents);
        objects_to(push(&repo, "alice", &["main"]), "'docs/guide.md'", "bob");
        repo.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    }
}

#[test]
fn what_the_remote_has_is_no_change() {
    let repo = with_remote();
    commit(&repo, "alice", "docs/guide.md").done();
    push(&repo, "alice", &["main"]).done();
    repo.reserve("bob", "docs/**");
    commit(&repo, "alice", "src/main.rs").done();
    push(&repo, "alice", &["main", "main:new-branch"]).done();
    // Without a name, what is on any remote is passed over.
    git(&repo, "alice", &["push", "--quiet", "../remote.git", "main:by-address"]).done();
    commit(&repo, "", "docs/guide.md").done();
    let by_address = git(&repo, "alice", &["push", "--quiet", "../remote.git", "main:by-address"]);
    objects_to(by_address, "'docs/guide.md'", "bob");
}

#[test]
fn deletions_and_the_ledgers_themselves_are_passed_over() {
    let repo = with_remote();
    push(&repo, "alice", &["main:to-delete"]).done();
    repo.reserve("bob", "**");
    push(&repo, "alice", &[":to-delete"]).done();
    push(&repo, "alice", &["refs/coord/reservations"]).done();
}

#[test]
fn a_merge_of_what_is_there_is_passed_over_and_what_it_brings_is_not() {
    let repo = with_remote();
    repo.git(["checkout", "--quiet", "-b", "side"]);
    commit(&repo, "alice", "README.md").done();
    repo.git(["checkout", "--quiet", "main"]);
    commit(&repo, "alice", "src/main.rs").done();
    push(&repo, "alice", &["main", "side"]).done();
    repo.reserve("bob", "**");
    git(&repo, "alice", &["merge", "--quiet", "--no-edit", "side"]).done();
    push(&repo, "alice", &["main"]).done();
    commit(&repo, "", "docs/guide.md").done();
    let output = objects_to(push(&repo, "alice", &["main"]), "'docs/guide.md'", "bob");
    assert!(!output.stderr.contains("README.md"), "{}", output.stderr);
}

#[test]
fn people_are_warned_and_edits_elsewhere_are_no_obstacle() {
    let repo = with_remote();
    commit(&repo, "alice", "docs/guide.md").done();
    repo.reserve("bob", "docs/**");
    push(&repo, "", &["main"]).done().says("warning: this push changes what others hold");
    commit(&repo, "alice", "README.md").done();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    edit(&repo, BOB, "README.md");
    let linked = repo.call("alice").program("git").dir(repo.world().join("linked"));
    linked.args(["push", "--quiet", "../remote.git", "side"]).run_unproven().done();
    objects_to(push(&repo, "alice", &["main"]), "'README.md'", BOB);
}

/// Makes a call whose stdin has these lines and then stays open, because no hook manager promises
/// to close it.
fn with_open_stdin(call: &Call, lines: &str) -> Output {
    let mut child = call.command().stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines.as_bytes()).unwrap();
    let output = call.finish(child);
    drop(stdin);
    output
}

#[test]
fn a_manager_of_hooks_tells_it_by_variables() {
    let repo = with_remote();
    let there = repo.git(["rev-parse", "HEAD"]);
    commit(&repo, "alice", "docs/guide.md").done();
    let here = repo.git(["rev-parse", "HEAD"]);
    repo.reserve("bob", "docs/**");
    let call = || {
        let call = repo.call("alice").args(["hook", "pre-push"]);
        call.env("PRE_COMMIT", "1").env("PRE_COMMIT_REMOTE_NAME", "origin")
    };
    let known = call().env("PRE_COMMIT_FROM_REF", &there).env("PRE_COMMIT_TO_REF", &here);
    objects_to(with_open_stdin(&known, ""), "'docs/guide.md'", "bob");
    let whole = call().env("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/main");
    objects_to(with_open_stdin(&whole, ""), "'docs/guide.md'", "bob");
    let nothing = call().env("PRE_COMMIT_FROM_REF", &here).env("PRE_COMMIT_TO_REF", &here);
    with_open_stdin(&nothing, "").done();
    let option = call().env("PRE_COMMIT_TO_REF", "--all");
    with_open_stdin(&option, "").done();
}

/// The time of a hook is limited, whoever keeps it waiting.
#[test]
fn a_stdin_that_stays_open_is_not_waited_for() {
    let repo = with_remote();
    let call = repo.call("alice").args(["hook", "pre-push", "origin", "../remote.git"]);
    let output = with_open_stdin(&call, "").done();
    assert_eq!(output.stderr, "warning: git coord: not checked: no answer within 2 seconds\n");
    let closed = call.config("coord.hook.failClosed", "true");
    with_open_stdin(&closed, "").exits(exit::NO).says("no answer within 2 seconds");
}

/// Calls the hook as git does, with these lines.
fn told(repo: &Repo, lines: &str) -> Output {
    let file = repo.world().join("tmp/stdin");
    fs::write(&file, lines).unwrap();
    let call = repo.call("alice").args(["hook", "pre-push", "origin", "../remote.git"]);
    call.finish(call.command().stdin(fs::File::open(&file).unwrap()).spawn().unwrap())
}

#[test]
fn what_is_no_line_of_git_says_nothing() {
    let repo = with_remote();
    commit(&repo, "alice", "docs/guide.md").done();
    repo.reserve("bob", "**");
    let zeros = "0".repeat(40);
    for lines in [
        String::new(),
        "no line of git\n".to_owned(),
        "refs/heads/main --all refs/heads/main --all\n".to_owned(),
        format!("(delete) {zeros} refs/heads/x {zeros}\n"),
    ] {
        assert_eq!(told(&repo, &lines).done().stderr, "", "{lines}");
    }
}

/// The remote has moved on to a commit that is not here: it will refuse, or be forced.
#[test]
fn what_the_remote_has_may_be_unknown_here() {
    let repo = with_remote();
    commit(&repo, "alice", "docs/guide.md").done();
    repo.reserve("bob", "docs/**");
    let (here, there) = (repo.git(["rev-parse", "HEAD"]), "1".repeat(40));
    let line = format!("refs/heads/main {here} refs/heads/main {there}\n");
    objects_to(told(&repo, &line), "'docs/guide.md'", "bob");
}

/// Makes a branch on top of `main` whose commits write these files, a list for each commit.
fn import(repo: &Repo, branch: &str, commits: impl Iterator<Item = Vec<String>>) {
    let mut stream = String::new();
    for (number, files) in commits.enumerate() {
        let from = if number == 0 { "from refs/heads/main\n" } else { "" };
        stream.push_str(&format!(
            "commit refs/heads/{branch}\ncommitter Ada <ada@example.com> {number} +0000\n\
             data 0\n{from}"
        ));
        stream.extend(files.iter().map(|file| format!("M 100644 inline {file}\ndata 0\n\n")));
    }
    let file = repo.world().join("tmp/stream");
    fs::write(&file, stream).unwrap();
    let import = repo.call("").program("git").args(["fast-import", "--quiet"]);
    let stdin = fs::File::open(&file).unwrap();
    import.finish(import.command().stdin(stdin).spawn().unwrap()).done();
}

/// Makes the branch `long` of 1,001 commits with so many files each.
fn import_a_long_history(repo: &Repo, files: usize) {
    let file = |commit, file| format!("long/{commit}-{file}");
    let commits = (1..=1_001).map(|commit| (1..=files).map(|n| file(commit, n)).collect());
    import(repo, "long", commits);
}

const IN_ALL: &str = "this push has more than 1000 commits: what they change in all was looked at";

/// Of a long history what it changes in all is looked at, and that is said: also its oldest commit
/// counts, and a file that came and went does not.
#[test]
fn of_a_long_history_what_it_changes_in_all_is_looked_at() {
    let repo = with_remote();
    import_a_long_history(&repo, 1);
    repo.git(["checkout", "--quiet", "long"]);
    repo.git(["rm", "--quiet", "long/2-1"]);
    commit(&repo, "alice", "src/main.rs").done();
    repo.reserve("bob", "long/2-1");
    push(&repo, "alice", &["--dry-run", "long"]).done().says(IN_ALL);
    repo.reserve("bob", "long/1-1");
    let output = objects_to(push(&repo, "alice", &["--dry-run", "long"]), "'long/1-1'", "bob");
    output.says(IN_ALL);
    // A new remote has nothing that it could be compared with.
    repo.git(["init", "--quiet", "--bare", "--template=", "../new.git"]);
    repo.git(["remote", "add", "new", "../new.git"]);
    let whole = git(&repo, "alice", &["push", "--quiet", "--dry-run", "new", "long"]);
    objects_to(whole, "'long/1-1'", "bob");
}

/// A long history that has merged what the remote has does not change that.
#[test]
fn what_a_long_history_has_merged_is_no_change() {
    let repo = with_remote();
    import_a_long_history(&repo, 1);
    for (branch, path) in [("one", "docs/guide.md"), ("other", "README.md")] {
        repo.git(["checkout", "--quiet", "-b", branch, "main"]);
        commit(&repo, "alice", path).done();
        push(&repo, "alice", &[branch]).done();
        repo.git(["checkout", "--quiet", "long"]);
        git(&repo, "alice", &["merge", "--quiet", "--no-edit", branch]).done();
    }
    repo.reserve("bob", "docs/**");
    repo.reserve("bob", "README.md");
    push(&repo, "alice", &["--dry-run", "long"]).done().says(IN_ALL);
    repo.reserve("bob", "long/1001-1");
    objects_to(push(&repo, "alice", &["--dry-run", "long"]), "'long/1001-1'", "bob");
}

/// Also of a long history that a forced push takes back, what it had changed in all counts.
#[test]
fn a_long_history_that_is_taken_back_is_seen() {
    let repo = with_remote();
    import_a_long_history(&repo, 1);
    let (here, there) = (repo.git(["rev-parse", "main"]), repo.git(["rev-parse", "long"]));
    let line = format!("refs/heads/long {here} refs/heads/long {there}\n");
    assert_eq!(told(&repo, &line).done().stderr, "");
    repo.reserve("bob", "long/1-1");
    objects_to(told(&repo, &line), "'long/1-1'", "bob");
}

/// Of more paths than are looked at, those that are not looked at may be held. That is
/// said, or the push is refused.
#[test]
fn paths_beyond_the_limit_are_said() {
    let one_commit: fn(&Repo) = |repo| {
        let all = (1..=10_001).map(|number| format!("wide/{number}")).collect();
        import(repo, "long", std::iter::once(all));
    };
    let many_commits: fn(&Repo) = |repo| import_a_long_history(repo, 10);
    for (import, is_long) in [(one_commit, false), (many_commits, true)] {
        let repo = with_remote();
        import(&repo);
        let cut = "of this push, 10000 paths were looked at, and no more";
        let dry_run = || push(&repo, "alice", &["--dry-run", "long"]);
        let output = dry_run().done();
        output.says(cut);
        assert_eq!(output.stderr.contains(IN_ALL), is_long, "{}", output.stderr);
        repo.git(["config", "coord.hook.failClosed", "true"]);
        dry_run().exits(exit::NO).says(cut);
        // Nothing of it is beyond the limit any more.
        repo.git(["branch", "--quiet", "--force", "long", "main"]);
        dry_run().done();
    }
}

/// What a merge has that none of its parents has was made in the merge.
#[test]
fn what_only_a_merge_brings_is_seen() {
    let repo = with_remote();
    look_once(&repo);
    repo.git(["checkout", "--quiet", "-b", "side"]);
    commit(&repo, "alice", "README.md").done();
    repo.git(["checkout", "--quiet", "main"]);
    commit(&repo, "alice", "src/main.rs").done();
    push(&repo, "alice", &["main", "side"]).done();
    repo.reserve("bob", "docs/**");
    git(&repo, "alice", &["merge", "--quiet", "--no-commit", "side"]).done();
    repo.write("docs/guide.md", "slipped in\n");
    repo.git(["add", "docs/guide.md"]);
    git(&repo, "alice", &["commit", "--quiet", "--no-verify", "--no-edit"]).done();
    let output = objects_to(push(&repo, "alice", &["main"]), "'docs/guide.md'", "bob");
    assert!(!output.stderr.contains("README.md"), "{}", output.stderr);
}

/// A forced push that takes back what its holder has pushed changes it as well; one that brings
/// one's own work in another form does not.
#[test]
fn what_a_forced_push_takes_back_is_seen() {
    let repo = with_remote();
    repo.reserve("bob", "docs/**");
    commit(&repo, "bob", "docs/guide.md").done();
    push(&repo, "bob", &["main"]).done();
    repo.git(["checkout", "--quiet", "-b", "without", "main~1"]);
    commit(&repo, "alice", "src/main.rs").done();
    let forced = |refs: &str| push(&repo, "alice", &["--force", refs]);
    objects_to(forced("without:main"), "'docs/guide.md'", "bob");
    // Also without a commit of its own: the push only goes back.
    objects_to(forced("main~1:main"), "'docs/guide.md'", "bob");
    // Rebased onto what bob has pushed, it takes nothing back.
    push(&repo, "alice", &["without:of-alice"]).done();
    git(&repo, "alice", &["rebase", "--quiet", "main"]).done();
    forced("without:of-alice").done();
    push(&repo, "bob", &["--force", "main~1:main"]).done();
}

/// What is taken back and was never fetched is not known, which is said, or refused.
#[test]
fn a_forced_push_over_what_is_not_here_is_said() {
    let repo = with_remote();
    commit(&repo, "alice", "src/main.rs").done();
    let (here, there) = (repo.git(["rev-parse", "HEAD"]), "1".repeat(40));
    let line = format!("refs/heads/main {here} refs/heads/main {there}\n");
    told(&repo, &line).done().says("takes back commits that are not here: 'git fetch'");
    repo.git(["config", "coord.hook.failClosed", "true"]);
    told(&repo, &line).exits(exit::NO).says("takes back commits that are not here");
}

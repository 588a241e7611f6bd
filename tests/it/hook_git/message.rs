//! `prepare-commit-msg`: the second look at the index, and the trailers of an agent's commits.

use super::{ALICE, commit, edit, git, hooked, objects_to};
use crate::support::Repo;
use crate::support::contract::exit;
use crate::support::hooks::put_script;

fn with_trailers() -> Repo {
    let repo = hooked();
    repo.git(["config", "coord.trailers", "true"]);
    repo
}

/// Reads the trailers of the newest commit through git.
fn trailers(repo: &Repo) -> String {
    repo.git(["log", "-1", "--format=%(trailers:only,unfold)"])
}

#[test]
fn a_commit_says_who_made_it_and_under_which_fence() {
    let repo = with_trailers();
    commit(&repo, "alice", "README.md").done();
    assert_eq!(trailers(&repo), "Coord-Agent: alice");
    repo.reserve("alice", "docs/**");
    let fence = repo.reserve("alice", "src/main.rs")["fence"].clone();
    repo.reserve("alice", "src/api/**");
    repo.write("docs/guide.md", "covered as well\n");
    repo.git(["add", "docs"]);
    commit(&repo, "alice", "src/main.rs").done();
    assert_eq!(trailers(&repo), format!("Coord-Agent: alice\nCoord-Fence: {fence}"));
    repo.pass("16m");
    commit(&repo, "alice", "src/main.rs").done();
    assert_eq!(trailers(&repo), "Coord-Agent: alice", "what has lapsed covers nothing");
}

#[test]
fn only_where_it_is_wanted_and_only_for_agents() {
    let repo = with_trailers();
    commit(&repo, "", "README.md").done();
    assert_eq!(trailers(&repo), "");
    repo.git(["config", "coord.trailers", "false"]);
    edit(&repo, ALICE, "README.md");
    repo.pass("1s");
    commit(&repo, ALICE, "README.md").done();
    assert_eq!(trailers(&repo), "");
}

#[test]
fn each_trailer_stands_once_beside_those_of_others() {
    let repo = with_trailers();
    repo.write("README.md", "changed\n");
    let message = "subject\n\n--- is no end\n\nSigned-off-by: Ada <ada@example.com>";
    git(&repo, "alice", &["commit", "--quiet", "--all", "--message", message]).done();
    for agent in ["alice", "bob"] {
        git(&repo, agent, &["commit", "--quiet", "--amend", "--no-edit"]).done();
        let expected = format!("Signed-off-by: Ada <ada@example.com>\nCoord-Agent: {agent}");
        assert_eq!(trailers(&repo), expected);
    }
}

/// An amended commit changes what the commit before it did, with a new message and with the old.
#[test]
fn an_amended_commit_keeps_the_fence_of_what_it_changes() {
    let repo = with_trailers();
    let fence = repo.reserve("alice", "src/main.rs")["fence"].clone();
    commit(&repo, "alice", "src/main.rs").done();
    let expected = format!("Coord-Agent: alice\nCoord-Fence: {fence}");
    for message in [&["--message", "two"][..], &["--no-edit"]] {
        let amend = [&["commit", "--quiet", "--amend"], message].concat();
        git(&repo, "alice", &amend).done();
        assert_eq!(trailers(&repo), expected);
    }
    repo.write("README.md", "also\n");
    repo.git(["add", "README.md"]);
    git(&repo, "alice", &["commit", "--quiet", "--amend", "--no-edit"]).done();
    assert_eq!(trailers(&repo), expected);
}

/// Comments and what stands below the scissors are git's, and go before the commit is made.
#[test]
fn trailers_stand_before_comments_and_scissors() {
    let repo = with_trailers();
    for cleanup in ["strip", "scissors"] {
        repo.write("README.md", cleanup);
        let call = repo.call("alice").program("git").env("GIT_EDITOR", "true");
        let edited = ["commit", "--quiet", "--all", "--verbose", "--edit", "--message", "subject"];
        call.args(edited).config("commit.cleanup", cleanup).run_unproven().done();
        let whole = repo.git(["log", "-1", "--format=%B"]);
        assert_eq!(whole, "subject\n\nCoord-Agent: alice", "{cleanup}");
    }
}

/// Who leaves the editor without a word wants no commit.
#[test]
fn an_empty_message_stays_empty() {
    let repo = with_trailers();
    repo.write("README.md", "changed\n");
    for more in [&[][..], &["--verbose"], &["--message", ""], &["--edit", "--message", ""]] {
        let call = repo.call("alice").program("git").env("GIT_EDITOR", "true");
        let output = call.args(["commit", "--quiet", "--all"]).args(more).run_unproven();
        output.exits(exit::NO).says("empty commit message");
    }
}

#[test]
fn merges_are_nobodys_and_squashes_are_somebodys() {
    let repo = with_trailers();
    repo.git(["checkout", "--quiet", "-b", "side"]);
    commit(&repo, "alice", "docs/guide.md").done();
    repo.git(["checkout", "--quiet", "main"]);
    commit(&repo, "alice", "README.md").done();
    git(&repo, "alice", &["merge", "--quiet", "--no-edit", "side"]).done();
    assert_eq!(trailers(&repo), "");
    repo.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    git(&repo, "alice", &["merge", "--quiet", "--squash", "side"]).done();
    git(&repo, "alice", &["commit", "--quiet", "--no-edit"]).done();
    assert_eq!(trailers(&repo), "Coord-Agent: alice");
}

/// 8/STAGED-late: what a hook of the project stages after the first look is refused as well.
#[test]
fn what_the_projects_own_hook_stages_is_checked() {
    let repo = hooked();
    let own = "#!/bin/sh\ngit coord hook pre-commit || exit\nif test -e staging; then\n\
               echo formatted >>docs/guide.md && git add docs/guide.md\nfi\n";
    put_script(&repo.git_dir().join("hooks/pre-commit"), own);
    commit(&repo, "alice", "README.md").done();
    repo.reserve("bob", "docs/**");
    repo.write("staging", "");
    repo.pass("1s");
    let head = repo.git(["rev-parse", "HEAD"]);
    objects_to(commit(&repo, "alice", "README.md"), "'docs/guide.md'", "bob");
    let words = ["commit", "--quiet", "--message", "work"];
    for more in ["--all", "README.md"] {
        repo.git(["checkout", "--quiet", "HEAD", "--", "docs"]);
        objects_to(git(&repo, "alice", &[&words[..], &[more]].concat()), "'docs/guide.md'", "bob");
    }
    repo.git(["add", "docs"]);
    let unverified = [&words[..], &["--no-verify"]].concat();
    objects_to(git(&repo, "alice", &unverified), "'docs/guide.md'", "bob");
    assert_eq!(repo.git(["rev-parse", "HEAD"]), head);
    repo.git(["config", "coord.enabled", "false"]);
    git(&repo, "alice", &words).done();
    repo.git(["config", "coord.enabled", "true"]);
    git(&repo, "bob", &[&words[..], &["--allow-empty"]].concat()).done();
}

/// A person is warned once, and what was committed before may be brought again: the push sees it.
#[test]
fn the_second_look_neither_repeats_itself_nor_stops_a_replay() {
    let repo = hooked();
    commit(&repo, "alice", "docs/guide.md").done();
    repo.reserve("bob", "docs/**");
    git(&repo, "alice", &["revert", "--no-edit", "HEAD"]).done();
    git(&repo, "alice", &["cherry-pick", "HEAD~1"]).done();
    let warned = commit(&repo, "", "docs/guide.md").done();
    assert_eq!(warned.stderr.matches("'docs/guide.md' is held by").count(), 1, "{warned:#?}");
    repo.git(["config", "coord.ttl", "a while"]);
    let unchecked = commit(&repo, "alice", "docs/guide.md").done();
    assert_eq!(unchecked.stderr.matches("warning:").count(), 1, "{unchecked:#?}");
    repo.git(["config", "coord.hook.failClosed", "true"]);
    let words = ["commit", "--quiet", "--no-verify", "--allow-empty", "--message", "work"];
    git(&repo, "alice", &words).exits(exit::NO).says("failClosed");
}

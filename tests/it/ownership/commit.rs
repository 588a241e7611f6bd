//! Commits that would take changes of others along.

use super::*;

/// Two agents have each changed a file, and the turn of the first is over.
fn shared() -> Repo {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    repo.pass("12m");
    edits(&repo, BOB, "docs/guide.md", "bob\n");
    repo
}

/// 8/SWEEP: the refusal names the change, its owner and the two ways on, and the first of them
/// commits the own change alone.
#[test]
fn add_everything_and_commit_takes_nothing_along() {
    let repo = shared();
    let before = head(&repo);
    repo.git(["add", "--all"]);
    let output = sweeps(commits(&repo, BOB, &[]), "src/main.rs", ALICE);
    for words in [
        "'src/main.rs' was changed by claude:alice 12m ago, whose turn is over",
        "hint: to commit your own changes only:\nhint:   git commit --only -- docs/guide.md\n",
        "hint: if they belong into this commit, take them over; claude:alice is told:\n\
         hint:   git coord adopt --reason '<why>' -- :/src/main.rs\n",
    ] {
        output.says(words);
    }
    assert!(!output.stderr.contains("no-verify"), "an agent is shown no way around");
    assert_eq!(head(&repo), before);
    commits(&repo, BOB, &["--only", "--", "docs/guide.md"]).done();
    assert_eq!(repo.git(["show", "--format=", "--name-only"]), "docs/guide.md");
    assert_eq!(std::fs::read_to_string(repo.work().join("src/main.rs")).unwrap(), "alice\n");
    commits(&repo, ALICE, &["--all"]).done();
}

/// 8/SWEEP, 8/AMEND, 8/OWN-INDEX: every way to commit is seen.
#[test]
fn every_way_to_commit_is_seen() {
    let repo = shared();
    let before = head(&repo);
    for more in [
        &["--all"][..],
        &["--all", "--no-verify"],
        &["src/main.rs"],
        &["--only", "--", "src"],
        &["--include", "--", "src/main.rs"],
        &["--all", "--amend"],
        &["--all", "--amend", "--no-verify"],
    ] {
        sweeps(commits(&repo, BOB, more), "src/main.rs", ALICE);
    }
    let index = repo.world().join("tmp/index");
    let own = |args: &[&str]| {
        let call = repo.call(BOB).program("git").args(args).env("GIT_INDEX_FILE", &index);
        call.run_unproven()
    };
    own(&["read-tree", "HEAD"]).done();
    own(&["add", "--all"]).done();
    sweeps(own(&QUIET), "src/main.rs", ALICE);
    assert_eq!(head(&repo), before);
    commits(&repo, BOB, &["docs/guide.md"]).done();
}

/// 8/FORMATTER: what a hook of the project stages is judged like the rest.
#[test]
fn a_hook_of_the_project_sweeps_nothing() {
    let repo = shared();
    let hook = "#!/bin/sh\ngit coord hook pre-commit && git add --all\n";
    put_script(&repo.git_dir().join("hooks/pre-commit"), hook);
    repo.git(["add", "docs/guide.md"]);
    sweeps(commits(&repo, BOB, &[]), "src/main.rs", ALICE);
}

/// In a merge git cannot commit single paths, so that way is not named.
#[test]
fn a_merge_sweeps_nothing_and_names_no_single_paths() {
    let repo = hooked();
    repo.git(["switch", "--quiet", "--create", "side"]);
    repo.write("README.md", "side\n");
    repo.git(["commit", "--quiet", "--all", "--no-verify", "--message", "side"]);
    repo.git(["switch", "--quiet", "-"]);
    repo.write("README.md", "here\n");
    repo.git(["commit", "--quiet", "--all", "--no-verify", "--message", "here"]);
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    git(&repo, BOB, &["merge", "--quiet", "side"]).exits(1);
    repo.write("README.md", "both\n");
    repo.git(["add", "--all"]);
    let output = sweeps(commits(&repo, BOB, &[]), "src/main.rs", ALICE);
    assert!(!output.stderr.contains("--only"), "{}", output.stderr);
    repo.git(["restore", "--staged", "--source=HEAD", "--", "src/main.rs"]);
    commits(&repo, BOB, &[]).done();
}

/// What was staged before the other's edit is the committer's alone; afterwards each needs the
/// other's consent.
#[test]
fn the_part_before_the_others_edit_can_be_committed() {
    let repo = hooked();
    edits(&repo, BOB, "src/main.rs", "bob\n");
    stops(&repo, BOB);
    repo.git(["add", "--all"]);
    repo.pass("1m");
    edits(&repo, ALICE, "src/main.rs", "bob\nalice\n");
    stops(&repo, ALICE);
    // Bob was overtaken, and looks again.
    repo.json(BOB, ["reserve", "src/main.rs"]);
    sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE);
    commits(&repo, BOB, &[]).done();
    assert_eq!(repo.git(["show", "HEAD:src/main.rs"]), "bob");
    repo.json(BOB, ["release", "--mine"]);
    assert_eq!(owners(&repo), [("src/main.rs".to_owned(), vec![ALICE.to_owned()])]);
    // Alice was overtaken by Bob's reservation, and looks again as well.
    edits(&repo, ALICE, "src/main.rs", "bob\nalice\nagain\n");
    commits(&repo, ALICE, &["--all"]).done();
}

/// After a partial commit the rest is still its owner's.
#[test]
fn a_partial_commit_keeps_the_rest_noted() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "one\n");
    repo.git(["add", "--all"]);
    edits(&repo, ALICE, "src/main.rs", "one\ntwo\n");
    commits(&repo, ALICE, &[]).done();
    stops(&repo, ALICE);
    sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE);
}

/// 8/HARMLESS: committed or reverted work stops nobody, whoever changes the file next.
#[test]
fn settled_work_stops_nobody() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    commits(&repo, ALICE, &["--all"]).done();
    edits(&repo, ALICE, "docs/guide.md", "alice\n");
    edits(&repo, ALICE, "docs/guide.md", "a guide\n");
    edits(&repo, ALICE, "README.md", "alice\n");
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "--", "README.md"]);
    for path in ["src/main.rs", "docs/guide.md", "README.md"] {
        edits(&repo, BOB, path, "bob\n");
    }
    commits(&repo, BOB, &["--all"]).done();
    assert_eq!(owners(&repo), []);
}

/// What was changed without a note is nobody's, and stops nobody.
#[test]
fn nobodys_changes_stop_nobody() {
    let repo = hooked();
    repo.write("src/main.rs", "a person\n");
    repo.write("new.txt", "a program\n");
    edits(&repo, BOB, "docs/guide.md", "bob\n");
    repo.git(["add", "--all"]);
    commits(&repo, BOB, &[]).done();
}

/// People are warned, and stopped only where that is configured.
#[test]
fn people_are_warned() {
    let repo = shared();
    stops(&repo, BOB);
    repo.git(["config", "coord.hook.people", "refuse"]);
    sweeps(commits(&repo, "", &["--all"]), "src/main.rs", ALICE);
    repo.git(["config", "coord.hook.people", "warn"]);
    let output = commits(&repo, "", &["--all"]).done();
    output.says("warning: this commit would take another agent's uncommitted changes along:");
    assert_eq!(owners(&repo), []);
    assert_eq!(repo.events("adopted").len(), 0, "a person need not account for it");
}

/// `coord.hook.changes` makes it a warning for agents too; the owner is told of the commit.
#[test]
fn the_refusal_is_a_setting() {
    let repo = shared();
    stops(&repo, BOB);
    repo.git(["config", "coord.hook.changes", "warn"]);
    let output = commits(&repo, BOB, &["--all"]).done();
    output.says("warning: this commit would take another agent's uncommitted changes along:");
    let adopted = repo.events("adopted");
    assert_eq!(adopted.len(), 1);
    assert_eq!(adopted[0]["data"]["from"], ALICE);
    let told = repo.json(ALICE, ["inbox", "--type", "adopted"])["messages"].clone();
    assert_eq!(told.as_array().unwrap().len(), 1, "{told:#}");
}

/// The answer for programs has the code, the changes and the commands.
#[test]
fn programs_are_told_the_same() {
    let repo = shared();
    repo.git(["add", "--all"]);
    let refusal = repo.coord_json(BOB, ["hook", "pre-commit"]).refused("changes_of_others");
    let change = &refusal["refusal"]["changes"][0];
    assert_eq!((&change["path"], &change["agent"]), (&json!("src/main.rs"), &json!(ALICE)));
    assert_eq!(change["turn"], "over");
    let next = &refusal["refusal"]["next"];
    assert_eq!(next[0], json!(["git", "commit", "--only", "--", "docs/guide.md"]));
    assert_eq!(next[1][2], "adopt");
}

/// Another worktree is another checkout: notes there stop nothing here.
#[test]
fn another_worktree_stops_nothing_here() {
    let repo = hooked();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let there = repo.world().join("side");
    let more = of_file("Edit", &there.join("src/main.rs"));
    event(&repo, ALICE, "PreToolUse", &more).dir(&there).run().done();
    std::fs::write(there.join("src/main.rs"), "alice\n").unwrap();
    event(&repo, ALICE, "PostToolUse", &more).dir(&there).run().done();
    stops(&repo, ALICE);
    edits(&repo, BOB, "src/main.rs", "bob\n");
    commits(&repo, BOB, &["--all"]).done();
    let swept = repo.call(BOB).program("git").args(QUIET).args(["--all"]).dir(&there);
    sweeps(swept.run_unproven(), "src/main.rs", ALICE);
}

/// 8/SIBLING: a session covers its subagents and they it, but not each other.
#[test]
fn siblings_are_strangers_and_the_session_is_not() {
    let repo = hooked();
    let (one, two) = ("claude:alice/one", "claude:alice/two");
    for (agent, path) in [(one, "src/main.rs"), (two, "docs/guide.md"), (ALICE, "README.md")] {
        edits(&repo, agent, path, agent);
    }
    for agent in [one, two] {
        event(&repo, agent, "SubagentStop", &json!({})).run().done();
    }
    stops(&repo, ALICE);
    let output = sweeps(commits(&repo, two, &["--all"]), "src/main.rs", one);
    assert!(!output.stderr.contains("README.md' was"), "{}", output.stderr);
    output.says("git commit --only -- README.md docs/guide.md");
    commits(&repo, ALICE, &["--all"]).done();
}

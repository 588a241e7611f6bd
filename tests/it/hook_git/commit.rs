//! `pre-commit` and `post-commit`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use super::{
    ALICE, BOB, ask_to_edit, commit, edit, enable, git, hooked, look_once, notes, objects_to,
    put_hooks,
};
use crate::support::contract::exit;
use crate::support::kind::{Kind, Place};
use crate::support::repo::id_of;
use crate::support::{Repo, texts};

/// 7/MESSAGES: what is held, by whom, why, until when, and what to do about it.
#[test]
fn a_path_that_another_holds_is_refused_with_the_way_out() {
    let repo = hooked();
    let held = repo.reserve_with("bob", &["docs/**", "--reason", "new chapters"]);
    let output = objects_to(commit(&repo, "alice", "docs/guide.md"), "'docs/guide.md'", "bob");
    for words in [
        "is held by 'bob' as 'docs/**' until 2026-01-05T10:15:00Z (in 15m)",
        ": new chapters",
        "git coord check -- :/docs/guide.md",
        "read the file again and edit it again",
        "git restore --staged -- :/docs/guide.md",
    ] {
        output.says(words);
    }
    assert_eq!(repo.git(["rev-list", "--count", "HEAD"]), "1");
    commit(&repo, "bob", "docs/guide.md").done();
    repo.coord("bob", ["release", &id_of(&held)]).done();
    commit(&repo, "alice", "docs/guide.md").done();
}

/// 7/MESSAGES: `git commit -a` stages again what was unstaged, so its way out is another command,
/// which leads out.
#[test]
fn a_commit_of_everything_is_told_a_way_that_is_no_loop() {
    let repo = hooked();
    repo.reserve("bob", "docs/**");
    repo.write("docs/guide.md", "changed\n");
    repo.write("src/main.rs", "fn main() { changed() }\n");
    let all = ["commit", "--quiet", "--all", "--message", "work"];
    let refused = objects_to(git(&repo, "alice", &all), "'docs/guide.md'", "bob");
    assert!(!refused.stderr.contains("git restore"), "{}", refused.stderr);
    refused.says("to commit the rest without it:").says("git commit --only -- src/main.rs");
    let only = ["commit", "--quiet", "--message", "work", "--only", "--", "src/main.rs"];
    git(&repo, "alice", &only).done();
    assert_eq!(repo.git(["show", "--format=", "--name-only", "HEAD"]), "src/main.rs");
    repo.pass("1s");
    let nothing_else = objects_to(git(&repo, "alice", &all), "'docs/guide.md'", "bob");
    assert!(!nothing_else.stderr.contains("to commit the rest"), "{}", nothing_else.stderr);
}

/// Who holds, or has asked for, what was committed is told, and git's output stays as it is.
#[test]
fn others_are_told_of_a_commit_that_meets_them() {
    let repo = hooked();
    look_once(&repo);
    repo.reserve_with("bob", &["--shared", "docs/**"]);
    repo.reserve("carol", "elsewhere");
    repo.reserve_with("alice", &["src", "--ttl", "2h"]);
    repo.json("dave", ["ask", "src/main.rs", "--reason", "r"]);
    repo.git(["config", "coord.hook.people", "warn"]);
    repo.write("docs/guide.md", "changed\n");
    repo.write("src/main.rs", "fn main() { changed() }\n");
    repo.git(["add", "--", "docs", "src"]);
    let words = ["commit", "--quiet", "--no-verify", "--message", "a change"];
    let output = git(&repo, "alice", &words).done();
    assert_eq!((&*output.stdout, &*output.stderr), ("", ""));
    let told = |agent: &str| repo.json(agent, ["inbox", "--type", "commit"])["messages"].clone();
    for agent in ["bob", "dave"] {
        let subject = told(agent)[0]["subject"].as_str().unwrap().to_owned();
        assert!(subject.starts_with("alice committed "), "{subject}");
        assert!(subject.ends_with(" a change"), "{subject}");
    }
    assert_eq!(told("carol"), serde_json::json!([]));
    let entries = repo.entry_count();
    // As where a hook manager calls us as well.
    let again = repo.coord_json("alice", ["hook", "post-commit"]).done().json();
    assert_eq!(repo.entry_count(), entries, "once is enough");
    assert!(again.get("entry").is_none(), "{again:#}");
    // What the hook writes, it names.
    repo.write("src/main.rs", "fn main() { again() }\n");
    repo.git(["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--all", "--message", "b"]);
    let answer = repo.coord_json("alice", ["hook", "post-commit"]).done().json();
    assert_eq!((&answer["entry"], answer["op"].is_string()), (&repo.tip().into(), true));
    let entries = repo.entry_count();
    repo.write("new.md", "new\n");
    repo.git(["add", "--", "new.md"]);
    git(&repo, "alice", &words).done();
    assert_eq!(repo.entry_count(), entries, "who is not met is not told");
}

/// Who waits for a file is told that it was committed, by whomever, and whomever it was asked of.
#[test]
fn who_asks_another_is_told_of_a_commit() {
    let repo = hooked();
    repo.reserve_with("alice", &["src/main.rs", "--ttl", "2h"]);
    repo.json("carol", ["ask", "src/main.rs", "--reason", "r"]);
    repo.pass("1s");
    commit(&repo, "", "src/main.rs").done();
    for agent in ["alice", "carol"] {
        let told = repo.json(agent, ["inbox", "--type", "commit"])["messages"].clone();
        assert_eq!(told.as_array().unwrap().len(), 1, "{agent}: {told:#}");
    }
}

/// A path that is too deep to be reserved by its own name is held with the directories above it.
#[test]
fn a_path_too_deep_for_a_pattern_is_seen() {
    let repo = hooked();
    repo.reserve("bob", "deep");
    let path = format!("deep/{}/f", ["d"; 60].join("/"));
    objects_to(commit(&repo, "alice", &path), "'deep/d/d", "bob");
    commit(&repo, "bob", &path).done();
}

/// The fence: who was granted a path since it was edited is found also when a compaction has set
/// those entries aside, and it is said where nobody can know any more.
#[test]
fn a_compaction_hides_no_grant() {
    let repo = hooked();
    edit(&repo, ALICE, "docs/guide.md");
    repo.write("docs/guide.md", "by alice\n");
    let stop = |agent: &str| {
        let session = agent.strip_prefix("claude:").unwrap();
        let payload = serde_json::json!({
            "session_id": session, "hook_event_name": "Stop", "cwd": repo.work(),
        });
        repo.call("").args(["hook", "claude"]).input(payload.to_string()).run().done();
    };
    stop(ALICE);
    ask_to_edit(&repo, BOB, "docs/guide.md").says("has uncommitted changes of another agent");
    stop(BOB);
    repo.pass("1h");
    repo.reserve("ops", "elsewhere");
    repo.coord("ops", ["ledger", "compact", "--keep", "1s"]).done().says("set aside");
    let refused = objects_to(commit(&repo, ALICE, "docs/guide.md"), "'docs/guide.md'", BOB);
    refused.says("after you edited it");
    for archive in repo.git(["for-each-ref", "--format=%(refname)", "refs/coord/archive"]).lines() {
        repo.git(["update-ref", "-d", archive]);
    }
    repo.git(["-c", "gc.reflogExpire=now", "gc", "--quiet", "--prune=now"]);
    let packs = repo.git_dir().join("objects/pack");
    let kept = fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path());
    for keep in kept.filter(|path| path.extension() == Some(OsStr::new("keep"))) {
        fs::remove_file(keep).unwrap();
    }
    repo.git(["repack", "-a", "-d", "--quiet"]);
    repo.git(["prune", "--expire=now"]);
    let passed = git(&repo, ALICE, &["commit", "--quiet", "--message", "work"]).done();
    passed.says("not checked: the entries since your oldest edit are not all in this repository");
}

/// 1/H2: hook and command answer from the same ref, and only read it.
#[test]
fn the_hook_says_what_check_says_and_writes_nothing() {
    let repo = hooked();
    repo.reserve("bob", "docs/**");
    repo.write("docs/guide.md", "changed\n");
    repo.git(["add", "docs"]);
    let tip = repo.tip();
    for (agent, code) in [("alice", exit::NO), ("bob", exit::DONE)] {
        repo.coord(agent, ["check", "docs/guide.md"]).exits(code);
        repo.coord(agent, ["hook", "pre-commit"]).exits(code);
        repo.coord_json(agent, ["hook", "pre-commit"]).exits(code);
    }
    assert_eq!(repo.tip(), tip);
}

#[test]
fn each_way_to_commit_is_seen() {
    let repo = hooked();
    repo.reserve("bob", "docs/**");
    repo.write("src/main.rs", "fn main() { free() }\n");
    repo.write("docs/guide.md", "held\n");
    let quiet = ["commit", "--quiet", "--message", "work"];
    let refuse = |more: &[&str]| {
        let output = git(&repo, "alice", &[&quiet, more].concat());
        objects_to(output, "docs/guide.md", "bob");
    };
    refuse(&["--all"]);
    refuse(&["docs/guide.md"]);
    refuse(&["--include", "docs"]);
    repo.git(["add", "docs/guide.md"]);
    refuse(&[]);
    refuse(&["--amend"]);
    // Only this path goes into the index of this commit.
    git(&repo, "alice", &[&quiet[..], &["src/main.rs"]].concat()).done();
    assert_eq!(repo.git(["diff", "--cached", "--name-only"]), "docs/guide.md");
    git(&repo, "alice", &["restore", "--staged", "--", ":/docs/guide.md"]).done();
    git(&repo, "alice", &[&quiet[..], &["--amend"]].concat()).done();
}

#[test]
fn an_index_of_the_callers_own_is_what_counts() {
    let repo = hooked();
    repo.reserve("bob", "docs/**");
    repo.write("docs/guide.md", "held\n");
    let index = repo.world().join("tmp/index");
    let call = |args: &[&str]| {
        let call = repo.call("alice").program("git").args(args).env("GIT_INDEX_FILE", &index);
        call.run_unproven()
    };
    call(&["read-tree", "HEAD"]).done();
    call(&["add", "docs/guide.md"]).done();
    objects_to(call(&["commit", "--quiet", "--message", "work"]), "docs/guide.md", "bob");
    repo.coord("alice", ["hook", "pre-commit"]).done();
}

#[test]
fn the_first_commit_is_like_any_other() {
    let repo = Repo::unborn();
    enable(&repo);
    repo.reserve("bob", "held.txt");
    repo.write("free.txt", "mine\n");
    repo.git(["add", "."]);
    let output = objects_to(commit(&repo, "alice", "held.txt"), "held.txt", "bob");
    output.says("git rm --cached -- :/held.txt");
    git(&repo, "alice", &["rm", "--quiet", "--cached", "--", ":/held.txt"]).done();
    git(&repo, "alice", &["commit", "--quiet", "--message", "first"]).done();
}

#[test]
fn what_is_deleted_or_moved_away_is_changed_too() {
    let repo = hooked();
    repo.reserve("bob", "docs/guide.md");
    repo.reserve("carol", "new.md");
    let quiet = ["commit", "--quiet", "--message", "work"];
    repo.git(["mv", "docs/guide.md", "new.md"]);
    let output = objects_to(git(&repo, "alice", &quiet), "'docs/guide.md'", "bob");
    output.says("'new.md' is held by 'carol'");
    repo.git(["reset", "--quiet", "--hard"]);
    repo.git(["rm", "--quiet", "docs/guide.md"]);
    objects_to(git(&repo, "alice", &quiet), "'docs/guide.md'", "bob");
    repo.git(["reset", "--quiet", "--hard"]);
    repo.write("new.md", "only meant to be added\n");
    repo.git(["add", "--intent-to-add", "new.md"]);
    commit(&repo, "alice", "src/main.rs").done();
}

#[test]
fn of_many_paths_ten_are_told() {
    let repo = hooked();
    repo.reserve("bob", "many/**");
    for number in 10..22 {
        repo.write(&format!("many/{number}"), "");
    }
    repo.git(["add", "."]);
    let output = git(&repo, "alice", &["commit", "--quiet", "--message", "work"]);
    let output = objects_to(output, "'many/19'", "bob");
    output.says("and 2 more");
    assert!(!output.stderr.contains("'many/20'"), "{}", output.stderr);
}

/// A hold that ran out is no reason. That somebody else got it meanwhile is one, until the path is
/// looked at again.
#[test]
fn a_later_grant_overtakes_an_edit_and_a_lapsed_hold_does_not() {
    let repo = hooked();
    edit(&repo, ALICE, "docs/guide.md");
    edit(&repo, ALICE, "src/main.rs");
    repo.pass("16m");
    commit(&repo, ALICE, "src/main.rs").done();
    repo.coord("bob", ["release", &repo.reserve_id("bob", "docs")]).done();
    repo.pass("2m");
    let output = objects_to(commit(&repo, ALICE, "docs/guide.md"), "'docs/guide.md'", "bob");
    output
        .says("was granted to 'bob' as 'docs' at 2026-01-05T10:16:00Z (2m ago), after you edited");
    let another = repo.coord("bob", ["hook", "pre-commit"]).exits(exit::NO);
    another.says("'docs/guide.md' was changed by claude:alice");
    edit(&repo, ALICE, "docs/guide.md");
    commit(&repo, ALICE, "docs/guide.md").done();
}

/// What came with the edits is let go with the commit, what was meant stays, and git's output is
/// git's alone.
#[test]
fn after_the_commit_notes_are_gone_and_holds_of_edits_are_free() {
    let repo = hooked();
    repo.reserve(ALICE, "src/api/**");
    for path in ["docs/guide.md", "src/api/users.rs", "README.md"] {
        edit(&repo, ALICE, path);
    }
    edit(&repo, BOB, "src/main.rs");
    repo.write("src/api/users.rs", "// more\n");
    repo.git(["add", "src/api/users.rs"]);
    let output = commit(&repo, ALICE, "docs/guide.md").done();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""));
    let mut noted: Vec<String> =
        notes(&repo).all().unwrap().iter().map(|note| note.path.to_string()).collect();
    noted.sort_unstable();
    assert_eq!(noted, ["README.md", "src/main.rs"], "what is not committed stays noted");
    let mut held = texts(&repo.holds().into(), "pattern");
    held.sort_unstable();
    assert_eq!(held, ["README.md", "src/api/**", "src/main.rs"]);
}

#[test]
fn when_holds_of_edits_end_is_a_setting() {
    let repo = hooked();
    for (number, (with, is_released)) in
        [("turn", true), ("commit", true), ("session", false), ("ttl", false)]
            .into_iter()
            .enumerate()
    {
        repo.git(["config", "coord.hook.release", with]);
        let path = format!("{number}.txt");
        edit(&repo, ALICE, &path);
        commit(&repo, ALICE, &path).done();
        assert_eq!(notes(&repo).all().unwrap(), [], "{with}");
        let is_held = texts(&repo.holds().into(), "pattern").contains(&path);
        assert_eq!(is_held, !is_released, "{with}");
    }
}

/// In every kind of repository, and in a linked worktree, whose edits are its own.
#[test]
fn every_kind_of_repository_is_protected() {
    for kind in Kind::all().into_iter().filter(|kind| kind.place != Place::Bare) {
        let Some(repo) = Repo::of(kind) else { continue };
        repo.git(["reset", "--quiet", "--hard"]);
        enable(&repo);
        repo.reserve("bob", "docs/**");
        objects_to(commit(&repo, ALICE, "docs/guide.md"), "'docs/guide.md'", "bob");
        repo.git(["reset", "--quiet", "--hard"]);
        edit(&repo, ALICE, "src/main.rs");
        assert_eq!(notes(&repo).all().unwrap().len(), 1, "{kind}");
        commit(&repo, ALICE, "src/main.rs").done();
        assert_eq!(notes(&repo).all().unwrap(), [], "{kind}");
        assert_eq!(repo.holds().len(), 1, "{kind}");
    }
}

/// 7/NO-PULL: a hook moves nothing of the user's. In a bare repository there is nothing to do.
#[test]
fn a_bare_repository_has_nothing_to_commit() {
    for kind in Kind::all().into_iter().filter(|kind| kind.place == Place::Bare) {
        let Some(repo) = Repo::of(kind) else { continue };
        repo.git(["config", "coord.enabled", "true"]);
        repo.reserve("bob", "**");
        for name in super::HOOKS {
            let output = repo.coord("alice", ["hook", name, "COMMIT_EDITMSG", "message"]).done();
            assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{kind} {name}");
        }
    }
}

#[test]
fn hooks_may_be_somewhere_else() {
    let repo = hooked();
    fs::remove_dir_all(repo.git_dir().join("hooks")).unwrap();
    put_hooks(&repo.world().join("elsewhere/hooks"));
    repo.git(["config", "core.hooksPath", "../elsewhere/hooks"]);
    repo.reserve("bob", "docs/**");
    objects_to(commit(&repo, "alice", "docs/guide.md"), "'docs/guide.md'", "bob");
}

/// An edit in another worktree is another copy of the file; what was meant counts everywhere.
#[test]
fn edits_in_another_worktree_are_no_obstacle() {
    let repo = hooked();
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    edit(&repo, BOB, "docs/guide.md");
    repo.reserve("bob", "README.md");
    let linked = |args: &[&str]| {
        let call = repo.call("alice").program("git").dir(repo.world().join("linked"));
        call.args(args).run_unproven()
    };
    for (path, code) in [("docs/guide.md", exit::DONE), ("README.md", exit::NO)] {
        fs::write(repo.world().join("linked").join(path), "changed\n").unwrap();
        linked(&["commit", "--quiet", "--message", "work", path]).exits(code);
    }
}

/// 3/BASH: a name is bytes. It is compared as it is, shown escaped, and never run.
#[test]
fn hostile_names_are_names() {
    let repo = hooked();
    repo.reserve("bob", "held/**");
    let hostile: [&[u8]; 8] = [
        b"$(touch pwned).rs",
        b"`touch pwned`",
        b"quote\"and'quote",
        b"two\nlines",
        b"-rf",
        b"[id]/*.tsx",
        b"not\xffutf8",
        "direction\u{202e}changed".as_bytes(),
    ];
    fs::create_dir_all(repo.work().join("held/[id]")).unwrap();
    for name in hostile {
        fs::write(repo.work().join("held").join(OsStr::from_bytes(name)), "").unwrap();
    }
    repo.git(["add", "."]);
    let output = git(&repo, "alice", &["commit", "--quiet", "--message", "work"]);
    let output = objects_to(output, "held/$(touch pwned).rs", "bob");
    output.says("two\\nlines").says("not\\377utf8").says("direction\\u{202e}changed");
    let talk = output.stderr.lines();
    let is_ours = |line: &str| ["error: ", "  '", "hint: "].iter().any(|own| line.starts_with(own));
    assert!(talk.clone().all(is_ours), "{}", output.stderr);
    // The suggested command can be typed, and does what it says.
    let unstage = talk.clone().find_map(|line| line.strip_prefix("hint:   git restore")).unwrap();
    repo.call("alice")
        .program("sh")
        .args(["-c", &format!("git restore{unstage}")])
        .run_unproven()
        .done();
    let left = repo.git(["diff", "--cached", "--name-only"]);
    assert_eq!(left.lines().count(), 3, "what cannot be typed: {left}");
    assert!(!repo.work().join("pwned").exists());
    let check = talk.clone().find_map(|line| line.strip_prefix("hint:   git coord check")).unwrap();
    repo.call("alice")
        .program("sh")
        .args(["-c", &format!("git coord check{check}")])
        .run_unproven()
        .exits(exit::NO);
}

/// A path is held by whoever's session it is: a subagent's hold is no obstacle to its session.
#[test]
fn a_session_commits_what_its_subagents_hold() {
    let repo = hooked();
    repo.reserve("claude:7f3a91c2/a1", "docs/**");
    commit(&repo, "claude:7f3a91c2", "docs/guide.md").done();
    repo.git(["reset", "--quiet", "--hard"]);
    let session = repo.call("").program("git").env("CLAUDE_CODE_SESSION_ID", "7f3a91c2-aaaa");
    repo.write("docs/guide.md", "again\n");
    session.args(["commit", "--quiet", "--all", "--message", "work"]).run_unproven().done();
}

//! Worktrees share one ledger. The state of one of them does not undo that of another.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{DIRECTORY, ONE, WEB_AGENTS};
use crate::domain::project::{detected, names};
use crate::support::contract::exit;
use crate::support::{Output, Repo, texts};

const COMMAND: &str = "{\"bin\":\"x.js\",\"dependencies\":{\"commander\":\"1\"}}";

/// Creates a worktree beside the first one, with a command-line tool in it.
fn second(repo: &Repo) -> PathBuf {
    let path = repo.elsewhere().join("second");
    repo.git(["worktree", "add", "--quiet", "--detach", &path.display().to_string()]);
    fs::write(path.join("package.json"), COMMAND).unwrap();
    fs::remove_dir_all(path.join("src")).unwrap();
    path
}

fn run(repo: &Repo, at: &Path, args: &[&str]) -> Output {
    repo.call("ada").dir(at).args(["--json", "domain"]).args(args).run_unproven()
}

fn states(repo: &Repo, at: &Path) -> Vec<(String, String)> {
    let answer = run(repo, at, &["agents", "list"]).done().json();
    let name = |path: String| path.rsplit('/').next().unwrap().trim_end_matches(".md").to_owned();
    let paths = texts(&answer["agents"], "path").into_iter().map(name);
    paths.zip(texts(&answer["agents"], "state")).collect()
}

fn actions(answer: &Value) -> Vec<String> {
    texts(&answer["domains"][0]["agents"], "action")
}

fn all(state: &str) -> Vec<(String, String)> {
    WEB_AGENTS.map(|name| (name.to_owned(), state.to_owned())).into()
}

/// Each has the answer of what it is, and neither makes the other's stale.
#[test]
fn worktrees_with_different_content_each_have_their_answer() {
    let repo = detected();
    let (first, second) = (repo.work(), second(&repo));
    run(&repo, &second, &["check"]).exits(exit::STALE);
    for _ in 0..2 {
        for (at, domain) in [(first.as_path(), "web-api"), (second.as_path(), "cli-tool")] {
            assert_eq!(names(&run(&repo, at, &["detect"]).done().json()), [domain]);
            for at in [&first, &second] {
                run(&repo, at, &["check"]);
            }
        }
    }
    for (at, domain) in [(&first, "web-api"), (&second, "cli-tool")] {
        run(&repo, at, &["check"]).done();
        assert_eq!(names(&run(&repo, at, &["show"]).done().json()), [domain]);
    }
    assert_eq!(repo.events("detected").len(), 2, "nothing is recorded in turns");
}

/// What one worktree does not have, another still has: it is neither missed nor forgotten.
#[test]
fn a_worktree_does_not_forget_what_another_made() {
    let repo = detected();
    let (first, second) = (repo.work(), second(&repo));
    run(&repo, &first, &["agents", "generate"]).done();
    run(&repo, &second, &["detect"]).done();
    assert_eq!(states(&repo, &second), [], "they are the first one's");
    let repaired = run(&repo, &second, &["agents", "repair"]).done().json();
    assert_eq!(repaired["forgotten"], serde_json::json!([]), "{repaired:#}");
    assert_eq!(states(&repo, &first), all("ok"));
    // Edited afterwards, it is still known as one that was made.
    repo.write(ONE, "mine now\n");
    let skipped = run(&repo, &first, &["agents", "generate"]).done().json();
    assert_eq!(actions(&skipped)[0], "edited", "{skipped:#}");
    let forced = run(&repo, &first, &["agents", "generate", "--mode", "force"]).done().json();
    assert_eq!(actions(&forced)[0], "write", "{forced:#}");
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// On another machine nobody can see who has a file. What is forgotten there is known again here by
/// what was written, and only that.
#[test]
fn what_was_forgotten_is_known_by_what_was_written() {
    let repo = detected();
    let agents = |args: &[&str]| run(&repo, &repo.work(), &[&["agents"], args].concat());
    agents(&["generate"]).done();
    let kept = fs::read(repo.work().join(ONE)).unwrap();
    fs::remove_file(repo.work().join(ONE)).unwrap();
    let set = ["set", "cli-tool", "--source", "human", "--reason", "x"];
    run(&repo, &repo.work(), &set).done();
    assert_eq!(agents(&["repair"]).done().json()["forgotten"], serde_json::json!([ONE]));
    run(&repo, &repo.work(), &["set", "--clear", "--reason", "x"]).done();
    fs::write(repo.work().join(ONE), "of somebody\n").unwrap();
    let forced = agents(&["generate", "--mode", "force"]).done().json();
    assert_eq!(actions(&forced)[0], "not_ours", "{forced:#}");
    fs::write(repo.work().join(ONE), kept).unwrap();
    assert_eq!(states(&repo, &repo.work()), all("ok"));
    agents(&["generate"]).done();
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// A newer version in one worktree does not turn the untouched older one of another into an edit.
#[test]
fn an_older_version_of_another_worktree_is_no_edit() {
    let repo = detected();
    repo.git(["config", "coord.domainProfiles", "own"]);
    let profile = |at: &Path, focus: &str| {
        let text = format!(
            "## Agent Specifications\n### fd-own\nFocus: {focus}\nPersona: p\n\
             Key review areas:\n- a\n"
        );
        fs::create_dir_all(at.join("own")).unwrap();
        fs::write(at.join("own/web-api.md"), text).unwrap();
    };
    let first = repo.work();
    let second = repo.elsewhere().join("second");
    repo.git(["worktree", "add", "--quiet", "--detach", &second.display().to_string()]);
    for (at, focus) in [(&first, "one"), (&second, "one"), (&second, "two")] {
        profile(at, focus);
        run(&repo, at, &["agents", "generate", "--mode", "regenerate"]).done();
    }
    assert_eq!(states(&repo, &first), [("fd-own".to_owned(), "ok".to_owned())]);
    let same = run(&repo, &first, &["agents", "generate"]).done().json();
    assert_eq!(actions(&same), ["current"], "it is as its own profile says: {same:#}");
    profile(&first, "two");
    let newer = run(&repo, &first, &["agents", "generate", "--mode", "regenerate"]).done().json();
    assert_eq!(actions(&newer), ["write"], "{newer:#}");
    let text = fs::read_to_string(first.join(format!("{DIRECTORY}/fd-own.md"))).unwrap();
    assert!(text.contains("two"), "{text}");
}

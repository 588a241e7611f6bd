//! Bad input, hostile text, and words with another meaning.

use super::{NONE, id};
use crate::support::Repo;
use crate::support::contract::{RUNS_REF, exit};

/// 7/NUMBERS: zero, negative, overflowing and unparsable numbers are wrong usage.
#[test]
fn bad_numbers_are_wrong_usage() {
    let repo = Repo::new();
    let create = ["run", "create", "--goal", "g"];
    for option in ["--budget", "--budget-warn", "--complexity", "--max-agents"] {
        for bad in ["0", "-1", "x", "", "1e9", "99999999999999999999999"] {
            let words = create.iter().chain([&option, &bad]);
            let with_budget =
                words.chain(["--budget", "5"].iter().filter(|_| option == "--budget-warn"));
            repo.coord("ann", with_budget).exits(exit::USAGE);
        }
    }
    for (option, bad) in [("--complexity", "6"), ("--budget-warn", "100"), ("--phases", "one")] {
        repo.coord("ann", create.iter().chain(&[option, bad])).exits(exit::USAGE);
    }
    let run = repo.create_run(&[]);
    let tip = repo.git(["rev-parse", RUNS_REF]);
    for bad in ["5", "-1", "x"] {
        repo.run("advance", &run, &["--priority", bad]).exits(exit::USAGE);
    }
    for bad in ["-1", "x", "1.5", "99999999999999999999"] {
        let update = ["aaaaaaaa", "--status", "running", "--tokens-in", bad];
        repo.run("dispatch update", &run, &update).exits(exit::USAGE);
    }
    assert_eq!(repo.git(["rev-parse", RUNS_REF]), tip);
}

#[test]
fn bad_names_are_wrong_usage() {
    let repo = Repo::new();
    for bad in ["a,a", "a,b c", "a,../b", "a,b\n", "a,\u{202e}b", ",", "a,", &"p,".repeat(70)] {
        repo.coord("ann", ["run", "create", "--goal", "g", "--phases", bad]).exits(exit::USAGE);
    }
    for bad in ["", " ", "a\nb", "a\u{1b}[31m", &"x".repeat(501)] {
        repo.coord("ann", ["run", "create", "--goal", bad]).exits(exit::USAGE);
    }
    for bad in ["short", "UPPERCAS", "ninechars", "../../.."] {
        repo.coord("ann", ["run", "create", "--goal", "g", "--id", bad]).exits(exit::USAGE);
    }
    let run = repo.create_run(&[]);
    for (verb, options) in [
        ("skip", &["review"][..]),
        ("cancel", &[]),
        ("rollback", &["--to", "draft"]),
        ("gate override", &["--reason", "x"]),
        ("agent finish", &["bob", "--status", "active"]),
        ("verdict add", &["--result", "good"]),
        ("dispatch update", &["aaaaaaaa", "--status", "dead"]),
        ("artifact add", &[]),
    ] {
        repo.run(verb, &run, options).exits(exit::USAGE);
    }
}

/// Text of others is data: it is stored as it is, and harmless on a terminal.
#[test]
fn hostile_text_is_data() {
    let repo = Repo::new();
    let goal = "$(touch pwned) `x` ' \" \\ ; rm -rf * 日本";
    let run = repo.json("ann", ["run", "create", "--goal", goal]);
    assert_eq!(run["run"]["goal"], goal);
    let run = id(&run, "run");
    let path = "docs/$(whoami) 'x'\u{1b}[2J.md";
    repo.run("artifact add", &run, &["--path", path]).done();
    let listed = repo.coord("ann", ["run", "artifact", "list", &run]).done();
    assert!(!listed.stdout.contains('\u{1b}'), "{listed:?}");
    repo.advance(&run, 1);
    let report = ["--to", "brainstorm", "--reason", "x", "--layer", "code"];
    repo.run("rollback", &run, &report).done();
    assert!(!repo.work().join("pwned").exists());
    repo.coord("ann", ["run", "show", &run]).done();
    repo.replays(&run);
}

/// CLI.md: whoever takes `run` for what other tools mean by it is told of `with`.
#[test]
fn a_program_to_be_run_hints_at_with() {
    let repo = Repo::new();
    let told = repo.coord("ann", ["run", "cargo", "test"]).exits(exit::USAGE);
    told.says("git coord with -- cargo");
    let slip = repo.coord("ann", ["run", "advnce", "x"]).exits(exit::USAGE);
    slip.says("did you mean 'advance'?");
    assert!(!slip.stderr.contains("git coord with"), "{slip:?}");
    repo.coord("ann", ["run"]).exits(exit::USAGE).says("rollback");
}

/// From a subdirectory, a linked worktree and a bare repository.
#[test]
fn runs_are_the_same_from_everywhere() {
    let repo = Repo::new();
    let run = repo.create_run(&[]);
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    let linked = repo.world().join("linked");
    let call = |words: &[&str]| repo.call("bob").dir(&linked).args(["--json", "run"]).args(words);
    assert_eq!(call(&["current"]).run().done().json()["run"]["id"], run.as_str());
    let added = call(&["artifact", "add", &run, "--path", "docs/guide.md"]).run().done().json();
    assert!(added["artifact"]["sha256"].is_string());
    let bare =
        repo.call("bob").dir(repo.git_dir()).args(["--json", "run", "artifact", "add", &run]);
    let added = bare.args(["--path", "docs/other.md"]).run().done().json();
    assert!(added["artifact"]["sha256"].is_null(), "there is no work tree to look into");
    repo.run("artifact list", &run, &NONE).done();
    repo.replays(&run);
}

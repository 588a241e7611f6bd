//! The general behaviour of the command line: help, hints, colour, quiet, and JSON for every
//! outcome.

use crate::support::contract::{exit, refusal};
use crate::support::gits::skip;
use crate::support::{Output, Repo};

/// Returns a refusal as a person sees it, with one variable set.
fn refusal_with(name: &str, value: &str) -> Output {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let call = repo.call("bob").env(name, value).args(["reserve", "src/main.rs"]);
    call.run().exits(exit::NO)
}

fn has_hint(output: &Output) -> bool {
    output.stderr.lines().any(|line| line.starts_with("hint:"))
}

#[test]
fn hints_can_be_switched_off() {
    assert!(has_hint(&refusal_with("UNRELATED", "1")), "a refusal says what can be done");
    assert!(!has_hint(&refusal_with("GIT_ADVICE", "0")));
}

#[test]
fn data_goes_to_stdout_and_talk_to_stderr() {
    let no = refusal_with("UNRELATED", "1");
    assert_eq!(no.stdout, "");
    assert_ne!(no.stderr, "");
}

#[test]
fn a_pipe_gets_no_colour_unless_asked() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let coloured = |args: &[&str]| repo.coord("alice", args).done().stdout.contains('\x1b');
    assert!(!coloured(&["list"]));
    assert!(!coloured(&["--color", "never", "list"]));
    assert!(coloured(&["--color", "always", "list"]));
    assert!(!coloured(&["--color", "always", "--json", "list"]));
}

#[test]
fn quiet_says_nothing_that_was_expected() {
    let repo = Repo::new();
    let quiet = repo.coord("alice", ["--quiet", "reserve", "src/**"]).done();
    assert_eq!(quiet.stderr, "");
    repo.coord("bob", ["-q", "reserve", "src/x"]).exits(exit::NO);
}

#[test]
fn short_help_and_version_need_no_repository() {
    let repo = Repo::new();
    let call = |args: &[&str]| repo.call("").dir(repo.elsewhere()).args(args).run().done();
    call(&["-h"]).says("reserve").says("release");
    call(&["reserve", "-h"]).says("--ttl").says("--shared");
    call(&["--version"]).says(env!("CARGO_PKG_VERSION"));
}

/// 1/QUALITY-5: kinds are compared by kind, not by text.
#[test]
fn every_outcome_has_its_kind_in_json() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let kind = |args: &[&str]| repo.coord_json("bob", args).json()["error"]["kind"].clone();
    assert_eq!(kind(&["reserve", "x", "--ttl", "0s"]), "usage");
    assert_eq!(kind(&["transfer", "--to", "carol", "zzzzzzzz"]), "nothing");
    assert_eq!(kind(&["-C", "no-such-directory", "list"]), "failure");
    repo.coord_json("bob", ["reserve", "src/x"]).refused(refusal::HELD);
}

/// Only what exists is registered.
#[test]
fn no_command_answers_not_yet() {
    let repo = Repo::new();
    let help = repo.coord("", ["-h"]).done();
    help.says("reserve");
    for text in ["not yet", "not implemented", "unimplemented"] {
        assert!(!help.stdout.to_lowercase().contains(text), "{help:#?}");
    }
}

/// What was written to a ledger stays written when its answer cannot be: that is said.
#[test]
fn an_answer_that_cannot_be_written_says_what_is_done() {
    if !std::path::Path::new("/dev/full").exists() {
        return skip("there is no /dev/full here");
    }
    let repo = Repo::new();
    for (command, is_write) in [
        ("reserve src", true),
        ("--json reserve docs", true),
        ("renew --mine", true),
        ("list", false),
        ("--json list", false),
        ("release --mine", true),
    ] {
        let script = format!("git coord --as alice {command} >/dev/full");
        let output = repo.call("").program("sh").args(["-c", &script]).run().exits(exit::FAILURE);
        output.says("error: cannot write the output: ");
        let done = output.stderr.contains("what was asked for is done, and recorded");
        assert_eq!(done, is_write, "{output:#?}");
    }
    assert_eq!(repo.life_counts(), [2, 2, 0]);
}

/// 7/QUIET: under --quiet, stdout has the data that was asked for and nothing about what was done.
#[test]
fn quiet_leaves_acts_to_the_exit_code() {
    let repo = Repo::new();
    let quiet = |agent: &str, words: &[&str]| {
        let output = repo.coord(agent, [&["-q"], words].concat());
        (output.code, !output.stdout.is_empty(), output.stderr.is_empty())
    };
    for (agent, words, prints) in [
        ("alice", &["check", "src"][..], false),
        ("alice", &["reserve", "src"], false),
        ("alice", &["reserve", "docs"], false),
        ("alice", &["renew", "--mine"], false),
        ("alice", &["list"], true),
        ("alice", &["who", "src"], true),
        ("alice", &["status"], true),
        ("alice", &["log"], true),
        ("alice", &["events"], true),
        ("alice", &["agents"], true),
        ("alice", &["whoami"], true),
        ("alice", &["version"], true),
        ("alice", &["doctor"], true),
        ("alice", &["install", "--dry-run"], true),
        ("alice", &["undo", "--dry-run"], true),
        ("bob", &["ask", "src", "--reason", "r"], true),
        ("alice", &["inbox"], true),
        ("alice", &["answer", "src", "--release"], false),
        ("alice", &["send", "bob", "--subject", "s"], false),
        ("alice", &["release", "--path", "docs"], false),
        ("alice", &["reserve", "docs"], false),
        ("alice", &["undo"], false),
        ("alice", &["reserve", "docs"], false),
        ("alice", &["transfer", "--to", "bob"], false),
        ("alice", &["changes"], true),
        ("alice", &["sweep"], false),
        ("alice", &["ledger", "log", "reservations"], true),
        ("alice", &["run", "create", "--goal", "g", "--id", "k3v9x2ab"], true),
        ("alice", &["run", "list"], true),
        ("alice", &["override", "list"], false),
    ] {
        assert_eq!(quiet(agent, words), (0, prints, true), "{words:?}");
    }
    let (code, prints, _) = quiet("alice", &["check", "docs"]);
    assert_eq!((code, prints), (exit::NO, false));
    let (code, prints, is_silent) = quiet("alice", &["reserve", "docs"]);
    assert_eq!((code, prints, is_silent), (exit::NO, false, false), "errors are said");
    let json = repo.coord("bob", ["-q", "--json", "check", "docs"]).done().json();
    assert_eq!(json["free"], true, "JSON is asked for");
}

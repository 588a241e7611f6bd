//! Bad input gets a clear error, and nothing is lost.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use crate::support::contract::{FORMAT, LOCAL_DIR, RESERVATIONS_REF, exit, limit};
use crate::support::{Output, Repo};

/// Creates a repository with one hold, and returns its newest entry.
fn with_one_hold() -> (Repo, String) {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let tip = repo.tip();
    (repo, tip)
}

/// Fails unless reading and writing both fail, say `word`, and leave the ref where it is.
#[track_caller]
fn nothing_works_and_nothing_changes(repo: &Repo, word: &str) {
    let tip = repo.tip();
    for args in [vec!["list"], vec!["check", "docs/x"], vec!["reserve", "docs/x"], vec!["sweep"]] {
        repo.coord("bob", &args).exits(exit::FAILURE).says(word);
        let failed = repo.coord_json("bob", &args).exits(exit::FAILURE).json();
        assert_eq!(failed["error"]["kind"], "failure", "{failed:#}");
        assert!(failed["error"]["message"].is_string(), "{failed:#}");
    }
    assert_eq!(repo.tip(), tip);
}

/// 7/NUMBERS: zero, negative, overflowing and unparsable durations.
#[test]
fn a_bad_ttl_is_wrong_usage() {
    let (repo, tip) = with_one_hold();
    for bad in ["0", "0s", "-1", "-1m", "1e99", "99999999999999999999s", "25h", "abc", "", "5", "m"]
    {
        let option = format!("--ttl={bad}");
        repo.coord("alice", ["reserve", "docs/x", &option]).exits(exit::USAGE);
        repo.coord("alice", ["renew", "--mine", &option]).exits(exit::USAGE);
    }
    assert_eq!(repo.tip(), tip);
    for good in ["1s", "24h"] {
        repo.coord("alice", ["reserve", "docs/x", "--ttl", good]).done();
    }
}

/// 1/SAFETY-1-owner: control and bidi characters and newlines are refused by name.
#[test]
fn control_characters_are_refused() {
    let (repo, tip) = with_one_hold();
    for bad in ["a\nb", "a\x1b[31mb", "a\tb", "a\x07", "a\u{202e}b", "a\u{2066}b"] {
        repo.coord("alice", ["reserve", "docs/x", "--reason", bad]).exits(exit::USAGE);
        repo.coord("alice", ["reserve", "docs/x", "--task", bad]).exits(exit::USAGE);
        repo.coord("", ["--as", bad, "reserve", "docs/x"]).exits(exit::USAGE);
        repo.coord("alice", ["transfer", "--to", bad]).exits(exit::USAGE);
        let by_variable = repo.call("").env("GIT_COORD_AGENT", bad).args(["reserve", "docs/x"]);
        by_variable.run().exits(exit::USAGE);
    }
    assert_eq!(repo.tip(), tip);
}

#[test]
fn lengths_are_limited() {
    let (repo, tip) = with_one_hold();
    let long = "a".repeat(100_000);
    repo.coord("alice", ["reserve", "docs/x", "--reason", &long]).exits(exit::USAGE);
    let name = "a".repeat(limit::AGENT_CHARS + 1);
    repo.coord("", ["--as", &name, "reserve", "docs/x"]).exits(exit::USAGE);
    assert_eq!(repo.tip(), tip);
}

/// A name in a file may hold anything; on a terminal it is harmless.
#[test]
fn what_is_printed_is_harmless_on_a_terminal() {
    let repo = Repo::new();
    let hostile = OsStr::from_bytes(b"a\x1b[2Jb");
    let call = repo.call("alice").args(["reserve", "--literal"]);
    let held = call.args([hostile]).run().done();
    let list = repo.coord("bob", ["list"]).done();
    list.says("[2Jb");
    for text in [&held.stdout, &held.stderr, &list.stdout] {
        assert!(!text.contains('\x1b'), "{text:?}");
    }
}

#[test]
fn text_that_is_not_utf8_is_refused_where_text_is_wanted() {
    let (repo, tip) = with_one_hold();
    let bad = OsStr::from_bytes(b"a\xffb");
    repo.call("alice").args(["reserve", "docs/x", "--reason"]).args([bad]).run().exits(exit::USAGE);
    repo.call("").args(["reserve", "docs/x", "--as"]).args([bad]).run().exits(exit::USAGE);
    assert_eq!(repo.tip(), tip);
}

#[test]
fn unknown_words_are_wrong_usage() {
    let (repo, tip) = with_one_hold();
    repo.coord("alice", ["reserve", "docs/x", "--nonsense"]).exits(exit::USAGE);
    repo.coord("alice", ["nonsense"]).exits(exit::USAGE);
    repo.coord("alice", ["reserve"]).exits(exit::USAGE);
    repo.coord("alice", ["reserv", "docs/x"]).exits(exit::USAGE).says("reserve");
    repo.coord("alice", ["--color", "sometimes", "list"]).exits(exit::USAGE);
    let answer = repo.coord_json("alice", ["reserve", "docs/x", "--nonsense"]).exits(exit::USAGE);
    assert_eq!(answer.json()["error"]["kind"], "usage");
    assert_eq!(repo.tip(), tip);
}

#[test]
fn a_bad_clock_is_wrong_usage() {
    let (repo, tip) = with_one_hold();
    for bad in ["yesterday", "0", "2026-13-01T00:00:00Z"] {
        let call = repo.call("alice").env("GIT_COORD_NOW", bad).args(["reserve", "docs/x"]);
        call.run().exits(exit::USAGE).says("GIT_COORD_NOW");
    }
    assert_eq!(repo.tip(), tip);
}

#[test]
fn not_a_repository_is_said() {
    let repo = Repo::new();
    let call = |args: &[&str]| repo.call("alice").dir(repo.elsewhere()).args(args).run();
    call(&["list"]).exits(exit::FAILURE).says("not a git repository");
    let json: Output = call(&["reserve", "x", "--json"]).exits(exit::FAILURE);
    assert_eq!(json.json()["error"]["kind"], "failure");
    call(&["-C", "no-such-directory", "list"]).exits(exit::FAILURE).says("no-such-directory");
}

/// Where git has no identity, the agent's is used.
#[test]
fn without_an_email_the_agent_signs() {
    let repo = Repo::new();
    let unnamed =
        ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    let call = repo.call("alice").config("user.useConfigOnly", "true");
    let call = unnamed.iter().fold(call, |call, name| call.without_env(name));
    call.args(["reserve", "src/**"]).run().done();
    let committer = repo.git(["log", "-1", "--format=%cn %ce", RESERVATIONS_REF]);
    assert!(committer.starts_with("alice ") && committer.contains('@'), "{committer}");
}

#[test]
fn a_ref_that_points_at_a_blob_is_a_damaged_ledger() {
    let repo = Repo::new();
    let blob = repo.store_blob("not an entry");
    repo.git(["update-ref", RESERVATIONS_REF, &blob]);
    nothing_works_and_nothing_changes(&repo, RESERVATIONS_REF);
}

#[test]
fn a_commit_of_another_kind_is_a_damaged_ledger() {
    let repo = Repo::new();
    repo.git(["update-ref", RESERVATIONS_REF, "HEAD"]);
    nothing_works_and_nothing_changes(&repo, FORMAT);
}

/// 1/L3: an older program that meets a newer format stops and changes nothing.
#[test]
fn a_newer_format_is_left_alone() {
    let (repo, _) = with_one_hold();
    repo.raise_format(999);
    nothing_works_and_nothing_changes(&repo, "999");
}

/// 7/MESSAGES: a malformed document is kept, not moved away.
#[test]
fn a_malformed_format_is_kept() {
    let (repo, _) = with_one_hold();
    repo.overwrite(&[FORMAT.to_owned()], "{ not json");
    nothing_works_and_nothing_changes(&repo, FORMAT);
    assert_eq!(repo.document(FORMAT), "{ not json");
}

/// 1/M4: a document that does not decode is named, and no partial list decides anything.
#[test]
fn a_damaged_document_is_named() {
    let repo = Repo::new();
    let bad = repo.reserve_id("alice", "src/api/x");
    repo.reserve("alice", "docs/y");
    repo.overwrite(&repo.documents_of(&bad), "{\"id\":7}");
    let tip = repo.tip();
    repo.coord("bob", ["list"]).done().says(&bad);
    for args in [["check", "src/api/x"], ["reserve", "src/api/**"]] {
        repo.coord("bob", args).exits(exit::FAILURE).says(&bad);
    }
    assert_eq!(repo.tip(), tip);
}

/// 1/SAFETY-3: patterns are checked again when they are read back.
#[test]
fn an_over_complex_pattern_in_the_ledger_is_refused() {
    let repo = Repo::new();
    let id = repo.reserve_id("alice", "src/x");
    let paths = repo.documents_of(&id);
    let bomb = "*a".repeat(400);
    let hold = repo.document(&paths[0]).replace("src/x", &format!("src/x/{bomb}"));
    assert!(hold.contains(&bomb), "the document spells its pattern: {hold}");
    repo.overwrite(&paths, &hold);
    repo.coord("bob", ["check", "src/x/aaaa"]).exits(exit::FAILURE).says(&id);
}

#[test]
fn a_truncated_object_is_a_failure_with_a_name() {
    let (repo, tip) = with_one_hold();
    repo.git(["repack", "-a", "-d", "--quiet"]);
    let directory = repo.git_dir().join("objects/pack");
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "pack") {
            let bytes = std::fs::read(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() / 3]).unwrap();
        }
    }
    for args in [["check", "src/x"], ["reserve", "src/x"]] {
        let failed = repo.coord("bob", args).exits(exit::FAILURE);
        assert!(failed.stderr.len() > 20, "says what: {failed:#?}");
    }
    assert_eq!(repo.tip(), tip);
}

/// A commit cannot say a time before 1970: git would call it damaged.
#[test]
fn a_clock_before_1970_is_refused() {
    let repo = Repo::new();
    let call =
        repo.call("alice").args(["reserve", "src"]).env("GIT_COORD_NOW", "1969-12-31T23:59:59Z");
    call.run().exits(exit::USAGE).says("1970");
    assert_eq!(repo.tip(), "");
}

/// 7/SYMLINK: what is ours in the git directory and leads out of it is refused, and nothing is
/// written where it leads.
#[test]
fn state_that_leads_out_of_the_repository_is_refused() {
    let queue = format!("{LOCAL_DIR}/locks/reservations.lock");
    let [locks, presence] = ["locks", "presence"].map(|name| format!("{LOCAL_DIR}/{name}"));
    for path in ["refs/coord", RESERVATIONS_REF, LOCAL_DIR, &locks, &queue, &presence] {
        let (repo, _) = with_one_hold();
        let ours = repo.git_dir().join(path);
        let away = repo.elsewhere().join("away");
        std::fs::rename(&ours, &away).unwrap();
        symlink(&away, &ours).unwrap();
        let failed = repo.coord("alice", ["reserve", "docs/x"]).exits(exit::FAILURE);
        failed.says(path).says("is a symbolic link");
    }
}

/// 7/SYMLINK: a link that leads to nothing yet would have state made where it leads.
#[test]
fn a_link_to_nothing_is_refused() {
    for path in ["refs/coord", "refs/coord/runs", LOCAL_DIR, &format!("{LOCAL_DIR}/makers")] {
        let repo = Repo::new();
        let ours = repo.git_dir().join(path);
        std::fs::create_dir_all(ours.parent().unwrap()).unwrap();
        let away = repo.elsewhere().join("away");
        symlink(&away, &ours).unwrap();
        for words in [["reserve", "docs/x"], ["check", "docs/x"]] {
            repo.coord("alice", words).exits(exit::FAILURE).says(path).says("is a symbolic link");
        }
        assert!(!away.exists(), "{path}");
    }
}

//! `check`: tells whether a reservation would succeed. It only reads.

use crate::support::contract::exit;
use crate::support::{Output, Repo};

#[test]
fn free_is_free_and_held_names_the_holder() {
    let repo = Repo::new();
    assert_eq!(repo.json("bob", ["check", "src/main.rs"])["free"], true);
    repo.reserve("alice", "src/**");
    let held = repo.coord_json("bob", ["check", "src/main.rs"]).exits(exit::NO).json();
    assert_eq!(held["free"], false);
    assert_eq!(held["conflicts"][0]["held"]["holder"], "alice");
    assert_eq!(held["conflicts"][0]["pattern"], "src/main.rs");
    repo.coord("bob", ["check", "src/main.rs"]).exits(exit::NO).says("alice").says("src/**");
}

#[test]
fn own_holds_and_expired_ones_are_no_conflict() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    assert_eq!(repo.json("alice", ["check", "src/main.rs"])["free"], true);
    repo.pass("16m");
    assert_eq!(repo.json("bob", ["check", "src/main.rs"])["free"], true);
}

#[test]
fn it_writes_nothing() {
    let repo = Repo::new();
    repo.coord("bob", ["check", "src/**"]).done();
    assert_eq!(repo.tip(), "", "no ledger is made");
    repo.reserve("alice", "src/**");
    let tip = repo.tip();
    repo.pass("16m");
    repo.coord("bob", ["check", "src/**"]).done();
    assert_eq!(repo.tip(), tip, "expired holds are not swept by a reader");
}

#[test]
fn one_of_several_is_enough_for_no() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let no = repo.coord_json("bob", ["check", "docs/x", "src/x"]).exits(exit::NO).json();
    assert_eq!(no["conflicts"].as_array().map(Vec::len), Some(1), "{no:#}");
}

/// 1/H2: one ref, one state, one matcher, whichever command asks.
#[test]
fn what_check_says_is_what_reserve_does() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["--shared", "src/**"]);
    for pattern in ["src/main.rs", "docs/**", "**/*.rs", "src"] {
        let check = repo.coord_json("bob", ["check", pattern]);
        let reserve = repo.coord_json("bob", ["reserve", pattern]);
        assert_eq!(check.code, reserve.code, "{pattern}");
        repo.coord("bob", ["release", "--mine"]).done();
    }
}

/// 1/WHO-where: in a subdirectory, a path from the top is not silently another one.
#[test]
fn a_name_that_matches_nothing_is_pointed_out() {
    let repo = Repo::new();
    repo.reserve("carol", "src/api");
    let check = |words: &[&str]| {
        let call = repo.call("dan").args(["check"]).args(words);
        call.dir(repo.work().join("src")).run()
    };
    let told = check(&["src/api/teams.rs"]).done();
    told.says("'src/src/api/teams.rs' matches no tracked file");
    told.says("did you mean ':/src/api/teams.rs'?");
    check(&[":/src/api/teams.rs"]).exits(exit::NO);
    let notes = check(&["src/api/teams.rs", "--json"]).done().json()["notes"].take();
    assert_eq!(notes[0]["level"], "hint", "{notes:#}");
    for silent in [&["main.rs"][..], &["main.*"], &["."], &["src/api/teams.rs", "--quiet"]] {
        let told = check(silent).stderr;
        assert!(!told.contains("matches no"), "{silent:?}: {told}");
    }
}

fn listed(repo: &Repo, options: &[&str], list: &[u8]) -> Output {
    let call = repo.call("dan").args(["check", "--stdin", "--json"]).args(options);
    call.input(list).run()
}

/// 1/CHECK-stdin: what git prints is checked, however long the list, and an empty one is free.
#[test]
fn paths_are_read_from_stdin() {
    let repo = Repo::new();
    repo.reserve_with("carol", &["--literal", "app/[id]"]);
    repo.reserve("carol", "src/\u{e9} \"x\"");
    for (options, list) in [
        (&["-z"][..], &b"src/main.rs\0app/[id]\0"[..]),
        (&[], b"src/main.rs\napp/[id]\n"),
        (&[], b"app/[id]"),
    ] {
        let held = listed(&repo, options, list).exits(exit::NO).json();
        assert_eq!(held["conflicts"][0]["pattern"], "app/\\[id\\]", "{held:#}");
    }
    listed(&repo, &[], b"\"src/\\303\\251 \\\"x\\\"\"\n").exits(exit::NO);
    listed(&repo, &["-z"], "src/\u{e9} \"x\"\0".as_bytes()).exits(exit::NO);
    for free in [&b""[..], b"\n", b"app/i\n", b"src/main.rs\n"] {
        assert_eq!(listed(&repo, &[], free).done().json()["free"], true);
    }
    let many: Vec<String> = (0..1_200).map(|number| format!("new/{number}\n")).collect();
    let many = many.concat();
    assert_eq!(listed(&repo, &[], many.as_bytes()).done().json()["free"], true);
    let held = listed(&repo, &[], (many + "app/[id]\n").as_bytes()).exits(exit::NO).json();
    assert_eq!(held["conflicts"].as_array().map(Vec::len), Some(1), "{held:#}");
    listed(&repo, &[], b"\"open\n").exits(exit::USAGE).says("line 1");
    listed(&repo, &[], b"../outside\n").exits(exit::USAGE);
    repo.coord("dan", ["check", "src", "-z"]).exits(exit::USAGE);
    repo.coord("dan", ["check", "src", "--stdin"]).exits(exit::USAGE);
}

/// 1/CHECK-stdin: the line that scripts write, with a diff and without one.
#[test]
fn what_git_diff_prints_is_checked() {
    let repo = Repo::new();
    repo.reserve("carol", "src/api");
    let pipe = "git diff --name-only -z HEAD | git coord check --stdin -z";
    let run = || repo.call("dan").command_in_shell(pipe).output().unwrap();
    repo.git(["stash", "--quiet"]);
    assert!(run().status.success(), "nothing is changed");
    repo.write("src/api/users.rs", "changed\n");
    let told = run();
    assert_eq!(told.status.code(), Some(exit::NO), "{told:?}");
}

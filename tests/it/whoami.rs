//! `whoami`: the caller, and the source of its name.

use crate::support::Repo;
use crate::support::contract::exit;

#[test]
fn the_option_comes_before_the_variable_and_that_before_the_setting() {
    let repo = Repo::new();
    repo.git(["config", "coord.agent", "from-config"]);
    let person = repo.json("", ["whoami"]);
    assert_eq!(person["agent"], "from-config");
    let variable = repo.json("from-env", ["whoami"]);
    assert_eq!(variable["agent"], "from-env");
    let option = repo.json("from-env", ["--as", "from-option", "whoami"]);
    assert_eq!((&option["agent"], &option["kind"]), (&"from-option".into(), &"agent".into()));
    assert_ne!(option["source"], variable["source"]);
    assert!(option["source"].is_string());
}

#[test]
fn nobody_in_particular_is_a_person() {
    let repo = Repo::new();
    let person = repo.json("", ["whoami"]);
    assert_eq!(person["kind"], "person");
    assert!(person["agent"].as_str().unwrap().contains('@'), "user@host: {person}");
}

#[test]
fn a_setting_given_with_git_c_is_read() {
    let repo = Repo::new();
    let asked = repo.call("").config("coord.agent", "for-once").args(["whoami", "--json"]).run();
    assert_eq!(asked.done().json()["agent"], "for-once");
    let by_git = repo.git_call(["-c", "coord.agent=for-once", "coord", "whoami", "--json"]).run();
    assert_eq!(by_git.done().json()["agent"], "for-once");
}

#[test]
fn a_name_is_checked() {
    let repo = Repo::new();
    let long = "a".repeat(65);
    for bad in ["", "-x", "a b", "a\nb", "a\u{202e}b", "é", &long] {
        repo.coord("", [&format!("--as={bad}"), "whoami"]).exits(exit::USAGE);
    }
    repo.coord("", [&format!("--as={}", "a".repeat(64)), "whoami"]).done();
    repo.coord("", ["--as", "claude:7f3a/sub.1_x@h-1", "whoami"]).done();
}

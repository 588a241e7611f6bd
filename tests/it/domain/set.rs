//! `domain set`: the kind according to somebody else.

use super::project::{check, check_code, detected, names};
use crate::support::Repo;
use crate::support::contract::{exit, refusal};

fn set(repo: &Repo, more: &[&str]) -> crate::support::Output {
    let words = ["domain", "set", "--source", "some-model", "--reason", "it trains"];
    repo.coord_json("ada", [&words[..], more].concat())
}

/// 3d: source, reason and confidence are recorded; detection never overwrites them, whatever
/// changes and however hard it is asked.
#[test]
fn a_classification_is_never_overwritten_by_detection() {
    let repo = detected();
    let answer = set(&repo, &["ml-pipeline", "web-api", "--confidence", "0.8"]).done().json();
    assert_eq!(names(&answer), ["ml-pipeline", "web-api"]);
    repo.write("package.json", "{}");
    repo.coord("bob", ["domain", "detect"]).done();
    repo.coord("bob", ["domain", "detect", "--force"]).done();
    let shown = repo.json("ada", ["domain", "show"]);
    assert_eq!(names(&shown), ["ml-pipeline", "web-api"]);
    assert_eq!(shown["domains"][0]["confidence"], 0.8);
    assert_eq!(shown["domains"][0]["primary"], true);
    assert_eq!((&shown["source"], &shown["reason"]), (&"some-model".into(), &"it trains".into()));
    assert_eq!(shown["by"], "ada");
    assert_eq!(check_code(&repo), exit::DONE, "it does not become stale");
    check(&repo).done();
}

#[test]
fn it_is_replaced_by_another_and_taken_back() {
    let repo = detected();
    let clear = ["domain", "set", "--clear", "--reason", "never mind"];
    repo.coord_json("ada", clear).refused(refusal::NOT_CLASSIFIED);
    set(&repo, &["cli-tool"]).done();
    set(&repo, &["tui-app"]).done();
    assert_eq!(names(&repo.json("ada", ["domain", "show"])), ["tui-app"]);
    repo.coord("ada", clear).done();
    assert_eq!(names(&repo.json("ada", ["domain", "show"])), ["web-api"]);
    let kinds: Vec<_> = repo
        .events("")
        .into_iter()
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["detected", "classified", "classified", "declassified"]);
}

/// 7/NUMBERS, and what makes no sense.
#[test]
fn wrong_words_are_usage_errors() {
    let repo = Repo::new();
    for confidence in ["0", "-1", "1.5", "abc", "NaN", ""] {
        set(&repo, &["web-api", "--confidence", confidence]).exits(exit::USAGE);
    }
    for name in ["Web", "../x", "a b", "", "-x"] {
        set(&repo, &["--", name]).exits(exit::USAGE);
    }
    set(&repo, &[]).exits(exit::USAGE);
    let no_source = ["domain", "set", "web-api", "--reason", "x"];
    repo.coord("ada", no_source).exits(exit::USAGE).says("--source");
    let hostile = ["domain", "set", "web-api", "--source", "a\x1b[31m", "--reason", "x"];
    repo.coord("ada", hostile).exits(exit::USAGE);
    assert_eq!(check_code(&repo), exit::NOTHING);
}

/// 2/P1-4: a name that no index knows is recorded, with a warning.
#[test]
fn an_unknown_domain_is_recorded_with_a_warning() {
    let repo = Repo::new();
    let answer = set(&repo, &["web-appi"]).done();
    answer.says("no domain 'web-appi'");
    assert_eq!(answer.json()["notes"][0]["level"], "warning");
    assert_eq!(names(&repo.json("ada", ["domain", "show"])), ["web-appi"]);
}

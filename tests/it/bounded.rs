//! Answers are short enough for agents to read, and say nothing twice (7/BOUNDED).

use serde_json::{Value, json};

use crate::support::Repo;
use crate::support::contract::exit;

/// The largest number of characters of a refusal with one conflict.
const ONE_CHARS_MAX: usize = 700;
/// The largest number of characters of a refusal with fifty conflicts.
const FIFTY_CHARS_MAX: usize = 6_000;

/// Reserves that many files in `src` for alice.
fn with_holds(count: usize) -> Repo {
    let repo = Repo::new();
    let paths: Vec<String> = (0..count).map(|number| format!("src/file{number:02}.rs")).collect();
    for paths in paths.chunks(50) {
        let words = ["reserve", "--reason", "new endpoints"].map(str::to_owned);
        repo.coord("alice", words.iter().chain(paths)).done();
    }
    repo
}

fn rows<'v>(answer: &'v Value, list: &str) -> &'v Vec<Value> {
    answer[list].as_array().unwrap_or_else(|| panic!("{list}: {answer:#}"))
}

#[test]
fn a_refusal_is_bounded_and_says_its_conflicts_once() {
    for (count, chars_max) in [(1, ONE_CHARS_MAX), (50, FIFTY_CHARS_MAX)] {
        let repo = with_holds(count);
        for words in [&["reserve", "src"][..], &["reserve", "--each", "src"], &["check", "src"]] {
            let told = repo.coord_json("bob", words);
            let chars = told.stdout.trim_end().chars().count();
            assert!(chars <= chars_max, "{count}, {words:?}: {chars}: {}", told.stdout);
            let answer = told.refused("held");
            assert_eq!(answer["refusal"]["conflicts"], Value::Null, "{answer:#}");
            let shown = rows(&answer, "conflicts").len();
            assert_eq!(answer["more"] == true, shown < count, "{answer:#}");
            assert!(shown > 0, "{answer:#}");
            let held = &answer["conflicts"][0]["held"];
            for name in ["id", "holder", "pattern", "mode", "reason", "expires_at", "seconds_left"]
            {
                assert!(!held[name].is_null(), "{name}: {answer:#}");
            }
        }
    }
}

/// 7/BOUNDED: people read every conflict that stands in the way, and in a refusal the first ten.
#[test]
fn people_are_told_of_every_conflict() {
    let repo = with_holds(50);
    let told = repo.coord("bob", ["check", "src"]).exits(exit::NO);
    assert_eq!(told.stdout.lines().count(), 50, "{told:#?}");
    let told = repo.coord("bob", ["reserve", "--each", "src"]).exits(exit::NO);
    assert_eq!(told.stderr.matches("not reserved: ").count(), 50, "{told:#?}");
    repo.coord("bob", ["reserve", "src"]).exits(exit::NO).says("and 40 more");
}

/// 7/BOUNDED: a list has fifty rows unless more are wanted, and says if some are left out.
#[test]
fn a_list_is_bounded() {
    let repo = with_holds(60);
    let answer = repo.json("bob", ["list"]);
    assert_eq!((rows(&answer, "reservations").len(), &answer["more"]), (50, &json!(true)));
    let few = repo.json("bob", ["list", "-n", "3"]);
    assert_eq!((rows(&few, "reservations").len(), &few["more"]), (3, &json!(true)));
    let all = repo.json("bob", ["list", "--limit", "60"]);
    assert_eq!((rows(&all, "reservations").len(), &all["more"]), (60, &Value::Null));
    let told = repo.coord("bob", ["list", "--limit", "3"]).done();
    assert_eq!(told.stdout.lines().filter(|line| line.contains("file")).count(), 3, "{told:#?}");
    told.says("and 57 more: git coord list --limit <number>");
}

/// 7/BOUNDED: so has each list of `status`.
#[test]
fn the_screen_is_bounded() {
    let repo = with_holds(60);
    for (agent, list) in [("alice", "mine"), ("bob", "others")] {
        let answer = repo.json(agent, ["status"]);
        assert_eq!(rows(&answer, list).len(), 10, "{list}");
        assert_eq!(answer[format!("{list}_count")], 60, "{answer:#}");
        let chars = answer.to_string().chars().count();
        assert!(chars <= FIFTY_CHARS_MAX, "{chars}");
    }
}

//! `demo`: the tour runs anywhere and leaves the caller's repository alone.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::Repo;

/// The maximum duration of the tour. It should take 20 seconds; a slow machine may need a little
/// more.
const TOUR_MAX: Duration = Duration::from_secs(30);

#[test]
fn it_runs_outside_of_a_repository() {
    let repo = Repo::new();
    let start = Instant::now();
    let tour = repo.call("").dir(repo.elsewhere()).args(["demo"]).run().done();
    assert!(start.elapsed() < TOUR_MAX);
    tour.says("reserve").says("bob asks alice").says("is bob's until");
    tour.says("src/api except src/api/users.rs");
}

/// With `--json` the tour is one answer: each step with its command, its output and its exit code.
#[test]
fn the_tour_is_an_answer() {
    let repo = Repo::new();
    let tour = repo.call("").dir(repo.elsewhere()).args(["--json", "demo"]).run().done().json();
    assert_eq!((&tour["schema"], &tour["ok"]), (&json!(1), &json!(true)));
    let steps = tour["steps"].as_array().unwrap();
    let codes: Vec<_> = steps.iter().map(|step| step["exit"].as_i64().unwrap()).collect();
    assert_eq!(codes, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "{tour:#}");
    assert!(steps[0]["stdout"].as_str().unwrap().contains("src/api"), "{tour:#}");
    assert_eq!(steps[3]["command"], json!(["list"]));
}

#[test]
fn it_leaves_this_repository_alone() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let tip = repo.tip();
    repo.coord("alice", ["demo"]).done();
    assert_eq!(repo.tip(), tip);
}

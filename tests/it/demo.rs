//! `demo`: the tour runs anywhere and leaves the caller's repository alone.

use std::time::{Duration, Instant};

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

#[test]
fn it_leaves_this_repository_alone() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let tip = repo.tip();
    repo.coord("alice", ["demo"]).done();
    assert_eq!(repo.tip(), tip);
}

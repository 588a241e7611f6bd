//! A run with many artifacts beside a run with few.

use std::time::Duration;

use crate::repository::{GIT_COORD, Repository};
use crate::table::compared;

/// The number of phases: more than the repeats of a ratio, because each repeat advances the run.
const PHASES: usize = 60;
const RUN: &str = "benchrun";

/// The number of artifacts and dispatches in the large run.
const ARTIFACTS: usize = 10_000;
const DISPATCHES: usize = 1_000;

/// Compares `run advance` through a gate that asks for an artifact and for agents at rest.
pub(crate) fn compare() {
    let (large, small) = (with_run(ARTIFACTS, DISPATCHES), with_run(PHASES, 0));
    let what = "`run advance`, 10,000 artifacts and 1,000 dispatches / 60 artifacts";
    compared(what, "2x", || advance(&large), || advance(&small));
}

fn advance(repository: &Repository) -> Duration {
    repository.run(GIT_COORD, &["--as", "lead", "-q", "run", "advance", RUN])
}

fn phase(number: usize) -> String {
    format!("p{}", number % PHASES)
}

/// Creates a repository with one run, whose artifacts and dispatches are spread over its phases.
/// Their creation is not measured, and therefore not synced.
fn with_run(artifacts: usize, dispatches: usize) -> Repository {
    let repository = Repository::new();
    repository.run("git", &["config", "coord.fsync", "false"]);
    let gates = repository.path().join(".git/gates.json");
    std::fs::write(&gates, gates_of_every_pair()).unwrap();
    let phases = (0..PHASES).map(phase).collect::<Vec<_>>().join(",");
    let gates = gates.display().to_string();
    let create = ["run", "create", "--goal", "bench", "--id", RUN, "--phases", &phases];
    repository.run(GIT_COORD, &[&create[..], &["--gates", &gates]].concat());
    for number in 0..artifacts {
        let path = format!("src/d{}/f{number}.rs", number % 200);
        let add = ["-q", "run", "artifact", "add", RUN, "--path", &path, "--phase"];
        repository.run(GIT_COORD, &[&add[..], &[&phase(number)]].concat());
    }
    for number in 0..dispatches {
        let add = ["-q", "run", "dispatch", "add", RUN, "--phase", &phase(number)];
        repository.run(GIT_COORD, &add);
    }
    repository.run("git", &["config", "--unset", "coord.fsync"]);
    repository
}

fn gates_of_every_pair() -> String {
    let gate = |number: usize| {
        let (from, to) = (phase(number), phase(number + 1));
        format!(
            r#"{{"from":"{from}","to":"{to}","rules":
            [{{"check":"artifact_exists"}},{{"check":"agents_complete"}}]}}"#
        )
    };
    let gates: Vec<String> = (0..PHASES - 1).map(gate).collect();
    format!("[{}]", gates.join(","))
}

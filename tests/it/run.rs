//! `git coord run`: phases, gates, and a rollback that is one act.

mod code;
mod dependencies;
mod gates;
mod input;
mod life;
mod parts;
mod races;
mod replay;
mod rollback;
mod show;

use std::ffi::OsStr;

use serde_json::Value;

use crate::support::{Output, Repo};

/// The phases of most runs here.
const PHASES: &str = "draft,review,ship,done";

impl Repo {
    /// Creates a run of four phases without gates, and returns its id.
    #[track_caller]
    fn create_run(&self, options: &[&str]) -> String {
        let usual = ["run", "create", "--goal", "a goal", "--phases", PHASES];
        let answer = self.json("ann", usual.iter().chain(options));
        answer["run"]["id"].as_str().expect("a run has an id").to_owned()
    }

    /// Runs `run <verb> <run> <options>`.
    #[track_caller]
    fn run(&self, verb: &str, run: &str, options: &[impl AsRef<OsStr>]) -> Output {
        let words = ["run"].into_iter().chain(verb.split(' ')).chain([run]);
        let call = self.call("ann").args(["--json"]).args(words);
        call.args(options).run()
    }

    /// Runs `run <verb> <run> <options>`, which must succeed.
    #[track_caller]
    fn run_json(&self, verb: &str, run: &str, options: &[impl AsRef<OsStr>]) -> Value {
        self.run(verb, run, options).done().json()
    }

    /// Advances a run this many times.
    #[track_caller]
    fn advance(&self, run: &str, times: usize) {
        for _ in 0..times {
            self.run("advance", run, &NONE).done();
        }
    }

    #[track_caller]
    fn phase_of(&self, run: &str) -> String {
        let answer = self.run_json("show", run, &NONE);
        answer["run"]["phase"].as_str().expect("a run has a phase").to_owned()
    }

    /// Fails unless the events of a run lead to what is stored, and the ledger is whole.
    #[track_caller]
    fn replays(&self, run: &str) {
        let replayed = self.run_json("replay", run, &NONE);
        assert_eq!(replayed["same"], true, "{replayed:#}");
        self.coord("ops", ["ledger", "verify"]).done();
    }

    /// Lists the events of one type of a run.
    #[track_caller]
    fn run_events(&self, run: &str, kind: &str) -> Vec<Value> {
        let words = ["events", "--json", "--limit", "100000", "--run", run, "--type", kind];
        self.coord("ann", words).done().json_lines()
    }
}

/// No options.
const NONE: [&str; 0] = [];

/// Returns the id in a part of an answer.
#[track_caller]
fn id(answer: &Value, part: &str) -> String {
    let id = answer[part]["id"].as_str();
    id.unwrap_or_else(|| panic!("no id of '{part}' in {answer:#}")).to_owned()
}

/// Returns the texts in a list.
#[track_caller]
fn list(value: &Value) -> Vec<&str> {
    let items = value.as_array().unwrap_or_else(|| panic!("not a list: {value}"));
    items.iter().map(|item| item.as_str().expect("a text")).collect()
}

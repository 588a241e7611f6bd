//! A ledger of runs in memory, and random deeds.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::core::command::{Command, decide};
use crate::core::decision::{Decide, Env, No, RULES};
use crate::core::documents::{Key, apply};
use crate::core::event::Event;
use crate::core::ids::{AgentName, OpId};
use crate::core::ledger::LedgerName;
use crate::core::limits::TOKENS_MAX;
use crate::core::pattern::Case;
use crate::core::place::Skew;
use crate::core::refusal::Refusal;
use crate::core::reservation::process::Gone;
use crate::core::run::dispatch::{Dispatch, DispatchStatus};
use crate::core::run::names::RunId;
use crate::core::run::{Run, index};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// A ledger that is nothing but a map.
pub(super) struct World {
    pub(super) documents: BTreeMap<Key, Vec<u8>>,
    /// The events, and their times.
    pub(super) events: Vec<(Event, Timestamp)>,
    pub(super) at: Timestamp,
    ops: u128,
    /// The state and the number of events after each entry.
    pub(super) history: Vec<(BTreeMap<Key, Vec<u8>>, usize)>,
}

impl World {
    pub(super) fn new() -> World {
        World {
            documents: BTreeMap::new(),
            events: Vec::new(),
            at: "2026-01-05T10:00:00Z".parse().unwrap(),
            ops: 0,
            history: Vec::new(),
        }
    }

    /// A ledger with runs for deeds to act on.
    pub(super) fn with_runs() -> World {
        let mut world = World::new();
        for run in &RUNS[..2] {
            world.create(run, &json!({}));
        }
        world
    }

    /// Decides a command of any type and writes what it changes.
    pub(super) fn transact<C: Decide>(&mut self, command: &C) -> Result<C::Answer, Refusal> {
        self.ops += 1;
        self.at = self.at.plus_seconds(60);
        let actor: AgentName = "ann".parse().unwrap();
        let op = OpId::from_bits(self.ops);
        let env = Env {
            ledger: LedgerName::Runs,
            rules: RULES,
            actor: &actor,
            host: &Line::new("host").unwrap(),
            now: self.at,
            before: None,
            leap: None,
            skew: Skew::default(),
            before_by: None,
            asked_at: None,
            last: None,
            place: None,
            op: &op,
            fence: 0,
            case: Case::Sensitive,
            gone: &Gone::NOTHING,
            earlier: None,
        };
        let decided = match decide(command, &self.documents, env) {
            Ok(decided) => decided,
            Err(No::Refused(refusal)) => return Err(refusal),
            Err(No::Unreadable(error)) => panic!("{error}"),
        };
        if let Some(changes) = decided.changes {
            apply(&mut self.documents, &changes.edits);
            let at = self.at;
            self.events.extend(changes.events.into_iter().map(|event| (event, at)));
            self.history.push((self.documents.clone(), self.events.len()));
        }
        Ok(decided.answer)
    }

    /// Decides a command as entries record it.
    pub(super) fn act(&mut self, word: &str, input: &Value) -> Result<String, Refusal> {
        let command: Command =
            serde_json::from_value(json!({ "command": word, "input": input })).unwrap();
        self.transact(&command)
    }

    /// A run of three phases, without gates unless some are given.
    pub(super) fn create(&mut self, id: &str, more: &Value) {
        let mut input = json!({
            "goal": "a goal", "phases": ["draft", "review", "ship", "done"], "complexity": 3,
            "id": id,
        });
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        self.act("run create", &input).unwrap();
    }

    pub(super) fn run(&self, id: &str) -> Run {
        index::by_id(&self.documents, &id.parse().unwrap()).unwrap().unwrap()
    }

    pub(super) fn runs(&self) -> Vec<RunId> {
        let runs = index::every_run(&self.documents).unwrap();
        assert!(runs.damaged.is_empty(), "{:?}", runs.damaged);
        runs.found.into_iter().map(|run| run.id).collect()
    }
}

/// The names that deeds choose from: runs, phases, agents.
const RUNS: [&str; 3] = ["aaaaaaaa", "bbbbbbbb", "cccccccc"];
const PHASES: [&str; 5] = ["draft", "review", "ship", "done", "nowhere"];

/// One thing that somebody does.
#[derive(Clone, Debug)]
pub(super) struct Deed {
    pub(super) kind: u8,
    pub(super) run: usize,
    pub(super) phase: usize,
    pub(super) pick: usize,
    pub(super) flag: bool,
    pub(super) number: u64,
}

pub(super) fn deeds(length: usize) -> impl Strategy<Value = Vec<Deed>> {
    let deed =
        (0_u8..32, 0..RUNS.len(), 0..PHASES.len(), 0_usize..6, any::<bool>(), 0_u64..120).prop_map(
            |(kind, run, phase, pick, flag, number)| Deed { kind, run, phase, pick, flag, number },
        );
    prop::collection::vec(deed, 1..length)
}

/// What a deed says, as an entry would record it.
pub(super) fn command(ledger: &World, deed: &Deed) -> Command {
    let (word, input) = match deed.kind {
        0..=15 => of_run(deed),
        16 if deed.pick == 0 => ending(deed),
        _ => of_parts(ledger, deed),
    };
    serde_json::from_value(json!({ "command": word, "input": input })).unwrap()
}

fn ending(deed: &Deed) -> (&'static str, Value) {
    let ending = if deed.flag { "cancelled" } else { "failed" };
    ("run end", json!({ "run": RUNS[deed.run], "ending": ending, "reason": "over" }))
}

fn of_run(deed: &Deed) -> (&'static str, Value) {
    let (run, phase) = (RUNS[deed.run], PHASES[deed.phase]);
    let category = if deed.flag { "justified" } else { "expedient" };
    match deed.kind {
        0..=2 => ("run create", creation(deed)),
        3..=8 => {
            ("run advance", json!({ "run": run, "priority": deed.pick % 5, "reason": "go on" }))
        }
        9 => ("run advance", json!({ "run": run, "priority": 1, "expect": phase })),
        10 => {
            ("run gate override", json!({ "run": run, "reason": "it must", "category": category }))
        }
        11..=12 => (
            "run skip",
            json!({ "run": run, "phase": phase, "reason": "not needed", "skip": deed.flag }),
        ),
        _ => (
            "run rollback",
            json!({
                "run": run, "to": phase, "reason": "again", "keep_skips": deed.flag,
                "all_agents": deed.pick == 0,
            }),
        ),
    }
}

fn of_parts(ledger: &World, deed: &Deed) -> (&'static str, Value) {
    let (run, phase) = (RUNS[deed.run], PHASES[deed.phase]);
    let name = format!("bob{}", deed.pick);
    let upstream = vec![RUNS[deed.phase % RUNS.len()]];
    let none: Vec<&str> = Vec::new();
    let (after, not_after) = match deed.pick {
        0 => (&upstream, &none),
        1 => (&none, &upstream),
        _ => (&none, &none),
    };
    let result = if deed.flag { "clean" } else { "findings" };
    let finished = if deed.flag { "completed" } else { "failed" };
    match deed.kind {
        16..=18 => {
            let path = format!("docs/{}.md", deed.pick);
            let mut input = json!({ "run": run, "path": path, "phase": phase });
            if deed.number > 80 {
                input["dispatch"] = json!(dispatch_of(ledger, run, deed.pick));
                input.as_object_mut().unwrap().remove("phase");
            }
            ("run artifact add", input)
        }
        19..=20 => ("run verdict add", json!({ "run": run, "result": result })),
        21..=22 => ("run agent add", json!({ "run": run, "name": name })),
        23 => ("run agent finish", json!({ "run": run, "agent": name, "status": finished })),
        24..=26 => ("run dispatch add", json!({ "run": run, "agent": "bob", "phase": phase })),
        27..=30 => (
            "run dispatch update",
            json!({
                "run": run, "dispatch": dispatch_of(ledger, run, deed.pick),
                "status": DispatchStatus::ALL[deed.pick],
                "tokens_in": if deed.number > 110 { TOKENS_MAX } else { deed.number },
                "tokens_out": deed.number / 2, "commit": format!("{:07x}", deed.number % 3),
            }),
        ),
        _ => (
            "run set",
            json!({
                "run": run, "budget": deed.number + 1, "manual": deed.flag, "after": after,
                "not_after": not_after, "complexity": deed.pick.max(1), "max_agents": 4,
                "warn_percent": 50,
            }),
        ),
    }
}

fn creation(deed: &Deed) -> Value {
    let rule = |check: &str| json!({ "check": check });
    let gates = json!([
        { "from": "draft", "to": "review", "rules": [rule("artifact_exists")] },
        { "from": "review", "to": "ship", "rules": [
            rule("verdict_exists"), rule("verdict_clean"),
        ] },
        { "from": "ship", "to": "done", "rules": [
            rule("agents_complete"), rule("budget_not_exceeded"),
        ] },
    ]);
    let mut input = json!({
        "goal": "a goal", "phases": ["draft", "review", "ship", "done"], "complexity": 3,
        "id": RUNS[deed.run], "manual": deed.pick == 1,
    });
    if deed.flag {
        input["gates"] = gates;
    }
    if deed.number > 60 {
        let budget = json!({ "tokens": deed.number, "warn_percent": 80, "enforced": deed.flag });
        input["budget"] = budget;
    }
    if deed.phase == 4 {
        let gate = |from: &str, to: &str| json!({ "from": from, "to": to, "rules": [] });
        input["repository_gates"] = json!([gate("draft", "review"), gate("one", "other")]);
        input["scope"] = json!("api");
        input["metadata"] = json!({ "ticket": "A-1" });
    }
    if deed.pick == 2 {
        input["parent"] = json!(RUNS[deed.phase % RUNS.len()]);
    }
    input
}

fn dispatch_of(world: &World, run: &str, pick: usize) -> String {
    let id: RunId = run.parse().unwrap();
    let dispatches: Vec<Dispatch> = index::all(&world.documents, &index::dispatches(&id)).unwrap();
    let found = dispatches.get(pick % dispatches.len().max(1));
    found.map_or_else(|| "zzzzzzzz".to_owned(), |dispatch| dispatch.id.to_string())
}

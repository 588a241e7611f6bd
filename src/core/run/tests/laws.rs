//! Laws that random deeds are held against.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use super::world::{World, command, deeds};
use crate::core::command::Command;
use crate::core::event::Event;
use crate::core::run::advance::{self, Step};
use crate::core::run::budget::Spending;
use crate::core::run::names::{PhaseName, RunId};
use crate::core::run::replay::Replay;
use crate::core::run::state::{State, differences, stored};
use crate::core::run::{Run, Status, dispatch, events, gate, index, laws};
use crate::core::time::Timestamp;

/// Replays all events of a run.
fn replayed(run: &RunId, events: &[(Event, Timestamp)]) -> Replay {
    let mut replay = Replay::from(run.clone(), State::new());
    for (event, at) in events {
        replay.follow(event, *at);
    }
    replay
}

/// Returns a field of a thing, as text.
fn text<'f>(state: &'f State, thing: &str, field: &str) -> &'f str {
    state[thing].get(field).and_then(Value::as_str).unwrap_or_default()
}

fn states(world: &World) -> BTreeMap<RunId, Run> {
    let runs = index::every_run(&world.documents).unwrap().found;
    runs.into_iter().map(|run| (run.id.clone(), run)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 384,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// 4/F1, 4/F5, 4/INV-4, 4/INV-6: the events alone lead to the stored state, each event was true
    /// of the moment before it, no change is without its event, and every tally is what counting
    /// gives.
    #[test]
    fn events_fold_to_the_state_and_laws_hold(deeds in deeds(60)) {
        let mut world = World::new();
        for deed in &deeds {
            let command = command(&world, deed);
            let before = (world.documents.clone(), world.events.len());
            let outcome = world.transact(&command);
            if outcome.is_err() {
                prop_assert_eq!(&before.0, &world.documents, "a refusal changes nothing");
            }
            prop_assert!(before.0 == world.documents || before.1 < world.events.len());
            let faults = laws::faults(&world.documents).unwrap();
            prop_assert!(faults.is_empty(), "{faults:?} after {command:?}");
        }
        for run in world.runs() {
            let replay = replayed(&run, &world.events);
            prop_assert_eq!(&replay.faults, &Vec::<String>::new());
            let stored = stored(&world.documents, &run).unwrap();
            prop_assert_eq!(differences(&replay.state, &stored), vec![]);
        }
    }

    /// 4/INV-2, 7/TERMINAL: what was cancelled or failed never changes again, what was completed
    /// changes only by a rollback, and no event goes on from such an end.
    #[test]
    fn terminal_is_final(deeds in deeds(60)) {
        let mut world = World::new();
        for deed in &deeds {
            let before = states(&world);
            let command = command(&world, deed);
            world.transact(&command).ok();
            for (id, run) in before {
                let after = world.run(id.as_str());
                match run.status {
                    Status::Cancelled | Status::Failed => prop_assert_eq!(run, after),
                    Status::Completed if !matches!(command, Command::RunRollback(_)) => {
                        prop_assert_eq!(after.status, Status::Completed);
                    }
                    _ => {}
                }
            }
        }
    }

    /// 4/F3, 4/F6, 4/F9, 4/F10, 4/INV-3: whatever came before, a rollback leaves the phases before
    /// its target and after the old one as they were, and nothing that counts in between.
    #[test]
    fn a_rollback_takes_the_phases_it_gives_up_and_no_others(deeds in deeds(60)) {
        let mut world = World::with_runs();
        for deed in &deeds {
            let command = command(&world, deed);
            let before = states(&world);
            let state_of = |world: &World, run: &RunId| stored(&world.documents, run).unwrap();
            let Command::RunRollback(wish) = &command else {
                world.transact(&command).ok();
                continue;
            };
            let id: RunId = wish.run.as_str().parse().unwrap();
            let state_before = state_of(&world, &id);
            let answer = world.transact(wish);
            let Ok(answer) = answer else { continue };
            let given_up: Vec<&str> = answer.phases.iter().map(PhaseName::as_str).collect();
            let now = state_of(&world, &id);
            prop_assert_eq!(text(&now, "run", "phase"), wish.to.as_str());
            for (thing, fields) in &state_before {
                let of_phase = ["artifact", "verdict", "dispatch", "agent"];
                let kind = thing.split(' ').next().unwrap_or_default();
                if !of_phase.contains(&kind) {
                    continue;
                }
                if given_up.contains(&text(&state_before, thing, "phase")) {
                    let status = text(&now, thing, "status");
                    prop_assert!(!["active", "running", "spawned"].contains(&status), "{}", thing);
                } else if !wish.all_agents || kind != "agent" {
                    prop_assert_eq!(&now[thing], fields, "{}", thing);
                }
            }
            for phase in &given_up {
                let skip = format!("skip {phase}");
                let stays = wish.keep_skips && state_before.contains_key(&skip);
                prop_assert_eq!(now.contains_key(&skip), stays, "{}", skip);
            }
            if !given_up.is_empty() {
                let skip = format!("skip {}", wish.to);
                prop_assert!(!now.contains_key(&skip), "it stands there");
            }
            let old = &before[&id];
            if old.status == Status::Completed && !given_up.is_empty() {
                let completion = format!("completion {}", old.completions);
                let first = old.completed_at.unwrap().to_string();
                prop_assert_eq!(text(&now, &completion, "at"), first.as_str());
                prop_assert!(now[&completion].contains_key("rolled_back_at"));
                prop_assert_eq!(answer.run.completed_at, None);
            }
        }
    }

    /// The gate that a dry run asks is the gate that an advance asks, and what a gate of the budget
    /// says is what `run budget` says.
    #[test]
    fn a_dry_run_and_an_advance_ask_the_same_gate(deeds in deeds(60)) {
        let mut world = World::new();
        for deed in &deeds {
            let command = command(&world, deed);
            let Command::RunAdvance(wish) = &command else {
                world.transact(&command).ok();
                continue;
            };
            let id: RunId = wish.run.as_str().parse().unwrap();
            let run = index::by_id(&world.documents, &id).unwrap();
            let dry = run.filter(|run| run.status == Status::Active).map(|run| {
                let to = advance::next(&world.documents, &run).unwrap();
                gate::evaluate(&world.documents, &run, run.place(), to).unwrap()
            });
            let Ok(answer) = world.transact(wish) else { continue };
            let dry = dry.expect("only an active run is taken on");
            if answer.step == Step::Paused || wish.priority > 3 {
                continue;
            }
            let is_open = dry.iter().all(|evidence| evidence.passed);
            prop_assert_eq!(&answer.evidence, &dry);
            prop_assert_eq!(answer.step == Step::Blocked, !is_open && wish.priority < 2);
        }
    }

    /// One warning and one overrun in a run's life, and a true answer every time it is asked.
    #[test]
    fn a_budget_is_true_each_time_and_told_once(deeds in deeds(60)) {
        let mut world = World::new();
        for deed in &deeds {
            let command = command(&world, deed);
            world.transact(&command).ok();
            for run in states(&world).into_values() {
                let Some(budget) = run.budget else { continue };
                let dispatches = dispatch::of_run(&world.documents, &run).unwrap();
                let used: u128 = dispatches
                    .iter()
                    .map(|one| u128::from(one.tokens.input) + u128::from(one.tokens.output))
                    .sum();
                let spending = budget.spending(run.spent);
                prop_assert_eq!(spending == Spending::Exceeded, used > budget.tokens.into());
                for (kind, was) in [
                    (events::BUDGET_WARNED, budget.warned_at),
                    (events::BUDGET_EXCEEDED, budget.exceeded_at),
                ] {
                    let of_run = |(event, _): &&(Event, Timestamp)| {
                        event.kind == kind && event.text("run") == Some(run.id.as_str())
                    };
                    let count = world.events.iter().filter(of_run).count();
                    prop_assert_eq!(count, usize::from(was.is_some()), "{}", kind);
                }
                if run.status == Status::Active {
                    prop_assert!(spending != Spending::Exceeded || budget.exceeded_at.is_some());
                }
            }
        }
    }
}

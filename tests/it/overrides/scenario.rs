//! Random sequences of commands about overrides, and a ledger in memory to run them on.

use std::collections::BTreeMap;

use git_coord::core::command::{Command, decide};
use git_coord::core::decision::{Changes, Env, No, RULES};
use git_coord::core::documents::{Key, apply};
use git_coord::core::ids::{AgentName, EntryName, OpId};
use git_coord::core::ledger::LedgerName;
use git_coord::core::pattern::Case;
use git_coord::core::place::Skew;
use git_coord::core::reservation::process::Gone;
use git_coord::core::routing::names::RoutedName;
use git_coord::core::routing::revert;
use git_coord::core::text::Line;
use git_coord::core::time::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

const AGENTS: [&str; 4] = ["fd-a", "fd-b", "fd-c", "fd-safety"];
const ACTORS: [&str; 3] = ["ann", "bob", "tuner"];
const HOUR_MILLIS: i64 = 3_600_000;

pub(super) type Memory = BTreeMap<Key, Vec<u8>>;

/// One act, on an agent.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    Propose,
    Approve,
    Apply { looked: bool, scoped: bool, by_itself: bool, reason: u8 },
    Revert { block: bool },
    RevertEntry { back: usize },
    Block { reason: u8 },
    Unblock,
    Evidence { session: u8, wrong: bool, is_use: bool },
    Sample { session: u8, rate: u8 },
    Check,
    Overlay { id: u8, words: usize },
    DisableOverlay { id: u8 },
    Threshold { which: usize },
    Reset { scope: usize },
    Import { in_force: bool, on_trial: bool },
    Rollback { back: usize },
}

/// The actor, the agent, and the hours that pass before.
#[derive(Clone, Debug)]
pub(super) struct Step {
    actor: usize,
    agent: usize,
    hours_later: i64,
    deed: Deed,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => Just(Deed::Propose),
        3 => Just(Deed::Approve),
        6 => (any::<bool>(), any::<bool>(), prop::bool::weighted(0.3), 0_u8..3).prop_map(
            |(looked, scoped, by_itself, reason)| Deed::Apply { looked, scoped, by_itself, reason }
        ),
        3 => any::<bool>().prop_map(|block| Deed::Revert { block }),
        1 => (1_usize..8).prop_map(|back| Deed::RevertEntry { back }),
        1 => (0_u8..2).prop_map(|reason| Deed::Block { reason }),
        2 => Just(Deed::Unblock),
        6 => (0_u8..6, any::<bool>(), any::<bool>())
            .prop_map(|(session, wrong, is_use)| Deed::Evidence { session, wrong, is_use }),
        6 => (0_u8..6, 0_u8..10).prop_map(|(session, rate)| Deed::Sample { session, rate }),
        3 => Just(Deed::Check),
        2 => (0_u8..3, 1_usize..300).prop_map(|(id, words)| Deed::Overlay { id, words }),
        1 => (0_u8..3).prop_map(|id| Deed::DisableOverlay { id }),
        3 => (0_usize..5).prop_map(|which| Deed::Threshold { which }),
        1 => (0_usize..4).prop_map(|scope| Deed::Reset { scope }),
        1 => (any::<bool>(), any::<bool>())
            .prop_map(|(in_force, on_trial)| Deed::Import { in_force, on_trial }),
        1 => (1_usize..8).prop_map(|back| Deed::Rollback { back }),
    ]
}

/// Generates a scenario of up to `length` steps.
pub(super) fn steps(length: usize) -> impl Strategy<Value = Vec<Step>> {
    let hours = prop_oneof![4 => Just(0_i64), 2 => 1_i64..60, 1 => 100_i64..500];
    let step = (0..ACTORS.len(), 0..AGENTS.len(), hours, deed())
        .prop_map(|(actor, agent, hours_later, deed)| Step { actor, agent, hours_later, deed });
    prop::collection::vec(step, 1..length)
}

/// A command with everything that its decision needs.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) command: Command,
    pub(super) actor: AgentName,
    pub(super) op: OpId,
    pub(super) now: Timestamp,
}

/// A ledger in a map.
#[derive(Default)]
pub(super) struct Ledger {
    pub(super) documents: Memory,
    /// The act and the state of each entry.
    pub(super) history: Vec<(OpId, Memory)>,
    hours: i64,
    acts: u128,
}

fn entry_name(place: usize) -> EntryName {
    format!("{place:040x}").parse().unwrap()
}

impl Ledger {
    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_767_607_200_000 + self.hours * HOUR_MILLIS)
    }

    fn earlier(&self, back: usize) -> Option<usize> {
        self.history.len().checked_sub(back + 1)
    }

    /// Returns the command of a step in this state; `None` if the step has no meaning here.
    pub(super) fn ask(&mut self, step: &Step) -> Option<Asked> {
        self.hours += step.hours_later;
        let command = self.command(step)?;
        let actor = ACTORS[step.actor].parse().unwrap();
        Some(Asked { actor, ..self.asked(command) })
    }

    /// Builds a command as entries record it, asked by the first agent.
    pub(super) fn asked(&mut self, command: Value) -> Asked {
        self.acts += 1;
        Asked {
            command: serde_json::from_value(command).expect("a recorded command"),
            actor: ACTORS[0].parse().unwrap(),
            op: OpId::from_bits(self.acts),
            now: self.now(),
        }
    }

    fn command(&self, step: &Step) -> Option<Value> {
        let agent = AGENTS[step.agent];
        let name: RoutedName = agent.parse().unwrap();
        let input = |word: &str, input: Value| Some(json!({ "command": word, "input": input }));
        match &step.deed {
            Deed::Propose => input(
                "override propose",
                json!({ "agent": agent, "reason": "noise", "source": "human" }),
            ),
            Deed::Approve => input("override approve", json!({ "agent": agent })),
            Deed::Apply { looked, scoped, by_itself, reason } => {
                let mut apply = json!({
                    "agent": agent,
                    "reason": format!("reason {reason}"),
                    "evidence": [u64::from(*reason)],
                    "source": if *by_itself { "tuner" } else { "human" },
                    "cross_cutting": agent == "fd-safety",
                    "confirmed": agent == "fd-safety" && *looked,
                });
                let seen = revert::applied(&self.documents, &name).unwrap();
                if let (true, Some(record)) = (*looked, seen) {
                    apply["seen"] = json!(record.id);
                }
                if *scoped {
                    apply["scope"] = json!({ "file_patterns": ["src/**"] });
                }
                input("override apply", apply)
            }
            Deed::Revert { block } => {
                let mut revert = json!({ "target": { "agent": agent } });
                if *block {
                    revert["block"] = json!("not again");
                }
                input("override revert", revert)
            }
            Deed::RevertEntry { back } => {
                let (op, _) = &self.history[self.earlier(*back)?];
                input("override revert", json!({ "target": { "act": op } }))
            }
            Deed::Block { reason } => {
                let reason = format!("reason {reason}");
                input("override block", json!({ "agent": agent, "reason": reason }))
            }
            Deed::Unblock => input("override unblock", json!({ "agent": agent })),
            Deed::Evidence { session, wrong, is_use } => {
                let mut row = json!({
                    "agent": agent,
                    "source_kind": "agent",
                    "event": if *is_use { "agent_dispatch" } else { "override" },
                    "session": format!("s{session}"),
                    "project": format!("p{}", session % 2),
                });
                if *is_use {
                    row["findings"] = json!(3);
                } else {
                    row["reason"] = json!(if *wrong { "agent_wrong" } else { "already_fixed" });
                }
                input("override evidence add", row)
            }
            Deed::Sample { session, rate } => {
                let rate = f64::from(*rate) / 10.0;
                let metrics = json!({ "override_rate": rate, "fp_rate": 0.5, "density": 2.0 });
                let session = format!("s{session}");
                let sample = json!({ "agent": agent, "session": session, "metrics": metrics });
                input("override canary sample", sample)
            }
            Deed::Check => input("override canary check", json!({})),
            Deed::Overlay { id, words } => input(
                "override overlay add",
                json!({
                    "agent": agent, "id": format!("o{id}"), "body": "word ".repeat(*words),
                    "source": if step.actor == 2 { "tuner" } else { "human" },
                }),
            ),
            Deed::DisableOverlay { id } => {
                let id = format!("o{id}");
                input("override overlay disable", json!({ "agent": agent, "id": id }))
            }
            Deed::Threshold { which } => {
                let settings = [
                    json!({ "name": "autonomy", "value": true }),
                    json!({ "name": "quarantine_hours", "value": 0.0 }),
                    json!({ "name": "min_baseline", "value": 1.0 }),
                    json!({ "name": "canary_uses", "value": 2.0 }),
                    json!({ "name": "breaker_reverts", "value": 1.0 }),
                ];
                input("override thresholds", settings[*which].clone())
            }
            Deed::Reset { scope } => {
                let scope = ["evidence", "canary", "modifications", "all"][*scope];
                input("override reset", json!({ "scope": scope }))
            }
            Deed::Import { in_force, on_trial } => {
                let action = if *in_force { "exclude" } else { "propose" };
                let mut entry = json!({ "agent": agent, "action": action, "mine": [1] });
                if *on_trial {
                    let expires = Timestamp::from_millis(self.now().as_millis() + 50 * HOUR_MILLIS);
                    entry["canary"] =
                        json!({ "status": "active", "window_uses": 3, "expires_at": expires });
                }
                input("override import", json!({ "entries": [entry], "unknown": { "x": 1 } }))
            }
            Deed::Rollback { back } => {
                let to = entry_name(self.earlier(*back)?);
                input("rollback", json!({ "to": to, "reason": "a mistake" }))
            }
        }
    }

    /// Decides a command on the current state.
    pub(super) fn decided(&self, asked: &Asked) -> Result<Option<Changes>, String> {
        let earlier = asked.command.reads_entry().map(|name| {
            let place = (0..self.history.len()).find(|place| entry_name(*place) == *name);
            &self.history[place.unwrap()].1
        });
        let env = Env {
            ledger: LedgerName::Overrides,
            rules: RULES,
            actor: &asked.actor,
            host: &Line::new("host").unwrap(),
            now: asked.now,
            before: None,
            leap: None,
            skew: Skew::default(),
            before_by: None,
            asked_at: None,
            last: None,
            place: None,
            op: &asked.op,
            fence: 0,
            case: Case::Sensitive,
            gone: &Gone::NOTHING,
            earlier: earlier.map(|documents| documents as _),
        };
        match decide(&asked.command, &self.documents, env) {
            Ok(decided) => Ok(decided.changes),
            Err(No::Refused(refusal)) => Err(refusal.code().to_owned()),
            Err(No::Unreadable(error)) => panic!("{error} after {asked:?}"),
        }
    }

    /// Writes an entry.
    pub(super) fn write(&mut self, asked: &Asked, changes: &Changes) {
        apply(&mut self.documents, &changes.edits);
        self.history.push((asked.op.clone(), self.documents.clone()));
    }
}

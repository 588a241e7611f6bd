//! Puts a refused request on the record.
//!
//! A refusal leaves nothing in the ledger. Where people want to know which paths are wanted by
//! many, the asker records the conflict afterwards, by a command of its own.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::HoldId;
use crate::core::reservation::{About, Target, events, index, named_targets};

/// The most conflicts that one entry records. A wide pattern can meet thousands of holds.
pub const RECORDED_MAX: usize = 20;

/// A target that was asked for, and a hold that stood in its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Met {
    #[serde(flatten)]
    pub target: Target,
    pub hold: HoldId,
}

/// Records the conflicts of a refused request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordConflict {
    pub met: Vec<Met>,
    /// The purpose of the request.
    #[serde(flatten)]
    pub about: About,
}

impl Decide for RecordConflict {
    /// The number of conflicts that are on the record now.
    type Answer = usize;

    /// Records the conflicts with holds that others still have. A hold that has ended since the
    /// refusal is in nobody's way, and an entry tells only what is true of the state before it.
    fn decide(&self, act: &mut Act<'_>) -> Result<usize, No> {
        let mut recorded = 0;
        for Met { target, hold } in self.met.iter().take(RECORDED_MAX) {
            let (now, actor) = (act.env.now, act.env.actor);
            let held = index::by_id(act, hold)?;
            if let Some(held) = held.filter(|held| held.is_live(now) && held.holder != *actor) {
                events::conflict(act, target, &held, &self.about);
                recorded += 1;
            }
        }
        Ok(recorded)
    }

    fn summary(&self, _: &usize, env: &Env<'_>) -> String {
        let mut targets: Vec<Target> = self.met.iter().map(|met| met.target.clone()).collect();
        targets.dedup();
        format!("refuse {} to {}", named_targets(&targets), env.actor)
    }
}

//! Reservations: who may change what, until when.
//!
//! A [`Hold`] is one [`Target`], a pattern or a named lock, held by one agent. Two holds *stand
//! against* each other when their targets meet, their holders are strangers, and at least one of
//! them is exclusive. No two live holds of a ledger ever do, with one exception: two holds that
//! came with edits in different work trees ([`laws`] spells it out). Expired holds stand against
//! nothing; the next write that meets one removes it.
//!
//! One file a verb ([`reserve`], [`renew`], [`release`], [`transfer`], [`sweep`], [`check`],
//! [`rollback`], [`wait`]), each a pure decision; `claim` is the part of [`reserve`] for one
//! target, and [`conflict`] records a refusal. [`index`] places holds in the tree, [`tickets`]
//! keeps the line of waiting agents, [`paths`] says what a target covers, [`narrow`] frees a part
//! of a hold, [`process`] ties a hold to a process, [`events`] writes the events, [`laws`] checks
//! what must be true of every state, and [`fence`] decides whether an edit may still be committed.

pub mod check;
mod claim;
pub mod conflict;
pub mod events;
pub mod fence;
pub mod index;
pub mod laws;
pub mod narrow;
pub mod paths;
pub mod process;
pub mod release;
pub mod renew;
pub mod requests;
pub mod reserve;
pub mod rollback;
pub mod select;
pub mod sweep;
pub mod target;
pub mod tickets;
pub mod transfer;
pub mod undo;
pub mod wait;
pub mod word;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::clock;
use crate::core::ids::{AgentName, HoldId};
use crate::core::place::{Place, Skew, are_apart};
use crate::core::reservation::process::Process;
pub use crate::core::reservation::target::Target;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

words! {
    /// Exclusive or shared.
    pub enum Mode {
        /// Strangers may hold nothing that meets the target.
        Exclusive = "exclusive",
        /// Strangers may hold it too, if they also share it.
        Shared = "shared",
    }
}

impl Mode {
    /// Tells whether two strangers cannot have holds of these modes on the same target.
    pub fn excludes(self, other: Mode) -> bool {
        self == Mode::Exclusive || other == Mode::Exclusive
    }

    /// Tells whether a hold of this mode grants everything that a hold of the other would.
    pub fn gives(self, other: Mode) -> bool {
        self == Mode::Exclusive || other == Mode::Shared
    }
}

/// The door through which a hold was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The command line: an agent or a person asked for the hold itself.
    Command,
    /// An agent's edit hook: the hold came with an edit. It protects the work tree of the edit.
    Hook,
    /// An answer or a takeover, for an asker that works through hooks. The hold protects
    /// everywhere, and ends like one that came with an edit.
    Ask,
}

impl Via {
    /// Tells whether the hold ends with the turn or the session of its holder.
    pub fn ends_with_turn(self) -> bool {
        self != Via::Command
    }
}

/// The purpose and the origin of a hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct About {
    /// The holder's own words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Line>,
    /// The task that the hold belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub task: Option<Line>,
    /// The run that the hold belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<Line>,
    /// The door through which the hold was asked for.
    pub via: Via,
    /// The linked worktree that the hold was made in; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
    /// The clone that the hold was made in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Place>,
}

impl About {
    /// Returns this with the place of the request, if this tells none.
    #[must_use]
    pub fn at(&self, place: Option<&Place>) -> About {
        About { place: self.place.as_ref().or(place).cloned(), ..self.clone() }
    }

    /// Tells whether the hold came with an edit in another worktree than this one, or in a worktree
    /// of another clone.
    pub fn is_edit_elsewhere(&self, hold: &Hold) -> bool {
        let other = &hold.about;
        let is_elsewhere =
            are_apart(self.place.as_ref(), other.place.as_ref()) || self.worktree != other.worktree;
        other.via == Via::Hook && is_elsewhere
    }
}

/// One target held by one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hold {
    /// The id of the hold.
    pub id: HoldId,
    /// The agent that has the hold.
    pub holder: AgentName,
    /// The paths or the lock that the hold is on.
    #[serde(flatten)]
    pub target: Target,
    /// Exclusive or shared.
    pub mode: Mode,
    /// The purpose and the origin of the hold.
    #[serde(flatten)]
    pub about: About,
    /// The process that the hold ends with, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub process: Option<Process>,
    /// The shell of the terminal that a person made the hold from, or else the program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shell: Option<Process>,
    /// The time of the grant.
    pub granted_at: Timestamp,
    /// The time when the hold ends unless it is renewed.
    pub expires_at: Timestamp,
    /// A number that grows with every grant: a resource can turn away a holder that was overtaken.
    pub fence: u64,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Hold {
    /// Tells whether the hold counts. A hold whose end a wrong clock has set far ahead does not.
    pub fn is_live(&self, now: Timestamp) -> bool {
        !self.is_over(now) && !clock::is_beyond_any_life(self.expires_at, now)
    }

    /// Tells whether the time of the hold is over.
    pub fn is_over(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }

    /// Tells whether the hold counts for somebody with another clock. A hold of another place does
    /// until its time is over by that clock too.
    pub fn counts_at(&self, now: Timestamp, skew: Skew<'_>) -> bool {
        !self.is_over_for(now, skew) && !clock::is_beyond_any_life(self.expires_at, now)
    }

    /// Tells whether the time of the hold is over by the clock of its place.
    pub fn is_over_for(&self, now: Timestamp, skew: Skew<'_>) -> bool {
        now >= self.expires_at.plus_seconds(skew.against(self.about.place.as_ref()))
    }

    /// Tells whether the hold was made from another terminal or program than this one.
    pub fn is_from_another_shell(&self, shell: Option<&Process>) -> bool {
        self.shell.is_some() && self.shell.as_ref() != shell
    }

    /// Tells whether the hold ends when the session of its holder says that it ends. Nobody is
    /// there then who would use it, whatever it was asked for by; a hold that belongs to a process
    /// goes on with that.
    pub fn ends_when_its_holder_leaves(&self) -> bool {
        self.process.is_none()
    }

    /// Tells whether the hold ends with the session of its holder, however that ends. A session
    /// that died may go on, so it keeps what it asked for by a command.
    pub fn ends_with_session(&self) -> bool {
        self.about.via.ends_with_turn() && self.process.is_none()
    }
}

/// Names the targets of holds in a line of text: the first two, then how many more.
pub(crate) fn named<'a>(holds: impl IntoIterator<Item = &'a Hold>) -> String {
    named_targets(holds.into_iter().map(|hold| &hold.target))
}

/// Names targets in a line of text: the first two, then how many more.
pub(crate) fn named_targets<'a>(targets: impl IntoIterator<Item = &'a Target>) -> String {
    let shown: Vec<String> = targets.into_iter().map(Target::shown).collect();
    match shown.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first, second] => format!("{first}, {second}"),
        [first, second, rest @ ..] => format!("{first}, {second} and {} more", rest.len()),
    }
}

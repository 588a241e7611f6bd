//! Reservations: who may change what, until when.
//!
//! A [`Hold`] is one [`Target`], a pattern or a named lock, held by one agent. Two holds *stand
//! against* each other when their targets meet, their holders are strangers, and at least one of
//! them is exclusive; no two live holds of a ledger ever do. Expired holds stand against nothing;
//! they are removed by whichever write meets them.
//!
//! One file a verb ([`reserve`], [`renew`], [`release`], [`transfer`], [`sweep`], [`check`],
//! [`rollback`], [`wait`]), each a pure decision; [`index`] is where holds live in the tree,
//! [`tickets`] who waits for them, [`process`] what they go with, [`events`] the events they leave,
//! [`laws`] what must be true of every state, [`fence`] whether an edit may still be committed.

pub mod check;
pub mod events;
pub mod fence;
pub mod index;
pub mod laws;
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
pub mod wait;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::ids::{AgentName, HoldId};
use crate::core::reservation::process::Process;
pub use crate::core::reservation::target::Target;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Whether others may hold the same.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nobody else.
    Exclusive,
    /// Others who hold it shared.
    Shared,
}

impl Mode {
    /// Whether holds of these modes cannot be held by two strangers.
    pub fn excludes(self, other: Mode) -> bool {
        self == Mode::Exclusive || other == Mode::Exclusive
    }

    /// Whether a hold of this mode gives what a hold of the other would.
    pub fn gives(self, other: Mode) -> bool {
        self == Mode::Exclusive || other == Mode::Shared
    }

    /// The word that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Exclusive => "exclusive",
            Mode::Shared => "shared",
        }
    }
}

/// Through which door a hold was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The command line: somebody meant it.
    Command,
    /// An agent's edit hook: it came with an edit.
    Hook,
}

/// What a hold is for and where it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct About {
    /// Why, in the holder's words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Line>,
    /// The task it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub task: Option<Line>,
    /// The run it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<Line>,
    /// Through which door it came.
    pub via: Via,
    /// The linked worktree it was made in; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
}

impl About {
    /// Whether a hold came with an edit in another worktree than this.
    pub fn is_edit_elsewhere(&self, hold: &Hold) -> bool {
        hold.about.via == Via::Hook && hold.about.worktree != self.worktree
    }
}

/// One target held by one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hold {
    /// Its name.
    pub id: HoldId,
    /// Whose it is.
    pub holder: AgentName,
    /// What it is on.
    #[serde(flatten)]
    pub target: Target,
    /// Whether others may hold the same.
    pub mode: Mode,
    /// What it is for and where it came from.
    #[serde(flatten)]
    pub about: About,
    /// The process that it ends with, if it goes with one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub process: Option<Process>,
    /// When it was granted.
    pub granted_at: Timestamp,
    /// When it ends unless it is renewed.
    pub expires_at: Timestamp,
    /// Grows with every grant: a resource can turn away a holder that was overtaken.
    pub fence: u64,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Hold {
    /// Whether it still counts.
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

/// What holds are on, for a line of text: the first two by name, then how many more.
fn named<'a>(holds: impl IntoIterator<Item = &'a Hold>) -> String {
    named_targets(holds.into_iter().map(|hold| &hold.target))
}

/// The same for targets that nobody holds yet.
pub(crate) fn named_targets<'a>(targets: impl IntoIterator<Item = &'a Target>) -> String {
    let shown: Vec<String> = targets.into_iter().map(Target::shown).collect();
    match shown.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first, second] => format!("{first}, {second}"),
        [first, second, rest @ ..] => format!("{first}, {second} and {} more", rest.len()),
    }
}

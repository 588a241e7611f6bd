//! The forms of reservations and conflicts. Each has one form in every answer, so a program reads
//! it with one piece of code.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::presence::HolderLiveness;
use crate::core::refusal::Conflict;
use crate::core::reservation::reserve::Grant;
use crate::core::reservation::tickets::Ticket;
use crate::core::reservation::{Hold, Target};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// The largest number of conflicts in an answer for programs.
pub const CONFLICTS_MAX: usize = 10;
/// The largest number of characters that they take, unless the first alone takes more.
const CONFLICTS_CHARS_MAX: usize = 4_500;

/// A reservation: its document, the time that it has left, and the presence of its holder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reservation")]
pub struct HoldView {
    #[serde(flatten)]
    pub hold: Hold,
    /// The seconds until it expires; 0 once it has.
    pub seconds_left: u64,
    /// The presence of the holder; absent if it was never seen on this machine.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub holder_presence: Option<HolderPresence>,
    /// The process of the command of a `with` that was killed; the command goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_runs: Option<u32>,
}

/// The time and place where a holder was last seen on this machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HolderPresence {
    /// False if the holder was not seen for a while, or has ended.
    pub alive: bool,
    /// True if the holder's session has ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// The time of its last command or hook.
    pub last_seen: Timestamp,
    /// The branch that it was on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Line>,
    /// The terminal that it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<Line>,
}

/// A reservation that was granted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Grant")]
pub struct GrantView {
    #[serde(flatten)]
    pub hold: HoldView,
    /// True if the caller held it before, so that it was renewed.
    pub renewed: bool,
}

/// A target that was asked for, and the reservation that stands in its way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Conflict")]
pub struct ConflictView {
    #[serde(flatten)]
    pub target: Target,
    /// The reservation in the way.
    pub held: HoldView,
}

/// The members of a refusal because others hold the targets.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldView {
    /// Always empty.
    pub granted: Vec<GrantView>,
    /// Always false.
    pub free: bool,
    /// Each target with each reservation that stands in its way, at most ten of them.
    pub conflicts: Vec<ConflictView>,
    /// True if conflicts were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// The agents that wait for the same targets and go first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Ticket>,
}

impl HoldView {
    /// Shows a hold at that time.
    pub fn new(hold: Hold, now: Timestamp) -> HoldView {
        let seconds_left = hold.expires_at.seconds_since(now);
        HoldView { hold, seconds_left, holder_presence: None, command_runs: None }
    }

    /// Shows several holds at that time.
    pub fn all(holds: impl IntoIterator<Item = Hold>, now: Timestamp) -> Vec<HoldView> {
        holds.into_iter().map(|hold| HoldView::new(hold, now)).collect()
    }

    /// Shows a hold with what this machine knows of its holder.
    fn with_liveness(hold: Hold, now: Timestamp, liveness: &HolderLiveness) -> HoldView {
        let holder_presence = liveness.known.get(&hold.holder).map(|holder| HolderPresence {
            alive: holder.is_alive(now),
            ended: holder.has_ended(),
            last_seen: holder.presence.last_seen,
            branch: holder.presence.branch.clone(),
            terminal: holder.presence.terminal.clone(),
        });
        let command_runs = liveness.orphans.get(&hold.id).copied();
        HoldView { holder_presence, command_runs, ..HoldView::new(hold, now) }
    }
}

impl GrantView {
    /// Shows what was granted at that time.
    pub fn new(grant: Grant, now: Timestamp) -> GrantView {
        GrantView { hold: HoldView::new(grant.hold, now), renewed: grant.renewed }
    }
}

impl ConflictView {
    /// Shows conflicts with what this machine knows of the holders.
    pub fn all(
        conflicts: &[Conflict],
        now: Timestamp,
        liveness: &HolderLiveness,
    ) -> Vec<ConflictView> {
        let view = |Conflict { target, held }: &Conflict| ConflictView {
            target: target.clone(),
            held: HoldView::with_liveness(held.clone(), now, liveness),
        };
        conflicts.iter().map(view).collect()
    }

    /// Shows as many conflicts as an answer for programs has room for, the first in any case, and
    /// tells whether some were left out.
    pub fn bounded(all: &[ConflictView]) -> (Vec<ConflictView>, bool) {
        let (mut chars, mut shown) = (0, Vec::new());
        for view in all.iter().take(CONFLICTS_MAX) {
            chars += serde_json::to_string(view).map_or(0, |text| text.chars().count());
            if chars > CONFLICTS_CHARS_MAX && !shown.is_empty() {
                break;
            }
            shown.push(view.clone());
        }
        let more = shown.len() < all.len();
        (shown, more)
    }

    pub fn conflict(&self) -> Conflict {
        Conflict { target: self.target.clone(), held: self.held.hold.clone() }
    }
}

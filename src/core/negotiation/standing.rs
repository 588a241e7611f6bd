//! Where a request stands at a moment: a pure function of what is stored, the time, and what is
//! known of the holder. Nothing happens because time has passed; whoever reads is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::AgentName;
use crate::core::limits::CALL_SECONDS_MAX;
use crate::core::negotiation::{Asked, How};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// What is known of an agent's last sign of life, on the host that it gave it on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Of whom.
    pub agent: AgentName,
    /// On which host.
    pub host: Line,
    /// When it was last seen there.
    pub last_seen: Timestamp,
    /// Since when a tool call of its is open, which may take its time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busy_since: Option<Timestamp>,
    /// Whether a process of its runs there that something is held for.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub runs: bool,
}

impl Evidence {
    /// Whether the agent has given no sign of life for that long.
    pub fn shows_silence(&self, seconds: u64, now: Timestamp) -> bool {
        !self.runs && self.busy(now).is_none() && now.seconds_since(self.last_seen) >= seconds
    }

    /// Since when a tool call is open. One that never ends is not one: its session has died.
    pub fn busy(&self, now: Timestamp) -> Option<Timestamp> {
        self.busy_since.filter(|since| now.seconds_since(*since) < CALL_SECONDS_MAX)
    }
}

/// Whether what is asked for is still held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// One of the holds that the request is pinned to lives.
    Yes,
    /// None of them does: they have run out, or their process has ended, and no write has met
    /// them since.
    NoMore,
}

/// How long a request has waited.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Not for long.
    Fresh,
    /// For more than half of the window.
    Reminder,
    /// For all of it.
    Overdue,
}

impl Stage {
    /// The word that is shown.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Fresh => "fresh",
            Stage::Reminder => "reminder",
            Stage::Overdue => "overdue",
        }
    }
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The holder has not answered.
    Pending,
    /// The holder has not answered as long as the asker waited. Only one who waited is told so.
    Timeout,
    /// The holder needs more time.
    Deferred,
    /// The holder refused.
    Refused,
    /// The holder does not hold it any more.
    Released,
}

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub status: Status,
    /// How long it has waited; nothing if there is nothing to wait for any more.
    pub stage: Option<Stage>,
    /// Whether the asker may take it now.
    pub can_take: bool,
}

impl Asked {
    /// Where it stands, for whoever reads it now.
    pub fn standing(&self, now: Timestamp, held: Held, evidence: Option<&Evidence>) -> Standing {
        if let Some(outcome) = &self.outcome {
            let is_refused = outcome.how == How::Refused;
            let status = if is_refused { Status::Refused } else { Status::Released };
            return Standing { status, stage: None, can_take: false };
        }
        if held == Held::NoMore {
            return Standing { status: Status::Released, stage: None, can_take: true };
        }
        let stage = self.stage(now);
        let can_take = stage == Stage::Overdue || self.is_silent(now, evidence);
        let is_deferred = self.deferred.is_some();
        let status = if is_deferred { Status::Deferred } else { Status::Pending };
        Standing { status, stage: Some(stage), can_take }
    }

    fn stage(&self, now: Timestamp) -> Stage {
        let began = self.window_began_at;
        if now >= self.window_ends_at {
            Stage::Overdue
        } else if now.seconds_since(began) * 2 >= self.window_ends_at.seconds_since(began) {
            Stage::Reminder
        } else {
            Stage::Fresh
        }
    }

    /// Whether the holder has given no sign of life for twice the window.
    pub fn is_silent(&self, now: Timestamp, evidence: Option<&Evidence>) -> bool {
        evidence.is_some_and(|evidence| {
            evidence.agent == self.holder && evidence.shows_silence(self.window_seconds() * 2, now)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen_at(millis: i64) -> Evidence {
        Evidence {
            agent: "alice".parse().unwrap(),
            host: "host".parse().unwrap(),
            last_seen: Timestamp::from_millis(millis),
            busy_since: None,
            runs: false,
        }
    }

    /// 3/FORCE-4: silence is that nothing at all shows a sign of life.
    #[test]
    fn what_runs_is_not_silent_and_a_call_does_not_last_for_ever() {
        let start = Timestamp::from_millis(0);
        let after = |seconds| start.plus_seconds(seconds);
        let seen = seen_at(0);
        assert!(!seen.shows_silence(600, after(599)));
        assert!(seen.shows_silence(600, after(600)));
        let runs = Evidence { runs: true, ..seen.clone() };
        assert!(!runs.shows_silence(600, after(1_000_000)));
        let busy = Evidence { busy_since: Some(start), ..seen };
        assert!(!busy.shows_silence(600, after(CALL_SECONDS_MAX - 1)));
        assert!(busy.shows_silence(600, after(CALL_SECONDS_MAX)));
        assert_eq!(busy.busy(after(CALL_SECONDS_MAX)), None);
    }
}

//! The standing of a request at a moment: a pure function of the stored request, the time, and the
//! evidence about the holder. The passing of time changes no document; each reader computes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::AgentName;
use crate::core::limits::CALL_SECONDS_MAX;
use crate::core::negotiation::{Asked, How, Outcome};
use crate::core::place::{Place, are_apart};
use crate::core::reservation::Hold;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

/// The last sign of life of an agent, on the host that saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub agent: AgentName,
    pub host: Line,
    pub last_seen: Timestamp,
    /// The time since when a tool call of the agent is open; such a call may take a while.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busy_since: Option<Timestamp>,
    /// True if a process of the agent runs there that a hold goes with.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub runs: bool,
    /// The clone that the agent was seen in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Place>,
    /// The time when the host looked. Nothing is known of later times.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub observed_at: Option<Timestamp>,
    /// True if the session of the agent has ended there.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub ended: bool,
}

impl Evidence {
    /// Tells whether this says something of the holder of these holds: a holder elsewhere may be
    /// busy without being seen here.
    pub fn is_about(&self, holds: &[Hold]) -> bool {
        let is_apart = |hold: &Hold| are_apart(self.place.as_ref(), hold.about.place.as_ref());
        !holds.iter().any(is_apart)
    }

    /// Tells whether the agent had given no sign of life for that long when the host looked. A
    /// session that has ended gives none any more.
    pub fn shows_silence(&self, seconds: u64, now: Timestamp) -> bool {
        let now = self.observed_at.map_or(now, |observed| observed.min(now));
        let is_quiet = || self.busy(now).is_none() && now.seconds_since(self.last_seen) >= seconds;
        !self.runs && (self.ended || is_quiet())
    }

    /// Returns the time since when a tool call is open. A call that never ends does not count, nor
    /// does one of a session that has ended.
    pub fn busy(&self, now: Timestamp) -> Option<Timestamp> {
        let since = self.busy_since.filter(|_| !self.ended)?;
        (now.seconds_since(since) < CALL_SECONDS_MAX).then_some(since)
    }
}

/// The state of the holds that a request is pinned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// At least one of the holds is live.
    Yes,
    /// None of the holds is live: they have run out, or their process has ended, and no write has
    /// removed them yet.
    NoMore,
}

words! {
    /// The time that a request has waited, in terms of its window.
    pub enum Stage {
        /// Less than half of the window.
        Fresh = "fresh",
        /// Half of the window or more.
        Reminder = "reminder",
        /// The whole window.
        Overdue = "overdue",
    }
}

/// The answer to a request so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The holder has not answered.
    Pending,
    /// The holder did not answer while the asker waited. Only an asker that waited gets this
    /// status.
    Timeout,
    /// The holder needs more time.
    Deferred,
    /// The holder refused.
    Refused,
    /// The asker got what it asked for.
    Released,
    /// The holder does not have the holds any more, and the asker got nothing.
    Free,
    /// Another agent has what was asked for.
    Held,
}

impl Status {
    /// Corrects the status of a request by what stands in the asker's way now.
    #[must_use]
    pub fn given(self, is_blocked: bool) -> Status {
        match self {
            Status::Free if is_blocked => Status::Held,
            other => other,
        }
    }
}

/// The standing of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub status: Status,
    /// The time that the request has waited; none if there is nothing to wait for any more.
    pub stage: Option<Stage>,
    /// True if the asker may take the holds now.
    pub can_take: bool,
}

impl Outcome {
    /// Tells what the end of a request means to its asker.
    pub fn status(&self) -> Status {
        match self.how {
            How::Refused => Status::Refused,
            _ if !self.granted.is_empty() => Status::Released,
            How::Transferred => Status::Held,
            How::Released | How::Taken | How::Expired | How::Revoked => Status::Free,
        }
    }
}

impl Asked {
    /// Computes where the request stands now.
    pub fn standing(&self, now: Timestamp, held: Held, evidence: Option<&Evidence>) -> Standing {
        if let Some(outcome) = &self.outcome {
            return Standing { status: outcome.status(), stage: None, can_take: false };
        }
        if held == Held::NoMore {
            return Standing { status: Status::Free, stage: None, can_take: true };
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

    /// Tells whether the holder has given no sign of life for twice the window.
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
            place: None,
            observed_at: None,
            ended: false,
        }
    }

    /// 3/FORCE-4: a holder is silent only if nothing at all shows a sign of life.
    #[test]
    fn what_runs_is_not_silent_and_a_call_does_not_last_for_ever() {
        let start = Timestamp::from_millis(0);
        let after = |seconds| start.plus_seconds(seconds);
        let seen = seen_at(0);
        assert!(!seen.shows_silence(600, after(599)));
        assert!(seen.shows_silence(600, after(600)));
        let runs = Evidence { runs: true, ..seen.clone() };
        assert!(!runs.shows_silence(600, after(1_000_000)));
        let ended = Evidence { ended: true, busy_since: Some(start), ..seen.clone() };
        assert!(ended.shows_silence(600, start), "8/ENDED-IS-NOT-ALIVE");
        assert!(!Evidence { runs: true, ..ended }.shows_silence(600, start));
        let busy = Evidence { busy_since: Some(start), ..seen };
        assert!(!busy.shows_silence(600, after(CALL_SECONDS_MAX - 1)));
        assert!(busy.shows_silence(600, after(CALL_SECONDS_MAX)));
        assert_eq!(busy.busy(after(CALL_SECONDS_MAX)), None);
    }
}

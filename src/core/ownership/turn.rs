//! The turn of the owner of a change: an owner may be at work still.

use crate::core::time::Timestamp;

/// An agent without a sign of life for that long has died.
const DEAD_SECONDS: u64 = 24 * 60 * 60;

/// The turn of an agent, as others see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The agent is at work.
    Running,
    /// The agent has nothing to do; it may go on at any time.
    Over,
    /// The session of the agent said that it ends.
    Ended,
    /// The process of the agent has ended without a word, or nobody has seen it for a day.
    Died,
}

/// The last signs of life of an agent on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs {
    pub last_seen: Timestamp,
    /// True if its last call through a hook was part of a turn.
    pub in_turn: bool,
    /// True if it was seen a short while ago, or a tool call of its is open.
    pub is_alive: bool,
    /// True if its session said that it ends.
    pub has_left: bool,
    /// True if all of its processes have ended.
    pub has_no_process: bool,
}

impl Turn {
    /// Tells the turn of an agent by its own signs and those of its session. A subagent that has
    /// finished is still at work while its session is, and ends with it. Nothing is known of an
    /// agent without signs, so its turn is over.
    pub fn of(own: Option<Signs>, session: Option<Signs>, now: Timestamp) -> Turn {
        let Some(of_session) = session.or(own) else { return Turn::Over };
        let is_running = |signs: Signs| signs.in_turn && signs.is_alive;
        let last_seen =
            own.map_or(of_session.last_seen, |own| own.last_seen.max(of_session.last_seen));
        if of_session.has_left {
            Turn::Ended
        } else if of_session.has_no_process || now.seconds_since(last_seen) >= DEAD_SECONDS {
            Turn::Died
        } else if is_running(of_session) || own.is_some_and(is_running) {
            Turn::Running
        } else {
            Turn::Over
        }
    }
}

//! The policy of hooks towards calls that they cannot check: whose fault it may be, the call passes
//! unless the user has asked for a refusal.

use crate::app::open::Door;

/// Makes hooks refuse what they cannot check.
const FAIL_CLOSED: &str = "coord.hook.failClosed";

/// The policy of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    fails_closed: bool,
}

impl Policy {
    /// Reads the policy; none where hooks do not act.
    pub fn of(door: &Door) -> Option<Policy> {
        door.is_enabled().then(|| Policy { fails_closed: door.is_on(FAIL_CLOSED) })
    }

    /// Tells whether a call is refused that could not be checked. Only a gate refuses: a hook that
    /// the caller goes by.
    pub fn refuses_unchecked(self, is_gate: bool) -> bool {
        self.fails_closed && is_gate
    }
}

//! The policy of hooks towards calls that they cannot check: whose fault it may be, the call passes
//! unless the user has asked for a refusal.

use crate::app::open::Door;
use crate::app::shell_gate::runs_verb;
use crate::core::boolean::parse_boolean;

/// Makes hooks refuse what they cannot check.
const FAIL_CLOSED: &str = "coord.hook.failClosed";
/// Lets shell commands be looked at.
const SHELL: &str = "coord.hook.shell";

/// The policy of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    fails_closed: bool,
    /// Set unless shell commands are not looked at.
    looks_at_shell: bool,
}

impl Policy {
    /// Reads the policy; none where hooks do not act.
    pub fn of(door: &Door) -> Option<Policy> {
        let is_off = |key: &str| door.get(key).as_deref().and_then(parse_boolean) == Some(false);
        door.is_enabled().then(|| Policy {
            fails_closed: door.is_on(FAIL_CLOSED),
            looks_at_shell: !is_off(SHELL),
        })
    }

    /// Tells whether a shell command is refused that could not be looked at: one in which a verb of
    /// git is recognised that may touch work of others.
    pub fn refuses_unchecked_command(self, text: &str) -> bool {
        self.fails_closed && self.looks_at_shell && runs_verb(text)
    }

    /// Tells whether a call is refused that could not be checked. Only a gate refuses: a hook that
    /// the caller goes by.
    pub fn refuses_unchecked(self, is_gate: bool) -> bool {
        self.fails_closed && is_gate
    }
}

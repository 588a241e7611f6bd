//! Tables of the manual beside commands, exit codes and configuration keys.

use crate::app::env_file::SESSION_DIR_VARIABLE;
use crate::app::identity::{AGENT_VARIABLE, marks, session_variables};
use crate::app::ledgers::EVERY_REF;
use crate::app::open::WITHIN_VARIABLE;
use crate::core::ledger::LedgerName;

/// Lists the environment variables and their effects.
pub(super) fn variables() -> Vec<(String, &'static str)> {
    let listed = |names: Vec<&str>| names.join(", ");
    let table = [
        (AGENT_VARIABLE.to_owned(), "The name to act under; --as takes precedence."),
        (
            listed(session_variables().collect()),
            "The session of a coding agent; git coord makes the agent's name from it.",
        ),
        (
            listed(marks().collect()),
            "The mark of a coding agent that tells no session; git coord makes the agent's name \
             from the process that set it.",
        ),
        (
            SESSION_DIR_VARIABLE.to_owned(),
            "The hook that begins a session sets it for later shell commands, to the directory \
             that the session was begun in. What such a command asks for in another repository \
             ends with the turn, too.",
        ),
        (
            "GIT_COORD_NOW".to_owned(),
            "Replaces the clock, for tests and replay in scratch repositories, such as \
             2026-08-01T12:00:00Z. Entries record this time, and a ledger never goes back in \
             time: never set it in a repository that others use.",
        ),
        (
            WITHIN_VARIABLE.to_owned(),
            "'git coord with' sets it for its command, to the ids of the reservations that it \
             holds. A wait inside the command that could never end is refused.",
        ),
        ("GIT_ADVICE".to_owned(), "0 silences all advice."),
        ("NO_COLOR".to_owned(), "Any value switches colour off."),
        ("CLICOLOR_FORCE".to_owned(), "Any value but 0 switches colour on."),
        (
            "GIT_DIR, GIT_WORK_TREE, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_COUNT"
                .to_owned(),
            "These and git's other variables that choose a repository or its configuration \
             work as in git.",
        ),
    ];
    table.to_vec()
}

/// Lists the refs and files, and their content.
pub(super) fn files() -> [(String, &'static str); 2] {
    [
        (
            EVERY_REF.to_owned(),
            "The ledgers: all state, as commits. They can be read with any git tool.",
        ),
        (
            "$GIT_COMMON_DIR/coord/".to_owned(),
            "Local helpers, such as the lock that queues writers and the cursors of consumers. \
             Losing them loses no state.",
        ),
    ]
}

/// Lists the commands of a first session.
pub(super) fn examples() -> [(&'static str, String); 5] {
    [
        (
            "Reserve a directory for an hour:",
            "git coord reserve src/api --ttl 1h --reason 'new endpoints'".to_owned(),
        ),
        (
            "Check before an edit, in a script:",
            "git coord check src/api/mod.rs || echo held".to_owned(),
        ),
        ("Show all reservations:", "git coord".to_owned()),
        ("Release all your reservations:", "git coord release --mine".to_owned()),
        (
            "Read the audit trail with git alone:",
            format!("git log {}", LedgerName::Reservations.reference()),
        ),
    ]
}

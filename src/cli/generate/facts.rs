//! What the manual says beside commands, exit codes and configuration keys.

use crate::app::identity::{AGENT_VARIABLE, HARNESSES};
use crate::app::open::WITHIN_VARIABLE;
use crate::core::ledger::LedgerName;
use crate::store::layout::NAMESPACE;

/// Environment variables and what they do.
pub(super) fn variables() -> Vec<(String, &'static str)> {
    let harnesses: Vec<&str> = HARNESSES.iter().map(|harness| harness.variable).collect();
    let table = [
        (AGENT_VARIABLE.to_owned(), "The name to act under; --as wins over it."),
        (harnesses.join(", "), "The session of a coding agent, which its name is made of."),
        (
            "GIT_COORD_NOW".to_owned(),
            "Replaces the clock, for tests and replay in scratch repositories, as in \
             2026-08-01T12:00:00Z. It is recorded in the entry, and a ledger never goes back in \
             time: never set it where others work.",
        ),
        (
            WITHIN_VARIABLE.to_owned(),
            "Set by with for the command that it runs: the ids of the reservations that it runs \
             under, so that a wait in there that could never end is refused.",
        ),
        ("GIT_ADVICE".to_owned(), "Set to 0, it silences all advice."),
        ("NO_COLOR".to_owned(), "Set to anything, it switches colour off."),
        ("CLICOLOR_FORCE".to_owned(), "Set to anything but 0, it switches colour on."),
        (
            "GIT_DIR, GIT_WORK_TREE, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_COUNT"
                .to_owned(),
            "These and git's other variables that choose a repository or its configuration mean \
             what they mean to git.",
        ),
    ];
    table.to_vec()
}

/// Refs and files, and what they hold.
pub(super) fn files() -> [(String, &'static str); 2] {
    [
        (
            format!("{NAMESPACE}*"),
            "The ledgers: all state, as commits. They can be read with any git tool.",
        ),
        (
            "$GIT_COMMON_DIR/coord/".to_owned(),
            "Local helpers, such as the lock that queues writers and the cursors of consumers. \
             Losing them loses no state.",
        ),
    ]
}

/// A first session, line by line.
pub(super) fn examples() -> [(&'static str, String); 5] {
    [
        (
            "Take a directory for an hour:",
            "git coord reserve src/api --ttl 1h --reason 'new endpoints'".to_owned(),
        ),
        (
            "Ask before an edit, in a script:",
            "git coord check src/api/mod.rs || echo held".to_owned(),
        ),
        ("See who holds what:", "git coord".to_owned()),
        ("Give everything back:", "git coord release --mine".to_owned()),
        (
            "Read the audit trail with git alone:",
            format!("git log {}", LedgerName::Reservations.reference()),
        ),
    ]
}

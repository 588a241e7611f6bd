//! Words that newcomers try, and the commands that do what they mean.

/// Words that newcomers type, each with the command that they mean.
const SYNONYMS: [(&str, &str); 40] = [
    ("lock", "reserve"),
    ("claim", "reserve"),
    ("acquire", "reserve"),
    ("hold", "reserve"),
    ("get", "reserve"),
    ("unlock", "release"),
    ("free", "release"),
    ("unclaim", "release"),
    ("drop", "release"),
    ("unreserve", "release"),
    ("who", "whoami"),
    ("id", "whoami"),
    ("me", "whoami"),
    ("ls", "list"),
    ("show", "list"),
    ("holders", "list"),
    ("log", "ledger log"),
    ("history", "ledger log"),
    ("rollback", "ledger rollback"),
    ("undo", "ledger rollback"),
    ("revert", "ledger rollback"),
    ("diff", "ledger diff"),
    ("verify", "ledger verify"),
    ("fsck", "ledger verify"),
    ("extend", "renew"),
    ("refresh", "renew"),
    ("prune", "sweep"),
    ("gc", "sweep"),
    ("give", "transfer"),
    ("request", "ask"),
    ("negotiate", "ask"),
    ("reply", "answer"),
    ("respond", "answer"),
    ("seize", "take"),
    ("mail", "inbox"),
    ("messages", "inbox"),
    ("message", "send"),
    ("overrides", "override list"),
    ("exclude", "override apply"),
    ("canary", "override canary"),
];

/// Finds the command that a wrong word stands for.
pub(crate) fn command_for(word: &str) -> Option<&'static str> {
    SYNONYMS.iter().find(|(synonym, _)| *synonym == word).map(|(_, command)| *command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn synonyms_lead_to_commands_that_exist_and_are_none_themselves() {
        for (synonym, command) in SYNONYMS {
            let mut found = Cli::described();
            for word in command.split(' ') {
                let next = found.find_subcommand(word).cloned();
                found = next.unwrap_or_else(|| panic!("no command {command}"));
            }
            assert!(Cli::described().find_subcommand(synonym).is_none(), "{synonym}");
        }
    }
}

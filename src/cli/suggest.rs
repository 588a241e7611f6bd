//! Words that newcomers try, and the commands and options that do what they mean.

use clap::Command;

/// Words that newcomers type, each with the command that they mean.
const SYNONYMS: [(&str, &str); 57] = [
    ("lock", "reserve"),
    ("claim", "reserve"),
    ("acquire", "reserve"),
    ("hold", "reserve"),
    ("get", "reserve"),
    ("wait", "reserve --wait"),
    ("unlock", "release"),
    ("free", "release"),
    ("unclaim", "release"),
    ("drop", "release"),
    ("unreserve", "release"),
    ("id", "whoami"),
    ("me", "whoami"),
    ("ls", "list"),
    ("show", "list"),
    ("holders", "list"),
    ("blame", "who"),
    ("whose", "who"),
    ("locks", "list --locks"),
    ("watch", "status --watch"),
    ("st", "status"),
    ("top", "status --watch"),
    ("history", "log"),
    ("reflog", "log"),
    ("rollback", "ledger rollback"),
    ("oops", "undo"),
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
    ("steal", "take"),
    ("mail", "inbox"),
    ("messages", "inbox"),
    ("message", "send"),
    ("msg", "send"),
    ("exec", "with"),
    ("init", "install"),
    ("setup", "install"),
    ("man", "help"),
    ("tour", "demo"),
    ("overrides", "override list"),
    ("exclude", "override apply"),
    ("canary", "override canary"),
    ("restore", "rescue restore"),
    ("recover", "rescue restore"),
    ("snapshots", "rescue list"),
    ("stash", "rescue save"),
];

/// Words that newcomers type for what another program does, each with the whole hint.
const ELSEWHERE: [(&str, &str); 1] =
    [("config", "git keeps the settings: git config coord.ttl 30m")];

/// Letters that other programs have for options, each with the option that means the same here.
const LETTERS: [(&str, &str); 4] =
    [("-m", "reason"), ("-n", "limit"), ("-f", "force"), ("-w", "wait")];

/// Words the hint that names what was meant.
pub(crate) fn did_you_mean(command: &str) -> String {
    format!("did you mean '{command}'?")
}

/// Finds the hint for a word that is no command of `parent`.
pub(crate) fn hint_for(parent: &Command, word: &str) -> Option<String> {
    // The words stand for commands of the program, not of a group.
    if parent.get_bin_name() != Some("git coord") {
        return None;
    }
    let found = |(known, _): &&(&str, &str)| *known == word;
    let synonym = SYNONYMS.iter().find(found).map(|(_, command)| did_you_mean(command));
    synonym.or_else(|| ELSEWHERE.iter().find(found).map(|(_, hint)| (*hint).to_owned()))
}

/// Finds the hint for an option that `command` does not have under that letter.
pub(crate) fn option_for(command: &Command, letter: &str) -> Option<String> {
    let (_, meant) = LETTERS.iter().find(|(known, _)| *known == letter)?;
    let mut known = command.get_arguments().filter_map(|argument| argument.get_long());
    known.any(|long| long == *meant).then(|| did_you_mean(&format!("--{meant}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn synonyms_lead_to_commands_that_exist_and_are_none_themselves() {
        let program = Cli::described();
        for (synonym, meant) in SYNONYMS {
            let mut found = &program;
            for word in meant.split(' ') {
                let option = word.strip_prefix("--");
                let has = |name| found.get_arguments().any(|known| known.get_long() == Some(name));
                if let Some(option) = option {
                    assert!(has(option), "no option {meant}");
                } else {
                    let next = found.find_subcommand(word);
                    found = next.unwrap_or_else(|| panic!("no command {meant}"));
                }
            }
            assert!(program.find_subcommand(synonym).is_none(), "{synonym}");
        }
        for (word, _) in ELSEWHERE {
            assert!(program.find_subcommand(word).is_none(), "{word}");
        }
    }

    #[test]
    fn letters_lead_to_options_that_the_command_has() {
        let program = Cli::described();
        let of = |name: &str| program.find_subcommand(name).expect("it exists");
        assert_eq!(option_for(of("reserve"), "-m"), Some(did_you_mean("--reason")));
        assert_eq!(option_for(of("events"), "-n"), Some(did_you_mean("--limit")));
        assert_eq!(option_for(of("whoami"), "-m"), None);
    }
}

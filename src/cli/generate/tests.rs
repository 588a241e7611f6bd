//! Tests of what is generated.

use super::*;

fn contents(path: &str) -> String {
    let found = generated().into_iter().find(|(name, _)| *name == path);
    found.map(|(_, text)| text).expect("the file is generated")
}

#[test]
fn every_command_and_key_is_documented() {
    let (man, reference) = (contents("docs/man/git-coord.1"), contents("docs/reference.md"));
    for command in outline::commands() {
        assert!(reference.contains(&format!("# {}\n", command.invocation)), "{}", command.usage);
        let roff = command.usage.replace('-', "\\-");
        assert!(man.contains(&roff), "{}", command.usage);
        assert!(!command.about.is_empty() && !command.about.ends_with('.'), "{}", command.usage);
        for argument in command.arguments {
            assert!(!argument.help.is_empty(), "{} {}", command.invocation, argument.spelling);
        }
    }
    for key in crate::app::config::KEYS {
        assert!(contents("docs/configuration.md").contains(&format!("| `{}` |", key.name)));
        assert!(man.contains(key.name));
    }
}

#[test]
fn advice_keys_are_in_the_table() {
    for advice in crate::app::problem::Advice::ALL {
        assert!(crate::app::config::KEYS.iter().any(|key| key.name == advice.key()));
    }
}

#[test]
fn completion_scripts_have_the_names_that_git_looks_for() {
    let bash = completions::script(Shell::Bash);
    assert!(bash.contains("\n_git_coord() {"));
    // The bridge calls the function that clap defines, by the name that clap gives it.
    assert!(bash.contains("_gitcoord() {") && bash.contains("    _gitcoord git-coord"));
    assert!(bash.contains("-F _gitcoord") && !bash.contains(" gitcoord\n"));
    let zsh = completions::script(Shell::Zsh);
    let mut lines = zsh.lines();
    assert_eq!(lines.next(), Some("#compdef git-coord"));
    assert!(lines.next().is_some_and(|line| line.starts_with("#description ")));
    assert!(completions::script(Shell::Fish).contains("complete -c git-coord"));
}

/// The examples of the help are commands: words that the parser takes.
#[test]
fn examples_are_commands() {
    for command in outline::commands() {
        for example in &command.examples {
            let line = example.split(" >").next().unwrap_or_default();
            let line = line.rsplit(" | ").next().unwrap_or_default();
            let words = line.strip_prefix("git coord").expect("examples begin with the program");
            let words = words.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
                // Between quotes is one word, outside are several.
                1 => vec![part],
                _ => part.split_whitespace().collect(),
            });
            let words = std::iter::once("git-coord").chain(words).map(std::ffi::OsString::from);
            let parsed = crate::cli::args::Cli::read(&words.collect::<Vec<_>>());
            assert!(
                parsed.is_ok(),
                "{example}: {}",
                parsed.err().map_or(String::new(), |e| e.to_string())
            );
        }
    }
}

//! Help is found in the ways that newcomers try, before anything is installed.

use crate::support::Repo;
use crate::support::contract::exit;

/// Lists the commands of the program, from the reference.
fn commands() -> Vec<String> {
    let pages = git_coord::cli::generated();
    let (_, reference) = pages.iter().find(|(path, _)| *path == "docs/reference.md").unwrap();
    let headings = reference.lines().filter(|line| line.starts_with("##"));
    let names = headings.filter_map(|line| line.split_once(" git coord ").map(|(_, name)| name));
    names.map(str::to_owned).collect()
}

/// `help` lists every command in a group, and explains each with its options.
#[test]
fn help_explains_every_command() {
    let repo = Repo::new();
    let all = repo.coord("", ["help"]).done().stdout;
    assert_eq!(all, repo.coord("", ["-h"]).done().stdout);
    for title in ["Everyday:", "Negotiation:", "Set-up:"] {
        assert!(all.contains(title), "{all}");
    }
    let commands = commands();
    assert!(commands.len() > 80, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = std::iter::once("help").chain(command.split(' ')).collect();
        let text = repo.coord("", &words).done().stdout;
        assert!(text.contains(&format!("Usage: git coord {command}")), "{text}");
        if !command.contains(' ') {
            assert!(all.contains(&format!("\n  {command} ")), "{command} is missing: {all}");
        }
    }
    let reserve = repo.coord("", ["help", "reserve"]).done().stdout;
    assert!(reserve.contains("\nExamples:\n  git coord reserve "), "{reserve}");
}

#[test]
fn a_command_that_there_is_not_is_named() {
    let repo = Repo::new();
    for (words, said, hint) in [
        (["help", "lock"].as_slice(), "'git coord' has no command 'lock'", "'reserve'"),
        (&["help", "run", "nothing"], "'git coord run' has no command 'nothing'", "git coord help"),
        (&["help", "reserve", "src"], "'git coord reserve' has no command 'src'", "git coord help"),
    ] {
        let output = repo.coord("", words).exits(exit::USAGE);
        assert!(output.stderr.contains(said) && output.stderr.contains(hint), "{output:?}");
    }
}

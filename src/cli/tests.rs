//! Tests of parsing as a whole.

use crate::core::time::Ttl;

use super::*;
use args::Command;

fn parsed(line: &str) -> Result<Cli, Problem> {
    let words = std::iter::once("git-coord").chain(line.split_whitespace());
    let words: Vec<OsString> = words.map(OsString::from).collect();
    let cli = Cli::read(&words).map_err(|error| usage::usage_error(&error, &words))?;
    cli.command.as_ref().map_or(Ok(()), Command::check)?;
    Ok(cli)
}

fn usage_message(line: &str) -> String {
    let error = parsed(line).map(|_| line).expect_err(line);
    assert_eq!(error.kind, Kind::Usage);
    error.message
}

#[test]
fn the_definitions_are_consistent() {
    Cli::described().debug_assert();
}

#[test]
fn no_command_is_status() {
    let cli = parsed("").expect("fine");
    assert!(matches!(cli.command.unwrap_or_default(), Command::Status(args) if !args.watch));
}

#[test]
fn global_options_stand_before_or_after_the_command() {
    for line in [
        "-C dir --as bob --json -q --color always events cursors",
        "events -C dir --as bob --json -q --color always cursors",
        "events cursors -C dir --as bob --json --quiet --color=always",
    ] {
        let globals = parsed(line).expect(line).globals;
        assert_eq!(globals.directory.as_deref(), Some(Path::new("dir")), "{line}");
        assert_eq!(globals.acting_as.map(|name| name.to_string()).as_deref(), Some("bob"));
        assert!(globals.json && globals.quiet && globals.color == Some(ColorChoice::Always));
    }
}

#[test]
fn a_ttl_is_parsed_to_a_duration() {
    let cli = parsed("reserve src --ttl 15m").expect("fine");
    let Some(Command::Reserve(args)) = cli.command else { panic!("not reserve") };
    assert_eq!(args.terms.ttl.map(Ttl::as_seconds), Some(900));
    assert_eq!(args.targets.patterns, ["src"]);
}

/// 7/NUMBERS: a number that is none is a usage error that names it.
#[test]
fn bad_numbers_are_named() {
    for value in ["0s", "-1", "-1s", "25h", "1e99", "abc", "15", "99999999999999999999d"] {
        let message = usage_message(&format!("reserve src --ttl {value}"));
        assert!(message.contains(&format!("'{value}'")), "{message}");
    }
    assert!(usage_message("renew --mine --ttl 0s").ends_with("must be from 1s to 24h"));
    for value in ["0", "-1", "abc", "4294967296", "1e99"] {
        for command in ["events", "ledger log reservations"] {
            let message = usage_message(&format!("{command} --limit {value}"));
            assert!(message.contains(&format!("'{value}'")), "{message}");
        }
    }
    for value in ["0d", "-7d", "36501d"] {
        let message = usage_message(&format!("sweep --older-than {value}"));
        assert!(message.contains(&format!("'{value}'")), "{message}");
    }
}

#[test]
fn a_command_that_names_nothing_says_what_to_name() {
    for (line, words) in
        [("release", ["by path or id", "--mine"]), ("renew", ["by path or id", "--mine"])]
    {
        let message = usage_message(line);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn what_excludes_each_other_is_refused() {
    for line in [
        "release k3v9x2ab --force",
        "release --mine --force --reason x",
        "renew k3v9x2ab --mine",
        "list --mine --holder bob",
        "events --limit 3 cursors",
        "events --since reservations:1 --consumer c",
        "events cursors --reset a --delete a",
        "status --watch --json",
        "transfer k3v9x2ab",
        "ledger rollback reservations --to 3f9c",
        "ledger",
        "completions tcsh",
        "reserve",
        "--as -x whoami",
    ] {
        usage_message(line);
    }
}

#[test]
fn wrong_words_lead_to_the_right_ones() {
    for (line, hint) in [
        ("lock X", "did you mean 'reserve'?"),
        ("unlock X", "did you mean 'release'?"),
        ("history", "did you mean 'log'?"),
        ("reserv X", "did you mean 'reserve'?"),
        ("ledger rollbck x", "did you mean 'rollback'?"),
        ("reserve X --share", "a similar argument exists: '--shared'"),
    ] {
        let error = parsed(line).map(|_| line).expect_err(line);
        assert!(
            error.hints.contains(&crate::app::problem::Hint::plain(hint)),
            "{line}: {:?}",
            error.hints
        );
    }
}

#[test]
fn a_bad_name_is_told_the_rule() {
    let message = usage_message("whoami --as bad!name");
    assert!(message.contains("'bad!name'") && message.contains("up to 63"), "{message}");
}

#[test]
fn json_is_asked_for_before_the_double_dash_only() {
    let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
    assert!(usage::asks_for_json(&words("git-coord lock --json")));
    assert!(!usage::asks_for_json(&words("git-coord check -- --json")));
}

/// The options of commands are described late; their first lines must be in the list all the same.
#[test]
fn help_tells_what_every_command_is_for() {
    let help = Cli::read(&["git-coord", "-h"].map(OsString::from)).expect_err("help is no command");
    let help = help.to_string();
    for command in Cli::described().get_subcommands() {
        let about = command.get_about().expect("every command says what it is for").to_string();
        assert!(help.contains(&about), "{}: {help}", command.get_name());
    }
}

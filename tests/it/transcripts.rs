//! The answers of every command, byte for byte: text, `--json` and exit code.
//!
//! `tests/transcripts/<story>.txt` is a session as a terminal shows it, and the test plays it
//! again. People write its commands; `UPDATE=1 cargo test --test it transcripts` writes all the
//! rest:
//!
//! - `alice$ git coord ...` is a command of the agent `alice`, `$ git coord ...` one of a person.
//!   It runs twice from the same state: first as text, which is undone, and then with `--json`,
//!   after which the story continues.
//! - `alice% ...` runs once in a shell: acts of git and of the user, and hooks. `$GOLDEN` is the
//!   directory of stored ledgers.
//! - `after 16m` lets time pass; nothing else moves the clock. `in src` goes to a directory, from
//!   the top of the work tree. `#` begins a comment.
//! - `exit 0` begins an answer and `json exit 0` the one with `--json`; `|` is stdout, `!` stderr.
//!   JSON is folded for readers, after a check that it was one compact document a line.
//!
//! A value that differs from run to run has a name in order of appearance: `<id1>` is the same
//! reservation everywhere, in later commands too. [`names`] does all of that.

mod document;
mod names;
mod page;
mod schema;
mod session;
mod story;
mod traces;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::session::Session;
use self::story::Line;

/// Declares one test for each transcript, so that they run in parallel.
macro_rules! transcripts {
    ($($name:ident,)*) => {
        const ALL: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                happens_again(stringify!($name));
            }
        )*
    };
}

transcripts! {
    agents_hooks,
    compaction,
    damage,
    domain_agents,
    domains,
    git_hooks,
    install,
    keeping,
    ledgers,
    locks,
    messages,
    negotiation,
    not_a_repository,
    nothing_yet,
    override_evidence,
    override_trials,
    overrides,
    ownership,
    rescue,
    reservations,
    run_gates,
    run_parts,
    runs,
    status,
    upgrade,
    usage,
    waiting,
    with,
}

/// Commands without a transcript, each with the reason.
const ELSEWHERE: [(&str, &str); 3] = [
    ("completions", "its scripts are generated files, kept in docs"),
    ("help", "its texts are in the reference; tests/it/help.rs runs it for every command"),
    ("demo", "its tour goes by the machine's clock; tests/it/demo.rs runs it"),
];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts")
}

fn path_of(name: &str) -> PathBuf {
    directory().join(name).with_extension("txt")
}

fn stored(name: &str) -> String {
    let path = path_of(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("'{}': {error}", path.display()))
}

/// Plays a transcript and compares it with the stored one. With `UPDATE=1`, writes it.
#[track_caller]
fn happens_again(name: &str) {
    let then = stored(name);
    let now = Session::new(&then).play();
    if now == then {
        return;
    }
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    assert!(update, "{}", difference(name, &now));
    fs::write(path_of(name), now).unwrap();
}

/// Shows the difference between the stored transcript and the new one, as `git diff` does.
fn difference(name: &str, now: &str) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let happened = scratch.path().join("now");
    fs::write(&happened, now).unwrap();
    let mut diff = Command::new("git");
    diff.args(["diff", "--no-index", "--no-color", "--no-ext-diff", "--no-prefix"]);
    let output = diff.arg(path_of(name)).arg(&happened).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let hunks = text.find("\n@@").map_or("", |start| &text[start..]);
    format!(
        "tests/transcripts/{name}.txt is not what happens now, which '+' shows; if it should be, \
         run 'UPDATE=1 cargo test --test it transcripts'\n{hunks}"
    )
}

/// Lists the commands and groups of commands, without `git coord` in front.
pub(crate) fn commands() -> Vec<String> {
    let pages = git_coord::cli::generated();
    let (_, reference) = pages.iter().find(|(path, _)| *path == "docs/reference.md").unwrap();
    let command = |line: &str| {
        let heading = line.strip_prefix("##")?.trim_start_matches('#');
        heading.strip_prefix(" git coord ").map(str::to_owned)
    };
    reference.lines().filter_map(command).collect()
}

/// Lists the commands that a transcript calls, without their arguments.
fn called_in(name: &str) -> String {
    let called = |line: Line| match line {
        Line::Call(call) => Some(format!("{}\n", call.command)),
        _ => None,
    };
    story::lines(&stored(name)).into_iter().filter_map(called).collect()
}

/// Every command is told of in a story, called wrongly, and called outside of a repository.
#[test]
fn every_command_has_its_transcripts() {
    let is_called = |text: &str, command: &str| {
        let calls = format!("git coord {command}");
        text.match_indices(&calls)
            .any(|(at, _)| text[at + calls.len()..].starts_with(|next: char| next.is_whitespace()))
    };
    let stories = ALL.iter().filter(|name| !["usage", "not_a_repository"].contains(name));
    let places = [
        ("a story", stories.map(|name| called_in(name)).collect::<String>()),
        ("usage.txt", called_in("usage")),
        ("not_a_repository.txt", called_in("not_a_repository")),
    ];
    let all = commands();
    assert!(all.len() > 80, "the reference has a heading for each command: {all:?}");
    let is_group = |command: &str| all.iter().any(|one| one.starts_with(&format!("{command} ")));
    let mut missing = Vec::new();
    for command in &all {
        let is_excused = ELSEWHERE.iter().any(|(name, _)| name == command);
        // A group without its command is wrong usage anywhere; `events` is also a command.
        let is_only_usage = is_group(command) && command != "events";
        for (index, (place, text)) in places.iter().enumerate() {
            let is_needed = !is_excused && (index == 1 || !is_only_usage);
            if is_needed && !is_called(text, command) {
                missing.push(format!("'git coord {command}' in {place}"));
            }
        }
    }
    assert!(missing.is_empty(), "no transcript has\n  {}", missing.join("\n  "));
}

/// Commands that never answer yes in a transcript, each with the reason.
const NEVER_DONE: [(&str, &str); 0] = [];

/// Every command answers yes somewhere, in both forms.
#[test]
fn every_command_is_done_in_a_transcript() {
    let mut done = BTreeSet::new();
    for story in ALL.iter().map(|name| stored(name)) {
        let mut called = None;
        for line in story.lines() {
            match line {
                "json exit 0" => done.extend(called.take()),
                _ => match line.split_once("$ git coord ") {
                    Some((agent, words)) if !agent.contains(' ') => called = Some(words.to_owned()),
                    _ => {}
                },
            }
        }
    }
    let all = commands();
    let is_done = |command: &String| {
        let begins = |words: &String| {
            words
                .strip_prefix(command.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let is_group = all.iter().any(|one| one.starts_with(&format!("{command} ")));
        let excused = ELSEWHERE.iter().chain(&NEVER_DONE).any(|(name, _)| name == command);
        excused || is_group || done.iter().any(begins)
    };
    let missing: Vec<&String> = all.iter().filter(|command| !is_done(command)).collect();
    assert!(missing.is_empty(), "no transcript has a yes of {missing:?}");
}

#[test]
fn every_transcript_is_played() {
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let entries = fs::read_dir(directory()).unwrap();
    let found: BTreeSet<String> = entries.map(|entry| stem(entry.unwrap().path())).collect();
    assert_eq!(found, ALL.iter().map(|name| (*name).to_owned()).collect());
}

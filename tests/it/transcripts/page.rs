//! `docs/json.md`: every answer once, as a transcript shows it, with a link to its schema.

use std::fs;
use std::path::{Path, PathBuf};

use git_coord::app::schema;

use super::{ALL, ELSEWHERE, stored};

const HEAD: &str = "\
# Answers in JSON

<!-- Written from tests/transcripts: UPDATE=1 cargo test --test it transcripts -->

With `--json` a command prints one object on one line to stdout, and talks to people on stderr. An
answer has these members, and those of its command:

| member | meaning |
| --- | --- |
| `schema` | the version of this form, 1 |
| `ok` | whether the answer is a yes; the exit code is 0 then, and only then |
| `refusal` | why the answer is no: `code`, `message`, details by code, and `next` |
| `error` | why there is no answer: `kind`, often `code`, `message`, `hints`, `next` |
| `op`, `entry` | the act and the entry that the command wrote; `domain` names those that it read |
| `notes` | remarks, each with `level` (`note`, `warning`, `hint`) and `text` |

`next` is a list of commands that help; each is a list of words that can be run as they are.
Programs go by `code`; the words of a `message` may change. New members may be added at any time.

Each command has a schema, in the form of [JSON Schema](https://json-schema.org/) 2020-12. Below it
stands an answer from the project's own tests, folded to be read: one that wrote, if there is one.
Names such as `<id1>` stand for values that differ from run to run. These commands have none:

";

/// An answer that a transcript shows.
struct Answer<'t> {
    /// The line of its command, without prompt and program.
    words: &'t str,
    /// The exit code.
    code: &'t str,
    json: String,
}

/// Builds the page: the schemas in their order, each with the answer of its command that shows
/// most.
fn page() -> String {
    let stories: Vec<String> = ALL.iter().map(|name| stored(name)).collect();
    let mut page = HEAD.to_owned();
    for (command, why) in super::schema::WITHOUT {
        page.push_str(&format!("- `{command}`: {why}.\n"));
    }
    for command in schema::ALL {
        let file = command.file.trim_start_matches("docs/");
        page.push_str(&format!("\n## git coord {}\n\n[{file}]({file})\n", command.command));
        let answers = stories.iter().flat_map(|story| answers(story, command.command));
        // The first of the best.
        if let Some(Answer { words, json, .. }) = answers.min_by_key(Answer::rank) {
            page.push_str(&format!("\n```text\n$ git coord {words} --json\n{json}```\n"));
        } else {
            let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == command.command);
            let (_, why) = elsewhere
                .unwrap_or_else(|| panic!("no transcript has an answer of {}", command.command));
            page.push_str(&format!("\nWithout an answer here: {why}.\n"));
        }
    }
    page
}

impl Answer<'_> {
    /// Ranks answers: the one that shows most of what a command answers has the lowest rank.
    fn rank(&self) -> usize {
        let has = |member: &str| self.json.lines().any(|line| line.starts_with(member));
        match self.code {
            "0" if has("  \"op\": ") && !has("  \"dry_run\": true") => 0,
            "0" => 1,
            "1" => 2,
            "4" => 3,
            _ => 4,
        }
    }
}

/// Lists the answers of a command in a story.
fn answers<'t>(story: &'t str, command: &str) -> Vec<Answer<'t>> {
    let mut lines = story.lines().peekable();
    let mut answers = Vec::new();
    while let Some(line) = lines.next() {
        let called = line.split_once("$ git coord ").map(|(_, words)| words);
        let Some(words) = called.filter(|words| is_call_of(words, command)) else { continue };
        let body: Vec<&str> =
            std::iter::from_fn(|| lines.next_if(|line| !line.is_empty())).collect();
        let code = |line: &&'t str| line.strip_prefix("json exit ");
        let Some((at, code)) =
            body.iter().enumerate().find_map(|(at, line)| Some((at, code(line)?)))
        else {
            continue;
        };
        let json = body[at + 1..].iter().filter_map(|line| line.strip_prefix("| "));
        let json: String = json.flat_map(|line| [line, "\n"]).collect();
        // What another program prints is no answer of ours.
        if json.starts_with('{') {
            answers.push(Answer { words, code, json });
        }
    }
    answers
}

fn is_call_of(words: &str, command: &str) -> bool {
    super::schema::of(words).is_some_and(|one| one.command == command)
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.md")
}

/// Compares the page with what the transcripts say; with `UPDATE=1` writes it.
#[test]
fn the_page_of_answers_is_up_to_date() {
    let page = page();
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    if update {
        fs::write(path(), &page).unwrap();
    }
    let stored = fs::read_to_string(path()).unwrap_or_default();
    let why = "run 'UPDATE=1 cargo test --test it transcripts'";
    assert!(stored == page, "docs/json.md is not what the transcripts say; {why}");
}

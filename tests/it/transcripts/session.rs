//! Plays a story in a repository of its own and records the answers.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use super::document;
use super::names::Names;
use super::schema;
use super::story::{self, Call, Line};
use super::traces::{Traces, exchange};
use crate::support::content::Content;
use crate::support::contract::{exit, key};
use crate::support::gits::Version;
use crate::support::{Output, Repo};

const PROGRAM: &str = "git coord";

/// A story that is being played.
pub(super) struct Session<'t> {
    lines: Vec<Line<'t>>,
    repo: Repo,
    /// Relative to the top of the work tree.
    directory: &'t str,
    /// A copy of the repository, as long as it is equal to it.
    spare: Option<Repo>,
    names: Names,
}

impl<'t> Session<'t> {
    /// Starts at the top of a repository with a clean work tree.
    #[track_caller]
    pub(super) fn new(transcript: &'t str) -> Session<'t> {
        let lines = story::lines(transcript);
        let text = |line: &Line<'t>| match line {
            Line::Comment(text) | Line::After(text) | Line::In(text) => *text,
            Line::Call(call) => call.line,
        };
        let written: Vec<&str> = lines.iter().map(text).collect();
        let repo = Repo::with(&Content::clean());
        let names = Names::new(&written.join("\n"), repo.world());
        // The plan of `install` depends on git's version.
        repo.git_says(Version(2, 53));
        Session { lines, repo, directory: ".", spare: None, names }
    }

    /// Plays the story, and returns the transcript as it would be written now.
    #[track_caller]
    pub(super) fn play(mut self) -> String {
        let mut transcript = String::new();
        for line in std::mem::take(&mut self.lines) {
            let is_after_answer =
                transcript.lines().last().is_some_and(|last| !last.starts_with('#'));
            if is_after_answer {
                transcript.push('\n');
            }
            match line {
                Line::Comment(text) => transcript.push_str(&format!("{text}\n")),
                Line::After(span) => {
                    self.repo.pass(span);
                    transcript.push_str(&format!("after {span}\n"));
                }
                Line::In(directory) => {
                    self.directory = directory;
                    transcript.push_str(&format!("in {directory}\n"));
                }
                Line::Call(call) => {
                    transcript.push_str(&format!("{}\n{}", call.line, self.answers(call)));
                }
            }
        }
        transcript
    }

    #[track_caller]
    fn answers(&mut self, call: Call) -> String {
        let command = self.names.put_into(call.command);
        let plain = command.replace(PROGRAM, "git-coord");
        if !call.in_both_forms {
            self.spare = None;
            let output = self.run(call.agent, &plain);
            return text_answer(&output, &mut self.names);
        }
        let output = self.tried(call.agent, &plain);
        // The ids of the trial run get the names that those of the real run will get.
        let text = text_answer(&output, &mut self.names.clone());
        let before = Traces::below(self.repo.world());
        let json = self.run(call.agent, &command.replacen(PROGRAM, "git-coord --json", 1));
        if !before.are_unchanged() {
            self.spare = None;
        }
        assert_eq!(json.code, output.code, "--json changes the outcome of '{}'", call.line);
        text + &self.json_answer(&json, &command)
    }

    /// Runs a command whose effects are undone.
    fn tried(&mut self, agent: &str, script: &str) -> Output {
        let spare = self.spare.take().unwrap_or_else(|| self.repo.copy());
        let before = Traces::below(self.repo.world());
        let output = self.run(agent, script);
        if before.are_unchanged() {
            self.spare = Some(spare);
        } else {
            exchange(self.repo.world(), spare.world());
        }
        output
    }

    #[track_caller]
    fn json_answer(&mut self, output: &Output, command: &str) -> String {
        let (_, asked) = command.split_once(PROGRAM).expect("a command of ours is in both forms");
        let asked = asked.trim_start();
        let words = ["--json"].into_iter().chain(asked.split_whitespace());
        output.keeps_the_contract(&words.map(OsString::from).collect::<Vec<_>>());
        let mut shown = String::new();
        for line in output.stdout.split_inclusive('\n') {
            let Some(document) = document::read(line) else {
                shown.push_str(&self.names.text(line));
                continue;
            };
            for words in document::commands(&document) {
                self.parses(&words, command);
            }
            schema::check(asked, &document);
            let named = self.names.json(&document);
            shown.push_str(&format!("{}\n", document::folded(&named)));
        }
        let stderr = self.names.text(&output.stderr);
        format!("json exit {}\n{}{}", output.code, prefixed('|', &shown), prefixed('!', &stderr))
    }

    /// Fails if a command that an answer names as the next is wrong usage. Outside of a repository
    /// nothing else can come of it.
    #[track_caller]
    fn parses(&self, words: &[Value], command: &str) {
        let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
        let words = words.unwrap_or_else(|| panic!("'next' of '{command}' is not words"));
        if let ["git", "coord", rest @ ..] = words.as_slice() {
            let call = self.repo.call("next").dir(self.repo.elsewhere()).args(rest);
            let output = call.run_unproven();
            assert_ne!(output.code, exit::USAGE, "'next' of '{command}': {output:#?}");
        }
    }

    fn run(&self, agent: &str, script: &str) -> Output {
        let call = self.repo.call(agent).program("sh").args(["-c", script]).dir(self.directory);
        // Where git looks for 'git-coord' before it looks at PATH.
        let call = call.env("GIT_EXEC_PATH", self.repo.world().join("bin")).env("USER", "ada");
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let call = call.env("GOLDEN", golden);
        call.config(key::FSYNC, "false").run_unproven()
    }
}

fn text_answer(output: &Output, names: &mut Names) -> String {
    let stdout = names.text(&output.stdout);
    let stderr = names.text(&output.stderr);
    format!("exit {}\n{}{}", output.code, prefixed('|', &stdout), prefixed('!', &stderr))
}

/// Puts a mark of the stream before each line.
fn prefixed(mark: char, text: &str) -> String {
    let marked = |line: &str| format!("{mark} {line}").trim_end().to_owned() + "\n";
    let all: String = text.lines().map(marked).collect();
    let is_cut = !text.is_empty() && !text.ends_with('\n');
    if is_cut { format!("{all}{mark}(no newline)\n") } else { all }
}

//! The answer of a command, and the rules that every answer keeps.

use std::ffi::OsString;

use serde_json::Value;

use super::contract::exit;

/// The outcome of a finished command.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// The command line, for messages.
    pub(crate) called: String,
    /// The exit code, or 128 plus the number of the signal as in a shell.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Fails unless the exit code is `code`.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Output {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Fails unless the command succeeded.
    #[track_caller]
    pub(crate) fn done(self) -> Output {
        self.exits(exit::DONE)
    }

    /// Fails unless the command was refused with this code.
    #[track_caller]
    pub(crate) fn refused(self, code: &str) -> Value {
        let json = self.exits(exit::NO).json();
        assert_eq!(json["refusal"]["code"], code, "{json:#}");
        json
    }

    /// Parses the one object on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value @ Value::Object(_)) => value,
            Ok(other) => panic!("not an object: {other}\n{self:#?}"),
            Err(error) => panic!("not one JSON object: {error}\n{self:#?}"),
        }
    }

    /// Parses the objects on stdout, one a line, as `events --json` prints them.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parse = |line: &str| match serde_json::from_str(line) {
            Ok(value @ Value::Object(_)) => value,
            _ => panic!("not a JSON object: {line}\n{self:#?}"),
        };
        self.stdout.lines().map(parse).collect()
    }

    /// Fails unless stdout or stderr contains `word`.
    #[track_caller]
    pub(crate) fn says(&self, word: &str) -> &Output {
        let said = self.stdout.contains(word) || self.stderr.contains(word);
        assert!(said, "'{word}' is not said\n{self:#?}");
        self
    }

    /// Checks the rules for every answer of every command (3/MON-H1, CLI.md "For every command").
    #[track_caller]
    pub(crate) fn keeps_the_contract(&self, args: &[OsString]) {
        assert_ne!(self.code, exit::NEVER, "exit code 2 is a hook's 'block'\n{self:#?}");
        for text in [&self.stdout, &self.stderr] {
            assert!(!text.contains("panicked at"), "a panic\n{self:#?}");
        }
        if wants_one_object(args) {
            let json = self.json();
            assert_eq!(json["schema"], 1, "{json:#}");
            assert_eq!(json["ok"], self.code == exit::DONE, "ok and exit code differ\n{self:#?}");
        }
    }
}

/// Commands whose stdout is not one object of ours: events are one a line, hooks answer in the form
/// of their caller, `with` answers as its command does, the others print no JSON.
const NO_SINGLE_OBJECT: [&str; 6] = ["events", "hook", "completions", "demo", "help", "with"];

fn wants_one_object(args: &[OsString]) -> bool {
    let options = args.split(|arg| arg == "--").next().unwrap_or(args);
    let json = options.iter().any(|arg| arg == "--json");
    json && !options.iter().any(|arg| NO_SINGLE_OBJECT.iter().any(|name| arg == *name))
}

/// Lists the text in field `key` of each element of `list`.
#[track_caller]
pub(crate) fn texts(list: &Value, key: &str) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("not a list: {list:#}"));
    let text = |item: &Value| match &item[key] {
        Value::String(text) => text.clone(),
        other => panic!("'{key}' is not text but {other} in {item:#}"),
    };
    items.iter().map(text).collect()
}

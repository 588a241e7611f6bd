//! The tour: two agents in a scratch repository, which is removed at the end.

use std::path::Path;
use std::process::{Command, Output};

use schemars::JsonSchema;
use serde::Serialize;
use tempfile::TempDir;

use crate::app::answer::Answer;
use crate::app::open::now;
use crate::app::problem::{Kind, Problem};
use crate::store::git::repository::make_scratch;

/// The files that the agents of the tour want.
const FILES: [&str; 2] = ["src/api/users.rs", "docs/guide.md"];

/// The steps of the tour: a sentence, and the words of a command.
pub const TOUR: &[(&str, &[&str])] = &[
    (
        "Alice is about to work on the API and says so.",
        &["--as", "alice", "reserve", "src/api", "--reason", "new endpoints", "--ttl", "30m"],
    ),
    (
        "Bob wants one file in there. He is told who has it, why, and until when.",
        &["--as", "bob", "reserve", "src/api/users.rs"],
    ),
    ("The documentation is free, so Bob takes that.", &["--as", "bob", "reserve", "docs/*.md"]),
    ("Anybody can see who holds what.", &["list"]),
    (
        "But he needs that file, so he asks.",
        &["--as", "bob", "ask", "src/api/users.rs", "--reason", "a fix for the login"],
    ),
    ("Alice finds that where she looks.", &["--as", "alice", "inbox"]),
    (
        "She lets go, and Bob has it at once: nobody gets in between.",
        &["--as", "alice", "answer", "src/api/users.rs", "--release"],
    ),
    (
        "She gave that one file away and keeps the rest of the API: it is an exception now.",
        &["list", "--path", "src/api"],
    ),
    ("Both of them are here.", &["agents"]),
    (
        "Every command was one commit, under a ref that git log shows.",
        &["ledger", "log", "reservations"],
    ),
    (
        "So undoing is one, too: back to when Alice held the API.",
        &[
            "--as",
            "alice",
            "ledger",
            "rollback",
            "reservations",
            "--to",
            "2",
            "--reason",
            "released too early",
        ],
    ),
    ("And all of it can be checked.", &["ledger", "verify"]),
];

/// The program that takes the tour.
pub struct Request<'r> {
    pub program: &'r Path,
    /// Set if the commands are to paint their text.
    pub colored: bool,
}

/// The answer to `demo`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tour")]
pub struct Body {
    /// The steps in their order.
    pub steps: Vec<StepView>,
}

/// A step of the tour.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TourStep")]
pub struct StepView {
    /// The sentence about it.
    pub said: &'static str,
    /// The words of the command, after `git coord`.
    pub command: Vec<&'static str>,
    /// Its exit code; absent if a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The news for those who watch a tour.
pub enum News<'n> {
    /// A command is about to run.
    About {
        said: &'static str,
        words: &'static [&'static str],
    },
    Ran(&'n StepView),
}

/// Takes the tour. `tell` hears of each command before it runs and after.
pub fn tour(
    request: &Request<'_>,
    tell: &mut dyn FnMut(News<'_>) -> Result<(), Problem>,
) -> Result<Answer<Body>, Problem> {
    let scratch = scratch_repository()?;
    let mut steps = Vec::new();
    for (said, words) in TOUR {
        tell(News::About { said, words })?;
        let output = run(request, scratch.path(), words)
            .map_err(|error| Problem::caused(Kind::Failure, &error))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let step = StepView {
            said,
            command: words.to_vec(),
            exit: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        tell(News::Ran(&step))?;
        steps.push(step);
    }
    Ok(Answer::read(Body { steps }, now()))
}

/// Makes a temporary repository, which is removed when it is dropped.
fn scratch_repository() -> Result<TempDir, Problem> {
    let scratch = tempfile::tempdir().map_err(|error| Problem::caused(Kind::Failure, &error))?;
    make_scratch(scratch.path(), &FILES).map_err(|error| Problem::caused(Kind::Failure, &error))?;
    Ok(scratch)
}

/// Executes one command, in the scratch repository and nowhere else.
fn run(request: &Request<'_>, scratch: &Path, words: &[&str]) -> std::io::Result<Output> {
    let mut command = Command::new(request.program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command
        .current_dir(scratch)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", scratch.parent().unwrap_or(scratch))
        .args(["--color", if request.colored { "always" } else { "never" }])
        .args(words)
        .output()
}

//! `git coord demo`

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::app::demo::scratch_repository;
use crate::app::next::in_shell;
use crate::app::problem::{Kind, Problem};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::term::Ui;

/// Show a tour in a scratch repository
///
/// Two agents want the same file, in a temporary repository that is removed at the end. Touches
/// nothing of yours.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// How long a step of the tour stays alone on a terminal.
const PACE: Duration = Duration::from_millis(1_200);

/// The tour: what is said, and what is run.
const TOUR: &[(&str, &[&str])] = &[
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

impl Args {
    /// Takes the tour, with this very program.
    pub(crate) fn run(ui: &mut Ui) -> Result<ExitCode, Problem> {
        let failed = |error: &dyn std::error::Error| Problem::caused(Kind::Failure, error);
        let program = std::env::current_exe().map_err(|error| failed(&error))?;
        let scratch = scratch_repository()?;
        if ui.is_json() {
            return answer(ui, &program, scratch.path());
        }
        ui.line("A scratch repository, and two agents in it.")?;
        for (said, words) in TOUR {
            if ui.is_terminal() {
                ui.flush()?;
                std::thread::sleep(PACE);
            }
            ui.line(&format!("\n# {said}"))?;
            ui.line(&format!("$ git coord {}", ui.paint(Slot::Path, &in_shell(words))))?;
            let output = step(&program, scratch.path(), words, ui.is_colored())
                .map_err(|error| failed(&error))?;
            ui.text(&String::from_utf8_lossy(&output.stdout))?;
            ui.text(&String::from_utf8_lossy(&output.stderr))?;
        }
        ui.line("\nThe scratch repository is gone. In yours: git coord reserve <path>")?;
        Ok(ExitCode::Done)
    }
}

/// Answers with the tour as JSON: each step with its output and its exit code.
fn answer(ui: &mut Ui, program: &Path, scratch: &Path) -> Result<ExitCode, Problem> {
    let mut steps = Vec::new();
    for (said, words) in TOUR {
        let output = step(program, scratch, words, false)
            .map_err(|error| Problem::caused(Kind::Failure, &error))?;
        steps.push(json!({
            "said": said,
            "command": words,
            "exit": output.status.code(),
            "stdout": String::from_utf8_lossy(&output.stdout),
            "stderr": String::from_utf8_lossy(&output.stderr),
        }));
    }
    ui.answer(true, fields([("steps", json!(steps))]))?;
    Ok(ExitCode::Done)
}

/// Executes one command, in the scratch repository and nowhere else.
fn step(
    program: &Path,
    scratch: &Path,
    words: &[&str],
    colored: bool,
) -> std::io::Result<std::process::Output> {
    let mut command = std::process::Command::new(program);
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
        .args(["--color", if colored { "always" } else { "never" }])
        .args(words)
        .output()
}

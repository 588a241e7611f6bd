//! `git coord domain agents list`

use serde_json::{Value, json};

use crate::app::Ctx;
use crate::app::domains::agents::{self, Inventory, Listed};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::term::Ui;
use crate::core::domain::generation::State;
use crate::core::text::shown;

/// Show what was made against what is there: ok, edited, missing, orphaned, unknown
///
/// An orphaned agent was made for a domain that this project does not have any more; an unknown
/// file was not made here.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(super) fn run(ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let Inventory { listed, notices } = agents::list(ctx)?;
        for notice in &notices {
            ui.warn(notice)?;
        }
        if ui.is_json() {
            let rows: Vec<Value> = listed.iter().map(listed_json).collect();
            ui.answer(true, fields([("agents", json!(rows))]))?;
            return Ok(ExitCode::Done);
        }
        if listed.is_empty() {
            ui.note("no agents; to make them: git coord domain agents generate")?;
        }
        let rows: Vec<Vec<Cell>> = listed.iter().map(row).collect();
        for line in aligned(&rows) {
            ui.line(&line)?;
        }
        Ok(ExitCode::Done)
    }
}

/// An agent for programs.
pub(super) fn listed_json(listed: &Listed) -> Value {
    let mut value = json!({ "path": listed.path, "state": listed.state });
    if let Some(made) = &listed.made {
        value["agent"] = json!(made.agent);
        value["domain"] = json!(made.domain);
        value["made_at"] = json!(made.made_at);
        value["outdated"] = json!(listed.is_outdated);
        value["accepted"] = json!(listed.is_accepted);
        value["asked_for"] = json!(listed.state != State::Orphaned && !listed.is_unasked);
    }
    if let Some(file) = listed.file {
        value["file"] = json!(file);
    }
    if let Some(problem) = &listed.problem {
        value["problem"] = json!(problem);
    }
    value
}

fn row(listed: &Listed) -> Vec<Cell> {
    let domain = listed.made.as_ref().map_or("", |made| made.domain.as_str());
    let mut notes = Vec::new();
    if let Some(file) = listed.file.filter(|file| *file != listed.state) {
        notes.push(format!("its file is {}", file.word()));
    }
    if listed.is_outdated {
        notes.push("its profile has changed".to_owned());
    }
    if listed.is_unasked {
        notes.push("no profile asks for it".to_owned());
    }
    notes.extend(listed.problem.as_deref().map(|problem| shown(problem).into_owned()));
    vec![
        Cell::plain(listed.state.word()),
        Cell::plain(&shown(listed.path.as_str())),
        Cell::plain(domain),
        Cell::plain(&notes.join(", ")),
    ]
}

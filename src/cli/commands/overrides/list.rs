//! `git coord override list`

use serde_json::{Value, json};

use super::shared::{object, scope_text};
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::PutBy;
use crate::app::routing::roster::Roster;
use crate::app::routing::view::{Row, View, view};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::routing::Block;
use crate::core::text::shown;
use crate::core::time::relative;

/// List overrides and blocks
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(super) fn run(
        ui: &mut Ui,
        ctx: &Ctx,
        environment: &Environment,
    ) -> Result<ExitCode, Problem> {
        let view = view(ctx, &Roster::read(ctx, environment))?;
        if ui.is_json() {
            let overrides: Vec<Value> = view.rows.iter().map(row_json).collect();
            let answer =
                fields([("overrides", json!(overrides)), ("blocked", blocks_json(&view.blocks))]);
            ui.answer(true, answer)?;
        } else if view.rows.is_empty() && view.blocks.is_empty() {
            ui.note("no overrides")?;
        } else {
            print(ui, &view)?;
        }
        Ok(ExitCode::Done)
    }
}

/// Blocks for programs.
pub(super) fn blocks_json(blocks: &[Block]) -> Value {
    blocks.iter().map(|block| json!(object(block))).collect()
}

/// An override for programs: its document, its record and the entry that put it in force.
pub(super) fn row_json(row: &Row) -> Value {
    let mut value = object(&row.entry);
    if let Some(record) = &row.record {
        value.insert("record".to_owned(), json!(object(record)));
    }
    if let Some(entry) = row.put_by.as_ref().and_then(|put_by| put_by.entry) {
        value.insert("entry".to_owned(), json!(entry.to_string()));
    }
    value.insert("orphaned".to_owned(), json!(row.orphaned));
    Value::Object(value)
}

fn print(ui: &mut Ui, view: &View) -> Result<(), Problem> {
    let mut rows = Vec::new();
    for row in &view.rows {
        let entry = &row.entry;
        let state = match (entry.is_in_force(), row.orphaned) {
            (true, false) => "left out",
            (false, false) => "proposed",
            (_, true) => "orphaned",
        };
        let when = entry
            .since()
            .map_or(String::new(), |at| relative(at.as_seconds(), view.now.as_seconds()));
        let by = row.by().map_or(String::new(), ToString::to_string);
        let put_by = row.put_by.as_ref().map_or(String::new(), PutBy::short);
        let reason = entry.reason.as_ref().map_or("", |reason| reason.as_str());
        let scope = scope_text(entry).map_or(String::new(), |scope| format!(" ({scope})"));
        let reason = format!("{}{scope}", shown(reason));
        rows.push(vec![
            Cell::painted(entry.agent.as_str(), ui.paint(Slot::Holder, entry.agent.as_str())),
            Cell::plain(state),
            Cell::plain(&when),
            Cell::plain(&by),
            Cell::painted(&put_by, ui.paint(Slot::Id, &put_by)),
            Cell::painted(&reason, ui.paint(Slot::Dim, &reason)),
        ]);
    }
    for block in &view.blocks {
        let reason = shown(block.reason.as_str());
        rows.push(vec![
            Cell::painted(block.agent.as_str(), ui.paint(Slot::Holder, block.agent.as_str())),
            Cell::plain("blocked"),
            Cell::plain(&relative(block.at.as_seconds(), view.now.as_seconds())),
            Cell::plain(block.by.as_str()),
            Cell::plain(""),
            Cell::painted(&reason, ui.paint(Slot::Dim, &reason)),
        ]);
    }
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

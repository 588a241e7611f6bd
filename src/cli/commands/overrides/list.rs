//! `git coord override list`

use std::io;

use super::shared::scope_text;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::PutBy;
use crate::app::routing::list::{Body, list};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// List overrides and blocks
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(super) fn run(
        ui: &mut Ui,
        ctx: &Ctx,
        environment: &Environment,
    ) -> Result<ExitCode, Problem> {
        let answer = list(ctx, environment)?;
        let Body { overrides, blocked } = &answer.body;
        show(ui, &answer, |ui| {
            if overrides.is_empty() && blocked.is_empty() {
                return ui.note("no overrides");
            }
            print(ui, &answer.body, answer.at)
        })
    }
}

fn print(ui: &mut Ui, body: &Body, now: Timestamp) -> io::Result<()> {
    let mut rows = Vec::new();
    for row in &body.overrides {
        let entry = &row.entry;
        let state = match (entry.is_in_force(), row.orphaned) {
            (true, false) => "left out",
            (false, false) => "proposed",
            (_, true) => "orphaned",
        };
        let when =
            entry.since().map_or(String::new(), |at| relative(at.as_seconds(), now.as_seconds()));
        let by = row.by().map_or(String::new(), ToString::to_string);
        let put_by = row.put_by.as_ref().map_or("", PutBy::short);
        let reason = entry.reason.as_ref().map_or("", |reason| reason.as_str());
        let scope = scope_text(entry).map_or(String::new(), |scope| format!(" ({scope})"));
        let reason = format!("{}{scope}", shown(reason));
        rows.push(vec![
            Cell::painted(Slot::Holder, entry.agent.as_str()),
            Cell::plain(state),
            Cell::plain(when),
            Cell::plain(by),
            Cell::painted(Slot::Id, put_by),
            Cell::painted(Slot::Dim, reason),
        ]);
    }
    for block in &body.blocked {
        rows.push(vec![
            Cell::painted(Slot::Holder, block.agent.as_str()),
            Cell::plain("blocked"),
            Cell::plain(relative(block.at.as_seconds(), now.as_seconds())),
            Cell::plain(block.by.as_str()),
            Cell::plain(""),
            Cell::painted(Slot::Dim, shown(block.reason.as_str())),
        ]);
    }
    ui.table(rows)
}

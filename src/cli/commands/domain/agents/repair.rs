//! `git coord domain agents repair`

use serde_json::{Value, json};

use super::list::listed_json;
use crate::app::Ctx;
use crate::app::domains::agents::{self, Repaired};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::term::Ui;
use crate::core::domain::tree_path::TreePath;
use crate::core::text::shown;

/// Bring what was made and what is there together
///
/// A missing file is written again, or forgotten if nothing asks for it; an edited one is kept, and
/// its edits are accepted. Files that were not made here, and orphaned ones, are named and left.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(super) fn run(ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let repaired = agents::repair(ctx)?;
        for notice in &repaired.notices {
            ui.warn(notice)?;
        }
        let is_whole = repaired.failed.is_empty();
        if ui.is_json() {
            answer(ui, &repaired)?;
        } else {
            print(ui, &repaired)?;
        }
        Ok(if is_whole { ExitCode::Done } else { ExitCode::No })
    }
}

fn answer(ui: &mut Ui, repaired: &Repaired) -> Result<(), Problem> {
    let failed = repaired.failed.iter().map(|(path, why)| json!({ "path": path, "error": why }));
    let mut all = fields([
        ("written", json!(repaired.written)),
        ("adopted", json!(repaired.adopted)),
        ("accepted", json!(repaired.accepted)),
        ("forgotten", json!(repaired.forgotten)),
        ("left", repaired.left.iter().map(listed_json).collect()),
        ("failed", failed.collect::<Vec<Value>>().into()),
    ]);
    if let Some(entry) = repaired.entry {
        all.insert("entry".to_owned(), json!(entry.to_string()));
    }
    Ok(ui.answer(repaired.failed.is_empty(), all)?)
}

fn print(ui: &mut Ui, repaired: &Repaired) -> Result<(), Problem> {
    let groups: [(&str, &[TreePath]); 4] = [
        ("written again", &repaired.written),
        ("recorded", &repaired.adopted),
        ("accepted as edited", &repaired.accepted),
        ("forgotten", &repaired.forgotten),
    ];
    for (what, paths) in groups {
        for path in paths {
            ui.line(&format!("{what}: {}", shown(path.as_str())))?;
        }
    }
    for listed in &repaired.left {
        ui.line(&format!("left, {}: {}", listed.state.word(), shown(listed.path.as_str())))?;
    }
    for (path, why) in &repaired.failed {
        ui.line(&format!("failed: {}: {}", shown(path.as_str()), shown(why)))?;
    }
    let changed = groups.iter().any(|(_, paths)| !paths.is_empty());
    if !changed && repaired.failed.is_empty() {
        ui.note("nothing to repair")?;
    }
    Ok(())
}

//! `git coord domain agents repair`

use std::io;

use crate::app::Ctx;
use crate::app::domains::agents::repair::{Body, Failed, repair};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
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
        let answer = repair(ctx)?;
        show(ui, &answer, |ui| print(ui, &answer.body))
    }
}

fn print(ui: &mut Ui, repaired: &Body) -> io::Result<()> {
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
    for Failed { path, error } in &repaired.failed {
        ui.line(&format!("failed: {}: {}", shown(path.as_str()), shown(error)))?;
    }
    let changed = groups.iter().any(|(_, paths)| !paths.is_empty());
    if !changed && repaired.failed.is_empty() {
        ui.note("nothing to repair")?;
    }
    Ok(())
}

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

/// Repair differences between generated agents and their files
///
/// Writes a missing file again, or forgets it if no profile asks for it. Keeps an edited file, and
/// accepts its edits. Names orphaned files and files that were not generated here, and leaves them
/// as they are.
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
        ui.line(&format!("left, {}: {}", listed.state.name(), shown(listed.path.as_str())))?;
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

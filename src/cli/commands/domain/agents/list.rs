//! `git coord domain agents list`

use crate::app::Ctx;
use crate::app::domains::agents::list::{FileView, list};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::text::shown;

/// Compare generated agents with their files: ok, edited, missing, orphaned, unknown
///
/// An orphaned agent was generated for a domain that this project no longer has. An unknown file
/// was not generated here.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(super) fn run(ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = list(ctx)?;
        let agents = &answer.body.agents;
        show(ui, &answer, |ui| {
            if agents.is_empty() {
                ui.note("no agents; to make them: git coord domain agents generate")?;
            }
            ui.table(agents.iter().map(row))
        })
    }
}

fn row(listed: &FileView) -> Vec<Cell> {
    let domain = listed.made.as_ref().map_or("", |made| made.domain.as_str());
    let mut notes = Vec::new();
    if let Some(file) = listed.file.filter(|file| *file != listed.state) {
        notes.push(format!("its file is {}", file.name()));
    }
    if listed.made.as_ref().is_some_and(|made| made.outdated) {
        notes.push("its profile has changed".to_owned());
    }
    if listed.is_unasked() {
        notes.push("no profile asks for it".to_owned());
    }
    notes.extend(listed.problem.as_deref().map(|problem| shown(problem).into_owned()));
    vec![
        Cell::plain(listed.state.name()),
        Cell::plain(shown(listed.path.as_str())),
        Cell::plain(domain),
        Cell::plain(notes.join(", ")),
    ]
}

//! `git coord domain check`

use std::io;

use super::TreeArg;
use crate::app::Ctx;
use crate::app::domains::check::{Body, ChangeView, Explanation, Request, Since, Word, answer};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::domain::change::Change;
use crate::core::text::shown;
use crate::core::time::relative;

/// The number of digits that are shown of an entry or a commit.
const DIGITS_SHOWN: usize = 10;

const EXAMPLES: &str = "\
Examples:
  git coord domain check
  git coord domain check --dry-run";

/// Check whether the recorded domains still hold: exit code 0 fresh, 3 stale, 4 none, 1 no domain
///
/// Compares the content of manifests and the presence of other structural files with those that the
/// recorded domains rest on. Uncommitted changes count; dates and history do not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Explain the verdict: every change since then, whether it counts, and the exit code
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) from: TreeArg,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request { which: self.from.which(), explain: self.dry_run };
        let answer = answer(ctx, &request)?;
        let body = &answer.body;
        show(ui, &answer, |ui| {
            if let Some(explanation) = &body.explanation {
                explain(ui, ctx, body, explanation)?;
            }
            ui.line(&verdict_text(body))?;
            for reason in &body.reasons {
                ui.line(&format!("  {}", shown(&reason.to_string())))?;
            }
            if let Some(explanation) = &body.explanation {
                ui.line(&format!("exit code: {}", explanation.exit_code))?;
            }
            Ok(())
        })
    }
}

fn verdict_text(body: &Body) -> String {
    let compared = body.compared.as_ref();
    let at = compared.map_or(String::new(), |it| format!(", entry {}", it.entry.short()));
    let names: Vec<&str> = body.project.domains.iter().map(|found| found.name.as_str()).collect();
    match body.verdict {
        Word::Fresh if body.project.classified_at.is_some() => {
            format!("fresh: {}, as it was set{at}", names.join(", "))
        }
        Word::Fresh => format!("fresh: {}{at}", names.join(", ")),
        Word::NoDomain => format!("fresh: no domain of the index fits{at}"),
        Word::Stale => format!("stale{at}:"),
        Word::None => "none: nothing is known of this project yet".to_owned(),
    }
}

fn short(id: &str) -> &str {
    id.get(..DIGITS_SHOWN).unwrap_or(id)
}

fn explain(ui: &mut Ui, ctx: &Ctx, body: &Body, changes: &Explanation) -> io::Result<()> {
    if let Some(at) = body.project.detected_at {
        let ago = relative(at.as_seconds(), ctx.clock().as_seconds());
        ui.line(&format!("detected {at} ({ago})"))?;
    }
    match &changes.since {
        Since::Nothing => {}
        Since::Commit(commit) => ui.line(&format!("changes since commit {}:", short(commit)))?,
        Since::NoCommit => {
            ui.line("there was no commit then, so changes since then cannot be listed")?;
        }
        Since::Gone(commit) => ui.line(&format!(
            "commit {} of then is not there any more, so changes since cannot be listed",
            short(commit)
        ))?,
    }
    ui.table(changes.changes.iter().map(row))?;
    if changes.changes_not_listed > 0 {
        ui.line(&format!("  and {} more, none of them listed", changes.changes_not_listed))?;
    }
    Ok(())
}

fn row(view: &ChangeView) -> Vec<Cell> {
    let (kind, path) = match &view.change {
        Change::Added { path } => ("added", path.clone()),
        Change::Modified { path } => ("modified", path.clone()),
        Change::Deleted { path } => ("deleted", path.clone()),
        Change::Renamed { from, path } => ("renamed", format!("{from} -> {path}")),
    };
    let structural = if view.structural { "structural: yes" } else { "structural: no" };
    vec![
        Cell::plain(format!("  {kind}")),
        Cell::plain(shown(&path)),
        Cell::plain(structural),
        Cell::plain(view.why),
    ]
}

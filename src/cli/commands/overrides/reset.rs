//! `git coord override reset`

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::reset::{Request, reset};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of};
use crate::core::routing::reset::Area;

/// Forget evidence, trials or records
///
/// Overrides, blocks, overlays, sessions and thresholds stay, and so does the record of an override
/// in force. 'git coord ledger rollback overrides' restores trials and records. Evidence can be
/// restored only by hand, from an earlier entry.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Area to forget
    #[arg(long, value_name = "AREA", value_parser = one_of(&AREAS))]
    scope: Area,

    /// Show what would be forgotten without forgetting it
    #[arg(long)]
    dry_run: bool,
}

const AREAS: [Word<Area>; 4] = [
    ("evidence", Area::Evidence, "All rows of evidence"),
    ("canary", Area::Canary, "All trials, also those that have not ended"),
    ("modifications", Area::Modifications, "The records of overrides that are no longer in force"),
    ("all", Area::All, "All three"),
];

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request { scope: self.scope, dry_run: self.dry_run };
        let answer = reset(ctx, &request)?;
        let gone = &answer.body.forgotten;
        show(ui, &answer, |ui| {
            if gone.is_empty() {
                ui.note("nothing to forget")?;
            }
            let verb = if self.dry_run { "would forget" } else { "forgot" };
            gone.iter()
                .try_for_each(|key| ui.line(&format!("{verb}  {}", ui.paint(Slot::Path, key))))
        })
    }
}

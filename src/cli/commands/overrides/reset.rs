//! `git coord override reset`

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::reset::{Request, reset};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::routing::reset::Area;

/// Forget what was learnt
///
/// Overrides, blocks, overlays, sessions and thresholds stay, and so does the record of an override
/// in force. 'git coord ledger rollback overrides' brings trials and records back; evidence comes
/// back only by hand, from an earlier entry.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to forget
    #[arg(long, value_name = "AREA")]
    scope: AreaOption,

    /// Name what would be forgotten, and leave it
    #[arg(long)]
    dry_run: bool,
}

/// What can be forgotten.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum AreaOption {
    Evidence,
    Canary,
    Modifications,
    All,
}

impl From<AreaOption> for Area {
    fn from(area: AreaOption) -> Area {
        match area {
            AreaOption::Evidence => Area::Evidence,
            AreaOption::Canary => Area::Canary,
            AreaOption::Modifications => Area::Modifications,
            AreaOption::All => Area::All,
        }
    }
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request { scope: self.scope.into(), dry_run: self.dry_run };
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

//! `git coord override reset`

use serde_json::json;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::told;
use crate::cli::term::Ui;
use crate::core::documents::Key;
use crate::core::ledger::LedgerName;
use crate::core::routing::reset::{Area, Reset};

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
        let command = Reset { scope: self.scope.into() };
        let gone = if self.dry_run {
            ctx.decide_only(LedgerName::Overrides, command)?
        } else {
            told(ui, ctx.transact(LedgerName::Overrides, command, None)?)?
        };
        if ui.is_json() {
            let keys: Vec<&str> = gone.iter().map(Key::as_str).collect();
            ui.answer(
                true,
                fields([("forgotten", json!(keys)), ("dry_run", json!(self.dry_run))]),
            )?;
            return Ok(ExitCode::Done);
        }
        if gone.is_empty() {
            ui.note("nothing to forget")?;
        }
        let verb = if self.dry_run { "would forget" } else { "forgot" };
        for key in &gone {
            ui.line(&format!("{verb}  {}", ui.paint(Slot::Path, key.as_str())))?;
        }
        Ok(ExitCode::Done)
    }
}

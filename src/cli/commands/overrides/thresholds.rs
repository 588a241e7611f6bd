//! `git coord override thresholds`

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::thresholds::{self, Row};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord override thresholds
  git coord override thresholds canary_days 7";

/// Show the thresholds of decisions, or set one
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Name of the threshold
    #[arg(value_name = "KEY", requires = "value")]
    key: Option<String>,

    /// New value
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: Option<String>,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = match (&self.key, &self.value) {
            (Some(key), Some(value)) => thresholds::set(ctx, key, value)?,
            _ => thresholds::show(ctx)?,
        };
        show(ui, &answer, |ui| ui.table(answer.body.rows.iter().map(cells)))
    }
}

fn cells(Row { name, value, is_set, bounds, meaning }: &Row) -> [Cell; 5] {
    [
        Cell::painted(Slot::Path, *name),
        Cell::plain(value),
        Cell::plain(if *is_set { "set" } else { "" }),
        Cell::plain(bounds),
        Cell::painted(Slot::Dim, *meaning),
    ]
}

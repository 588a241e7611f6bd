//! `git coord override thresholds`

use std::io;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::thresholds;
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::routing::thresholds::{ALL, AUTONOMY, Setting, Thresholds};

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
        show(ui, &answer, |ui| print(ui, &answer.body.set))
    }
}

fn print(ui: &mut Ui, thresholds: &Thresholds) -> io::Result<()> {
    let row = |name: &str, value: Setting, bounds: &str, meaning: &str| {
        let set = if thresholds.is_set(name) { "set" } else { "" };
        vec![
            Cell::painted(Slot::Path, name),
            Cell::plain(value.to_string()),
            Cell::plain(set),
            Cell::plain(bounds),
            Cell::painted(Slot::Dim, meaning),
        ]
    };
    let mut rows = Vec::new();
    for threshold in ALL {
        let bounds = format!("{} to {}", threshold.least, threshold.most);
        let number = Setting::Number(thresholds.ratio(threshold));
        rows.push(row(threshold.name, number, &bounds, threshold.meaning));
    }
    let meaning = "whether programs may leave agents out by themselves";
    let switch = Setting::Switch(thresholds.autonomy());
    rows.push(row(AUTONOMY, switch, "true or false", meaning));
    ui.table(rows)
}

//! `git coord override thresholds`

use serde_json::{Map, Value, json};

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::problem::{Kind, Problem};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::told;
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::routing::thresholds::{ALL, AUTONOMY, SetThreshold, Setting, Thresholds};

const EXAMPLES: &str = "\
Examples:
  git coord override thresholds
  git coord override thresholds canary_days 7";

/// Show the numbers that decisions go by, or set one
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Which
    #[arg(value_name = "KEY", requires = "value")]
    key: Option<String>,

    /// What it is to be
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: Option<String>,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let thresholds = if let (Some(key), Some(value)) = (&self.key, &self.value) {
            let command = SetThreshold::parse(key, value)
                .map_err(|error| Problem::new(Kind::Usage, error.to_string()))?;
            told(ui, ctx.transact(LedgerName::Overrides, command, None)?)?
        } else {
            let reading = ctx.read_ledger(LedgerName::Overrides)?;
            Thresholds::read(&reading.base.snapshot).map_err(AppError::from)?
        };
        if ui.is_json() {
            ui.answer(true, fields([("thresholds", json!(values(&thresholds)))]))?;
        } else {
            print(ui, &thresholds)?;
        }
        Ok(ExitCode::Done)
    }
}

fn values(thresholds: &Thresholds) -> Map<String, Value> {
    let mut values = Map::new();
    for threshold in ALL {
        let number = if threshold.is_whole {
            json!(thresholds.number(threshold))
        } else {
            json!(thresholds.ratio(threshold))
        };
        values.insert(threshold.name.to_owned(), number);
    }
    values.insert(AUTONOMY.to_owned(), json!(thresholds.autonomy()));
    values
}

fn print(ui: &mut Ui, thresholds: &Thresholds) -> Result<(), Problem> {
    let row = |name: &str, value: Setting, bounds: &str, meaning: &str| {
        let set = if thresholds.is_set(name) { "set" } else { "" };
        vec![
            Cell::painted(name, ui.paint(Slot::Path, name)),
            Cell::plain(&value.to_string()),
            Cell::plain(set),
            Cell::plain(bounds),
            Cell::painted(meaning, ui.paint(Slot::Dim, meaning)),
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
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    Ok(())
}

//! `git coord run replay`

use serde_json::{Value, json};

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::replay::{self, Replayed};
use crate::cli::exit::ExitCode;
use crate::cli::runs::answer;
use crate::cli::term::Ui;
use crate::core::run::names::IdPrefix;
use crate::core::run::told::Difference;
use crate::core::text::shown;

/// Follow the events of a run and compare with the stored state
///
/// Exits with 1 and names each difference if there is one.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let replayed = replay::replay(ctx, &self.run)?;
        let Replayed { run, events, began_at, faults, differences } = &replayed;
        let is_same = faults.is_empty() && differences.is_empty();
        if ui.is_json() {
            let rows: Vec<Value> = differences.iter().map(difference_json).collect();
            let fields = [
                ("events", json!(events)),
                ("same", json!(is_same)),
                ("faults", json!(faults)),
                ("differences", json!(rows)),
            ];
            let mut fields = answer(run, fields);
            if let Some(entry) = began_at {
                fields.insert("began_at".to_owned(), json!(entry.to_string()));
            }
            ui.answer(is_same, fields)?;
            return Ok(if is_same { ExitCode::Done } else { ExitCode::No });
        }
        if let Some(entry) = began_at {
            let entry = entry.short();
            ui.note(&format!("older entries are not here: began with the state of {entry}"))?;
        }
        for fault in faults {
            ui.line(&format!("fault: {}", shown(fault)))?;
        }
        for Difference { fact, replayed, stored } in differences {
            let told = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
            let (events, documents) = (told(replayed), told(stored));
            ui.line(&format!("{}: {} by events, {} stored", shown(fact), events, documents))?;
        }
        if is_same {
            ui.line(&format!("ok: {events} events lead to the stored state"))?;
        }
        Ok(if is_same { ExitCode::Done } else { ExitCode::No })
    }
}

fn difference_json(difference: &Difference) -> Value {
    let Difference { fact, replayed, stored } = difference;
    let mut row = json!({ "fact": fact });
    for (name, side) in [("replayed", replayed), ("stored", stored)] {
        if let Some(value) = side {
            row[name] = json!(value);
        }
    }
    row
}

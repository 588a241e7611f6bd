//! `git coord run replay`

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::replay::{Body, replay};
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::run::names::IdPrefix;
use crate::core::run::state::Difference;
use crate::core::text::shown;

/// How many digits of an entry's id are shown.
const ENTRY_CHARS: usize = 10;

/// Follows the events of the run.
pub(super) fn run(ui: &mut Ui, ctx: &Ctx, run: &IdPrefix) -> Result<ExitCode, Problem> {
    let answer = replay(ctx, run)?;
    let Body { events, same, faults, differences, began_at, .. } = &answer.body;
    show(ui, &answer, |ui| {
        if let Some(entry) = began_at {
            let entry = &entry[..ENTRY_CHARS];
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
        if *same {
            ui.line(&format!("ok: {events} events lead to the stored state"))?;
        }
        Ok(())
    })
}

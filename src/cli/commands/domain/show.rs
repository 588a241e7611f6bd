//! `git coord domain show`

use super::{cache_json, print};
use crate::app::Ctx;
use crate::app::domains;
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;
use crate::cli::term::Ui;

/// Show what is recorded of this project, without looking whether it still holds
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(super) fn run(ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, CliError> {
        let known = domains::show(ctx)?;
        if ui.is_json() {
            ui.answer(true, cache_json(&known.cache, known.entry))?;
        } else {
            print(ui, &known.cache)?;
        }
        Ok(ExitCode::Done)
    }
}

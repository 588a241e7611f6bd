//! `git coord override export` and `import`

use std::ffi::{OsStr, OsString};
use std::io::Read as _;

use serde_json::json;

use super::shared::object;
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::routing::care;
use crate::app::routing::document::{self, Base, PATH_USUAL, PATH_VARIABLE};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::told;
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::core::routing::document::{Remark, read_document};
use crate::core::routing::export::export;
use crate::core::routing::import::{Import, Imported};
use crate::core::text::shown;

/// Print the overrides as one document of version 1
///
/// For readers that know no ledger, such as a router that reads .claude/routing-overrides.json.
/// What an imported document said besides is there again.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {}

impl ExportArgs {
    pub(super) fn run(ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reading = ctx.read_ledger(LedgerName::Overrides)?;
        let exported = export(&reading.base.snapshot).map_err(AppError::from)?;
        if ui.is_json() {
            ui.answer(true, object(&exported))?;
        } else {
            let text = serde_json::to_string_pretty(&exported).expect("documents are plain data");
            ui.line(&text)?;
        }
        Ok(ExitCode::Done)
    }
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  git coord override import .claude/routing-overrides.json
  git coord override import --dry-run";

/// Take a document of version 1 into the ledger
///
/// The document is read and never changed. Tells what was kept, changed and refused; an agent that
/// has an override here already keeps that. Exits with 1 if something was refused.
#[expect(clippy::doc_markdown, reason = "help is printed as it is written")]
#[derive(Debug, clap::Args)]
#[command(after_long_help = IMPORT_EXAMPLES)]
pub(crate) struct ImportArgs {
    /// The document, inside the repository, or - for stdin
    ///
    /// Without it, the path in FLUX_ROUTING_OVERRIDES_PATH, or .claude/routing-overrides.json.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: Option<OsString>,

    /// Yes, also agents that review what cuts across everything (coord.crossCutting)
    #[arg(long)]
    pub(crate) confirm_cross_cutting: bool,

    /// Tell what would be taken, and take nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl ImportArgs {
    pub(super) fn run(
        &self,
        ui: &mut Ui,
        ctx: &Ctx,
        environment: &Environment,
    ) -> Result<ExitCode, Problem> {
        let bytes = self.bytes(ctx, environment)?;
        let read = read_document(&bytes, &ctx.settings().routing.prefixes)
            .map_err(|error| Problem::refused("bad_document", error.to_string()))?;
        let unconfirmed = read.entries.iter().filter(|entry| {
            let care = care(ctx, &entry.agent, self.confirm_cross_cutting);
            care.keep(&entry.agent).is_err()
        });
        let command = Import {
            unconfirmed: unconfirmed.map(|entry| entry.agent.clone()).collect(),
            entries: read.entries,
            unknown: read.unknown,
        };
        let answer = if self.dry_run {
            ctx.decide_only(LedgerName::Overrides, command)?
        } else {
            told(ui, ctx.transact(LedgerName::Overrides, command, None)?)?
        };
        let mut told = Imported { changed: read.changed, refused: read.refused, kept: answer.kept };
        told.changed.extend(answer.changed);
        told.refused.extend(answer.refused);
        let is_whole = told.refused.is_empty();
        if ui.is_json() {
            let answer = fields([
                ("kept", json!(told.kept)),
                ("changed", json!(told.changed)),
                ("refused", json!(told.refused)),
                ("dry_run", json!(self.dry_run)),
            ]);
            ui.answer(is_whole, answer)?;
        } else {
            self.print(ui, &told)?;
        }
        Ok(if is_whole { ExitCode::Done } else { ExitCode::No })
    }

    fn bytes(&self, ctx: &Ctx, environment: &Environment) -> Result<Vec<u8>, Problem> {
        match (&self.file, environment.os(PATH_VARIABLE)) {
            (Some(file), _) if file == "-" => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            (Some(file), _) => Ok(document::read(ctx, file, Base::Here)?),
            (None, Some(path)) => Ok(document::read(ctx, path, Base::Top)?),
            (None, None) => Ok(document::read(ctx, OsStr::new(PATH_USUAL), Base::Top)?),
        }
    }

    fn print(&self, ui: &mut Ui, told: &Imported) -> Result<(), Problem> {
        let verb = if self.dry_run { "would keep" } else { "kept" };
        for agent in &told.kept {
            ui.line(&format!("{verb}  {}", ui.paint(Slot::Holder, agent.as_str())))?;
        }
        let remarks = [("changed", &told.changed), ("refused", &told.refused)];
        for (verb, remarks) in remarks {
            for Remark { agent, what } in remarks {
                let name = ui.paint(Slot::Holder, &shown(agent));
                ui.line(&format!("{verb}  {name}  {}", shown(what)))?;
            }
        }
        if told.kept.is_empty() && told.refused.is_empty() {
            ui.note("the document has no overrides")?;
        }
        Ok(())
    }
}

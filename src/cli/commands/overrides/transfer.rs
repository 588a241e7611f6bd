//! `git coord override export` and `import`

use std::ffi::OsString;
use std::io::{self, Read as _};

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::transfer::{Body, Document, Request, export, import};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::routing::document::Remark;
use crate::core::text::shown;

/// Print the overrides as one document of version 1
///
/// The document is for readers that know no ledger, such as a router that reads
/// .claude/routing-overrides.json. It also has the other content of an imported document.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {}

impl ExportArgs {
    pub(super) fn run(ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = export(ctx)?;
        show(ui, &answer, |ui| {
            let text = serde_json::to_string_pretty(&answer.body);
            ui.line(&text.expect("documents are plain data"))
        })
    }
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  git coord override import .claude/routing-overrides.json
  git coord override import --dry-run";

/// Import a document of version 1 into the ledger
///
/// Reads the document and never changes it. Lists the overrides that were kept, changed and
/// refused. An agent that already has an override here keeps that one. Exits with 1 if an override
/// was refused.
#[expect(clippy::doc_markdown, reason = "help is printed as it is written")]
#[derive(Debug, clap::Args)]
#[command(after_long_help = IMPORT_EXAMPLES)]
pub(crate) struct ImportArgs {
    /// Document inside the repository, or - for stdin
    ///
    /// Without it, reads the path in FLUX_ROUTING_OVERRIDES_PATH, or
    /// .claude/routing-overrides.json.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: Option<OsString>,

    /// Confirm it for agents that review cross-cutting concerns (coord.crossCutting)
    #[arg(long)]
    pub(crate) confirm_cross_cutting: bool,

    /// Show what would be imported without importing it
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
        let mut bytes = Vec::new();
        let document = match &self.file {
            Some(file) if file == "-" => {
                io::stdin().lock().read_to_end(&mut bytes)?;
                Document::Bytes(&bytes)
            }
            Some(file) => Document::File(file),
            None => Document::Usual(environment),
        };
        let (confirmed, dry_run) = (self.confirm_cross_cutting, self.dry_run);
        let answer = import(ctx, &Request { document, confirmed, dry_run })?;
        show(ui, &answer, |ui| self.print(ui, &answer.body))
    }

    fn print(&self, ui: &mut Ui, told: &Body) -> io::Result<()> {
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

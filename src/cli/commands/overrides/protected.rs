//! `git coord override protected`

use std::ffi::OsString;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::protected::{Body, Request, protected};
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::text::shown;

/// Check whether a manifest allows a tool to change a file
///
/// A manifest is a JSON object with lists of patterns: protected_paths, modification_allow_list and
/// always_propose. Exits with 0 only if the manifest allows the file and does not protect it;
/// without a manifest, no file is allowed. git coord itself changes none of your files.
#[expect(clippy::doc_markdown, reason = "help is printed as it is written")]
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File to check
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: OsString,

    /// Manifest, inside the repository
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    manifest: OsString,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request { path: &self.path, manifest: &self.manifest };
        let answer = protected(ctx, &request)?;
        let Body { permission, path } = &answer.body;
        let path = String::from_utf8_lossy(path);
        show(ui, &answer, |ui| ui.line(&format!("{}  {}", permission.name(), shown(&path))))
    }
}

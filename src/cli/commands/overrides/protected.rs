//! `git coord override protected`

use std::ffi::OsString;

use serde_json::json;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::routing::document::{self, Base};
use crate::app::specs;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::term::Ui;
use crate::core::pattern::Case;
use crate::core::routing::manifest::{Manifest, Permission, permission};
use crate::core::text::shown;

/// Tell whether a manifest lets a tool change a file
///
/// A manifest is a JSON object with lists of patterns: protected_paths, modification_allow_list and
/// always_propose. Exits with 0 only if the file is allowed and not protected; without a manifest
/// nothing is. git coord itself changes no file of yours.
#[expect(clippy::doc_markdown, reason = "help is printed as it is written")]
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: OsString,

    /// The manifest, inside the repository
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    manifest: OsString,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let paths = std::slice::from_ref(&self.path);
        let path = specs::paths(ctx.repository(), paths)?.pop().unwrap_or_default();
        let manifest = match document::read(ctx, &self.manifest, Base::Here) {
            Ok(bytes) => Some(serde_json::from_slice::<Manifest>(&bytes).map_err(|error| {
                let message = format!("the manifest cannot be read: {error}");
                Problem::refused("bad_document", message)
            })?),
            Err(AppError::Nothing(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let found = permission(manifest.as_ref(), &path, Case::Sensitive);
        let is_allowed = found == Permission::Allowed;
        if ui.is_json() {
            ui.answer(is_allowed, fields([("permission", json!(found.name()))]))?;
        } else {
            let path = String::from_utf8_lossy(&path).into_owned();
            ui.line(&format!("{}  {}", found.name(), shown(&path)))?;
        }
        Ok(if is_allowed { ExitCode::Done } else { ExitCode::No })
    }
}

//! Exports the overrides as one document of version 1, and imports one.

use std::ffi::{OsStr, OsString};

use schemars::JsonSchema;
use serde::Serialize;

use super::confirmation;
use super::document::{self, Base, PATH_USUAL, PATH_VARIABLE};
use crate::app::answer::{Answer, Outcome};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::core::routing::document::{Remark, read_document};
use crate::core::routing::export::{self, Exported};
use crate::core::routing::import::{Import, Imported};
use crate::core::routing::names::RoutedName;

/// A document to import.
pub struct Request<'r> {
    pub document: Document<'r>,
    /// Set if the caller confirms that agents may be among those that review across everything.
    pub confirmed: bool,
    pub dry_run: bool,
}

/// The place of a document.
pub enum Document<'r> {
    /// Read by the caller.
    Bytes(&'r [u8]),
    /// A file of the repository, relative to the caller's directory.
    File(&'r OsString),
    /// The path that the environment names, or the usual one.
    Usual(&'r Environment),
}

/// The answer to `override import`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportedOverrides")]
pub struct Body {
    /// The agents whose override was imported or, in a dry run, would be.
    pub kept: Vec<RoutedName>,
    /// Overrides that were imported with changes, each with a remark.
    pub changed: Vec<Remark>,
    /// Overrides that were not imported, each with the reason.
    pub refused: Vec<Remark>,
    pub dry_run: bool,
}

/// Exports all overrides.
pub fn export(ctx: &Ctx) -> Result<Answer<Exported>, Problem> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let exported = export::export(&reading.base.snapshot).map_err(AppError::from)?;
    Ok(Answer::read(exported, reading.now))
}

/// Imports a document. The answer is no if an override of it was refused.
pub fn import(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let bytes = request.document.read(ctx)?;
    let read = read_document(&bytes, &ctx.settings().routing.prefixes)
        .map_err(|error| document::bad(error.to_string()))?;
    let unconfirmed = read.entries.iter().filter(|entry| {
        confirmation(ctx, &entry.agent, request.confirmed).require(&entry.agent).is_err()
    });
    let command = Import {
        unconfirmed: unconfirmed.map(|entry| entry.agent.clone()).collect(),
        entries: read.entries,
        unknown: read.unknown,
    };
    let (mut changed, mut refused) = (read.changed, read.refused);
    let body = |imported: Imported| {
        changed.extend(imported.changed);
        refused.extend(imported.refused);
        Body { kept: imported.kept, changed, refused, dry_run: request.dry_run }
    };
    let mut answer = if request.dry_run {
        Answer::read(body(ctx.decide_only(LedgerName::Overrides, command)?), ctx.clock())
    } else {
        Answer::committed(ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?, body)
    };
    if !answer.body.refused.is_empty() {
        answer.outcome = Outcome::No;
    }
    Ok(answer)
}

impl Document<'_> {
    fn read(&self, ctx: &Ctx) -> Result<Vec<u8>, AppError> {
        match self {
            Document::Bytes(bytes) => Ok(bytes.to_vec()),
            Document::File(file) => document::read(ctx, file, Base::Here),
            Document::Usual(environment) => {
                let said = environment.os(PATH_VARIABLE);
                document::read(ctx, said.unwrap_or(OsStr::new(PATH_USUAL)), Base::Top)
            }
        }
    }
}

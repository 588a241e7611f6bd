//! Records the kind of the project as a person or a model gives it, and takes that back.

use schemars::JsonSchema;
use serde::Serialize;

use super::catalogue::catalogue;
use super::view::ProjectView;
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::domain::cache::Cache;
use crate::core::domain::classify::{Classify, Declassify};
use crate::core::domain::confidence::Confidence;
use crate::core::domain::name::Name;
use crate::core::domain::source_tree::Which;
use crate::core::ledger::LedgerName;
use crate::core::text::Line;

/// The classification of a person or a model.
pub struct Request<'r> {
    /// The primary one first.
    pub domains: &'r [Name],
    /// `human`, or the name of a model; no word of a project is without one.
    pub source: Option<&'r Line>,
    pub reason: &'r Line,
    /// Full confidence if absent.
    pub confidence: Option<Confidence>,
}

impl<'r> Request<'r> {
    /// Checks that the request names domains, and where they come from.
    pub fn check(&self) -> Result<(), AppError> {
        self.source().map(drop)
    }

    fn source(&self) -> Result<&'r Line, AppError> {
        if self.domains.is_empty() {
            let message = "name the domains, or take back what was recorded with --clear";
            return Err(AppError::usage(message));
        }
        let message = "say where it comes from: --source human, or a model's name";
        self.source.ok_or_else(|| AppError::usage(message))
    }
}

/// The answer to `domain set --clear`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClearedDomains")]
pub struct Cleared {
    /// Always true.
    pub cleared: bool,
}

/// Records the given domains, including those that the index does not have.
pub fn set(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<ProjectView>, Problem> {
    let source = request.source()?;
    let catalogue = catalogue(ctx, Which::Usual)?;
    let is_unknown = |name: &&Name| catalogue.domains().iter().all(|domain| domain.name != **name);
    let warning = |name: &Name| {
        let text = format!("no domain '{name}' in the index; it is recorded all the same");
        Note::warning(text)
    };
    let notes: Vec<Note> = request.domains.iter().filter(is_unknown).map(warning).collect();
    let command = Classify {
        domains: request.domains.to_vec(),
        source: source.clone(),
        reason: request.reason.clone(),
        confidence: request.confidence.unwrap_or(Confidence::FULL),
    };
    let committed = ctx
        .transact(LedgerName::Domains, command, WriteMode::Plain)
        .map_err(|error| Problem::from(error).noting(notes.clone()))?;
    let answer = Answer::committed(committed, |classified| {
        let cache = Cache { classified: Some(classified), ..Cache::default() };
        // The tree was not looked at, so the detected domains are unknown.
        ProjectView { detected: None, ..ProjectView::from(&cache) }
    });
    Ok(answer.noting(notes))
}

/// Removes the classification, so that the detection counts again.
pub fn clear(ctx: &Ctx, reason: &Line) -> Result<Answer<Cleared>, Problem> {
    let command = Declassify { reason: reason.clone() };
    let committed = ctx.transact(LedgerName::Domains, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |()| Cleared { cleared: true }))
}

//! Tells a router which agents to use. It fails open: an override that cannot be read excludes
//! nobody.

use std::ffi::{OsStr, OsString};

use schemars::JsonSchema;
use serde::Serialize;

use super::document::{self, Base, PATH_VARIABLE};
use super::roster::Roster;
use super::{PutBy, agent_name, put_by};
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, specs};
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::routing::document::read_document;
use crate::core::routing::index;
use crate::core::routing::revert;
use crate::core::routing::route::{self, Candidate, ReviewedChange, Routed};
use crate::core::routing::{Modification, Override};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;

/// The agents that a router would use, and the change.
pub struct Request<'r> {
    pub agents: &'r [String],
    pub domains: &'r [Line],
    /// The paths that the change touches, relative to the caller's directory.
    pub paths: &'r [OsString],
    /// The environment, which says where the roster is, and may name a document to use instead of
    /// the ledger.
    pub environment: &'r Environment,
}

/// The answer to `route`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Route")]
pub struct Body {
    /// The agents to use, as they were given.
    pub agents: Vec<String>,
    /// The agents that are excluded.
    pub excluded: Vec<ExcludedView>,
    /// The agents to use whose exclusion is proposed.
    pub proposed: Vec<ProposedView>,
    /// Warnings for the router; `notes` has them as well.
    pub warnings: Vec<String>,
}

/// An agent that is excluded.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExcludedAgent")]
pub struct ExcludedView {
    /// The name as it was given.
    pub agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Line>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub put_by: Option<PutBy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

/// An agent whose exclusion is proposed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProposedAgent")]
pub struct ProposedView {
    /// The name as it was given.
    pub agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Line>,
}

/// The overrides as they were read, with warnings about those that could not be.
struct Found {
    overrides: Vec<Override>,
    records: Vec<Modification>,
    tip: Option<ObjectId>,
    warnings: Vec<String>,
    case: Case,
    now: Timestamp,
}

/// Finds the agents that are left for a change, by the document that the environment names, or by
/// the ledger.
pub fn route(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let mut candidates = Vec::new();
    for given in request.agents {
        candidates.push(Candidate { given: given.clone(), name: agent_name(ctx, given)? });
    }
    let paths = specs::paths(ctx.repository(), request.paths)?;
    let change = ReviewedChange { domains: request.domains.to_vec(), paths };
    let mut found = match request.environment.os(PATH_VARIABLE) {
        Some(path) => in_document(ctx, path)?,
        None => in_ledger(ctx)?,
    };
    let roster = Roster::read(ctx, request.environment);
    let mut warnings = std::mem::take(&mut found.warnings);
    warnings.extend(roster.warnings.iter().cloned());
    let (known, orphaned): (Vec<Override>, Vec<Override>) = std::mem::take(&mut found.overrides)
        .into_iter()
        .partition(|entry| !roster.lacks(&entry.agent));
    let warning = |entry: Override| {
        format!("the override of '{}' names an agent that is not there", entry.agent)
    };
    warnings.extend(orphaned.into_iter().map(warning));
    let routed = route::route(candidates, &known, &change, found.case);
    let notes: Vec<Note> = warnings.iter().map(Note::warning).collect();
    let now = found.now;
    Ok(Answer::read(body(ctx, &found, routed, warnings), now).noting(notes))
}

/// Adds the act that put each exclusion in force, if the ledger has it.
fn body(ctx: &Ctx, found: &Found, routed: Routed, warnings: Vec<String>) -> Body {
    let Routed { agents, excluded, proposed } = routed;
    let is_asked =
        |record: &&Modification| excluded.iter().any(|(_, entry)| entry.agent == record.agent);
    let records: Vec<&Modification> = found.records.iter().filter(is_asked).collect();
    let named = put_by(ctx, found.tip, records.iter().copied());
    let excluded_view = |(agent, entry): (String, Override)| {
        let record = records.iter().find(|record| record.agent == entry.agent);
        let put_by = record.and_then(|record| named.get(&record.id).cloned());
        ExcludedView { agent, since: entry.since(), reason: entry.reason, put_by }
    };
    let proposed_view =
        |(agent, entry): (String, Override)| ProposedView { agent, reason: entry.reason };
    Body {
        agents,
        excluded: excluded.into_iter().map(excluded_view).collect(),
        proposed: proposed.into_iter().map(proposed_view).collect(),
        warnings,
    }
}

impl Found {
    /// Makes the state before anything was read.
    fn nothing(ctx: &Ctx) -> Found {
        Found {
            overrides: Vec::new(),
            records: Vec::new(),
            tip: None,
            warnings: Vec::new(),
            case: Case::Sensitive,
            now: ctx.clock(),
        }
    }
}

fn in_ledger(ctx: &Ctx) -> Result<Found, AppError> {
    match overrides_of_ledger(ctx) {
        Err(error) if error.is_no_state() => {
            let warnings = vec![format!("nobody is left out: {error}")];
            Ok(Found { warnings, ..Found::nothing(ctx) })
        }
        found => found,
    }
}

fn overrides_of_ledger(ctx: &Ctx) -> Result<Found, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let documents = &reading.base.snapshot;
    let (overrides, faults) = index::readable_overrides(documents)?;
    let mut records = Vec::new();
    for entry in overrides.iter().filter(|entry| entry.is_in_force()) {
        // A record has only the origin of an override, so one that cannot be read is left out.
        records.extend(revert::applied(documents, &entry.agent).ok().flatten());
    }
    let warnings = faults.iter().map(|fault| format!("it excludes nobody: {fault}")).collect();
    let (case, now) = (reading.case, reading.now);
    Ok(Found { overrides, records, tip: reading.base.id(), warnings, case, now })
}

fn in_document(ctx: &Ctx, path: &OsStr) -> Result<Found, AppError> {
    let mut found = Found::nothing(ctx);
    let bytes = match document::read(ctx, path, Base::Top) {
        Ok(bytes) => bytes,
        // Without a document there are no overrides.
        Err(error) if error.is_absence() => return Ok(found),
        Err(error) => return Err(error),
    };
    match read_document(&bytes, &ctx.settings().routing.prefixes) {
        Ok(document) => {
            let refused = document.refused.into_iter();
            found.warnings.extend(
                refused.map(|remark| format!("'{}' is passed over: {}", remark.agent, remark.what)),
            );
            found.overrides = document.entries;
        }
        Err(error) => {
            let name = path.to_string_lossy();
            found.warnings.push(format!("nobody is left out by '{name}': {error}"));
        }
    }
    Ok(found)
}

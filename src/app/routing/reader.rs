//! `route`: what a router asks. A reader fails open: what it cannot read excludes nobody.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::routing::document::{self, Base};
use crate::app::routing::entries_of;
use crate::app::routing::roster::Roster;
use crate::core::pattern::Case;
use crate::core::routing::Override;
use crate::core::routing::document::read_document;
use crate::core::routing::names::RoutedName;
use crate::core::routing::places;
use crate::core::routing::revert;
use crate::core::routing::route::{self, Candidate, Matter, Routed};
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::layout::LedgerName;
use crate::store::object::ObjectId;

/// The answer to a router.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Who is left, and who is not.
    pub routed: Routed,
    /// The entry that put each exclusion in force, where it is in the chain.
    pub entries: BTreeMap<RoutedName, ObjectId>,
    /// What the router should be told besides.
    pub warnings: Vec<String>,
    /// The time that counts.
    pub now: Timestamp,
}

/// The overrides as they were read, and what went wrong with that.
struct Found {
    overrides: Vec<Override>,
    acts: BTreeMap<RoutedName, crate::core::ids::OpId>,
    warnings: Vec<String>,
    case: Case,
    now: Timestamp,
}

/// Who of the agents is left for a matter. With a path, the overrides are those of the document
/// there; otherwise those of the ledger.
pub fn route(
    ctx: &Ctx,
    agents: &[String],
    matter: &Matter,
    document: Option<&OsStr>,
    roster: &Roster,
) -> Result<Answer, AppError> {
    let found = match document {
        Some(path) => in_document(ctx, path)?,
        None => in_ledger(ctx)?,
    };
    let mut warnings = found.warnings;
    warnings.extend(roster.warnings.iter().cloned());
    let mut candidates = Vec::new();
    for given in agents {
        let name = RoutedName::behind(&ctx.settings().routing.prefixes, given);
        if let Err(error) = &name {
            warnings.push(error.to_string());
        }
        candidates.push(Candidate { given: given.clone(), name: name.ok() });
    }
    for entry in found.overrides.iter().filter(|entry| roster.lacks(&entry.agent)) {
        warnings
            .push(format!("the override of '{}' names an agent that is not there", entry.agent));
    }
    let known: Vec<Override> =
        found.overrides.into_iter().filter(|entry| !roster.lacks(&entry.agent)).collect();
    let routed = route::route(candidates, &known, matter, found.case);
    let excluded = routed.excluded.iter().map(|(_, entry)| entry.agent.clone());
    let acts: BTreeMap<_, _> = excluded
        .filter_map(|agent| Some((agent.clone(), found.acts.get(&agent)?.clone())))
        .collect();
    let places = entries_of(ctx, acts.values().cloned())?;
    let entries =
        acts.into_iter().filter_map(|(agent, act)| Some((agent, *places.get(&act)?))).collect();
    Ok(Answer { routed, entries, warnings, now: found.now })
}

fn in_ledger(ctx: &Ctx) -> Result<Found, AppError> {
    let nothing = |warning: String| Found {
        overrides: Vec::new(),
        acts: BTreeMap::new(),
        warnings: vec![warning],
        case: Case::Sensitive,
        now: ctx.clock(),
    };
    let reading = match ctx.read_ledger(LedgerName::Overrides) {
        Ok(reading) => reading,
        Err(AppError::Failed(error)) if is_no_answer(&*error) => {
            return Ok(nothing(format!("nobody is left out: {error}")));
        }
        Err(error) => return Err(error),
    };
    let documents = &reading.base.snapshot;
    let (overrides, faults) = places::readable_overrides(documents)?;
    let mut acts = BTreeMap::new();
    for entry in overrides.iter().filter(|entry| entry.is_in_force()) {
        if let Ok(Some(record)) = revert::applied(documents, &entry.agent) {
            acts.insert(entry.agent.clone(), record.op);
        }
    }
    let warnings = faults.iter().map(|fault| format!("it excludes nobody: {fault}")).collect();
    Ok(Found { overrides, acts, warnings, case: reading.case, now: reading.now })
}

/// Whether a ledger is of an unknown format or damaged, rather than out of reach.
fn is_no_answer(error: &(dyn std::error::Error + 'static)) -> bool {
    let stored = error.downcast_ref::<StoreError>();
    stored.is_some_and(|error| matches!(error, StoreError::NewerFormat { .. }) || error.is_damage())
}

fn in_document(ctx: &Ctx, path: &OsStr) -> Result<Found, AppError> {
    let mut found = Found {
        overrides: Vec::new(),
        acts: BTreeMap::new(),
        warnings: Vec::new(),
        case: Case::Sensitive,
        now: ctx.clock(),
    };
    let bytes = match document::read(ctx, path, Base::Top) {
        Ok(bytes) => bytes,
        // No document, no overrides.
        Err(AppError::Nothing(_)) => return Ok(found),
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

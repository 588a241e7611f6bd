//! `route`: what a router asks. A reader fails open: what it cannot read excludes nobody.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::routing::document::{self, Base};
use crate::app::routing::roster::Roster;
use crate::app::routing::{PutBy, put_by};
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::routing::document::read_document;
use crate::core::routing::index;
use crate::core::routing::names::RoutedName;
use crate::core::routing::revert;
use crate::core::routing::route::{self, Candidate, Matter, Routed};
use crate::core::routing::{Modification, Override};
use crate::core::time::Timestamp;
use crate::store::git::object::ObjectId;

/// The answer to a router.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Who is left, and who is not.
    pub routed: Routed,
    /// What put each exclusion in force, where a ledger says so.
    pub put_by: BTreeMap<RoutedName, PutBy>,
    /// What the router should be told besides.
    pub warnings: Vec<String>,
    /// The time that counts.
    pub now: Timestamp,
}

/// The overrides as they were read, and what went wrong with that.
struct Found {
    overrides: Vec<Override>,
    records: Vec<Modification>,
    tip: Option<ObjectId>,
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
    let is_asked = |record: &&Modification| {
        routed.excluded.iter().any(|(_, entry)| entry.agent == record.agent)
    };
    let records: Vec<&Modification> = found.records.iter().filter(is_asked).collect();
    let mut named = put_by(ctx, found.tip, records.iter().copied());
    let put_by = records
        .into_iter()
        .filter_map(|record| Some((record.agent.clone(), named.remove(&record.id)?)))
        .collect();
    Ok(Answer { routed, put_by, warnings, now: found.now })
}

impl Found {
    /// Nothing, as long as nothing was read.
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
        // A record tells how it came to be; who is left out is the override's to say.
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

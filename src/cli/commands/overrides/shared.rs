//! What the commands about overrides have in common: values, and how things are told.

use std::fmt::Display;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::roster::Roster;
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::pattern::Pattern;
use crate::core::routing::Override;
use crate::core::routing::names::{EvidenceRef, RoutedName};
use crate::core::routing::text::{Note, keep_name};
use crate::core::text::{Line, shown};

/// One id, or several as a JSON array.
pub(super) fn parse_evidence(text: &str) -> Result<EvidenceList, String> {
    let said = |value: &Value| EvidenceRef::said(value).map_err(|error| error.to_string());
    if text.trim_start().starts_with('[') {
        let items: Vec<Value> = serde_json::from_str(text)
            .map_err(|_| "expected an id, or a JSON array of texts and numbers".to_owned())?;
        return items.iter().map(said).collect::<Result<_, _>>().map(EvidenceList);
    }
    let value = text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from);
    Ok(EvidenceList(vec![said(&value)?]))
}

/// Ids of evidence as one argument gives them.
#[derive(Clone, Debug)]
pub(super) struct EvidenceList(Vec<EvidenceRef>);

/// All ids of all arguments, each once.
pub(super) fn all_evidence(lists: &[EvidenceList]) -> Vec<EvidenceRef> {
    let mut all = Vec::new();
    for id in lists.iter().flat_map(|list| &list.0) {
        if !all.contains(id) {
            all.push(id.clone());
        }
    }
    all
}

/// A line without secrets.
pub(super) fn parse_line(text: &str) -> Result<Line, String> {
    Note::new(text).map(Note::into_line).map_err(|error| error.to_string())
}

/// A word or a name, which is no secret.
pub(super) fn parse_name<T>(text: &str) -> Result<T, String>
where
    T: FromStr,
    T::Err: Display,
{
    let name = text.parse().map_err(|error: T::Err| error.to_string())?;
    keep_name(text).map_err(|error| error.to_string())?;
    Ok(name)
}

/// Warns about an agent that is not in the roster. It is accepted: the roster may be behind.
pub(super) fn warn_of_stranger(
    ui: &mut Ui,
    ctx: &Ctx,
    environment: &Environment,
    agent: &RoutedName,
) -> Result<(), Problem> {
    let roster = Roster::read(ctx, environment);
    for warning in &roster.warnings {
        ui.warn(warning)?;
    }
    if roster.lacks(agent) {
        ui.warn(&format!("the roster has no agent '{agent}'; is the name right?"))?;
    }
    Ok(())
}

/// Where an override counts, if not everywhere.
pub(super) fn scope_text(entry: &Override) -> Option<String> {
    let scope = entry.scope.as_ref()?;
    let domains = scope.domains.iter().map(|domain| shown(domain.as_str()).into_owned());
    let patterns = scope.file_patterns.iter().map(Pattern::shown);
    let names: Vec<String> = domains.chain(patterns).collect();
    (!names.is_empty()).then(|| format!("only for: {}", names.join(", ")))
}

/// A document as programs read it.
pub(super) fn object(document: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(document) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("a document is an object"),
    }
}

//! What the commands about overrides have in common: values, and how things are told.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::app::Ctx;
use crate::app::routing::roster::Roster;
use crate::cli::error::CliError;
use crate::cli::term::Ui;
use crate::core::environment::Environment;
use crate::core::routing::names::{EvidenceRef, RoutedName};
use crate::core::routing::text::Note;
use crate::core::text::Line;

/// One id, or several as a JSON array.
pub(super) fn parse_evidence(text: &str) -> Result<EvidenceList, String> {
    if text.trim_start().starts_with('[') {
        let ids: Vec<EvidenceRef> = serde_json::from_str(text)
            .map_err(|_| "expected an id, or a JSON array of texts and numbers".to_owned())?;
        return Ok(EvidenceList(ids));
    }
    if let Ok(number) = text.parse() {
        return Ok(EvidenceList(vec![EvidenceRef::Number(number)]));
    }
    Ok(EvidenceList(vec![EvidenceRef::Text(line(&note(text)?))]))
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
    note(text).map(|note| line(&note))
}

fn note(text: &str) -> Result<Note, String> {
    Note::new(text).map_err(|error| error.to_string())
}

fn line(note: &Note) -> Line {
    Line::new(note.as_str()).expect("a note is a line")
}

/// Warns about an agent that is not in the roster. It is accepted: the roster may be behind.
pub(super) fn warn_of_stranger(
    ui: &mut Ui,
    ctx: &Ctx,
    environment: &Environment,
    agent: &RoutedName,
) -> Result<(), CliError> {
    let roster = Roster::read(ctx, environment);
    for warning in &roster.warnings {
        ui.warn(warning)?;
    }
    if roster.lacks(agent) {
        ui.warn(&format!("the roster has no agent '{agent}'; is the name right?"))?;
    }
    Ok(())
}

/// A document as programs read it.
pub(super) fn object(document: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(document) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("a document is an object"),
    }
}

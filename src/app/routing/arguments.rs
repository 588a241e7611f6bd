//! Texts that a caller gives about overrides, as values. A secret never becomes one.

use std::fmt::Display;
use std::str::FromStr;

use serde_json::Value;

use crate::core::routing::names::EvidenceRef;
use crate::core::routing::text::{Note, check_name};
use crate::core::text::Line;

/// Parses one id, or several as a JSON array.
pub fn parse_evidence(text: &str) -> Result<EvidenceList, String> {
    let said = |value: &Value| EvidenceRef::from_json(value).map_err(|error| error.to_string());
    if text.trim_start().starts_with('[') {
        let items: Vec<Value> = serde_json::from_str(text)
            .map_err(|_| "expected an id, or a JSON array of texts and numbers".to_owned())?;
        return items.iter().map(said).collect::<Result<_, _>>().map(EvidenceList);
    }
    let value = text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from);
    Ok(EvidenceList(vec![said(&value)?]))
}

/// The ids of evidence that one argument gives.
#[derive(Clone, Debug)]
pub struct EvidenceList(Vec<EvidenceRef>);

/// Collects the ids of all arguments.
pub fn all_evidence(lists: &[EvidenceList]) -> Vec<EvidenceRef> {
    lists.iter().flat_map(|list| list.0.clone()).collect()
}

/// Parses a line, and takes secrets out.
pub fn parse_line(text: &str) -> Result<Line, String> {
    Note::new(text).map(Note::into_line).map_err(|error| error.to_string())
}

/// Parses a word or a name, and refuses a secret.
pub fn parse_name<T>(text: &str) -> Result<T, String>
where
    T: FromStr,
    T::Err: Display,
{
    let name = text.parse().map_err(|error: T::Err| error.to_string())?;
    check_name(text).map_err(|error| error.to_string())?;
    Ok(name)
}

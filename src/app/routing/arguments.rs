//! Texts that a caller gives about overrides, as values. A secret never becomes one.

use std::fmt::Display;
use std::str::FromStr;

use serde_json::Value;

use crate::core::routing::names::EvidenceRef;
use crate::core::routing::text::{Note, check_name};
use crate::core::text::Line;

/// The form of evidence in an argument.
const EVIDENCE_FORM: &str = "expected an id, or a JSON array of texts and numbers";

/// Parses one id, or several as a JSON array. Only an array can hold an id that is no plain word:
/// a list without brackets, or a JSON value of another kind, would become one id.
pub fn parse_evidence(text: &str) -> Result<EvidenceList, String> {
    let said = |value: &Value| EvidenceRef::from_json(value).map_err(|error| error.to_string());
    if text.trim_start().starts_with('[') {
        let items: Vec<Value> = serde_json::from_str(text).map_err(|_| EVIDENCE_FORM.to_owned())?;
        return items.iter().map(said).collect::<Result<_, _>>().map(EvidenceList);
    }
    if !is_plain_id(text) {
        return Err(EVIDENCE_FORM.to_owned());
    }
    let value = text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from);
    Ok(EvidenceList(vec![said(&value)?]))
}

/// Tells whether the text is one id without quotes: a word, and no other value of JSON.
fn is_plain_id(text: &str) -> bool {
    let is_of_word = |letter: char| letter.is_alphanumeric() || "._:/@#+=-".contains(letter);
    let is_id_or_no_json = match serde_json::from_str::<Value>(text) {
        Ok(value) => value.is_u64(),
        Err(_) => true,
    };
    !text.is_empty() && text.chars().all(is_of_word) && is_id_or_no_json
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

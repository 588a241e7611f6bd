//! A document of version 1, as other tools keep it, read with care.
//!
//! What is not as it should be is left out, brought within its bounds or refused, each with a
//! remark; a secret in it is gone before anybody gets to see what was read.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::core::pattern::{self, Reading};
use crate::core::routing::export::VERSION;
use crate::core::routing::names::{EvidenceRef, RoutedName};
use crate::core::routing::ratio::Ratio;
use crate::core::routing::redact::redact;
use crate::core::routing::text::{BadText, Context, Note};
use crate::core::routing::{Action, LIST_MAX, Override, Scope, Trial};
use crate::core::text::Line;

/// Why a document is not taken at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDocument {
    /// Not JSON, or no object.
    #[error("it is no JSON object: {0}")]
    NoObject(String),
    /// Of another version, or of none.
    #[error("its version is {0}; only version {VERSION} is known")]
    Version(String),
    /// It has no list of overrides.
    #[error("it has no list 'overrides'")]
    NoList,
}

/// What is said about one entry of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Which, by the name that it has there.
    pub agent: String,
    /// What.
    pub what: String,
}

/// A document that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadDocument {
    /// The overrides that can be taken.
    pub entries: Vec<Override>,
    /// What the document says besides.
    pub unknown: Map<String, Value>,
    /// What is not as it was.
    pub changed: Vec<Remark>,
    /// What cannot be taken.
    pub refused: Vec<Remark>,
}

/// Reads a document of version 1.
pub fn read_document(bytes: &[u8], prefixes: &[String]) -> Result<ReadDocument, BadDocument> {
    let mut fields: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| BadDocument::NoObject(error.to_string()))?;
    match fields.shift_remove("version") {
        Some(version) if version == VERSION => {}
        Some(version) => return Err(BadDocument::Version(redact(&version.to_string()))),
        None => return Err(BadDocument::Version("missing".to_owned())),
    }
    let Some(Value::Array(list)) = fields.shift_remove("overrides") else {
        return Err(BadDocument::NoList);
    };
    let mut document = ReadDocument::default();
    for item in list {
        let mut reader = EntryReader::new(item, prefixes);
        match reader.read() {
            Ok(entry) if document.entries.iter().any(|other| other.agent == entry.agent) => {
                document.refused.push(reader.remark("it stands there twice; the first counts"));
            }
            Ok(entry) => {
                document.entries.push(entry);
                document.changed.append(&mut reader.changed);
            }
            Err(why) => document.refused.push(reader.remark(&why)),
        }
    }
    for (name, value) in &mut fields {
        if clean(value) {
            let what = format!("a secret in '{name}' was redacted");
            document.changed.push(Remark { agent: "(document)".to_owned(), what });
        }
    }
    document.unknown = fields;
    Ok(document)
}

/// Takes secrets out of whatever nobody knows the meaning of; whether there were any.
fn clean(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let redacted = redact(text);
            let had_any = redacted != *text;
            *text = redacted;
            had_any
        }
        Value::Array(items) => items.iter_mut().map(clean).filter(|had| *had).count() > 0,
        Value::Object(fields) => {
            let mut had_any = false;
            for (name, field) in fields {
                // A name and its value are a secret together, too.
                let alone = matches!(field, Value::String(_));
                if let (true, Some(text)) = (alone, field.as_str())
                    && redact(&format!("{name}: '{text}'")).ends_with("'[redacted]'")
                    && text != "[redacted]"
                {
                    *field = Value::String("[redacted]".to_owned());
                    had_any = true;
                }
                had_any |= clean(field);
            }
            had_any
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// One entry, field by field.
struct EntryReader<'p> {
    fields: Map<String, Value>,
    name: String,
    prefixes: &'p [String],
    changed: Vec<Remark>,
}

impl<'p> EntryReader<'p> {
    fn new(item: Value, prefixes: &'p [String]) -> EntryReader<'p> {
        let fields = if let Value::Object(fields) = item { fields } else { Map::new() };
        let name = fields.get("agent").and_then(Value::as_str).unwrap_or("(without a name)");
        let name = redact(name).chars().take(80).collect();
        EntryReader { fields, name, prefixes, changed: Vec::new() }
    }

    fn remark(&self, what: &str) -> Remark {
        Remark { agent: self.name.clone(), what: what.to_owned() }
    }

    fn change(&mut self, what: &str) {
        let remark = self.remark(what);
        self.changed.push(remark);
    }

    fn read(&mut self) -> Result<Override, String> {
        let agent = self.agent()?;
        let action = match self.fields.shift_remove("action").as_ref().and_then(Value::as_str) {
            Some("exclude") => Action::Exclude,
            Some("propose") => Action::Propose,
            _ => return Err("its action is neither 'exclude' nor 'propose'".to_owned()),
        };
        let reason = self.reason()?;
        let evidence_ids = self.evidence_ids()?;
        let scope = self.scope()?;
        let confidence = self.confidence();
        let created = self.parsed("created");
        let created_by = self.parsed("created_by");
        let approved = self.parsed("approved");
        let canary: Option<Trial> = self.parsed("canary");
        let by = self.parsed("by");
        let mut unknown = Value::Object(std::mem::take(&mut self.fields));
        if clean(&mut unknown) {
            self.change("a secret in an unknown field was redacted");
        }
        let unknown = if let Value::Object(fields) = unknown { fields } else { Map::new() };
        Ok(Override {
            agent,
            action,
            reason,
            evidence_ids,
            created,
            created_by,
            approved,
            confidence,
            scope,
            canary,
            by,
            unknown,
        })
    }

    fn agent(&mut self) -> Result<RoutedName, String> {
        let Some(Value::String(text)) = self.fields.shift_remove("agent") else {
            return Err("it has no agent".to_owned());
        };
        let agent =
            RoutedName::behind(self.prefixes, &text).map_err(|error| redact(&error.to_string()))?;
        if agent.as_str() != text {
            self.change(&format!("it is called '{agent}' here"));
        }
        Ok(agent)
    }

    fn reason(&mut self) -> Result<Option<Line>, String> {
        let text = match self.fields.shift_remove("reason") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text,
            Some(_) => {
                self.change("its reason is no text, and was left out");
                return Ok(None);
            }
        };
        let cleaned = match Note::new(&text) {
            Ok(note) => note.to_string(),
            Err(BadText::Instruction(phrase)) => {
                return Err(format!("its reason has the phrase '{phrase}'"));
            }
            Err(_) => Context::new(&text).map(String::from).unwrap_or_default(),
        };
        if cleaned != text {
            self.change("its reason was cleaned");
        }
        Ok(Line::new(&cleaned).ok())
    }

    fn evidence_ids(&mut self) -> Result<Vec<EvidenceRef>, String> {
        let ids = match self.fields.shift_remove("evidence_ids") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(value) => serde_json::from_value::<Vec<EvidenceRef>>(value),
        };
        match ids {
            Ok(ids) if ids.len() <= LIST_MAX => Ok(ids),
            Ok(_) => Err(format!("it has more than {LIST_MAX} 'evidence_ids'")),
            Err(_) => Err("its 'evidence_ids' is no array of texts and numbers".to_owned()),
        }
    }

    fn scope(&mut self) -> Result<Option<Scope>, String> {
        let mut fields = match self.fields.shift_remove("scope") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Object(fields)) => fields,
            Some(_) => return Err("its scope is no object".to_owned()),
        };
        // A scope that cannot be read would count everywhere: that is worse than not at all.
        let domains = list(fields.shift_remove("domains"), |text| Line::new(text).ok());
        let domains = domains.ok_or("its scope has a domain that is none")?;
        let parse = |text: &str| pattern::parse(text.as_bytes(), b"", Reading::Glob).ok();
        let file_patterns = list(fields.shift_remove("file_patterns"), parse);
        let file_patterns = file_patterns.ok_or("its scope has a pattern that is none")?.concat();
        let mut unknown = Value::Object(fields);
        clean(&mut unknown);
        let unknown = if let Value::Object(fields) = unknown { fields } else { Map::new() };
        let scope = Scope { domains, file_patterns, unknown };
        Ok(Some(scope).filter(|scope| !scope.is_empty()))
    }

    fn confidence(&mut self) -> Option<Ratio> {
        let value = self.fields.shift_remove("confidence").filter(|value| !value.is_null())?;
        let Some(number) = value.as_f64() else {
            self.change("its confidence is no number, and was left out");
            return None;
        };
        if !(0.0..=1.0).contains(&number) {
            self.change("its confidence was brought between 0 and 1");
        }
        Ratio::try_from(number.clamp(0.0, 1.0)).ok()
    }

    /// A field that is left out if it is not what it should be.
    fn parsed<T: serde::de::DeserializeOwned>(&mut self, field: &str) -> Option<T> {
        let value = self.fields.shift_remove(field).filter(|value| !value.is_null())?;
        let parsed = serde_json::from_value(value).ok();
        if parsed.is_none() {
            self.change(&format!("its '{field}' cannot be read, and was left out"));
        }
        parsed
    }
}

fn list<T>(value: Option<Value>, parse: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) if items.len() <= LIST_MAX => {
            items.iter().map(|item| parse(item.as_str()?)).collect()
        }
        Some(_) => None,
    }
}

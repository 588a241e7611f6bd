//! Parser for a document of version 1, as other tools write it.
//!
//! A field that is not as it should be is left out, clamped to its bounds or refused, each with a
//! remark. Secrets are redacted before anybody sees the text.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::core::ids::AgentName;
use crate::core::pattern::{self, Reading};
use crate::core::redact::redact;
use crate::core::routing::export::VERSION;
use crate::core::routing::foreign;
use crate::core::routing::names::{EvidenceRef, RoutedName};
use crate::core::routing::ratio::Ratio;
use crate::core::routing::text::{Context, Note, check_name};
use crate::core::routing::{Action, LIST_MAX, Override, Scope, Trial};
use crate::core::text::{BadText, Line};

/// The reason why a document is refused as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDocument {
    /// It is not JSON, or no object.
    #[error("it is no JSON object: {0}")]
    NoObject(String),
    /// It has another version, or none.
    #[error("its version is {0}; only version {VERSION} is known")]
    Version(String),
    /// It has no list of overrides.
    #[error("it has no list 'overrides'")]
    NoList,
}

/// A remark about one entry of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remark {
    /// The name of the agent, as the document has it.
    pub agent: String,
    /// The remark.
    pub what: String,
}

/// A document that was parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadDocument {
    /// The overrides that can be imported.
    pub entries: Vec<Override>,
    /// The other fields of the document.
    pub unknown: Map<String, Value>,
    /// Remarks about entries that were changed.
    pub changed: Vec<Remark>,
    /// Remarks about entries that were refused.
    pub refused: Vec<Remark>,
}

/// Parses a document of version 1.
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
    if foreign::clean(&mut fields) {
        let what = "a secret in an unknown field was redacted".to_owned();
        document.changed.push(Remark { agent: "(document)".to_owned(), what });
    }
    document.unknown = fields;
    Ok(document)
}

/// An entry that is being parsed, field by field.
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
        let reason = self.text("reason")?;
        let evidence_ids = self.evidence_ids()?;
        let scope = self.scope()?;
        let confidence = self.confidence();
        let created = self.parsed("created");
        let created_by = self.text("created_by")?;
        let approved = self.parsed("approved");
        let mut canary: Option<Trial> = self.parsed("canary");
        if let Some(trial) = &mut canary {
            self.clean("its canary", &mut trial.unknown);
        }
        let by = self.by();
        let mut unknown = std::mem::take(&mut self.fields);
        self.clean("an unknown field", &mut unknown);
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
        let agent = RoutedName::without_prefixes(self.prefixes, &text)
            .map_err(|error| redact(&error.to_string()))?;
        check_name(agent.as_str()).map_err(|error| error.to_string())?;
        if agent.as_str() != text {
            self.change(&format!("it is called '{agent}' here"));
        }
        Ok(agent)
    }

    /// Redacts secrets in unknown fields.
    fn clean(&mut self, place: &str, fields: &mut Map<String, Value>) {
        if foreign::clean(fields) {
            self.change(&format!("a secret in {place} was redacted"));
        }
    }

    /// Takes a text, cleaned. Leaves it out if it is no text.
    fn text(&mut self, field: &str) -> Result<Option<Line>, String> {
        let text = match self.fields.shift_remove(field) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text,
            Some(_) => {
                self.change(&format!("its '{field}' is no text, and was left out"));
                return Ok(None);
            }
        };
        let cleaned = match Note::new(&text) {
            Ok(note) => note.to_string(),
            Err(BadText::Instruction(phrase)) => {
                return Err(format!("its '{field}' has the phrase '{phrase}'"));
            }
            Err(_) => Context::new(&text).map(String::from).unwrap_or_default(),
        };
        if cleaned != text {
            self.change(&format!("its '{field}' was cleaned"));
        }
        Ok(Line::new(&cleaned).ok())
    }

    fn by(&mut self) -> Option<AgentName> {
        let by: AgentName = self.parsed("by")?;
        if check_name(by.as_str()).is_err() {
            self.change("its 'by' is no name, and was left out");
            return None;
        }
        Some(by)
    }

    fn evidence_ids(&mut self) -> Result<Vec<EvidenceRef>, String> {
        let items = match self.fields.shift_remove("evidence_ids") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err("its 'evidence_ids' is no array".to_owned()),
        };
        if items.len() > LIST_MAX {
            return Err(format!("it has more than {LIST_MAX} 'evidence_ids'"));
        }
        let ids: Result<Vec<EvidenceRef>, _> = items.iter().map(EvidenceRef::from_json).collect();
        let ids = ids.map_err(|error| format!("its 'evidence_ids' cannot be read: {error}"))?;
        if json!(ids) != Value::Array(items) {
            self.change("its 'evidence_ids' was cleaned");
        }
        Ok(ids)
    }

    fn scope(&mut self) -> Result<Option<Scope>, String> {
        let mut fields = match self.fields.shift_remove("scope") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Object(fields)) => fields,
            Some(_) => return Err("its scope is no object".to_owned()),
        };
        // An override whose scope cannot be parsed would apply everywhere: that is worse than not
        // at all.
        let named = fields.get("domains").cloned();
        let domain = |text: &str| Note::new(text).ok().map(Note::into_line);
        let domains = list(fields.shift_remove("domains"), domain);
        let domains = domains.ok_or("its scope has a domain that is none")?;
        if named.is_some_and(|named| !named.is_null() && named != json!(domains)) {
            self.change("a secret in its scope was redacted");
        }
        let parse = |text: &str| pattern::parse(text.as_bytes(), b"", Reading::Glob).ok();
        let file_patterns = list(fields.shift_remove("file_patterns"), parse);
        let file_patterns = file_patterns.ok_or("its scope has a pattern that is none")?.concat();
        let mut scope = Scope { domains, file_patterns, unknown: fields };
        scope.refuse_secrets().map_err(|error| format!("its scope: {error}"))?;
        self.clean("its scope", &mut scope.unknown);
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

    /// Takes a field, and leaves it out if it cannot be parsed.
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

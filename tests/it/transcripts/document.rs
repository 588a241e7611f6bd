//! A JSON document: parsed strictly, and folded for people.

use serde_json::Value;

/// The maximum number of columns of a folded document, unless one value alone has more.
const COLUMNS_MAX: usize = 96;
const INDENT: usize = 2;

/// Parses the object of one line, which must be compact, so that showing it in another way loses
/// nothing. `None` for anything but an object.
#[track_caller]
pub(super) fn read(line: &str) -> Option<Value> {
    let document = serde_json::from_str::<Value>(line).ok().filter(Value::is_object)?;
    assert_eq!(format!("{document}\n"), line, "a document is compact, and a line");
    Some(document)
}

/// Lists every command below a key `next`, which holds a list of commands.
#[track_caller]
pub(super) fn commands(value: &Value) -> Vec<Vec<Value>> {
    match value {
        Value::Object(fields) => {
            let below = |(key, value): (&String, &Value)| match (key.as_str(), value) {
                ("next", Value::Array(items)) => items.iter().map(words).collect(),
                _ => commands(value),
            };
            fields.iter().flat_map(below).collect()
        }
        Value::Array(items) => items.iter().flat_map(commands).collect(),
        _ => Vec::new(),
    }
}

#[track_caller]
fn words(command: &Value) -> Vec<Value> {
    command.as_array().unwrap_or_else(|| panic!("'next' has no words: {command}")).clone()
}

/// Folds a document into few lines. A value that fits is in one line.
pub(super) fn folded(value: &Value) -> String {
    folded_at(value, 0, 0)
}

/// Folds a part of a document, which is indented by `indent` and begins after `before` columns.
fn folded_at(value: &Value, indent: usize, before: usize) -> String {
    let flat = value.to_string();
    if before + flat.chars().count() <= COLUMNS_MAX {
        return flat;
    }
    let inner = indent + INDENT;
    let (open, close, parts): (_, _, Vec<String>) = match value {
        Value::Object(fields) if !fields.is_empty() => {
            let part = |(key, value): (&String, &Value)| {
                let key = format!("{}: ", Value::from(key.as_str()));
                let before = inner + key.chars().count();
                key + &folded_at(value, inner, before)
            };
            ('{', '}', fields.iter().map(part).collect())
        }
        Value::Array(items) if !items.is_empty() => {
            ('[', ']', items.iter().map(|item| folded_at(item, inner, inner)).collect())
        }
        _ => return flat,
    };
    let margin = " ".repeat(inner);
    let parts = parts.join(&format!(",\n{margin}"));
    format!("{open}\n{margin}{parts}\n{}{close}", " ".repeat(indent))
}

#[test]
fn what_fits_stands_in_one_line() {
    let text = format!(r#"{{"a":[1,2],"b":{{"c":"{}"}}}}"#, "x".repeat(90));
    let value: Value = serde_json::from_str(&text).unwrap();
    let folded = folded(&value);
    assert_eq!(folded.lines().count(), 6, "{folded}");
    assert_eq!(folded.lines().nth(1), Some(r#"  "a": [1,2],"#));
    assert_eq!(serde_json::from_str::<Value>(&folded).unwrap(), value);
}

#[test]
fn commands_are_found_at_any_depth() {
    let value = serde_json::json!({ "refusal": { "next": [["git", "coord", "list"]] } });
    assert_eq!(commands(&value), [["git", "coord", "list"].map(Value::from)]);
}

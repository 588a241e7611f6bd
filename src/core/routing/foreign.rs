//! Unknown fields of another tool's document: preserved, without secrets.

use serde_json::{Map, Value};

use crate::core::redact::{REDACTED, is_secret_key, redact};

/// Redacts secrets in fields and in their names. Tells whether there were any.
pub(in crate::core) fn clean(fields: &mut Map<String, Value>) -> bool {
    let mut had_any = false;
    for (name, mut value) in std::mem::take(fields) {
        // A name and its value can be a secret together.
        had_any |= if is_secret_key(&name) { blank(&mut value) } else { clean_value(&mut value) };
        let clean_name = redact(&name);
        had_any |= clean_name != name;
        fields.insert(clean_name, value);
    }
    had_any
}

fn clean_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let redacted = redact(text);
            let had_any = redacted != *text;
            *text = redacted;
            had_any
        }
        Value::Array(items) => items.iter_mut().fold(false, |had, item| clean_value(item) | had),
        Value::Object(fields) => clean(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Redacts every text and number: any value under the key of a secret is one, no matter how deep it
/// is nested.
fn blank(value: &mut Value) -> bool {
    match value {
        Value::String(text) if text.is_empty() || text == REDACTED => false,
        Value::String(_) | Value::Number(_) => {
            *value = Value::String(REDACTED.to_owned());
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |had, item| blank(item) | had),
        Value::Object(fields) => {
            let had_any = fields.values_mut().fold(false, |had, field| blank(field) | had);
            clean(fields) | had_any
        }
        Value::Null | Value::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_found_however_it_is_wrapped() {
        let cases = [
            (json!({ "password": "x" }), json!({ "password": REDACTED })),
            (
                json!({ "password": ["x", 7, null] }),
                json!({ "password": [REDACTED, REDACTED, null] }),
            ),
            (
                json!({ "a": { "token": { "v": "x" } } }),
                json!({ "a": { "token": { "v": REDACTED } } }),
            ),
            (json!({ "a": ["token=x", 1] }), json!({ "a": ["token=[redacted]", 1] })),
            (json!({ "pin=7 x": true }), json!({ "pin=[redacted] x": true })),
        ];
        for (value, expected) in cases {
            let Value::Object(mut fields) = value else { unreachable!("they are objects") };
            assert!(clean(&mut fields), "{fields:?}");
            assert_eq!(Value::Object(fields.clone()), expected);
            assert!(!clean(&mut fields), "once is enough: {fields:?}");
        }
        let mut plain = json!({ "team": "x", "tokens": 500, "list": [1, { "secret": "" }] });
        let fields = plain.as_object_mut().unwrap();
        let before = fields.clone();
        assert!(!clean(fields));
        assert_eq!(*fields, before);
    }
}

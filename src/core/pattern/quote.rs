//! Bytes shown to people, quoted the way git quotes paths.

use std::fmt::Write as _;

/// Formats `bytes` as text: in double quotes with C escapes if they would not print or could be
/// mistaken for quoted text.
pub fn quoted(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(|c: char| c.is_control() || c == '"') => text.to_owned(),
        _ => c_style(bytes),
    }
}

fn c_style(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for &byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            0x07 => text.push_str("\\a"),
            0x08 => text.push_str("\\b"),
            b'\t' => text.push_str("\\t"),
            b'\n' => text.push_str("\\n"),
            0x0b => text.push_str("\\v"),
            0x0c => text.push_str("\\f"),
            b'\r' => text.push_str("\\r"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => write!(text, "\\{byte:03o}").expect("because writing to a string never fails"),
        }
    }
    text.push('"');
    text
}

//! Booleans as git writes them.

/// Parses a boolean as git does: a word, or a number that is true unless it is zero.
pub fn parse_boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" | "" => Some(false),
        number => number.parse::<i32>().ok().map(|number| number != 0),
    }
}

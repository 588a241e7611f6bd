//! A file signal of the catalogue: a name, or a path from the project's own directory, with at most
//! one `*` in its last part.
//!
//! Simpler than the patterns that people reserve with, on purpose: a survey matches every name that
//! it meets, and a reader must see at a glance which files a list matches.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A name or a path, as in `*.tscn`, `Dockerfile`, `.claude-plugin/plugin.json`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct NamePattern {
    text: String,
    /// The offset of the last part.
    name_at: usize,
    star: Option<usize>,
}

/// A text that is no file signal, and the reason why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no file signal: {why}")]
pub struct BadNamePattern {
    text: String,
    why: &'static str,
}

/// Most bytes of a pattern.
const LENGTH_MAX: usize = 200;
/// Most parts of a path.
const PARTS_MAX: usize = 5;

impl NamePattern {
    /// Tells whether a name matches the last part of the pattern.
    pub fn matches_name(&self, name: &str) -> bool {
        let pattern = &self.text[self.name_at..];
        match self.star {
            None => name == pattern,
            Some(at) => {
                let (start, end) = (&pattern[..at], &pattern[at + 1..]);
                name.len() >= start.len() + end.len()
                    && name.starts_with(start)
                    && name.ends_with(end)
            }
        }
    }

    /// Returns the directory that the pattern names, if it names one.
    pub fn directory(&self) -> Option<&str> {
        self.name_at.checked_sub(1).map(|slash| &self.text[..slash])
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Tells whether a relative path is free of parts that lead elsewhere or nowhere.
pub fn is_plain_path(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\\')
}

impl TryFrom<String> for NamePattern {
    type Error = BadNamePattern;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let name_at = text.rfind('/').map_or(0, |slash| slash + 1);
        let name = &text[name_at..];
        let why = if text.len() > LENGTH_MAX || text.split('/').count() > PARTS_MAX {
            "it is too long"
        } else if !is_plain_path(&text) {
            "it must be a name, or a relative path without '.' and '..'"
        } else if text[..name_at].contains('*') || name.matches('*').count() > 1 {
            "at most one '*' is allowed, in the last part"
        } else if name == "*" {
            "it matches everything"
        } else {
            let star = name.find('*');
            return Ok(NamePattern { text, name_at, star });
        };
        Err(BadNamePattern { text: text.chars().take(80).collect(), why })
    }
}

impl From<NamePattern> for String {
    fn from(pattern: NamePattern) -> String {
        pattern.text
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> NamePattern {
        NamePattern::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        assert!(pattern("*.tscn").matches_name("main.tscn"));
        assert!(!pattern("*.tscn").matches_name("tscn"));
        assert!(pattern("docker-compose*.yml").matches_name("docker-compose.dev.yml"));
        assert!(!pattern("aba*ba").matches_name("aba"), "start and end do not overlap");
        assert!(pattern("Makefile").matches_name("Makefile"));
        assert!(!pattern("Makefile").matches_name("makefile"));
        assert_eq!(pattern(".claude-plugin/plugin.json").directory(), Some(".claude-plugin"));
        assert_eq!(pattern("plugin.json").directory(), None);
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        for bad in ["", "*", "a/", "/a", "../a", "a/../b", "./a", "*/a", "a*b*c", "a\\b"] {
            assert!(NamePattern::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}

//! The file patterns of a catalogue, indexed so that a name is not compared with each of them.

use std::collections::{BTreeSet, HashMap};

use crate::core::domain::name_pattern::NamePattern;

/// Patterns by the way in which they are found.
pub(super) struct Patterns<'p> {
    exact: HashMap<&'p str, &'p NamePattern>,
    by_extension: HashMap<&'p str, &'p NamePattern>,
    others: Vec<&'p NamePattern>,
    /// Patterns that name a directory.
    pub(super) of_paths: Vec<&'p NamePattern>,
}

impl<'p> Patterns<'p> {
    pub(super) fn of(all: &'p BTreeSet<NamePattern>) -> Patterns<'p> {
        let mut patterns = Patterns {
            exact: HashMap::new(),
            by_extension: HashMap::new(),
            others: Vec::new(),
            of_paths: Vec::new(),
        };
        for pattern in all {
            let text = pattern.as_str();
            let extension = text.strip_prefix("*.").filter(|rest| !rest.contains(['.', '*']));
            if pattern.directory().is_some() {
                patterns.of_paths.push(pattern);
            } else if let Some(extension) = extension {
                patterns.by_extension.insert(extension, pattern);
            } else if text.contains('*') {
                patterns.others.push(pattern);
            } else {
                patterns.exact.insert(text, pattern);
            }
        }
        patterns
    }

    /// Calls `found` for every pattern that a name matches in any directory.
    pub(super) fn of_name(&self, name: &str, mut found: impl FnMut(&NamePattern)) {
        let extension = name.rsplit_once('.').and_then(|(_, end)| self.by_extension.get(end));
        let others = self.others.iter().filter(|pattern| pattern.matches_name(name));
        for pattern in self.exact.get(name).into_iter().chain(extension).chain(others) {
            found(pattern);
        }
    }
}

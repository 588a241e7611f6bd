//! The environment variables of a process as plain data.
//!
//! Colour, configuration and identity are decided from this value, so that tests decide them from
//! a list instead of from the process they run in. Nothing here reads the process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Names and values of environment variables.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// The value as the process got it.
    pub fn os(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The variables whose name begins so: the rest of the name of each.
    pub fn names_after<'e>(&'e self, prefix: &'e str) -> impl Iterator<Item = &'e str> {
        let names = self.variables.keys().filter_map(|name| name.to_str());
        names.filter_map(move |name| name.strip_prefix(prefix))
    }

    /// The value where it is UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.os(name)?.to_str()
    }

    /// The value where it is UTF-8 and says something: most conventions read empty as unset.
    pub fn non_empty(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|value| !value.is_empty())
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let variables =
            pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Environment { variables }
    }
}

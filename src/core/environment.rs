//! The surroundings of a process as plain data: its environment variables and its directory.
//!
//! Colour, configuration, identity and the repository are decided from this value, so that one
//! process can answer for several directories, and tests decide from a list. Nothing here reads
//! the process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Environment variables, and the directory that paths are relative to. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: Arc<BTreeMap<OsString, OsString>>,
    directory: Option<PathBuf>,
}

impl Environment {
    /// Returns this environment with another directory. It is absolute and has no symbolic links,
    /// as the system names the current one.
    #[must_use]
    pub fn at(&self, directory: PathBuf) -> Environment {
        Environment { variables: Arc::clone(&self.variables), directory: Some(directory) }
    }

    /// Returns this environment with one variable set, or without it.
    #[must_use]
    pub fn with(&self, name: &str, value: Option<&str>) -> Environment {
        let mut variables = BTreeMap::clone(&self.variables);
        match value {
            Some(value) => drop(variables.insert(name.into(), value.into())),
            None => drop(variables.remove(OsStr::new(name))),
        }
        Environment { variables: Arc::new(variables), directory: self.directory.clone() }
    }

    /// Returns the directory, unless it has been deleted below the process.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Resolves a path that was given in this environment.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.directory.as_ref().map_or_else(|| path.to_owned(), |directory| directory.join(path))
    }

    /// Returns the value as the process got it.
    pub fn os(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Lists all variables with their values.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Lists the variables whose name begins with `prefix`: the rest of the name of each.
    pub fn names_after<'e>(&'e self, prefix: &'e str) -> impl Iterator<Item = &'e str> {
        let names = self.variables.keys().filter_map(|name| name.to_str());
        names.filter_map(move |name| name.strip_prefix(prefix))
    }

    /// Returns the value where it is UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.os(name)?.to_str()
    }

    /// Returns the value where it is UTF-8 and not empty: most conventions read empty as unset.
    pub fn non_empty(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|value| !value.is_empty())
    }

    /// Returns the path that a variable names; empty is unset.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let path = self.os(name).filter(|value| !value.is_empty())?;
        Some(self.resolve(Path::new(path)))
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter().map(|(name, value)| (name.into(), value.into()));
        Environment { variables: Arc::new(pairs.collect()), directory: None }
    }
}

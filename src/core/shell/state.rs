//! The memory of a shell while it goes through a command.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{GitVariables, Known, Setting, Start, joined};

/// A variable that stands for a path which `xargs` or `find` puts into a text.
pub(super) const FILLED_IN: &str = "path_that_is_filled_in";

/// The value of a variable. A variable that has none here may have any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Unset,
    Is(String),
    /// One path after the other: the variable of a loop, or an argument from `xargs` or `find`.
    Any,
}

/// Everything that decides what the next command means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) directory: Option<PathBuf>,
    /// The directory before the last change.
    previous: Option<PathBuf>,
    stack: Vec<Option<PathBuf>>,
    variables: BTreeMap<String, Value>,
    /// The exported variables. False if one is so on some ways only.
    exported: BTreeMap<String, bool>,
    /// The bodies of functions.
    functions: BTreeMap<String, String>,
}

impl State {
    pub(super) fn new(start: &Start) -> State {
        let value = |known: &Known| match known {
            Known::Unset => Value::Unset,
            Known::Is(text) => Value::Is(text.clone()),
        };
        let variables = start.variables.iter().map(|(name, known)| (name.clone(), value(known)));
        State {
            directory: Some(start.directory.clone()),
            previous: None,
            stack: Vec::new(),
            variables: variables.collect(),
            exported: start
                .variables
                .iter()
                .filter(|(_, known)| **known != Known::Unset)
                .map(|(name, _)| (name.clone(), true))
                .collect(),
            functions: BTreeMap::new(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<Value> {
        if name == "PWD" {
            let directory = self.directory.as_ref().and_then(|path| path.to_str());
            return directory.map(|path| Value::Is(path.to_owned()));
        }
        let value = self.variables.get(name).cloned();
        value.or_else(|| (name == FILLED_IN).then_some(Value::Any))
    }

    pub(super) fn home(&self) -> Option<&str> {
        match self.variables.get("HOME") {
            Some(Value::Is(home)) => Some(home),
            _ => None,
        }
    }

    /// Sets a variable; none where the value is not known.
    pub(super) fn set(&mut self, name: &str, value: Option<Value>) {
        match value {
            Some(value) => drop(self.variables.insert(name.to_owned(), value)),
            None => drop(self.variables.remove(name)),
        }
    }

    /// Removes a variable. A new one of its name is not exported.
    pub(super) fn unset(&mut self, name: &str) {
        self.exported.remove(name);
        self.variables.insert(name.to_owned(), Value::Unset);
    }

    pub(super) fn export(&mut self, name: &str) {
        self.exported.insert(name.to_owned(), true);
    }

    /// Forgets the values of all variables, also those that tell git what is meant.
    pub(super) fn forget_variables(&mut self) {
        self.variables.clear();
    }

    /// Keeps what a program gets that is started here.
    pub(super) fn for_program(&self) -> State {
        let mut state = self.clone();
        let exported = &self.exported;
        state.variables.retain(|name, _| exported.contains_key(name));
        state.functions.clear();
        state.stack.clear();
        state
    }

    /// Empties the environment, as `env -i` does.
    pub(super) fn without_environment(&mut self) {
        for value in self.variables.values_mut() {
            *value = Value::Unset;
        }
    }

    pub(super) fn define(&mut self, name: &str, body: &str) {
        self.functions.insert(name.to_owned(), body.to_owned());
    }

    pub(super) fn function(&self, name: &str) -> Option<String> {
        self.functions.get(name).cloned()
    }

    /// Changes the directory; none where the new one is not known.
    pub(super) fn go(&mut self, path: Option<&str>) {
        let to = match (path, &self.directory) {
            (Some(path), _) if path.starts_with('/') => Some(joined(&PathBuf::from("/"), path)),
            (Some(path), Some(directory)) => Some(joined(directory, path)),
            _ => None,
        };
        self.previous = std::mem::replace(&mut self.directory, to);
    }

    /// Changes to the directory before the last change.
    pub(super) fn go_back(&mut self) {
        std::mem::swap(&mut self.directory, &mut self.previous);
    }

    pub(super) fn push_directory(&mut self) {
        self.stack.push(self.directory.clone());
    }

    pub(super) fn pop_directory(&mut self) {
        let to = self.stack.pop().flatten();
        self.previous = std::mem::replace(&mut self.directory, to);
    }

    /// Goes to the directory below, and puts the present one there.
    pub(super) fn swap_directories(&mut self) {
        let here = self.directory.clone();
        self.pop_directory();
        self.stack.push(here);
    }

    /// Keeps what is the same in both, after a branch that may have been taken.
    pub(super) fn merge(&mut self, other: &State) {
        if self.directory != other.directory {
            self.directory = None;
        }
        if self.previous != other.previous {
            self.previous = None;
        }
        if self.stack != other.stack {
            self.stack.clear();
        }
        self.variables.retain(|name, value| other.variables.get(name) == Some(value));
        self.functions.extend(other.functions.clone());
        for (name, surely) in &mut self.exported {
            *surely &= other.exported.get(name) == Some(&true);
        }
        for name in other.exported.keys() {
            self.exported.entry(name.clone()).or_insert(false);
        }
    }

    pub(super) fn git_variables(&self) -> GitVariables {
        GitVariables {
            git_dir: self.exported("GIT_DIR"),
            work_tree: self.exported("GIT_WORK_TREE"),
            index_file: self.exported("GIT_INDEX_FILE"),
        }
    }

    fn exported(&self, name: &str) -> Setting {
        match (self.exported.get(name), self.variables.get(name)) {
            (None, _) | (_, Some(Value::Unset)) => Setting::Unset,
            (Some(true), Some(Value::Is(text))) => Setting::Is(text.clone()),
            _ => Setting::Unknown,
        }
    }
}

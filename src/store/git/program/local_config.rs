//! The repository's own configuration, and its refs.

use super::{Program, ProgramError, pairs};

impl Program {
    /// Lists the repository's own configuration: keys in git's normal spelling, with all their
    /// values.
    pub fn local_configuration(&self) -> Result<Vec<(String, String)>, ProgramError> {
        Ok(pairs(&self.ask(&["config", "--local", "--list", "--null"])?))
    }

    /// Adds a value to a key.
    pub fn add_local(&self, key: &str, value: &str) -> Result<(), ProgramError> {
        self.ask(&["config", "--local", "--add", key, value]).map(drop)
    }

    /// Replaces all values of a key.
    pub fn set_local(&self, key: &str, value: &str) -> Result<(), ProgramError> {
        self.ask(&["config", "--local", "--replace-all", key, value]).map(drop)
    }

    /// Removes a value from a key.
    pub fn unset_local(&self, key: &str, value: &str) -> Result<(), ProgramError> {
        let unset = ["config", "--local", "--fixed-value", "--unset-all", key, value];
        self.ask(&unset).map(drop)
    }

    /// Lists the refs below a prefix with their values.
    pub fn values_below(&self, prefix: &str) -> Result<Vec<(String, String)>, ProgramError> {
        let format = "--format=%(refname) %(objectname)";
        let listed = self.ask(&["for-each-ref", format, prefix])?;
        let listed = String::from_utf8_lossy(&listed);
        let pairs = listed.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(name, id)| (name.to_owned(), id.to_owned())).collect())
    }
}

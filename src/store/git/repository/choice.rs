//! Which repository counts among those that are found.

use std::path::Path;

use super::{Repository, set};
use crate::core::environment::Environment;
use crate::store::error::StoreError;
use crate::store::git::config::{Config, ConfigError};
use crate::store::git::found::{Found, bare_around, is_bare_usable};

impl Repository {
    /// Discovers for one who did not choose the directory. A bare repository that nobody has named
    /// is passed over, and the current directory becomes the one around it.
    pub fn discover_around(environment: &Environment) -> Result<Repository, StoreError> {
        loop {
            let found = Repository::discover(environment);
            match &found {
                Ok(repository) if repository.found != Found::AsBare => return found,
                Err(StoreError::NotARepository(_)) => return found,
                _ if set(environment, "GIT_DIR").is_some() => return found,
                _ => {}
            }
            let here = std::env::current_dir().unwrap_or_default();
            let around = bare_around(&here).and_then(|bare| bare.parent().map(Path::to_owned));
            match (around, found) {
                (Some(around), _) if std::env::set_current_dir(&around).is_ok() => {}
                (None, Err(error)) => return Err(error),
                _ => return Err(StoreError::NotARepository(here)),
            }
        }
    }

    /// Tells how it was found, and refuses what git would refuse.
    pub(super) fn found_from(
        mut self,
        here: &Path,
        environment: &Environment,
    ) -> Result<Repository, StoreError> {
        let is_named = set(environment, "GIT_DIR").is_some();
        // Most of them are where nothing has to be resolved to see it.
        if is_named || !self.git_dir.ends_with(".git") {
            let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            self.found = Found::tell(is_named, &real(&self.git_dir), &real(here));
        }
        if self.found == Found::AsBare {
            let broken = |error: ConfigError| StoreError::Malformed(error.to_string());
            let setting = Config::of_user(environment).map_err(broken)?.get("safe.bareRepository");
            if !is_bare_usable(setting.as_deref()) {
                return Err(StoreError::BareNotNamed(self.git_dir));
            }
        }
        Ok(self)
    }
}

//! Whether hooks act in a place, as far as it can be told.

use std::path::PathBuf;
use std::time::Duration;

use crate::app::config::is_set_on;
use crate::core::environment::Environment;
use crate::store::error::StoreError;
use crate::store::git::config::{Config, ConfigError};
use crate::store::git::repository::Repository;
use crate::store::git::unreadable_repository::UnreadableRepository;

/// Makes hooks act.
const ENABLED: &str = "coord.enabled";
/// Makes hooks refuse what they cannot check.
const FAIL_CLOSED: &str = "coord.hook.failClosed";

/// Whether hooks act in a place.
pub enum Acting {
    /// They do not.
    Off,
    /// They do, by this configuration.
    On(Config),
}

impl Acting {
    /// Whether hooks act in that repository, or in none. Of one that cannot be opened not all of
    /// the configuration can be read: there they do as well where somebody has used us.
    pub fn of(
        repository: &Result<Repository, StoreError>,
        env: &Environment,
    ) -> Result<Acting, ConfigError> {
        match repository {
            Ok(repository) => Ok(Acting::by(Config::of_repository(repository, env)?, false)),
            Err(StoreError::NotARepository(_)) => Ok(Acting::by(Config::of_user(env)?, false)),
            Err(_) => Acting::without_opening(env),
        }
    }

    /// Whether hooks act here, for one who cannot wait for a repository to be opened.
    pub fn without_opening(env: &Environment) -> Result<Acting, ConfigError> {
        Ok(match UnreadableRepository::find(env) {
            Some(found) => Acting::by(Config::of_unreadable(&found, env)?, found.is_in_use()),
            None => Acting::by(Config::of_user(env)?, false),
        })
    }

    fn by(config: Config, may_be_enabled: bool) -> Acting {
        let lookup = |key: &str| config.get(key);
        let is_unknown = lookup(ENABLED).is_none() && may_be_enabled;
        if is_set_on(&lookup, ENABLED) || is_unknown { Acting::On(config) } else { Acting::Off }
    }
}

/// Whether what cannot be checked is refused.
pub fn fails_closed(config: &Config) -> bool {
    is_set_on(&|key: &str| config.get(key), FAIL_CLOSED)
}

/// What keeps whoever opens the repository here waiting, for one who has waited too long.
pub fn pipe_in_the_way(env: &Environment) -> Option<PathBuf> {
    UnreadableRepository::find(env)?.pipe_in_the_way()
}

/// Why a hook is late: what is in its way, or no more than that the time is over.
pub fn late_because(env: &Environment, limit: Duration) -> String {
    match pipe_in_the_way(env) {
        Some(pipe) => StoreError::Pipe(pipe).to_string(),
        None => format!("no answer within {} seconds", limit.as_secs()),
    }
}

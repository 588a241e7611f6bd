//! Git's configuration, read in process and with git's precedence.
//!
//! libgit2 reads the files (system, global, repository and worktree, with includes). Settings from
//! the environment (`git -c`, `GIT_CONFIG_COUNT`) override them. If libgit2 cannot open the
//! repository, git lists all settings. `app::config` interprets the values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use git2::ConfigLevel;

use crate::core::environment::Environment;
use crate::store::git::config_entries::{Entry, Scope, of_files};
use crate::store::git::config_env::{self, ConfigEnvError};
use crate::store::git::program::ProgramError;
use crate::store::git::repository::Repository;
use crate::store::git::unreadable_repository::UnreadableRepository;

/// The reason that the configuration cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file is malformed or unreadable. libgit2 names it.
    #[error("cannot read the git configuration: {}", .0.message())]
    Files(#[source] git2::Error),
    /// Git could not list the configuration.
    #[error("cannot read the git configuration: {0}")]
    Listing(#[from] ProgramError),
    /// The configuration in the environment is malformed.
    #[error(transparent)]
    Environment(#[from] ConfigEnvError),
}

impl From<git2::Error> for ConfigError {
    fn from(error: git2::Error) -> Self {
        ConfigError::Files(error)
    }
}

/// One consistent reading of the configuration: the effective value of every key. The files are
/// read once, in ascending precedence: asking libgit2 for each key costs more than everything that
/// is done with the answers.
#[derive(Default)]
pub struct Config {
    values: BTreeMap<String, String>,
    /// The keys whose value comes from the repository's configuration or its includes.
    of_repository: BTreeSet<String>,
}

impl Config {
    /// Reads the configuration outside of any repository.
    pub fn of_user(env: &Environment) -> Result<Config, ConfigError> {
        Ok(Config::default().with(of_user_files(env)?).with(by_environment(env)?))
    }

    /// Reads the configuration of a repository that cannot be opened: the user's settings, and the
    /// readable lines of the repository's own.
    pub fn of_unreadable(
        repository: &UnreadableRepository,
        env: &Environment,
    ) -> Result<Config, ConfigError> {
        let own = repository.settings().into_iter();
        let own = own.map(|(key, value)| Entry { scope: Scope::Repository, key, value });
        Ok(Config::default().with(of_user_files(env)?).with(own).with(by_environment(env)?))
    }

    /// Reads the configuration that a git command would see in the repository.
    pub fn of_repository(
        repository: &Repository,
        env: &Environment,
    ) -> Result<Config, ConfigError> {
        // If git lists the settings, those of the environment are in the list already, but they are
        // still checked.
        Ok(Config::default()
            .with(repository.settings()?.iter().cloned())
            .with(by_environment(env)?))
    }

    /// Adds settings that override the existing ones.
    fn with(mut self, entries: impl IntoIterator<Item = Entry>) -> Config {
        for Entry { scope, key, value } in entries {
            match scope {
                Scope::User => self.of_repository.remove(&key),
                Scope::Repository => self.of_repository.insert(key.clone()),
            };
            self.values.insert(key, value);
        }
        self
    }

    /// Tells whether the value of a key comes from the repository and not from its user.
    pub fn is_of_repository(&self, key: &str) -> bool {
        config_env::normal_key(key).is_ok_and(|key| self.of_repository.contains(&key))
    }

    /// Returns the effective value of a key. A key without a value is `true`.
    pub fn get(&self, key: &str) -> Option<String> {
        self.values.get(&config_env::normal_key(key).ok()?).cloned()
    }

    /// Lists all keys of one section, in git's normal spelling.
    pub fn names_in_section(&self, section: &str) -> BTreeSet<String> {
        let prefix = format!("{}.", section.to_ascii_lowercase());
        self.values.keys().filter(|name| name.starts_with(&prefix)).cloned().collect()
    }
}

/// Reads the configuration files of the user and of the system.
fn of_user_files(env: &Environment) -> Result<Vec<Entry>, ConfigError> {
    let mut files = git2::Config::new()?;
    for (level, path) in user_files(env) {
        if path.is_file() {
            files.add_file(&path, level, false)?;
        }
    }
    of_files(&files.snapshot()?, env.os("GIT_CONFIG_GLOBAL").is_some())
}

/// Reads the settings from the environment, such as those of `git -c`.
fn by_environment(env: &Environment) -> Result<Vec<Entry>, ConfigError> {
    let entry = |(key, value)| Entry { scope: Scope::User, key, value };
    Ok(config_env::from_environment(env)?.into_iter().map(entry).collect())
}

/// Lists the configuration files of the system and of the user. Git's variables may move them or
/// disable them.
fn user_files(env: &Environment) -> Vec<(ConfigLevel, PathBuf)> {
    let mut files = Vec::new();
    let no_system = env.non_empty("GIT_CONFIG_NOSYSTEM").is_some_and(|value| value != "0");
    if !no_system {
        let moved = env.os("GIT_CONFIG_SYSTEM").map(PathBuf::from);
        files.extend(
            moved.or_else(|| git2::Config::find_system().ok()).map(|p| (ConfigLevel::System, p)),
        );
    }
    if let Some(moved) = env.os("GIT_CONFIG_GLOBAL") {
        files.push((ConfigLevel::Global, PathBuf::from(moved)));
        return files;
    }
    let home = env.os("HOME").map(PathBuf::from);
    let xdg = env.non_empty("XDG_CONFIG_HOME").map(PathBuf::from);
    let xdg = xdg.or_else(|| home.as_ref().map(|home| home.join(".config")));
    files.extend(xdg.map(|directory| (ConfigLevel::XDG, directory.join("git/config"))));
    files.extend(home.map(|home| (ConfigLevel::Global, home.join(".gitconfig"))));
    files
}

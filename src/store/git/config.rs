//! Git configuration, read in process and as git reads it.
//!
//! Files come from libgit2 (system, global, repository and worktree, with includes); what the
//! environment adds (`git -c`, `GIT_CONFIG_COUNT`) is laid over them. Where libgit2 does not know
//! the repository, git lists it all. `app::config` gives the values their meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use git2::ConfigLevel;

use crate::core::environment::Environment;
use crate::store::git::config_entries::{Entry, Scope, of_files};
use crate::store::git::config_env::{self, ConfigEnvError};
use crate::store::git::program::ProgramError;
use crate::store::git::repository::Repository;
use crate::store::git::unreadable_repository::UnreadableRepository;

/// Why the configuration cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file is malformed or unreadable; libgit2 names it.
    #[error("cannot read the git configuration: {}", .0.message())]
    Files(#[source] git2::Error),
    /// Git could not list it.
    #[error("cannot read the git configuration: {0}")]
    Listing(#[from] ProgramError),
    /// The environment is malformed.
    #[error(transparent)]
    Environment(#[from] ConfigEnvError),
}

impl From<git2::Error> for ConfigError {
    fn from(error: git2::Error) -> Self {
        ConfigError::Files(error)
    }
}

/// One consistent reading of the configuration: every key with the value that wins. The files are
/// read once, weaker ones first: asking libgit2 for each key costs more than everything that is
/// done with the answers.
#[derive(Default)]
pub struct Config {
    values: BTreeMap<String, String>,
    /// The keys whose value comes from the repository or from what it includes.
    of_repository: BTreeSet<String>,
}

impl Config {
    /// The configuration outside of any repository.
    pub fn of_user(env: &Environment) -> Result<Config, ConfigError> {
        Ok(Config::default().with(of_user_files(env)?).with(by_environment(env)?))
    }

    /// What is still known of the configuration of a repository that cannot be opened: the user's,
    /// with those lines of its own that can be read.
    pub fn of_unreadable(
        repository: &UnreadableRepository,
        env: &Environment,
    ) -> Result<Config, ConfigError> {
        let own = repository.settings().into_iter();
        let own = own.map(|(key, value)| Entry { scope: Scope::Repository, key, value });
        Ok(Config::default().with(of_user_files(env)?).with(own).with(by_environment(env)?))
    }

    /// The configuration that a git command would see in the repository.
    pub fn of_repository(
        repository: &Repository,
        env: &Environment,
    ) -> Result<Config, ConfigError> {
        // Where git lists it, the environment is in the list as well; it is checked all the same.
        Ok(Config::default()
            .with(repository.settings()?.iter().cloned())
            .with(by_environment(env)?))
    }

    /// Lays settings over those that are there.
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

    /// Whether the value of a key comes from the repository and not from its user.
    pub fn is_of_repository(&self, key: &str) -> bool {
        config_env::normal_key(key).is_ok_and(|key| self.of_repository.contains(&key))
    }

    /// The value that wins; a key without value is `true`.
    pub fn get(&self, key: &str) -> Option<String> {
        self.values.get(&config_env::normal_key(key).ok()?).cloned()
    }

    /// All keys of one section, in git's normal spelling.
    pub fn names_in_section(&self, section: &str) -> BTreeSet<String> {
        let prefix = format!("{}.", section.to_ascii_lowercase());
        self.values.keys().filter(|name| name.starts_with(&prefix)).cloned().collect()
    }
}

/// What the files of the user and of the machine say.
fn of_user_files(env: &Environment) -> Result<Vec<Entry>, ConfigError> {
    let mut files = git2::Config::new()?;
    for (level, path) in user_files(env) {
        if path.is_file() {
            files.add_file(&path, level, false)?;
        }
    }
    of_files(&files.snapshot()?, env.os("GIT_CONFIG_GLOBAL").is_some())
}

/// What `git -c` and its kin say.
fn by_environment(env: &Environment) -> Result<Vec<Entry>, ConfigError> {
    let entry = |(key, value)| Entry { scope: Scope::User, key, value };
    Ok(config_env::from_environment(env)?.into_iter().map(entry).collect())
}

/// System and user files, where git's own variables may move them or switch them off.
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

//! Git configuration, read in process and as git reads it.
//!
//! Files come from libgit2 (system, global, repository and worktree, with includes); what the
//! environment adds (`git -c`, `GIT_CONFIG_COUNT`) is laid over them. Where libgit2 does not know
//! the repository, git lists it all. `app::config` gives the values their meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use git2::ConfigLevel;

use super::config_env::{self, ConfigEnvError};
use crate::core::environment::Environment;
use crate::store::program::ProgramError;
use crate::store::repository::{Reader, Repository};
use crate::store::unopened::Unopened;

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

/// One consistent reading of the configuration: every key with the value that wins.
pub struct Config {
    values: BTreeMap<String, String>,
}

impl Config {
    /// The configuration outside of any repository.
    pub fn of_user(env: &Environment) -> Result<Config, ConfigError> {
        Self::overlaid(&Self::of_user_files(env)?, BTreeMap::new(), env)
    }

    fn of_user_files(env: &Environment) -> Result<git2::Config, ConfigError> {
        let mut files = git2::Config::new()?;
        for (level, path) in user_files(env) {
            if path.is_file() {
                files.add_file(&path, level, false)?;
            }
        }
        Ok(files.snapshot()?)
    }

    /// What is still known of the configuration of a repository that cannot be opened: the user's,
    /// with those lines of its own that can be read.
    pub fn of_unopened(repository: &Unopened, env: &Environment) -> Result<Config, ConfigError> {
        Self::overlaid(&Self::of_user_files(env)?, repository.settings(), env)
    }

    /// The configuration that a git command would see in the repository.
    pub fn of_repository(
        repository: &Repository,
        env: &Environment,
    ) -> Result<Config, ConfigError> {
        match repository.reader() {
            Reader::LibGit2(git) => Self::of_git(git, env),
            Reader::Program => {
                // The environment is in the list as well, and is checked as it is elsewhere.
                config_env::from_environment(env)?;
                let values = repository.program().configuration()?.into_iter().collect();
                Ok(Config { values })
            }
        }
    }

    /// A repository from `open_from_env`: a plain `open` ignores `GIT_CONFIG_GLOBAL` and its kin.
    fn of_git(repository: &git2::Repository, env: &Environment) -> Result<Config, ConfigError> {
        Self::overlaid(&repository.config()?, BTreeMap::new(), env)
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

    /// Reads the files once, weaker ones first: asking libgit2 for each key costs more than
    /// everything that is done with the answers. What is known besides is stronger than they are,
    /// and weaker than the environment.
    fn overlaid(
        files: &git2::Config,
        besides: BTreeMap<String, String>,
        env: &Environment,
    ) -> Result<Config, ConfigError> {
        // It replaces both files of the user, while libgit2 goes on reading the XDG one.
        let ignores_xdg = env.os("GIT_CONFIG_GLOBAL").is_some();
        let mut values = BTreeMap::new();
        files.entries(None)?.for_each(|entry| {
            if let Ok(name) = entry.name()
                && !(ignores_xdg && entry.level() == ConfigLevel::XDG)
            {
                values.insert(name.to_owned(), value_text(entry));
            }
        })?;
        values.extend(besides);
        values.extend(config_env::from_environment(env)?);
        Ok(Config { values })
    }
}

fn value_text(entry: &git2::ConfigEntry<'_>) -> String {
    if entry.has_value() {
        String::from_utf8_lossy(entry.value_bytes()).into_owned()
    } else {
        "true".to_owned()
    }
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

//! Chooses among the repositories around a directory.

use std::ffi::OsStr;
use std::path::Path;

use git2::RepositoryOpenFlags;

use super::{Repository, set};
use crate::core::environment::Environment;
use crate::store::error::StoreError;
use crate::store::git::config::{Config, ConfigError};
use crate::store::git::found::{Found, bare_around, belongs_to_dot_git, is_bare_usable};

/// The variables that libgit2 reads in this process, and that nothing here could tell it.
const LIBGIT2_VARIABLES: [&str; 8] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_OBJECT_DIRECTORY",
    "HOME",
    "XDG_CONFIG_HOME",
];

const NO_CEILINGS: [&OsStr; 0] = [];

impl Repository {
    /// Finds the repository for a caller that did not choose its directory. Passes over a bare
    /// repository that nobody has named; the environment then has the directory around it.
    pub fn discover_around(
        environment: &Environment,
    ) -> (Environment, Result<Repository, StoreError>) {
        let mut environment = environment.clone();
        loop {
            let found = Repository::discover(&environment);
            match &found {
                Ok(repository) if repository.found != Found::AsBare => return (environment, found),
                Err(StoreError::NotARepository(_)) => return (environment, found),
                _ if set(&environment, "GIT_DIR").is_some() => return (environment, found),
                _ => {}
            }
            let here = environment.directory().map(Path::to_owned).unwrap_or_default();
            let around = bare_around(&here).and_then(|bare| bare.parent().map(Path::to_owned));
            environment = match (around, found) {
                (Some(around), _) => environment.at(around),
                (None, Err(error)) => return (environment, Err(error)),
                (None, Ok(_)) => return (environment, Err(StoreError::NotARepository(here))),
            };
        }
    }

    /// Finds the repository that `GIT_DIR` names, for a caller that read the name in the text of a
    /// command. Passes over a repository that git has not made as `.git` or inside of one.
    pub fn discover_in_text(environment: &Environment) -> Result<Repository, StoreError> {
        let repository = Repository::discover(environment)?;
        let git_dir = &repository.git_dir;
        if belongs_to_dot_git(&git_dir.canonicalize().unwrap_or_else(|_| git_dir.clone())) {
            return Ok(repository);
        }
        Err(StoreError::NotARepository(repository.git_dir))
    }

    /// Determines how the repository was found, and refuses it if git would.
    pub(super) fn found_from(
        mut self,
        here: &Path,
        environment: &Environment,
    ) -> Result<Repository, StoreError> {
        let is_named = set(environment, "GIT_DIR").is_some();
        // A path that ends in `.git` needs no resolving.
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

/// Tells whether libgit2 would read the variables of this environment. For another one than that of
/// this process, git answers.
pub(super) fn reads_variables_of(environment: &Environment) -> bool {
    LIBGIT2_VARIABLES.iter().all(|name| environment.os(name) == std::env::var_os(name).as_deref())
        && (environment.os("GIT_WORK_TREE").is_some()
            || std::env::var_os("GIT_WORK_TREE").is_none())
}

/// Tells whether the refs are in a reftable. libgit2 takes that for a repository without refs,
/// unless the configuration says so.
pub(super) fn has_reftable(git: &git2::Repository) -> bool {
    git.commondir().join("reftable").exists()
}

/// Opens the repository of `here` with libgit2. The place comes from `environment`, and all else
/// from the variables of the process.
pub(super) fn open(
    environment: &Environment,
    here: &Path,
) -> Result<git2::Repository, git2::Error> {
    let flags = RepositoryOpenFlags::FROM_ENV;
    let git = if let Some(git_dir) = environment.path("GIT_DIR") {
        let exactly = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT;
        git2::Repository::open_ext(git_dir, flags | exactly, NO_CEILINGS)?
    } else if let Some(ceilings) = environment.os("GIT_CEILING_DIRECTORIES") {
        git2::Repository::open_ext(here, flags, std::env::split_paths(ceilings))?
    } else {
        git2::Repository::open_ext(here, flags, NO_CEILINGS)?
    };
    if let Some(work_tree) = environment.path("GIT_WORK_TREE") {
        git.set_workdir(&work_tree, false)?;
    }
    Ok(git)
}

//! The repository of a command, wherever the command is called from.
//!
//! Finds the common directory, where the ledgers are, and the work tree, which paths are relative
//! to. The caller's `GIT_DIR`, `GIT_WORK_TREE` and `GIT_INDEX_FILE` have the same meaning as in
//! git, and never change where state goes.

mod choice;
mod work_tree;

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use git2::Index;

use self::choice::{has_reftable, reads_variables_of};
use crate::core::environment::Environment;
use crate::store::error::StoreError;
use crate::store::git::config::ConfigError;
use crate::store::git::config_entries::{Entry, Scope, of_files};
use crate::store::git::found::Found;
use crate::store::git::object::HashKind;
use crate::store::git::program::config_overrides::ConfigOverrides;
use crate::store::git::program::rev_parse::{RefStorage, RepositoryInfo};
use crate::store::git::program::{self, Program, ProgramError, add_trailers, first_sentence};
use crate::store::git::unreadable_repository::UnreadableRepository;
use crate::store::layout::{helpers, own_directories};
use crate::store::os::files::{Files, Purpose, link_at_or_in};
use crate::store::os::shared_mode::SharedMode;
use crate::store::worktree::changes::Changes;
pub use work_tree::WorkTree;

/// An open repository.
pub struct Repository {
    reader: Reader,
    git_dir: PathBuf,
    common_dir: PathBuf,
    hash: HashKind,
    refs: RefStorage,
    work_tree: Option<WorkTree>,
    found: Found,
    /// The environment of the request, which every call of git gets.
    environment: Environment,
    /// The index that the caller has named: `GIT_INDEX_FILE`.
    index_file: Option<PathBuf>,
    /// Set if `GIT_CONFIG_GLOBAL` is: it replaces both files of the user, but libgit2 would still
    /// read the XDG one.
    ignores_xdg: bool,
    settings: OnceCell<Vec<Entry>>,
    /// The overrides for calls of git, computed on first use.
    config_overrides: OnceCell<Rc<ConfigOverrides>>,
}

/// The code that reads a repository.
pub(in crate::store) enum Reader {
    /// libgit2, which can open it.
    LibGit2(Rc<git2::Repository>),
    /// The `git` program, because libgit2 refused.
    Program,
}

impl Repository {
    /// Finds the repository that the environment's directory belongs to, as git would.
    pub fn discover(environment: &Environment) -> Result<Repository, StoreError> {
        let gone = || StoreError::Malformed("the current directory is gone".to_owned());
        let here = environment.directory().ok_or_else(gone)?.to_owned();
        let repository = match choice::open(environment, &here) {
            Ok(git) if reads_variables_of(environment) && !has_reftable(&git) => {
                refuse_hidden_configuration(git.commondir())?;
                let top = top_of(&git, environment, &here);
                let mut repository = Repository::of_libgit2(git, top.as_deref(), &here);
                repository.ignores_xdg = environment.os("GIT_CONFIG_GLOBAL").is_some();
                repository
            }
            Err(error) if error.code() == git2::ErrorCode::NotFound => {
                let found = UnreadableRepository::find(environment);
                let pipe = found.and_then(|repository| repository.pipe_for_head());
                return Err(pipe.map_or(StoreError::NotARepository(here), StoreError::Pipe));
            }
            refused => {
                let is_foreign = refused.is_err_and(|error| error.code() == git2::ErrorCode::Owner);
                let info = RepositoryInfo::find(environment)
                    .map_err(|error| refusal(error, is_foreign, &here))?;
                Repository::of_program(info, &here)
            }
        };
        let mut repository = repository.found_from(&here, environment)?;
        repository.environment = environment.clone();
        repository.index_file = environment.path("GIT_INDEX_FILE");
        repository.refuse_foreign_objects(environment)?;
        Ok(repository)
    }

    fn of_libgit2(git: git2::Repository, top: Option<&Path>, here: &Path) -> Repository {
        let (git_dir, common_dir) = (git.path().to_owned(), git.commondir().to_owned());
        Repository {
            work_tree: top.and_then(|top| WorkTree::at(top, here, &git_dir, &common_dir)),
            reader: Reader::LibGit2(Rc::new(git)),
            git_dir,
            common_dir,
            hash: HashKind::Sha1,
            refs: RefStorage::Files,
            found: Found::ByDotGit,
            environment: Environment::default(),
            index_file: None,
            ignores_xdg: false,
            settings: OnceCell::new(),
            config_overrides: OnceCell::new(),
        }
    }

    fn of_program(info: RepositoryInfo, here: &Path) -> Repository {
        let RepositoryInfo { git_dir, common_dir, hash, refs, work_tree } = info;
        let work_tree = work_tree.and_then(|top| WorkTree::at(&top, here, &git_dir, &common_dir));
        Repository {
            reader: Reader::Program,
            work_tree,
            git_dir,
            common_dir,
            hash,
            refs,
            found: Found::ByDotGit,
            environment: Environment::default(),
            index_file: None,
            ignores_xdg: false,
            settings: OnceCell::new(),
            config_overrides: OnceCell::new(),
        }
    }

    /// Creates a bare repository and opens it.
    pub fn make_empty(path: &Path) -> Result<Repository, StoreError> {
        Ok(Repository::of_libgit2(git2::Repository::init_bare(path)?, None, path))
    }

    /// Leaves libgit2's memory to the end of the process: freeing it piece by piece takes as long
    /// as reading some objects.
    pub fn stay_open(&self) {
        if let Reader::LibGit2(git) = &self.reader {
            std::mem::forget(Rc::clone(git));
        }
    }

    pub(in crate::store) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Calls git for this worktree alone: its configuration, its index.
    pub fn program(&self) -> Program {
        Program::new(&self.git_dir, &self.environment, self.config_overrides())
    }

    /// Calls git for everything that all worktrees share.
    pub fn common_program(&self) -> Program {
        Program::new(&self.common_dir, &self.environment, self.config_overrides())
    }

    /// Reads all effective settings once, in ascending precedence. If they are not in files, only
    /// git can list them.
    pub(in crate::store) fn settings(&self) -> Result<&[Entry], ConfigError> {
        if let Some(settings) = self.settings.get() {
            return Ok(settings);
        }
        let settings = match &self.reader {
            Reader::LibGit2(git) => {
                let read = of_files(&git.config()?, self.ignores_xdg)?;
                // Git knows conditions that libgit2 does not, and would read includes that libgit2
                // skips.
                let has_condition = |entry: &Entry| {
                    entry.scope == Scope::Repository && entry.key.starts_with("includeif.")
                };
                if read.iter().any(has_condition) {
                    program::configuration(&self.git_dir, &self.environment)?
                } else {
                    read
                }
            }
            Reader::Program => program::configuration(&self.git_dir, &self.environment)?,
        };
        Ok(self.settings.get_or_init(|| settings))
    }

    /// Computes the overrides for calls of git. If libgit2 cannot read the settings, git may;
    /// settings that git cannot read stop git itself.
    fn config_overrides(&self) -> Rc<ConfigOverrides> {
        let compute = || {
            let by_git =
                || program::configuration(&self.git_dir, &self.environment).unwrap_or_default();
            let settings = self.settings().map_or_else(|_| by_git(), <[Entry]>::to_vec);
            Rc::new(ConfigOverrides::of(&settings, self.found))
        };
        Rc::clone(self.config_overrides.get_or_init(compute))
    }

    pub fn hash_kind(&self) -> HashKind {
        self.hash
    }

    pub fn ref_storage(&self) -> &RefStorage {
        &self.refs
    }

    /// Returns the git directory of this worktree.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Returns the git directory that all worktrees share, which holds the ledgers.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Finds a path of ours that is a symbolic link: nothing is stored outside of the repository.
    /// Each directory is listed only once, because every command checks this.
    pub fn link_in_the_way(&self) -> Option<PathBuf> {
        let of_worktree = (self.git_dir != self.common_dir).then(|| helpers(&self.git_dir));
        let own = own_directories(&self.common_dir).into_iter().chain(of_worktree);
        own.into_iter().find_map(|directory| link_at_or_in(&directory))
    }

    /// Returns the work tree, unless the repository is bare or the caller is outside of it.
    pub fn work_tree(&self) -> Option<&WorkTree> {
        self.work_tree.as_ref()
    }

    /// Tells whether a path of the work tree exists.
    pub fn has_file(&self, path: &[u8]) -> bool {
        let join = |tree: &WorkTree| tree.top.join(Path::new(OsStr::from_bytes(path)));
        self.work_tree.as_ref().is_some_and(|tree| join(tree).symlink_metadata().is_ok())
    }

    /// Tells whether a path of the work tree is a regular file.
    pub fn has_regular_file(&self, path: &[u8]) -> bool {
        let join = |tree: &WorkTree| tree.top.join(Path::new(OsStr::from_bytes(path)));
        let metadata = self.work_tree.as_ref().map(|tree| join(tree).symlink_metadata());
        matches!(metadata, Some(Ok(metadata)) if metadata.is_file())
    }

    /// Returns the commit that is checked out, abbreviated; `None` before the first.
    pub fn head(&self) -> Option<String> {
        const SHORT: usize = 10;
        let id = match &self.reader {
            Reader::LibGit2(git) => git.head().ok()?.peel_to_commit().ok()?.id().to_string(),
            Reader::Program => {
                let said = self.program().ask(&["rev-parse", "--verify", "--quiet", "HEAD"]);
                String::from_utf8(said.ok()?).ok()?.trim().to_owned()
            }
        };
        Some(id.chars().take(SHORT).collect())
    }

    pub fn changes(&self) -> Changes {
        Changes::of(self.program(), &self.git_dir, self.hash)
    }

    /// Appends trailers to the message in a file, and replaces existing ones of the same name.
    pub fn add_trailers(&self, message: &Path, trailers: &[String]) -> Result<(), StoreError> {
        let settings = self.settings().unwrap_or_default();
        let last = |key: &str| settings.iter().rfind(|entry| entry.key == key);
        let setting = |key: &str| last(key).map(|entry| entry.value.clone());
        Ok(add_trailers(message, trailers, &self.environment, &setting)?)
    }

    /// Tells whether any tracked path satisfies the question, for a hint. Returns `None` if the
    /// index is too large or unreadable.
    pub fn any_tracked(&self, question: impl Fn(&[u8]) -> bool) -> Option<bool> {
        match &self.reader {
            Reader::LibGit2(git) => {
                let index = self.index(git).ok()?;
                is_small(index.path()?).then(|| index.iter().any(|entry| question(&entry.path)))
            }
            Reader::Program => {
                let index = self.index_file();
                if !is_small(&index) {
                    return None;
                }
                let paths = self.program().tracked(&index).ok()?;
                Some(paths.split(|byte| *byte == 0).any(question))
            }
        }
    }

    /// Reads the index with libgit2, which would resolve a named one from the directory of the
    /// process.
    pub(in crate::store) fn index(&self, git: &git2::Repository) -> Result<Index, git2::Error> {
        self.index_file.as_ref().map_or_else(|| git.index(), |path| Index::open(path))
    }

    /// Returns the path of the index: the one that the caller has named, or the worktree's.
    pub(in crate::store) fn index_file(&self) -> PathBuf {
        self.index_file.clone().unwrap_or_else(|| self.git_dir.join("index"))
    }

    /// Refuses an object directory that is not the repository's own: in a quarantine, or with
    /// another directory, the ref would outlive its objects.
    fn refuse_foreign_objects(&self, environment: &Environment) -> Result<(), StoreError> {
        if set(environment, "GIT_QUARANTINE_PATH").is_some() {
            return Err(StoreError::Quarantine);
        }
        let Some(directory) = set(environment, "GIT_OBJECT_DIRECTORY") else { return Ok(()) };
        let named = PathBuf::from(directory);
        let own = self.common_dir().join("objects");
        match (named.canonicalize(), own.canonicalize()) {
            (Ok(named), Ok(own)) if named == own => Ok(()),
            _ => Err(StoreError::ForeignObjects(named)),
        }
    }
}

/// Refuses an unreadable configuration, as git does. libgit2 takes it for an empty one.
fn refuse_hidden_configuration(common_dir: &Path) -> Result<(), StoreError> {
    let path = common_dir.join("config");
    let read = std::fs::File::open(&path).and_then(|file| file.metadata());
    let why = match read {
        Ok(metadata) if metadata.is_dir() => "it is a directory".to_owned(),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => error.to_string(),
        _ => return Ok(()),
    };
    Err(StoreError::Malformed(format!("cannot read '{}': {why}", path.display())))
}

fn set<'e>(environment: &'e Environment, name: &str) -> Option<&'e OsStr> {
    environment.os(name).filter(|value| !value.is_empty())
}

/// Tells whether an index is small enough to be read for a hint.
fn is_small(index: &Path) -> bool {
    const INDEX_BYTES_MAX: u64 = 32 * 1024 * 1024;
    index.metadata().map_or(0, |metadata| metadata.len()) <= INDEX_BYTES_MAX
}

fn refusal(error: ProgramError, is_foreign: bool, here: &Path) -> StoreError {
    match error {
        ProgramError::Failed { words, .. } => match distrusted(&words) {
            Some(path) => StoreError::ForeignOwner(path),
            None => match quoted_after(&words, "cannot use bare repository '") {
                Some(path) => StoreError::BareNotNamed(path),
                None => StoreError::Unsupported(first_sentence(&words)),
            },
        },
        _ if is_foreign => StoreError::ForeignOwner(here.to_owned()),
        error => error.into(),
    }
}

/// Parses the directory that git does not trust, by the name under which it has to be trusted: the
/// top of the work tree, wherever the caller is in it.
fn distrusted(words: &str) -> Option<PathBuf> {
    let (_, path) = words.lines().next()?.split_once("dubious ownership in repository at '")?;
    path.strip_suffix('\'').map(PathBuf::from)
}

/// Parses the quoted path after some words in git's message.
fn quoted_after(words: &str, before: &str) -> Option<PathBuf> {
    let (_, path) = words.lines().next()?.split_once(before)?;
    path.rsplit_once('\'').map(|(path, _)| path.split("' (").next().unwrap_or(path).into())
}

/// Finds the top of the work tree by git's rules, which differ from those of libgit2.
fn top_of(git: &git2::Repository, environment: &Environment, here: &Path) -> Option<PathBuf> {
    // With GIT_DIR and no GIT_WORK_TREE, git uses the current directory as the top. libgit2 would
    // use the parent of the git directory.
    match (set(environment, "GIT_WORK_TREE"), set(environment, "GIT_DIR")) {
        (Some(work_tree), _) => Some(here.join(work_tree)),
        (None, Some(_)) if !git.is_bare() => {
            Some(configured_work_tree(git).unwrap_or(here.to_owned()))
        }
        (None, _) => git.workdir().map(Path::to_owned),
    }
}

fn configured_work_tree(git: &git2::Repository) -> Option<PathBuf> {
    let value = git.config().ok()?.get_path("core.worktree").ok()?;
    Some(git.path().join(value))
}

/// Creates a repository with these files in one commit, for a demonstration.
pub fn make_scratch(top: &Path, files: &[&str]) -> Result<(), StoreError> {
    let git = git2::Repository::init(top)?;
    let disk = Files { fsync: false, shared: SharedMode::Umask };
    let mut index = git.index()?;
    for file in files {
        let path = top.join(file);
        path.parent().map_or(Ok(()), |directory| disk.make_directories(directory))?;
        disk.write_new(&path, b"\n", Purpose::Helper)?;
        index.add_path(Path::new(file))?;
    }
    index.write()?;
    let tree = git.find_tree(index.write_tree()?)?;
    let who = git2::Signature::now("git coord demo", "demo@localhost")?;
    git.commit(Some("HEAD"), &who, &who, "first commit", &tree, &[])?;
    Ok(())
}

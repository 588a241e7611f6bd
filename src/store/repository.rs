//! The repository that a command is about, wherever it is called from.
//!
//! Finds the common directory, where the ledgers are, and the work tree, which paths are relative
//! to. The caller's `GIT_DIR`, `GIT_WORK_TREE` and `GIT_INDEX_FILE` mean what they mean to git and
//! never change where state goes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::core::environment::Environment;
use crate::store::error::StoreError;

/// An open repository.
pub struct Repository {
    git: Rc<git2::Repository>,
    work_tree: Option<WorkTree>,
}

/// The work tree that the caller stands in.
#[derive(Clone, Debug)]
pub struct WorkTree {
    /// Its top, with symbolic links resolved.
    pub top: PathBuf,
    /// The current directory below the top, as bytes with `/`; empty at the top.
    pub prefix: Vec<u8>,
    /// Its name if it is a linked one.
    pub linked: Option<String>,
}

impl Repository {
    /// The repository that the current directory belongs to, as git would find it.
    pub fn discover(environment: &Environment) -> Result<Repository, StoreError> {
        let here = std::env::current_dir()
            .map_err(|error| StoreError::Malformed(format!("no current directory: {error}")))?;
        let git = git2::Repository::open_from_env().map_err(|error| open_error(&error, &here))?;
        let work_tree = work_tree(&git, environment, &here);
        let repository = Repository { git: Rc::new(git), work_tree };
        repository.refuse_foreign_objects(environment)?;
        Ok(repository)
    }

    /// Makes a bare repository and opens it.
    pub fn make_empty(path: &Path) -> Result<Repository, StoreError> {
        let git = git2::Repository::init_bare(path)?;
        Ok(Repository { git: Rc::new(git), work_tree: None })
    }

    /// What libgit2 has opened.
    pub(super) fn git(&self) -> Rc<git2::Repository> {
        Rc::clone(&self.git)
    }

    /// The directory that all worktrees share; ledgers live there.
    pub fn common_dir(&self) -> &Path {
        self.git.commondir()
    }

    /// The work tree, unless the repository is bare or the caller stands outside of it.
    pub fn work_tree(&self) -> Option<&WorkTree> {
        self.work_tree.as_ref()
    }

    /// Whether a file or directory stands at that path of the work tree.
    pub fn has_file(&self, path: &[u8]) -> bool {
        let join = |tree: &WorkTree| tree.top.join(Path::new(OsStr::from_bytes(path)));
        self.work_tree.as_ref().is_some_and(|tree| join(tree).symlink_metadata().is_ok())
    }

    /// Whether a regular file stands at that path of the work tree.
    pub fn has_regular_file(&self, path: &[u8]) -> bool {
        let join = |tree: &WorkTree| tree.top.join(Path::new(OsStr::from_bytes(path)));
        let metadata = self.work_tree.as_ref().map(|tree| join(tree).symlink_metadata());
        matches!(metadata, Some(Ok(metadata)) if metadata.is_file())
    }

    /// Whether any tracked path satisfies the question; `None` if the index is too large or
    /// cannot be read, for a question that is only asked to be helpful.
    pub fn any_tracked(&self, question: impl Fn(&[u8]) -> bool) -> Option<bool> {
        const INDEX_BYTES_MAX: u64 = 32 * 1024 * 1024;
        let index = self.git.index().ok()?;
        let size = index.path()?.metadata().map_or(0, |metadata| metadata.len());
        (size <= INDEX_BYTES_MAX).then(|| index.iter().any(|entry| question(&entry.path)))
    }

    /// A ref and its objects belong together: in a quarantine, or with another object directory,
    /// the ref would outlive what it names.
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

fn set<'e>(environment: &'e Environment, name: &str) -> Option<&'e OsStr> {
    environment.os(name).filter(|value| !value.is_empty())
}

fn open_error(error: &git2::Error, here: &Path) -> StoreError {
    match error.code() {
        git2::ErrorCode::NotFound => StoreError::NotARepository(here.to_owned()),
        git2::ErrorCode::Owner => StoreError::ForeignOwner(here.to_owned()),
        _ => StoreError::Unsupported(unsupported(error.message())),
    }
}

/// What libgit2 does not know, in words that tell what to do.
fn unsupported(message: &str) -> String {
    let what = match message {
        text if text.contains("refstorage") => "refs in the reftable format",
        text if text.contains("object format") => "SHA-256 object names",
        text => return text.to_owned(),
    };
    format!("it has {what}, which this version of git-coord does not support")
}

fn work_tree(git: &git2::Repository, environment: &Environment, here: &Path) -> Option<WorkTree> {
    // With GIT_DIR and no GIT_WORK_TREE git takes the current directory for the top, where
    // libgit2 would take the parent of the git directory.
    let top = match (set(environment, "GIT_WORK_TREE"), set(environment, "GIT_DIR")) {
        (Some(work_tree), _) => here.join(work_tree),
        (None, Some(_)) if !git.is_bare() => configured_work_tree(git).unwrap_or(here.to_owned()),
        (None, _) => git.workdir()?.to_owned(),
    };
    let top = top.canonicalize().ok()?;
    let here = here.canonicalize().ok()?;
    let prefix = here.strip_prefix(&top).ok()?.as_os_str().as_bytes().to_vec();
    let inside_git_dir = git.path().canonicalize().is_ok_and(|git_dir| here.starts_with(git_dir));
    if inside_git_dir {
        return None;
    }
    let linked = git.is_worktree().then(|| name_of(git.path()));
    Some(WorkTree { top, prefix, linked })
}

fn configured_work_tree(git: &git2::Repository) -> Option<PathBuf> {
    let value = git.config().ok()?.get_path("core.worktree").ok()?;
    Some(git.path().join(value))
}

fn name_of(git_dir: &Path) -> String {
    git_dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes a repository with these files, committed, for a demonstration.
pub fn make_scratch(top: &Path, files: &[&str]) -> Result<(), StoreError> {
    let git = git2::Repository::init(top)?;
    let mut index = git.index()?;
    for file in files {
        let path = top.join(file);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, "\n"))
            .map_err(|error| StoreError::Malformed(format!("cannot make '{file}': {error}")))?;
        index.add_path(Path::new(file))?;
    }
    index.write()?;
    let tree = git.find_tree(index.write_tree()?)?;
    let who = git2::Signature::now("git coord demo", "demo@localhost")?;
    git.commit(Some("HEAD"), &who, &who, "first commit", &tree, &[])?;
    Ok(())
}

//! The content of paths: in the work tree as it is, and in the newest commit.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use git2::ErrorCode;

use super::changes::PathBytes;
use crate::core::ownership::Content;
use crate::core::ownership::content::{Mode, Stored};
use crate::store::error::StoreError;
use crate::store::git::object::{Object, ObjectId, ObjectKind};
use crate::store::git::program::answer;
use crate::store::git::repository::{Reader, Repository, WorkTree};

/// The maximum size of a file that is read: each edit waits for it.
const READ_BYTES_MAX: u64 = 1024 * 1024;
/// The maximum number of paths that are named in one call of git.
const PATHS_PER_CALL_MAX: usize = 500;
/// The permission to execute, for the owner.
const EXECUTABLE: u32 = 0o100;

/// A path of the work tree as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// A file or a symbolic link, with its bytes: of a link, the path that it leads to.
    File(Stored, Vec<u8>),
    /// A file of that many bytes, which is too long to be read.
    TooLong(u64),
    /// Something else, such as a directory, or a file that cannot be read.
    NoFile,
}

impl Found {
    /// Returns the content; `None` if it is not known.
    pub fn content(&self) -> Option<Content> {
        match self {
            Found::Nothing => Some(Content::Gone),
            Found::File(stored, _) => Some(Content::Stored(stored.clone())),
            Found::TooLong(_) | Found::NoFile => None,
        }
    }
}

/// The directories of a work tree that were found to be symbolic links, or not.
#[derive(Debug, Default)]
pub struct Links(BTreeMap<PathBytes, bool>);

impl Links {
    /// Tells whether a symbolic link stands above a path. A file that is found there is not one of
    /// the work tree.
    pub fn is_above(&mut self, repository: &Repository, path: &[u8]) -> bool {
        let Some(slash) = path.iter().rposition(|byte| *byte == b'/') else { return false };
        let above = &path[..slash];
        if let Some(known) = self.0.get(above) {
            return *known;
        }
        let file = repository.work_tree().map(|tree| tree.top.join(OsStr::from_bytes(above)));
        let is_link =
            file.is_some_and(|file| file.is_symlink()) || self.is_above(repository, above);
        self.0.insert(above.to_vec(), is_link);
        is_link
    }
}

impl Repository {
    /// Reads the content of a path of the work tree, byte for byte. Returns `None` if it is too
    /// long, cannot be read, or is no file.
    pub fn content_of(&self, path: &[u8]) -> Option<Content> {
        self.read_file(path, READ_BYTES_MAX).content()
    }

    /// Reads a path of the work tree, without following a symbolic link at its end.
    pub fn read_file(&self, path: &[u8], bytes_max: u64) -> Found {
        let Some(tree) = self.work_tree() else { return Found::NoFile };
        let file = tree.top.join(OsStr::from_bytes(path));
        let metadata = match file.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Found::NoFile,
            Err(_) => return Found::Nothing,
        };
        if metadata.is_file() && metadata.len() > bytes_max {
            return Found::TooLong(metadata.len());
        }
        let read = raw(&file, &metadata).and_then(|(bytes, mode)| {
            let object = Object { kind: ObjectKind::Blob, bytes };
            let id = object.id(self.hash_kind());
            Some((stored(&id, mode)?, object.bytes))
        });
        read.map_or(Found::NoFile, |(stored, bytes)| Found::File(stored, bytes))
    }

    /// Tells whether there is a file at a path of the work tree, or may be: the directory cannot be
    /// searched.
    pub fn may_be_file(&self, path: &[u8]) -> bool {
        let Some(tree) = self.work_tree() else { return false };
        let metadata = tree.top.join(OsStr::from_bytes(path)).symlink_metadata();
        metadata.map_or(true, |metadata| metadata.is_file())
    }

    /// Returns the id of the commit that is checked out; `None` before the first.
    pub fn head_commit(&self) -> Result<Option<ObjectId>, StoreError> {
        if let Reader::LibGit2(git) = self.reader() {
            return match git.head() {
                Ok(head) => {
                    let commit = head.peel_to_commit()?;
                    Ok(ObjectId::from_bytes(commit.id().as_bytes()))
                }
                Err(error) if error.code() == ErrorCode::UnbornBranch => Ok(None),
                Err(error) => Err(error.into()),
            };
        }
        self.changes().head()
    }

    /// Reads the content of paths in the newest commit. A submodule and a directory count as
    /// nothing, as does everything before the first commit.
    pub fn contents_at_head(
        &self,
        paths: &[PathBytes],
    ) -> Result<BTreeMap<PathBytes, Content>, StoreError> {
        match self.reader() {
            Reader::LibGit2(git) => match at_head(git, paths) {
                Ok(found) => Ok(found),
                // Git knows where to get what is not here.
                Err(_) => self.listed_at_head(paths),
            },
            Reader::Program => self.listed_at_head(paths),
        }
    }

    fn listed_at_head(
        &self,
        paths: &[PathBytes],
    ) -> Result<BTreeMap<PathBytes, Content>, StoreError> {
        let mut found: BTreeMap<PathBytes, Content> =
            paths.iter().map(|path| (path.clone(), Content::Gone)).collect();
        if paths.is_empty() || self.changes().is_before_first_commit()? {
            return Ok(found);
        }
        for some in paths.chunks(PATHS_PER_CALL_MAX) {
            let mut command =
                self.program().command(&["ls-tree", "-z", "--full-tree", "HEAD", "--"]);
            command.args(some.iter().map(|path| OsStr::from_bytes(path)));
            for line in answer(command)?.split(|byte| *byte == 0) {
                if let Some((path, content)) = listed(line) {
                    found.insert(path, content);
                }
            }
        }
        Ok(found)
    }

    /// Finds those of the paths in which git sees a difference between the work tree and the newest
    /// commit. Git applies the filters of the user.
    pub fn differing(&self, paths: &[PathBytes]) -> Result<Vec<PathBytes>, StoreError> {
        let Some(tree) = self.work_tree() else { return Ok(Vec::new()) };
        let mut differing = Vec::new();
        for some in paths.chunks(PATHS_PER_CALL_MAX) {
            let listed = self.status_of(tree, some)?;
            // Two letters and a space precede each path.
            let lines = listed.split(|byte| *byte == 0).filter(|line| line.len() > 3);
            differing.extend(lines.map(|line| line[3..].to_vec()));
        }
        Ok(differing)
    }

    /// Finds those of the paths that git tracks and looks at. It reports no change of others: an
    /// ignored file, and one that it was told to take for unchanged.
    pub fn watched(&self, paths: &[PathBytes]) -> Result<Vec<PathBytes>, StoreError> {
        const TRACKED: &[u8] = b"H ";
        let mut watched = Vec::new();
        for some in paths.chunks(PATHS_PER_CALL_MAX) {
            let words = ["--literal-pathspecs", "ls-files", "-v", "-z", "--full-name", "--"];
            let mut command = self.program().command(&words);
            command.args(some.iter().map(|path| OsStr::from_bytes(path)));
            if let Some(tree) = self.work_tree() {
                command.env("GIT_WORK_TREE", &tree.top).current_dir(&tree.top);
            }
            let listed = answer(command)?;
            let lines = listed.split(|byte| *byte == 0);
            watched.extend(lines.filter_map(|line| Some(line.strip_prefix(TRACKED)?.to_vec())));
        }
        Ok(watched)
    }

    fn status_of(&self, tree: &WorkTree, paths: &[PathBytes]) -> Result<Vec<u8>, StoreError> {
        let mut command = self.program().command(&[
            "--literal-pathspecs",
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=all",
            "--",
        ]);
        command.args(paths.iter().map(|path| OsStr::from_bytes(path)));
        command.env("GIT_WORK_TREE", &tree.top).current_dir(&tree.top);
        Ok(answer(command)?)
    }

    /// Finds the second in which each of the paths was last changed by a commit on the way to the
    /// newest one. Looks back no further than to `since`.
    pub fn last_committed(
        &self,
        paths: &[PathBytes],
        since: i64,
    ) -> Result<BTreeMap<PathBytes, i64>, StoreError> {
        let mut found = BTreeMap::new();
        if paths.is_empty() || self.changes().is_before_first_commit()? {
            return Ok(found);
        }
        let since = format!("--since={since}");
        // Of a merge that resolved nothing, git lists no path.
        let words = ["log", "-z", "--format=%x01%ct", "--name-only", "--no-renames", &since];
        for some in paths.chunks(PATHS_PER_CALL_MAX) {
            let mut command = self.program().command(&["--literal-pathspecs"]);
            command.args(words).args(["HEAD", "--"]);
            command.args(some.iter().map(|path| OsStr::from_bytes(path)));
            let mut second = 0;
            for word in answer(command)?.split(|byte| matches!(byte, 0 | b'\n')) {
                match word {
                    [] => {}
                    [1, time @ ..] => {
                        let time = std::str::from_utf8(time).unwrap_or_default();
                        second = time.parse().unwrap_or(second);
                    }
                    path => drop(found.entry(path.to_vec()).or_insert(second)),
                }
            }
        }
        Ok(found)
    }
}

fn raw(file: &Path, metadata: &Metadata) -> Option<(Vec<u8>, Mode)> {
    if metadata.is_symlink() {
        let target = std::fs::read_link(file).ok()?;
        return Some((target.as_os_str().as_bytes().to_vec(), Mode::Link));
    }
    if !metadata.is_file() {
        return None;
    }
    let is_executable = metadata.permissions().mode() & EXECUTABLE != 0;
    let mode = if is_executable { Mode::Executable } else { Mode::File };
    Some((std::fs::read(file).ok()?, mode))
}

fn stored(blob: &ObjectId, mode: Mode) -> Option<Stored> {
    Some(Stored { blob: blob.to_string().parse().ok()?, mode })
}

fn at_head(
    git: &git2::Repository,
    paths: &[PathBytes],
) -> Result<BTreeMap<PathBytes, Content>, git2::Error> {
    let tree = match git.head() {
        Ok(head) => Some(head.peel_to_tree()?),
        Err(error) if error.code() == ErrorCode::UnbornBranch => None,
        Err(error) => return Err(error),
    };
    let mut found = BTreeMap::new();
    let mut directories = HashMap::from([(&[][..], tree)]);
    for path in paths {
        let (directory, name) = split(path);
        let tree = directory_at(git, &mut directories, directory)?;
        let content = tree.as_ref().and_then(|tree| {
            let entry = tree.get_name_bytes(name)?;
            let mode = Mode::of_git(u32::try_from(entry.filemode_raw()).ok()?)?;
            stored(&ObjectId::from_bytes(entry.id().as_bytes())?, mode)
        });
        found.insert(path.clone(), content.map_or(Content::Gone, Content::Stored));
    }
    Ok(found)
}

/// Finds the tree of a directory; `None` if there is no such directory. Each is read once: most
/// paths share theirs with others.
fn directory_at<'g, 'p>(
    git: &'g git2::Repository,
    known: &mut HashMap<&'p [u8], Option<git2::Tree<'g>>>,
    path: &'p [u8],
) -> Result<Option<git2::Tree<'g>>, git2::Error> {
    if let Some(tree) = known.get(path) {
        return Ok(tree.clone());
    }
    let (above, name) = split(path);
    let above = directory_at(git, known, above)?;
    let entry = above.as_ref().and_then(|tree| tree.get_name_bytes(name));
    let entry = entry.filter(|entry| entry.kind() == Some(git2::ObjectType::Tree));
    let tree = entry.map(|entry| git.find_tree(entry.id())).transpose()?;
    known.insert(path, tree.clone());
    Ok(tree)
}

/// Splits a path into its directory and its name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (&[], path),
    }
}

/// Reads a line of `git ls-tree`: mode, kind, id, a tab and the path.
fn listed(line: &[u8]) -> Option<(PathBytes, Content)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (words, path) = (std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]);
    let mut words = words.split(' ');
    let mode = Mode::of_git(u32::from_str_radix(words.next()?, 8).ok()?)?;
    let blob: ObjectId = words.nth(1)?.parse().ok()?;
    Some((path.to_vec(), Content::Stored(stored(&blob, mode)?)))
}

//! The facts about the paths of a request, from the work tree and the index.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::core::pattern::Pattern;
use crate::core::reservation::paths::{PathFacts, PathKind};
use crate::store::git::repository::Repository;

/// Finds out which patterns name a file and which name nothing. A repository without a work tree
/// tells nothing, so every path there may be a directory.
pub(super) fn path_facts(repository: &Repository, patterns: &[Pattern]) -> PathFacts {
    let mut facts = PathFacts::default();
    for pattern in patterns {
        let kind = pattern.literal_path().and_then(|path| path_kind(repository, &path));
        match kind {
            Some(PathKind::File) => facts.files.push(pattern.clone()),
            Some(PathKind::New) => facts.new.push(pattern.clone()),
            None => {}
        }
    }
    facts
}

/// States that the paths are those of files, as an edit names them. A directory is none, and stands
/// for paths that are too deep for a pattern.
pub(super) fn edited_files(repository: &Repository, paths: &[Pattern]) -> PathFacts {
    let is_file = |pattern: &&Pattern| {
        let path = pattern.literal_path().unwrap_or_default();
        !is_directory(repository, &path) && !pattern.is_at_bounds()
    };
    PathFacts { files: paths.iter().filter(is_file).cloned().collect(), ..PathFacts::NONE }
}

/// Tells what a path is: by the disk or, if it is not there, by the index. An index that is too
/// large to be read for this tells nothing.
fn path_kind(repository: &Repository, path: &[u8]) -> Option<PathKind> {
    repository.work_tree()?;
    if is_directory(repository, path) {
        return None;
    }
    let is_tracked = || repository.any_tracked(|tracked| tracked == path) == Some(true);
    if repository.has_file(path) || is_tracked() {
        return Some(PathKind::File);
    }
    let below = [path, b"/"].concat();
    let is_tracked_directory = repository.any_tracked(|tracked| tracked.starts_with(&below));
    (is_tracked_directory != Some(true)).then_some(PathKind::New)
}

fn is_directory(repository: &Repository, path: &[u8]) -> bool {
    let on_disk = repository.work_tree().map(|tree| tree.top.join(OsStr::from_bytes(path)));
    on_disk.is_some_and(|path| path.symlink_metadata().is_ok_and(|found| found.is_dir()))
}

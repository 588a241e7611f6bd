//! The work tree that a command is called from.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The work tree that contains the current directory.
#[derive(Clone, Debug)]
pub struct WorkTree {
    /// The top, with symbolic links resolved.
    pub top: PathBuf,
    /// The current directory below the top, as bytes with `/`; empty at the top.
    pub prefix: Vec<u8>,
    /// The name of a linked work tree.
    pub linked: Option<String>,
}

impl WorkTree {
    /// Returns the work tree with this top; `None` if `here`, which the system has resolved, is
    /// outside of it or in its git directory.
    pub(super) fn at(
        top: &Path,
        here: &Path,
        git_dir: &Path,
        common_dir: &Path,
    ) -> Option<WorkTree> {
        // A path that the system has resolved contains no link, and neither do its ancestors.
        let is_above = here.starts_with(top);
        let top = if is_above { top.components().collect() } else { top.canonicalize().ok()? };
        let prefix = here.strip_prefix(&top).ok()?.as_os_str().as_bytes().to_vec();
        let real_git_dir = unlinked(&top, git_dir).or_else(|| git_dir.canonicalize().ok())?;
        if here.starts_with(&real_git_dir) {
            return None;
        }
        let is_linked = common_dir != git_dir
            && common_dir.canonicalize().is_ok_and(|common_dir| common_dir != real_git_dir);
        let linked = is_linked.then(|| name_of(&real_git_dir));
        Some(WorkTree { top, prefix, linked })
    }
}

/// Returns a path right below a resolved one, unless it is a link itself.
fn unlinked(above: &Path, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    (path.parent()? == above).then(|| above.join(name)).filter(|path| !path.is_symlink())
}

fn name_of(git_dir: &Path) -> String {
    git_dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

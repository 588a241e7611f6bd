//! The work tree that a command is called from.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

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

impl WorkTree {
    /// Returns the work tree with that top; none if the caller, who stands at `here` by the
    /// system's own word for it, stands outside of it or in its git directory.
    pub(super) fn at(
        top: &Path,
        here: &Path,
        git_dir: &Path,
        common_dir: &Path,
    ) -> Option<WorkTree> {
        // The system's word leads through no link, and neither does what is above it.
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

/// Returns a path that stands right below one without links, unless it is a link itself.
fn unlinked(above: &Path, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    (path.parent()? == above).then(|| above.join(name)).filter(|path| !path.is_symlink())
}

fn name_of(git_dir: &Path) -> String {
    git_dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

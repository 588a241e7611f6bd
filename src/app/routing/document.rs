//! Finds and reads documents of version 1 in the work tree, which other tools keep. They are never
//! written.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::text::shown;

/// The variable with the path of the document, if it is not the usual one.
pub const PATH_VARIABLE: &str = "FLUX_ROUTING_OVERRIDES_PATH";
/// The usual path.
pub const PATH_USUAL: &str = ".claude/routing-overrides.json";

/// Larger documents are not read.
const BYTES_MAX: u64 = 1024 * 1024;

/// The directory that a path is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The top of the work tree.
    Top,
    /// The caller's directory.
    Here,
}

/// Refuses a document that cannot be read.
pub(super) fn bad(message: String) -> Problem {
    Problem::refused("bad_document", message)
}

/// Reads the file at a path of this repository: relative, without `..`, and without a symbolic link
/// out of the work tree. It checks that before it reads anything.
pub fn read(ctx: &Ctx, path: &OsStr, base: Base) -> Result<Vec<u8>, AppError> {
    let file = checked(ctx, path, base)?;
    let name = shown(&path.to_string_lossy()).into_owned();
    let failed =
        |error: std::io::Error| AppError::Failed(format!("cannot read '{name}': {error}").into());
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(failed)?;
    opened.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(AppError::Usage(format!("'{name}' is larger than 1 MiB")));
    }
    Ok(bytes)
}

fn checked(ctx: &Ctx, path: &OsStr, base: Base) -> Result<PathBuf, AppError> {
    let relative = Path::new(path);
    let refused = |why: &str| {
        let name = shown(&path.to_string_lossy()).into_owned();
        AppError::Usage(format!("'{name}' is not the path of a document here: {why}"))
    };
    if path.is_empty() {
        return Err(refused("it is empty"));
    }
    if relative.is_absolute() {
        return Err(refused("it is absolute; name it from the top of the repository"));
    }
    if relative.components().any(|part| part == Component::ParentDir) {
        return Err(refused("it has '..' in it"));
    }
    let Some(tree) = ctx.repository().work_tree() else {
        return Err(refused("there is no work tree; give the document on stdin, as '-'"));
    };
    let from = match base {
        Base::Top => tree.top.clone(),
        Base::Here => tree.top.join(OsStr::from_bytes(&tree.prefix)),
    };
    let mut file = from;
    for part in relative.components() {
        let link = file.join(part);
        // The target of a link is looked at only if it is in the work tree.
        let is_link = link.symlink_metadata().is_ok_and(|found| found.is_symlink());
        file = match link.canonicalize() {
            Ok(file) if !file.starts_with(&tree.top) => {
                return Err(refused("a symbolic link leads it out of the repository"));
            }
            Ok(file) => file,
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(refused(&error.to_string()));
            }
            Err(_) if is_link => return Err(refused("a symbolic link in it leads nowhere")),
            Err(_) => {
                let name = shown(&path.to_string_lossy()).into_owned();
                return Err(AppError::nothing("no_document", format!("there is no '{name}'")));
            }
        };
    }
    // Opening a pipe would block until somebody writes to it.
    if !file.is_file() {
        return Err(refused("it is no regular file"));
    }
    Ok(file)
}

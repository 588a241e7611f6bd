//! Paths and patterns as the caller wrote them, made relative to the top of the repository.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::app::error::AppError;
use crate::core::limits::PATTERNS_PER_COMMAND_MAX;
use crate::core::pattern::{self, Pattern, Reading};
use crate::store::repository::{Repository, WorkTree};

/// The patterns that the caller means, standing where it stands.
pub fn patterns(
    repository: &Repository,
    specs: &[OsString],
    reading: Reading,
) -> Result<Vec<Pattern>, AppError> {
    keep_bound(specs.len())?;
    let mut patterns = Vec::new();
    for spec in specs {
        let (relative, prefix) = match repository.work_tree() {
            Some(tree) if Path::new(spec).is_absolute() => (inside(tree, spec)?, &[][..]),
            Some(tree) => (spec.as_bytes().to_vec(), &tree.prefix[..]),
            None => (spec.as_bytes().to_vec(), &[][..]),
        };
        for pattern in pattern::parse(&relative, prefix, reading)? {
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
    }
    keep_bound(patterns.len())?;
    Ok(patterns)
}

fn keep_bound(count: usize) -> Result<(), AppError> {
    if count <= PATTERNS_PER_COMMAND_MAX {
        return Ok(());
    }
    let message =
        format!("{count} patterns in one command; at most {PATTERNS_PER_COMMAND_MAX} are allowed");
    Err(AppError::Usage(message))
}

/// An absolute path relative to the top of the work tree, through symbolic links if need be.
fn inside(tree: &WorkTree, spec: &OsStr) -> Result<Vec<u8>, AppError> {
    let path = Path::new(spec);
    let mut existing = path;
    loop {
        let resolved = existing.canonicalize();
        if let Ok(top_relative) = resolved.as_deref().unwrap_or(existing).strip_prefix(&tree.top) {
            let below = path.strip_prefix(existing).unwrap_or(Path::new(""));
            let joined = top_relative.join(below);
            let inside = joined.as_os_str().as_bytes();
            return Ok(if inside.is_empty() { b".".to_vec() } else { inside.to_vec() });
        }
        match existing.parent() {
            // What exists decides where the path leads; what does not exist is only spelled.
            Some(parent) if resolved.is_err() => existing = parent,
            _ => {
                return Err(AppError::Usage(format!(
                    "'{}' is outside the work tree at '{}'",
                    path.display(),
                    tree.top.display()
                )));
            }
        }
    }
}

//! Paths and patterns as the caller wrote them, made relative to the top of the repository.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

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
        for pattern in parsed(repository, spec, reading)? {
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
    }
    keep_bound(patterns.len())?;
    Ok(patterns)
}

fn parsed(
    repository: &Repository,
    spec: &OsStr,
    reading: Reading,
) -> Result<Vec<Pattern>, AppError> {
    let (relative, prefix) = match repository.work_tree() {
        Some(tree) if Path::new(spec).is_absolute() => (inside(tree, spec)?, &[][..]),
        Some(tree) => (spec.as_bytes().to_vec(), &tree.prefix[..]),
        None => (spec.as_bytes().to_vec(), &[][..]),
    };
    Ok(pattern::parse(&relative, prefix, reading)?)
}

/// The paths that the caller means, from the top of the repository. A path is what it is, whatever
/// bytes it has; only `:/` in front, and git's longer prefixes, say something about it.
pub fn paths(repository: &Repository, specs: &[OsString]) -> Result<Vec<Vec<u8>>, AppError> {
    keep_bound(specs.len())?;
    let mut paths = Vec::new();
    for spec in specs {
        let patterns = match spec.as_bytes() {
            [b':', b'/', below @ ..] => {
                let spec = [b":(top,literal)", below].concat();
                parsed(repository, OsStr::from_bytes(&spec), Reading::Glob)?
            }
            [b':', b'(' | b'!' | b'^', ..] => parsed(repository, spec, Reading::Glob)?,
            _ => parsed(repository, spec, Reading::Literal)?,
        };
        for pattern in patterns {
            let path = pattern.literal_path();
            paths.push(path.ok_or_else(|| {
                AppError::Usage(format!("'{}' is a pattern, not a path", pattern.shown()))
            })?);
        }
    }
    Ok(paths)
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
    let resolved = resolved(path);
    let Ok(below) = resolved.strip_prefix(&tree.top) else {
        return Err(AppError::Usage(format!(
            "'{}' is outside the work tree at '{}'",
            path.display(),
            tree.top.display()
        )));
    };
    let below = below.as_os_str().as_bytes();
    Ok(if below.is_empty() { b".".to_vec() } else { below.to_vec() })
}

/// Where an absolute path leads. What exists of it decides; what does not exist is only spelled.
pub fn resolved(path: &Path) -> PathBuf {
    for existing in path.ancestors() {
        if let Ok(real) = existing.canonicalize() {
            return real.join(path.strip_prefix(existing).unwrap_or(Path::new("")));
        }
    }
    path.to_owned()
}

/// The file at a resolved path, taken literally; none if it is no file of this work tree: outside,
/// its top, or of a git directory.
pub fn file(repository: &Repository, path: &Path) -> Result<Option<Pattern>, AppError> {
    let below = repository.work_tree().and_then(|tree| path.strip_prefix(&tree.top).ok());
    let Some(below) = below.filter(|below| !below.as_os_str().is_empty()) else {
        return Ok(None);
    };
    if below.iter().any(|name| name.eq_ignore_ascii_case(".git")) {
        return Ok(None);
    }
    Ok(pattern::parse(below.as_os_str().as_bytes(), &[], Reading::Literal)?.pop())
}

//! Paths and patterns as the caller wrote them, made relative to the top of the repository.
//!
//! A reservation is of the file that an edit would change, so the names before the first wildcard
//! are followed through symbolic links. A link is a file of its own as well, which a commit can
//! change, so its name means both the link and its target.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::app::error::AppError;
use crate::app::next::in_shell;
use crate::core::limits::PATTERNS_PER_COMMAND_MAX;
use crate::core::pattern::{self, Case, Pattern, Reading};
use crate::core::text::shown;
use crate::store::git::repository::{Repository, WorkTree};
use crate::store::worktree::path_resolution::{self, About, Destination};

/// Follows an absolute path through its links, as an edit of it would.
pub fn resolved(path: &Path) -> PathBuf {
    path_resolution::resolved(path)
}

/// Resolves patterns relative to the caller's directory.
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

/// Resolves paths to the top of the repository. All bytes of a path are literal; only `:/` in
/// front, and git's longer prefixes, mean something.
pub fn paths(repository: &Repository, specs: &[OsString]) -> Result<Vec<Vec<u8>>, AppError> {
    keep_bound(specs.len())?;
    let mut paths = Vec::new();
    for spec in specs {
        let named = of_path(repository, spec)?;
        paths.extend(named.into_iter().map(|(path, _)| path));
    }
    Ok(paths)
}

/// Resolves one path to the top of the repository, as [`paths`] does. Returns its bytes and the
/// pattern for it.
pub fn path(repository: &Repository, spec: &OsStr) -> Result<(Vec<u8>, Pattern), AppError> {
    let one = of_path(repository, spec)?.pop();
    one.ok_or_else(|| AppError::Usage(format!("'{}' names no path", spec.display())))
}

fn of_path(repository: &Repository, spec: &OsStr) -> Result<Vec<(Vec<u8>, Pattern)>, AppError> {
    let patterns = match spec.as_bytes() {
        [b':', b'/', below @ ..] => {
            let spec = [b":(top,literal)", below].concat();
            parsed(repository, OsStr::from_bytes(&spec), Reading::Glob)?
        }
        [b':', b'(' | b'!' | b'^', ..] => parsed(repository, spec, Reading::Glob)?,
        _ => parsed(repository, spec, Reading::Literal)?,
    };
    let with_bytes = |pattern: Pattern| match pattern.literal_path() {
        Some(path) => Ok((path, pattern)),
        None => Err(AppError::Usage(format!("'{}' is a pattern, not a path", pattern.shown()))),
    };
    patterns.into_iter().map(with_bytes).collect()
}

/// Refuses more patterns than one command may have.
pub fn keep_bound(count: usize) -> Result<(), AppError> {
    if count <= PATTERNS_PER_COMMAND_MAX {
        return Ok(());
    }
    let message =
        format!("{count} patterns in one command; at most {PATTERNS_PER_COMMAND_MAX} are allowed");
    Err(AppError::Usage(message))
}

/// The patterns that the caller wants to reserve or ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meant {
    /// The patterns behind symbolic links.
    pub patterns: Vec<Pattern>,
    /// Hints on links and other surprises.
    pub hints: Vec<String>,
}

impl Meant {
    fn add(&mut self, pattern: Pattern) {
        if !self.patterns.contains(&pattern) {
            self.patterns.push(pattern);
        }
    }
}

/// Resolves patterns to reserve or ask for, through symbolic links. A path in another repository is
/// refused, with the command of that verb to run there.
pub fn meant(
    repository: &Repository,
    specs: &[OsString],
    reading: Reading,
    verb: &str,
) -> Result<Meant, AppError> {
    let spelled = patterns(repository, specs, reading)?;
    let Some(tree) = repository.work_tree() else {
        return Ok(Meant { patterns: spelled, hints: Vec::new() });
    };
    let mut meant = Meant::default();
    for pattern in spelled {
        follow(tree, &pattern, verb, &mut meant)?;
    }
    keep_bound(meant.patterns.len())?;
    Ok(meant)
}

/// Resolves names of reservations, both as they are spelled and through links: a reservation that
/// is older than a link can still be named.
pub fn named(repository: &Repository, specs: &[OsString]) -> Result<Vec<Pattern>, AppError> {
    let mut patterns = patterns(repository, specs, Reading::Glob)?;
    for pattern in patterns.clone() {
        patterns.extend(through_links(repository, &pattern).into_iter().skip(1));
    }
    Ok(patterns)
}

/// Returns a pattern as it is spelled, and then what it leads to through links.
pub fn through_links(repository: &Repository, pattern: &Pattern) -> Vec<Pattern> {
    let mut patterns = vec![pattern.clone()];
    let mut meant = Meant::default();
    let Some(tree) = repository.work_tree() else { return patterns };
    // A name that cannot be followed to a file here means only itself.
    if follow(tree, pattern, "", &mut meant).is_ok() {
        patterns.extend(meant.patterns.into_iter().filter(|it| it != pattern));
    }
    patterns
}

fn follow(
    tree: &WorkTree,
    pattern: &Pattern,
    verb: &str,
    meant: &mut Meant,
) -> Result<(), AppError> {
    let names = pattern.literal_segments();
    let moved = |to: &[Vec<u8>]| pattern.moved(names.len(), to);
    let about = if pattern.is_literal() { About::Itself } else { About::Below };
    let place = path_resolution::follow(&tree.top, &names, about);
    // Nearly every path has no link, and means only itself.
    if place == Destination::Here(names.clone()) {
        meant.add(moved(&names)?);
        return Ok(());
    }
    let shown = shown(&pattern.shown()).into_owned();
    // A literal pattern also names its last component itself, which may be a link. A directory
    // before a wildcard is only followed.
    let last = names.split_last().filter(|_| pattern.is_literal());
    let own = last.and_then(|(last, before)| {
        match path_resolution::follow(&tree.top, before, About::Below) {
            Destination::Here(before) => Some([before, vec![last.clone()]].concat()),
            _ => None,
        }
    });
    let away = match &place {
        Destination::Outside(to) => Some(format!("'{}', outside the work tree", to.display())),
        Destination::Elsewhere { top, .. } => {
            Some(format!("another repository, at '{}'", path_resolution::joined(top).display()))
        }
        Destination::Here(_) | Destination::Circle(_) => None,
    };
    if let (Some(away), Some(link)) = (away, own.as_ref().filter(|own| is_link(tree, own))) {
        let only = "only the link itself is meant";
        meant.hints.push(format!("'{shown}' is a symbolic link to {away}: {only}"));
        meant.add(moved(link)?);
        return Ok(());
    }
    match place {
        Destination::Here(to) => {
            let target = moved(&to)?;
            meant.hints.push(format!("'{shown}' leads to '{target}' through a symbolic link"));
            meant.add(target);
            own.filter(|own| *own != to)
                .map_or(Ok(()), |own| moved(&own).map(|it| meant.add(it)))?;
            Ok(())
        }
        Destination::Circle(link) => Err(AppError::Usage(format!(
            "cannot follow '{shown}': the symbolic link '{}' leads to itself",
            path_resolution::joined(&link).display()
        ))),
        Destination::Outside(to) => Err(AppError::Usage(format!(
            "'{shown}' leads to '{}', outside the work tree at '{}'",
            to.display(),
            tree.top.display()
        ))),
        Destination::Elsewhere { top, below } => {
            let there = in_other(tree, &top, &[verb, "--", &moved(&below)?.to_string()]);
            Err(AppError::Usage(format!(
                "'{shown}' belongs to another repository, at '{}'; ask there: {there}",
                path_resolution::joined(&top).display()
            )))
        }
    }
}

/// Tells whether a path of the work tree is a symbolic link.
fn is_link(tree: &WorkTree, names: &[Vec<u8>]) -> bool {
    let path = tree.top.join(path_resolution::joined(names));
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

/// Writes a command to run in another repository inside the work tree.
fn in_other(tree: &WorkTree, top: &[Vec<u8>], words: &[&str]) -> String {
    let top = path_resolution::joined(top);
    let top = if tree.prefix.is_empty() { top } else { tree.top.join(top) };
    let directory = top.display().to_string();
    let git = ["git", "-C", &directory, "coord"];
    in_shell(&[&git[..], words].concat())
}

/// Warns where patterns reach into other repositories: edits inside those are not covered here.
pub fn reaching_elsewhere(repository: &Repository, patterns: &[Pattern]) -> Vec<String> {
    let Some(tree) = repository.work_tree() else { return Vec::new() };
    let mut tops: Vec<Vec<u8>> = path_resolution::submodules(&tree.top);
    tops.extend(patterns.iter().filter_map(Pattern::literal_path).filter(|path| {
        let directory = tree.top.join(OsStr::from_bytes(path));
        directory != tree.top && path_resolution::is_top(&directory)
    }));
    tops.sort();
    tops.dedup();
    let mut hints = Vec::new();
    for top in tops {
        let Some(inside) = pattern::for_path(&top) else { continue };
        let inside_matcher = inside.matcher(Case::Sensitive);
        let meets = |it: &Pattern| it.matcher(Case::Sensitive).overlaps(&inside_matcher);
        if patterns.iter().any(meets) {
            let names = inside.literal_segments();
            let there = in_other(tree, &names, &["reserve", "."]);
            let top = inside.to_string();
            hints.push(format!(
                "'{top}' is another repository: edits in it are judged by its own reservations: \
                 {there}"
            ));
        }
    }
    hints
}

/// Makes an absolute path relative to the top of the work tree, through symbolic links if need be.
fn inside(tree: &WorkTree, spec: &OsStr) -> Result<Vec<u8>, AppError> {
    let path = Path::new(spec);
    // The last name may be a link, which is not followed here.
    let unfollowed =
        path.parent().zip(path.file_name()).map(|(in_, name)| resolved(in_).join(name));
    let is_inside = |path: &PathBuf| path.starts_with(&tree.top);
    let resolved = unfollowed.filter(is_inside).unwrap_or_else(|| resolved(path));
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

/// A file of the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path from the top.
    pub path: Vec<u8>,
    /// The pattern that an edit of it reserves: the path or, if that is too deep or too long, the
    /// lowest directory above it that is not.
    pub held: Pattern,
}

/// Finds the file at a resolved path, taken literally; none if it is outside of the work tree, its
/// top directory, or inside a git directory.
pub fn file(repository: &Repository, path: &Path) -> Result<Option<File>, AppError> {
    let below = repository.work_tree().and_then(|tree| path.strip_prefix(&tree.top).ok());
    let Some(below) = below.filter(|below| !below.as_os_str().is_empty()) else {
        return Ok(None);
    };
    if below.iter().any(|name| name.eq_ignore_ascii_case(".git")) {
        return Ok(None);
    }
    let path = below.as_os_str().as_bytes().to_vec();
    let held = match pattern::for_path(&path) {
        Some(held) => Some(held),
        // Parsing reports what is wrong with the path.
        None => pattern::parse(&path, &[], Reading::Literal)?.pop(),
    };
    Ok(held.map(|held| File { path, held }))
}

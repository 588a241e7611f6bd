//! Hints at names that match nothing: often a slip, such as a path from the top of the repository
//! that was typed in a subdirectory.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use crate::app::answer::Note;
use crate::app::problem::Advice;
use crate::app::{Ctx, specs};
use crate::core::pattern::{self, Case, Pattern, Reading};
use crate::core::text::shown;

/// Points out the first name that matches no file, and the path from the top of the repository that
/// would. `so` is what follows from that for the caller, if anything.
pub(super) fn hint(
    ctx: &Ctx,
    names: &[OsString],
    reading: Reading,
    so: Option<&str>,
) -> Option<Note> {
    ctx.repository().work_tree()?;
    let (name, pattern) = names.iter().find_map(|name| {
        let one = std::slice::from_ref(name);
        // A name that cannot be followed to a file here is no slip of this kind.
        let meant = specs::meant(ctx.repository(), one, reading, "").ok()?;
        let mut patterns = meant.patterns.into_iter();
        let unmatched = patterns.find(|pattern| !matches_something(ctx, pattern))?;
        Some((name, unmatched))
    })?;
    let mut text = format!("'{}' matches no tracked file", shown(&pattern.shown()));
    if let Some(so) = so {
        text.push_str(&format!("; {so}"));
    }
    if let Some(there) = from_top(ctx, name, reading) {
        text.push_str(&format!("; did you mean '{}'?", shown(&there)));
    }
    Some(Note::hint(Advice::NoMatch, text))
}

/// Finds the name that means a file if it is read from the top of the repository.
fn from_top(ctx: &Ctx, name: &OsStr, reading: Reading) -> Option<String> {
    let tree = ctx.repository().work_tree()?;
    let bytes = name.as_bytes();
    if tree.prefix.is_empty() || bytes.starts_with(b":") || bytes.starts_with(b"/") {
        return None;
    }
    let there = pattern::parse(bytes, &[], reading).ok()?;
    let is_there = there.iter().all(|pattern| matches_something(ctx, pattern));
    is_there.then(|| std::str::from_utf8(bytes).ok().map(|name| format!(":/{name}"))).flatten()
}

fn matches_something(ctx: &Ctx, pattern: &Pattern) -> bool {
    let exists = pattern.literal_path().is_some_and(|path| ctx.repository().has_file(&path));
    let matcher = pattern.matcher(Case::Sensitive);
    exists || ctx.repository().any_tracked(|path| matcher.matches(path)).unwrap_or(true)
}

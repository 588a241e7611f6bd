//! Sets of paths: a pattern, what is known of its path, and the paths that were given away.
//!
//! A path without wildcards means itself and everything below it, because it may be a directory.
//! Two facts from outside narrow that:
//!
//! - A *file* has nothing below it. So `**/*.md` and the file `main.rs` never meet.
//! - A *new* path does not exist yet, and may become a file or a directory. It meets each pattern
//!   that matches it, or whose leading names begin below it: `new` meets `new/x.rs` and `new/*.rs`.
//!   It does not meet `**/*.md`, which would only match something below it.
//!
//! Exceptions are patterns whose paths do not belong to the set.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::pattern::{Case, Matcher, Pattern};
use crate::core::words::words;

/// The number of exceptions that are shown to people one by one.
const EXCEPTIONS_SHOWN_MAX: usize = 3;

words! {
    /// A fact about a path without wildcards. Without it, the path may be a directory.
    pub enum PathKind {
        /// The path is a file, which has nothing below it.
        File = "file",
        /// The path does not exist yet.
        New = "new",
    }
}

/// A set of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    pub pattern: Pattern,
    /// The fact that is known of the path; none for a directory or a pattern with wildcards.
    pub kind: Option<PathKind>,
    /// Patterns whose paths do not belong to the set.
    pub except: Vec<Pattern>,
}

impl Paths {
    /// Makes the set of a pattern. A fact about a pattern with wildcards means nothing.
    pub fn new(pattern: Pattern, kind: Option<PathKind>) -> Paths {
        let kind = kind.filter(|_| pattern.is_literal());
        Paths { pattern, kind, except: Vec::new() }
    }

    /// Makes the set of one file. A path at the limits of patterns may stand for deeper ones, so it
    /// counts as a directory.
    pub fn of_file(pattern: Pattern) -> Paths {
        let kind = (!pattern.is_at_bounds()).then_some(PathKind::File);
        Paths::new(pattern, kind)
    }

    /// Prepares the set for comparisons.
    pub fn region(&self, case: Case) -> Region {
        let except = self.except.iter().map(|pattern| pattern.matcher(case)).collect();
        Region { matcher: self.pattern.matcher(case), kind: self.kind, except }
    }

    /// Shows the set to people: its exceptions too if they are few, or else their number.
    pub fn shown(&self) -> String {
        let shown = self.pattern.shown();
        match self.except.as_slice() {
            [] => shown,
            except if except.len() > EXCEPTIONS_SHOWN_MAX => {
                format!("{shown} except {} patterns", except.len())
            }
            except => {
                let except: Vec<String> = except.iter().map(Pattern::shown).collect();
                format!("{shown} except {}", except.join(", "))
            }
        }
    }
}

impl From<Pattern> for Paths {
    fn from(pattern: Pattern) -> Paths {
        Paths::new(pattern, None)
    }
}

/// The facts about the paths of a request, from the work tree and the index of the asker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathFacts {
    /// The patterns that name a file.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<Pattern>,
    /// The patterns that name a path which does not exist.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub new: Vec<Pattern>,
}

impl PathFacts {
    /// Knows nothing of any path.
    pub const NONE: PathFacts = PathFacts { files: Vec::new(), new: Vec::new() };

    /// Returns the set that a pattern stands for, given these facts.
    pub fn paths(&self, pattern: &Pattern) -> Paths {
        let kind = if self.files.contains(pattern) {
            Some(PathKind::File)
        } else if self.new.contains(pattern) {
            Some(PathKind::New)
        } else {
            None
        };
        Paths::new(pattern.clone(), kind)
    }
}

/// A set of paths prepared for comparisons.
#[derive(Clone, Debug)]
pub struct Region {
    matcher: Matcher,
    kind: Option<PathKind>,
    except: Vec<Matcher>,
}

impl Region {
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Tells whether nothing can be below the path.
    pub fn is_file(&self) -> bool {
        self.kind == Some(PathKind::File)
    }

    /// Tells whether the path belongs to the set.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.matcher.matches(path) && !self.except.iter().any(|except| except.matches(path))
    }

    /// Tells whether some path belongs to both sets. Exact for files and for sets without
    /// exceptions. An exception is compared with the whole other set: sets that have nothing in
    /// common but excepted paths count as meeting, unless all of one of them is excepted.
    pub fn meets(&self, other: &Region) -> bool {
        self.patterns_meet(other)
            && !self.except.iter().any(|except| other.is_inside(except))
            && !other.except.iter().any(|except| self.is_inside(except))
    }

    fn patterns_meet(&self, other: &Region) -> bool {
        let (own, its) = (&self.matcher, &other.matcher);
        match (self.kind, other.kind) {
            (Some(PathKind::File), Some(PathKind::File)) => own.is_path_of(its),
            (Some(PathKind::File), _) => its.matches_path_of(own),
            (_, Some(PathKind::File)) => own.matches_path_of(its),
            (Some(PathKind::New), None) => meets_new(own, its),
            (None, Some(PathKind::New)) => meets_new(its, own),
            (Some(PathKind::New), Some(PathKind::New)) | (None, None) => own.overlaps(its),
        }
    }

    /// Tells whether every path of the other set belongs to this one. `true` is always right.
    pub fn covers(&self, other: &Region) -> bool {
        let (own, its) = (&self.matcher, &other.matcher);
        let covers_pattern = match (self.kind, other.kind) {
            (Some(PathKind::File), Some(PathKind::File)) => own.is_path_of(its),
            (Some(PathKind::File), _) => false,
            (_, Some(PathKind::File)) => own.matches_path_of(its),
            (Some(PathKind::New), _) => its.begins_below(own),
            (None, _) => own.covers(its),
        };
        let is_excepted_there = |except: &Matcher| other.except.iter().any(|it| it.covers(except));
        let leaves_out =
            |except: &Matcher| other.pattern_meets(except) && !is_excepted_there(except);
        covers_pattern && !self.except.iter().any(leaves_out)
    }

    /// Tells whether all of this set belongs to a pattern.
    fn is_inside(&self, pattern: &Matcher) -> bool {
        match self.kind {
            Some(PathKind::File) => pattern.matches_path_of(&self.matcher),
            Some(PathKind::New) | None => pattern.covers(&self.matcher),
        }
    }

    /// Tells whether some path of the pattern belongs to this set, exceptions aside. A new path may
    /// become a directory.
    fn pattern_meets(&self, pattern: &Matcher) -> bool {
        match self.kind {
            Some(PathKind::File) => pattern.matches_path_of(&self.matcher),
            Some(PathKind::New) | None => pattern.overlaps(&self.matcher),
        }
    }
}

/// Tells whether a path that does not exist meets a pattern: the pattern matches it, or begins
/// below it.
fn meets_new(new: &Matcher, pattern: &Matcher) -> bool {
    pattern.matches_path_of(new) || pattern.begins_below(new)
}

#[cfg(test)]
mod tests;

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
    pub fn region(&self, by: impl Into<Comparing>) -> Region {
        let Comparing { case, is_exact } = by.into();
        let except = self.except.iter().map(|pattern| pattern.matcher(case)).collect();
        Region { matcher: self.pattern.matcher(case), kind: self.kind, except, is_exact }
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

/// The facts about the paths of a request, from the work tree and the index of the asker, and what
/// the request leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathFacts {
    /// The patterns that name a file.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<Pattern>,
    /// The patterns that name a path which does not exist.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub new: Vec<Pattern>,
    /// The patterns that the request leaves out, because the hold that it asks for does.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub except: Vec<Pattern>,
}

impl PathFacts {
    /// Knows nothing of any path.
    pub const NONE: PathFacts =
        PathFacts { files: Vec::new(), new: Vec::new(), except: Vec::new() };

    /// Returns the set that a pattern stands for, given these facts.
    pub fn paths(&self, pattern: &Pattern) -> Paths {
        let kind = if self.files.contains(pattern) {
            Some(PathKind::File)
        } else if self.new.contains(pattern) {
            Some(PathKind::New)
        } else {
            None
        };
        Paths { except: self.except.clone(), ..Paths::new(pattern.clone(), kind) }
    }
}

/// The way in which a decision compares sets of paths.
#[derive(Clone, Copy, Debug)]
pub struct Comparing {
    pub case: Case,
    /// Set if all exceptions are considered together. Before rules 3 each of them was compared with
    /// the whole other set, so that sets which share only exceptions counted as meeting.
    is_exact: bool,
}

impl Comparing {
    /// Compares as the decisions of these rules do.
    pub fn under(rules: u32, case: Case) -> Comparing {
        Comparing { case, is_exact: rules >= 3 }
    }
}

impl From<Case> for Comparing {
    fn from(case: Case) -> Comparing {
        Comparing { case, is_exact: true }
    }
}

/// A set of paths prepared for comparisons.
#[derive(Clone, Debug)]
pub struct Region {
    matcher: Matcher,
    kind: Option<PathKind>,
    except: Vec<Matcher>,
    is_exact: bool,
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

    /// Tells whether some path belongs to both sets. Exact, unless the answer would have taken too
    /// much work: sets that have nothing in common but excepted paths count as meeting then.
    pub fn meets(&self, other: &Region) -> bool {
        self.patterns_meet(other)
            && (self.except.is_empty() && other.except.is_empty() || self.meets_outside(other))
    }

    /// Tells whether two sets whose patterns meet do so outside of their exceptions.
    fn meets_outside(&self, other: &Region) -> bool {
        if !self.is_exact {
            return !self.except.iter().any(|except| other.is_inside(except))
                && !other.except.iter().any(|except| self.is_inside(except));
        }
        let except: Vec<&Matcher> = self.except.iter().chain(&other.except).collect();
        let is_left = |path: &Matcher| !except.iter().any(|except| except.matches_path_of(path));
        let have_more = || !self.matcher.common_is_within(&other.matcher, &except);
        match (self.kind, other.kind) {
            (Some(PathKind::File), _) => is_left(&self.matcher),
            (_, Some(PathKind::File)) => is_left(&other.matcher),
            (Some(PathKind::New), None) => {
                meets_new_outside(&self.matcher, &other.matcher, is_left, have_more)
            }
            (None, Some(PathKind::New)) => {
                meets_new_outside(&other.matcher, &self.matcher, is_left, have_more)
            }
            (Some(PathKind::New), Some(PathKind::New)) | (None, None) => have_more(),
        }
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
            (None, _) => own.covers(its) || (self.is_exact && other.is_within(own)),
        };
        covers_pattern && !self.except.iter().any(|except| other.has_some_of(except))
    }

    /// Tells whether the pattern and the exceptions of this set together have all of its paths.
    fn is_within(&self, pattern: &Matcher) -> bool {
        let outer: Vec<&Matcher> = self.except.iter().chain([pattern]).collect();
        !self.except.is_empty() && self.matcher.is_within(&outer)
    }

    /// Tells whether all of this set belongs to a pattern, exceptions aside.
    fn is_inside(&self, pattern: &Matcher) -> bool {
        match self.kind {
            Some(PathKind::File) => pattern.matches_path_of(&self.matcher),
            Some(PathKind::New) | None => pattern.covers(&self.matcher),
        }
    }

    /// Tells whether some path of the pattern belongs to this set. A new path may become a
    /// directory.
    fn has_some_of(&self, pattern: &Matcher) -> bool {
        let is_left = || !self.except.iter().any(|except| except.covers(pattern));
        match self.kind {
            Some(PathKind::File) => pattern.matches_path_of(&self.matcher) && is_left(),
            Some(PathKind::New) | None if !self.is_exact => {
                pattern.overlaps(&self.matcher) && is_left()
            }
            Some(PathKind::New) | None => {
                let except: Vec<&Matcher> = self.except.iter().collect();
                !pattern.common_is_within(&self.matcher, &except)
            }
        }
    }

    /// Tells whether every path of the set is excepted; never before rules 3.
    pub fn is_empty(&self) -> bool {
        if !self.is_exact {
            return false;
        }
        let except: Vec<&Matcher> = self.except.iter().collect();
        match self.kind {
            Some(PathKind::File) => except.iter().any(|it| it.matches_path_of(&self.matcher)),
            Some(PathKind::New) | None => !except.is_empty() && self.matcher.is_within(&except),
        }
    }
}

/// Tells whether a path that does not exist meets a pattern: the pattern matches it, or begins
/// below it.
fn meets_new(new: &Matcher, pattern: &Matcher) -> bool {
    pattern.matches_path_of(new) || pattern.begins_below(new)
}

/// Tells whether a path that does not exist meets a pattern outside of exceptions: the pattern
/// matches the path, which `is_left`, or begins below it, where they `have_more` in common.
fn meets_new_outside(
    new: &Matcher,
    pattern: &Matcher,
    is_left: impl Fn(&Matcher) -> bool,
    have_more: impl Fn() -> bool,
) -> bool {
    (pattern.matches_path_of(new) && is_left(new)) || (pattern.begins_below(new) && have_more())
}

#[cfg(test)]
mod tests;

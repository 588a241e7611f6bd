//! The target of a hold: paths, or a named lock.
//!
//! A named lock is a hold like any other. All that differs is when two targets meet, when one
//! covers the other, and where the index keeps them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::LockName;
use crate::core::pattern::Pattern;
use crate::core::reservation::paths::{Comparing, PathFacts, PathKind, Paths, Region};

/// A set of paths, or a named lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Fields", into = "Fields")]
pub enum Target {
    Paths(Paths),
    /// A name whose meaning its users agree on.
    Lock(LockName),
}

/// The members of a target in a document: either a pattern or a lock.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Target")]
struct Fields {
    /// Every path that matches the pattern.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pattern: Option<Pattern>,
    /// A fact about a pattern without wildcards; absent if it is a directory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    kind: Option<PathKind>,
    /// Patterns whose paths do not belong to it: the holder gave them away.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    except: Vec<Pattern>,
    /// A name whose meaning its users agree on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    lock: Option<LockName>,
}

impl From<Target> for Fields {
    fn from(target: Target) -> Fields {
        let (pattern, kind, except, lock) = match target {
            Target::Paths(Paths { pattern, kind, except }) => (Some(pattern), kind, except, None),
            Target::Lock(name) => (None, None, Vec::new(), Some(name)),
        };
        Fields { pattern, kind, except, lock }
    }
}

impl TryFrom<Fields> for Target {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Target, Self::Error> {
        match fields {
            Fields { pattern: Some(pattern), kind, except, lock: None } => {
                Ok(Target::Paths(Paths { except, ..Paths::new(pattern, kind) }))
            }
            Fields { pattern: None, lock: Some(name), .. } => Ok(Target::Lock(name)),
            _ => Err("it names neither a pattern nor a lock, or both"),
        }
    }
}

/// A target prepared for comparisons: prepare once, compare often.
#[derive(Clone, Debug)]
pub enum Reach<'t> {
    Paths(Box<Region>),
    Lock(&'t LockName),
}

impl Target {
    /// Makes the target of one file.
    pub fn of_file(pattern: &Pattern) -> Target {
        Target::Paths(Paths::of_file(pattern.clone()))
    }

    pub fn pattern(&self) -> Option<&Pattern> {
        self.paths().map(|paths| &paths.pattern)
    }

    pub fn paths(&self) -> Option<&Paths> {
        match self {
            Target::Paths(paths) => Some(paths),
            Target::Lock(_) => None,
        }
    }

    pub fn lock(&self) -> Option<&LockName> {
        match self {
            Target::Paths(_) => None,
            Target::Lock(name) => Some(name),
        }
    }

    /// Prepares the target for comparisons. Names of locks are never folded.
    pub fn reach(&self, by: impl Into<Comparing>) -> Reach<'_> {
        match self {
            Target::Paths(paths) => Reach::Paths(Box::new(paths.region(by))),
            Target::Lock(name) => Reach::Lock(name),
        }
    }

    /// Shows the target to people: a pattern as it is, a lock with the word before its name.
    pub fn shown(&self) -> String {
        match self {
            Target::Paths(paths) => paths.shown(),
            Target::Lock(name) => format!("lock {name}"),
        }
    }
}

impl Reach<'_> {
    /// Tells whether something belongs to both.
    pub fn meets(&self, other: &Reach<'_>) -> bool {
        match (self, other) {
            (Reach::Paths(own), Reach::Paths(its)) => own.meets(its),
            (Reach::Lock(own), Reach::Lock(its)) => own == its,
            (Reach::Paths(_), Reach::Lock(_)) | (Reach::Lock(_), Reach::Paths(_)) => false,
        }
    }

    /// Tells whether everything that belongs to the other belongs to this one.
    pub fn covers(&self, other: &Reach<'_>) -> bool {
        match (self, other) {
            (Reach::Paths(own), Reach::Paths(its)) => own.covers(its),
            (Reach::Lock(own), Reach::Lock(its)) => own == its,
            (Reach::Paths(_), Reach::Lock(_)) | (Reach::Lock(_), Reach::Paths(_)) => false,
        }
    }

    /// Tells whether the path belongs to it.
    pub fn matches(&self, path: &[u8]) -> bool {
        matches!(self, Reach::Paths(region) if region.matches(path))
    }
}

/// Turns patterns and locks into targets, in this order, given the facts about the patterns.
pub fn targets(patterns: &[Pattern], locks: &[LockName], facts: &PathFacts) -> Vec<Target> {
    let locks = locks.iter().cloned().map(Target::Lock);
    let paths = patterns.iter().map(|pattern| Target::Paths(facts.paths(pattern)));
    paths.chain(locks).collect()
}

/// Turns the paths of files into targets.
pub fn files(paths: &[Pattern]) -> Vec<Target> {
    paths.iter().map(Target::of_file).collect()
}

impl From<Pattern> for Target {
    fn from(pattern: Pattern) -> Target {
        Target::Paths(pattern.into())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

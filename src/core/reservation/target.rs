//! What a hold is on: paths, or a name.
//!
//! A named lock is a hold like any other. All that differs is when two targets meet, when one
//! covers the other, and where the index keeps them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::ids::LockName;
use crate::core::pattern::{Case, Matcher, Pattern};

/// The paths of a pattern, or a named lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Target {
    /// Every path that belongs to the pattern.
    #[serde(rename = "pattern")]
    Paths(Pattern),
    /// A name that stands for whatever its users agree on.
    #[serde(rename = "lock")]
    Lock(LockName),
}

/// A target prepared for comparisons: prepare once, compare often.
#[derive(Clone, Debug)]
pub enum Reach<'t> {
    /// Every path that the matcher knows.
    Paths(Box<Matcher>),
    /// A name.
    Lock(&'t LockName),
}

impl Target {
    /// The pattern, where it is one.
    pub fn pattern(&self) -> Option<&Pattern> {
        match self {
            Target::Paths(pattern) => Some(pattern),
            Target::Lock(_) => None,
        }
    }

    /// The name, where it is a lock.
    pub fn lock(&self) -> Option<&LockName> {
        match self {
            Target::Paths(_) => None,
            Target::Lock(name) => Some(name),
        }
    }

    /// Prepares the target for comparisons. Names of locks are never folded.
    pub fn reach(&self, case: Case) -> Reach<'_> {
        match self {
            Target::Paths(pattern) => Reach::Paths(Box::new(pattern.matcher(case))),
            Target::Lock(name) => Reach::Lock(name),
        }
    }

    /// The target for people: a pattern as it is, a lock with the word before its name.
    pub fn shown(&self) -> String {
        match self {
            Target::Paths(pattern) => pattern.shown(),
            Target::Lock(name) => format!("lock {name}"),
        }
    }
}

impl Reach<'_> {
    /// Whether there is anything that belongs to both.
    pub fn meets(&self, other: &Reach<'_>) -> bool {
        match (self, other) {
            (Reach::Paths(own), Reach::Paths(its)) => own.overlaps(its),
            (Reach::Lock(own), Reach::Lock(its)) => own == its,
            (Reach::Paths(_), Reach::Lock(_)) | (Reach::Lock(_), Reach::Paths(_)) => false,
        }
    }

    /// Whether everything of the other belongs to this one.
    pub fn covers(&self, other: &Reach<'_>) -> bool {
        match (self, other) {
            (Reach::Paths(own), Reach::Paths(its)) => own.covers(its),
            (Reach::Lock(own), Reach::Lock(its)) => own == its,
            (Reach::Paths(_), Reach::Lock(_)) | (Reach::Lock(_), Reach::Paths(_)) => false,
        }
    }

    /// Whether a path belongs to it.
    pub fn matches(&self, path: &[u8]) -> bool {
        matches!(self, Reach::Paths(matcher) if matcher.matches(path))
    }
}

/// Patterns and locks as the targets that they are, in this order.
pub fn targets(patterns: &[Pattern], locks: &[LockName]) -> Vec<Target> {
    let locks = locks.iter().cloned().map(Target::Lock);
    patterns.iter().cloned().map(Target::Paths).chain(locks).collect()
}

impl From<Pattern> for Target {
    fn from(pattern: Pattern) -> Target {
        Target::Paths(pattern)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

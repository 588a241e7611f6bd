//! The target of a hold: paths, or a named lock.
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
    /// Every path that matches the pattern.
    #[serde(rename = "pattern")]
    Paths(Pattern),
    /// A name whose meaning its users agree on.
    #[serde(rename = "lock")]
    Lock(LockName),
}

/// A target prepared for comparisons: prepare once, compare often.
#[derive(Clone, Debug)]
pub enum Reach<'t> {
    Paths(Box<Matcher>),
    Lock(&'t LockName),
}

impl Target {
    pub fn pattern(&self) -> Option<&Pattern> {
        match self {
            Target::Paths(pattern) => Some(pattern),
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
    pub fn reach(&self, case: Case) -> Reach<'_> {
        match self {
            Target::Paths(pattern) => Reach::Paths(Box::new(pattern.matcher(case))),
            Target::Lock(name) => Reach::Lock(name),
        }
    }

    /// Shows the target to people: a pattern as it is, a lock with the word before its name.
    pub fn shown(&self) -> String {
        match self {
            Target::Paths(pattern) => pattern.shown(),
            Target::Lock(name) => format!("lock {name}"),
        }
    }
}

impl Reach<'_> {
    /// Tells whether something belongs to both.
    pub fn meets(&self, other: &Reach<'_>) -> bool {
        match (self, other) {
            (Reach::Paths(own), Reach::Paths(its)) => own.overlaps(its),
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
        matches!(self, Reach::Paths(matcher) if matcher.matches(path))
    }
}

/// Turns patterns and locks into targets, in this order.
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

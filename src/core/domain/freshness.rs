//! Freshness of an answer: compares the structure that it rests on with the present one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::domain::cache::{Cache, Detected};
use crate::core::domain::structure::{Basis, Structure};

/// A reason why an answer may not hold any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Reason {
    /// Another algorithm takes structures now.
    Algorithm {
        /// The algorithm of the answer.
        was: u32,
        /// The present algorithm.
        is: u32,
    },
    /// Another list names the signals now.
    List {
        /// The list of the answer.
        was: String,
        /// The present list.
        is: String,
    },
    /// A manifest has other content.
    ManifestChanged {
        /// The path of the manifest.
        path: String,
    },
    /// A manifest is new.
    ManifestCame {
        /// The path of the manifest.
        path: String,
    },
    /// A manifest is gone.
    ManifestLeft {
        /// The path of the manifest.
        path: String,
    },
    /// A project shows a signal that it did not show before.
    SignalCame {
        /// The path of the project.
        project: String,
        /// The signal, such as `dir scenes`.
        signal: String,
    },
    /// A project does not show a signal any more.
    SignalLeft {
        /// The path of the project.
        project: String,
        /// The signal, such as `dir scenes`.
        signal: String,
    },
    /// One of the projects has changed that are beyond the limit; the structure has only their
    /// digest.
    Beyond {
        /// The number of such projects before.
        was: usize,
        /// The number of such projects now.
        is: usize,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Algorithm { was, is } => write!(f, "taken by algorithm {was}, now it is {is}"),
            Reason::List { was, is } => write!(f, "taken by list {was}, now it is {is}"),
            Reason::ManifestChanged { path } => write!(f, "'{path}' has changed"),
            Reason::ManifestCame { path } => write!(f, "'{path}' is new"),
            Reason::ManifestLeft { path } => write!(f, "'{path}' is gone"),
            Reason::SignalCame { project, signal } => write!(f, "'{project}' has {signal} now"),
            Reason::SignalLeft { project, signal } => write!(f, "'{project}' has no {signal} now"),
            Reason::Beyond { was, is } if was == is => {
                write!(f, "one of the last {is} projects has changed")
            }
            Reason::Beyond { was, is } => {
                write!(f, "the last {was} projects are {is} now, or others")
            }
        }
    }
}

/// The state of a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer holds.
    Fresh,
    /// The answer holds, and it is that the project belongs to no known domain.
    NoDomain,
    /// The answer may not hold any more.
    Stale(Vec<Reason>),
    /// There is no answer.
    None,
}

/// Judges the answers against the present structure. A classification never becomes stale by
/// itself: its author takes it back.
pub fn judge(cache: &Cache, now: &Structure, basis: &Basis) -> Verdict {
    if cache.classified.is_some() {
        return Verdict::Fresh;
    }
    match (&cache.exact, &cache.nearest, &cache.other) {
        (Some(exact), ..) if exact.domains.is_empty() => Verdict::NoDomain,
        (Some(_), ..) => Verdict::Fresh,
        (None, Some(nearest), _) => Verdict::Stale(differences(&nearest.structure, now)),
        (None, None, Some(other)) => Verdict::Stale(other_basis(other, basis)),
        (None, None, None) => Verdict::None,
    }
}

fn other_basis(detected: &Detected, basis: &Basis) -> Vec<Reason> {
    let was = detected.fingerprint.basis();
    let mut reasons = Vec::new();
    if was.algorithm != basis.algorithm {
        reasons.push(Reason::Algorithm { was: was.algorithm, is: basis.algorithm });
    }
    if was.list != basis.list {
        reasons.push(Reason::List { was: was.list, is: basis.list.clone() });
    }
    reasons
}

/// Lists every difference between two structures. There is none exactly if their fingerprints are
/// equal.
pub fn differences(was: &Structure, now: &Structure) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let paths: BTreeSet<&String> = was.manifests.keys().chain(now.manifests.keys()).collect();
    for path in paths {
        let path = path.clone();
        match (was.manifests.get(&path), now.manifests.get(&path)) {
            (Some(one), Some(other)) if one != other => {
                reasons.push(Reason::ManifestChanged { path });
            }
            (None, Some(_)) => reasons.push(Reason::ManifestCame { path }),
            (Some(_), None) => reasons.push(Reason::ManifestLeft { path }),
            _ => {}
        }
    }
    let (before, after) = (flat(&was.signals), flat(&now.signals));
    let named = |(project, signal): &(&String, &String)| ((*project).clone(), (*signal).clone());
    for (project, signal) in after.difference(&before).map(named) {
        reasons.push(Reason::SignalCame { project, signal });
    }
    for (project, signal) in before.difference(&after).map(named) {
        reasons.push(Reason::SignalLeft { project, signal });
    }
    if was.beyond != now.beyond {
        let count = |structure: &Structure| structure.beyond.as_ref().map_or(0, |of| of.projects);
        reasons.push(Reason::Beyond { was: count(was), is: count(now) });
    }
    reasons
}

fn flat(signals: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<(&String, &String)> {
    signals.iter().flat_map(|(project, all)| all.iter().map(move |one| (project, one))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::domain::structure::Beyond;

    fn structures() -> impl Strategy<Value = Structure> {
        let manifests = proptest::collection::btree_map("[ab]", "[01]", 0..3);
        let of_project = proptest::collection::btree_set("[xyz]", 1..3);
        let signals = proptest::collection::btree_map("[pq]", of_project, 0..3);
        let beyond = (1..3usize, "[01]").prop_map(|(projects, digest)| Beyond { projects, digest });
        (manifests, signals, proptest::option::of(beyond))
            .prop_map(|(manifests, signals, beyond)| Structure { manifests, signals, beyond })
    }

    proptest! {
        /// 2/P1-2-collision, 2/P0-2-basis: there is a reason exactly if the fingerprints differ.
        #[test]
        fn reasons_and_fingerprints_agree(was in structures(), now in structures()) {
            let list = "000000000000";
            let same = was.fingerprint(list) == now.fingerprint(list);
            prop_assert_eq!(differences(&was, &now).is_empty(), same);
            prop_assert_eq!(differences(&was, &now).len(), differences(&now, &was).len());
        }
    }
}

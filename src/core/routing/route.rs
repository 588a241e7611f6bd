//! The reader's side: filters the agents that a router would use.

use crate::core::pattern::{self, Case, Pattern, Reading};
use crate::core::routing::names::RoutedName;
use crate::core::routing::{Action, Override, Scope};
use crate::core::text::Line;

/// A change under review.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewedChange {
    /// The domains that it belongs to.
    pub domains: Vec<Line>,
    /// The paths that it touches, from the top of the repository.
    pub paths: Vec<Vec<u8>>,
}

impl Scope {
    /// Finds a pattern that has every path in it, if the patterns are the only limit of the scope:
    /// such a scope leaves the agent out everywhere.
    pub fn everywhere(&self, case: Case) -> Option<&Pattern> {
        let every_path = pattern::parse(b"**", b"", Reading::Glob).ok()?.pop()?;
        let every_path = every_path.matcher(case);
        let mut patterns = self.file_patterns.iter().filter(|_| self.domains.is_empty());
        patterns.find(|pattern| pattern.matcher(case).covers(&every_path))
    }

    /// Tells whether the scope applies to a change: the change belongs to one of the domains, and
    /// all of its paths are within the patterns. An agent that is left out for one path of two is
    /// still needed for the other.
    pub fn counts_for(&self, change: &ReviewedChange, case: Case) -> bool {
        let is_domain = |domain: &Line| change.domains.contains(domain);
        let is_inside = |path: &Vec<u8>| {
            self.file_patterns.iter().any(|pattern| pattern.matcher(case).matches(path))
        };
        (self.domains.is_empty() || self.domains.iter().any(is_domain))
            && (self.file_patterns.is_empty()
                || (!change.paths.is_empty() && change.paths.iter().all(is_inside)))
    }
}

/// An agent that a router would use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The name that the router uses.
    pub given: String,
    /// The name that overrides use.
    pub name: RoutedName,
}

/// The agents that a router uses, and those that it leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routed {
    /// Agents that are used, by the router's names.
    pub agents: Vec<String>,
    /// Agents that are left out, each with its override.
    pub excluded: Vec<(String, Override)>,
    /// Agents that are used and that somebody proposes to leave out, each with the proposal.
    pub proposed: Vec<(String, Override)>,
}

/// Leaves out the agents that overrides exclude from reviews of the change.
pub fn route(
    candidates: Vec<Candidate>,
    overrides: &[Override],
    change: &ReviewedChange,
    case: Case,
) -> Routed {
    let mut routed = Routed::default();
    for Candidate { given, name } in candidates {
        let own = overrides.iter().find(|entry| entry.agent == name);
        let counts = |entry: &&Override| {
            entry.scope.as_ref().is_none_or(|scope| scope.counts_for(change, case))
        };
        match own.filter(counts) {
            Some(entry) if entry.action == Action::Exclude => {
                routed.excluded.push((given, entry.clone()));
            }
            Some(entry) => {
                routed.agents.push(given.clone());
                routed.proposed.push((given, entry.clone()));
            }
            None => routed.agents.push(given),
        }
    }
    routed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(domains: &[&str], patterns: &[&str]) -> Scope {
        Scope {
            domains: domains.iter().map(|domain| Line::new(domain).unwrap()).collect(),
            file_patterns: serde_json::from_value(serde_json::json!(patterns)).unwrap(),
            ..Scope::default()
        }
    }

    fn change(domains: &[&str], paths: &[&str]) -> ReviewedChange {
        ReviewedChange {
            domains: domains.iter().map(|domain| Line::new(domain).unwrap()).collect(),
            paths: paths.iter().map(|path| path.as_bytes().to_vec()).collect(),
        }
    }

    #[test]
    fn a_scope_of_every_path_is_everywhere() {
        for (every, shown) in [("**", "**"), ("**/**", "**"), ("**/*", "**/*")] {
            let wide = scope(&[], &["src", every]);
            let found = wide.everywhere(Case::Sensitive).map(ToString::to_string);
            assert_eq!(found.as_deref(), Some(shown));
            assert_eq!(scope(&["web"], &[every]).everywhere(Case::Sensitive), None, "{every}");
        }
        for some in [&["src/**"][..], &["**/*.md"], &["src", "docs/**"], &[]] {
            assert_eq!(scope(&[], some).everywhere(Case::Sensitive), None, "{some:?}");
        }
    }

    #[test]
    fn a_scope_is_all_of_what_it_names() {
        let both = scope(&["web", "db"], &["src/api/**"]);
        let table = [
            (change(&["web"], &["src/api/x.rs"]), true),
            (change(&["db", "games"], &["src/api/x.rs", "src/api/y.rs"]), true),
            (change(&["games"], &["src/api/x.rs"]), false),
            (change(&["web"], &["docs/x.md"]), false),
            (change(&["web"], &["src/api/x.rs", "docs/x.md"]), false),
            (change(&["web"], &[]), false),
            (change(&[], &["src/api/x.rs"]), false),
        ];
        for (change, expected) in table {
            assert_eq!(both.counts_for(&change, Case::Sensitive), expected, "{change:?}");
        }
        assert!(scope(&[], &[]).counts_for(&change(&[], &[]), Case::Sensitive));
    }
}

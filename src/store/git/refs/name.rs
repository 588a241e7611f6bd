//! Full names of refs, checked before they become paths.

use std::fmt;
use std::str::FromStr;

/// The full name of a ref, such as `refs/coord/runs`. It is valid in git and safe as a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefName(String);

impl RefName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Lists the directories that the ref is in, from the root: `refs`, `refs/coord`.
    pub(super) fn parents(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').map(|(place, _)| &self.0[..place])
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The error for text that is not the full name of a ref.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not the full name of a ref")]
pub struct NotARefName(String);

impl FromStr for RefName {
    type Err = NotARefName;

    /// Checks the rules of `git check-ref-format`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
        let part_is_fine = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.strip_suffix(".lock").is_none()
                && !part.ends_with('.')
        };
        let fine = text.starts_with("refs/")
            && !text.contains(refused)
            && !text.contains("..")
            && !text.contains("@{")
            && text.split('/').all(part_is_fine);
        if fine { Ok(RefName(text.to_owned())) } else { Err(NotARefName(text.to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for name in ["refs/coord/runs", "refs/coord-remote/origin/runs", "refs/heads/é@"] {
            assert!(name.parse::<RefName>().is_ok(), "{name}");
        }
        for name in [
            "",
            "HEAD",
            "refs",
            "refs/",
            "refs//x",
            "/refs/x",
            "refs/../x",
            "refs/.x",
            "refs/x/",
            "refs/x.lock",
            "refs/a.lock/b",
            "refs/a b",
            "refs/a\nb",
            "refs/a\\b",
            "refs/x@{1}",
            "refs/x.",
            "refs/a*",
        ] {
            assert!(name.parse::<RefName>().is_err(), "{name}");
        }
    }

    #[test]
    fn parents_start_at_the_root() {
        let name: RefName = "refs/coord/runs".parse().unwrap();
        assert_eq!(name.parents().collect::<Vec<_>>(), ["refs", "refs/coord"]);
    }
}

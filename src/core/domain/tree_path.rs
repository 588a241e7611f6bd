//! A relative path in a tree that leads nowhere else. Somebody has configured it, or a ledger has
//! recorded it.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::domain::name_pattern::is_plain_path;
use crate::core::ids::text_conversions;
use crate::core::text::is_disguise;

/// Most bytes of such a path.
const LENGTH_MAX: usize = 400;

/// A relative path without `..`, any spelling of `.git`, and anything that disguises it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct TreePath(String);

text_conversions!(TreePath);

/// Text that is no such path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{}' is not a path in the tree: it must be relative, without '..' and '.git'",
    .0.escape_debug()
)]
pub struct BadTreePath(String);

impl TreePath {
    /// Appends a name.
    pub fn join(&self, name: &str) -> Result<TreePath, BadTreePath> {
        format!("{}/{name}", self.0).parse()
    }
}

impl FromStr for TreePath {
    type Err = BadTreePath;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_sound = text.len() <= LENGTH_MAX
            && is_plain_path(text)
            && !text.contains(is_disguise)
            && !text.contains(':')
            && !text.split('/').any(is_git_spelling);
        let clipped = || text.chars().take(80).collect();
        if is_sound { Ok(TreePath(text.to_owned())) } else { Err(BadTreePath(clipped())) }
    }
}

/// Tells whether some file system takes a name for `.git`: file systems fold case, drop blanks and
/// dots at the end, and have short names for long ones. Invisible characters are refused before.
pub fn is_git_spelling(name: &str) -> bool {
    let name = name.trim_end_matches(['.', ' ']).to_lowercase();
    name == ".git" || name == "git~1" || name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_elsewhere_is_refused() {
        for bad in [
            "",
            "/etc",
            "a/../b",
            "..",
            "./a",
            "a//b",
            "a/",
            ".git",
            ".git/hooks",
            "a/.GIT/b",
            ".git.",
            ".git ",
            "git~1",
            "GIT~1/x",
            ".g\u{200c}it",
            "a\nb",
            "a\\b",
            "c:x",
            ". /x",
            ".gIt/agents",
            "x/.git . ./y",
        ] {
            assert!(bad.parse::<TreePath>().is_err(), "{bad:?}");
        }
        for good in [".claude/agents", "agents", ".github/x.md", "a b/c", ".gitignore", "größer"]
        {
            assert_eq!(good.parse::<TreePath>().unwrap().as_str(), good);
        }
        assert!(".claude".parse::<TreePath>().unwrap().join("../x").is_err());
    }
}

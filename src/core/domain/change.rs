//! Whether a change of a file counts for what kind of project this is, and why: for people who ask
//! before they believe a verdict.

use serde::Serialize;

use crate::core::domain::index::Index;
use crate::core::domain::manifest::is_manifest;
use crate::core::domain::survey::PROJECT_DEPTH_MAX;

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added {
        /// Where.
        path: String,
    },
    /// It says something else.
    Modified {
        /// Where.
        path: String,
    },
    /// It is gone.
    Deleted {
        /// Where it was.
        path: String,
    },
    /// It has another name.
    Renamed {
        /// Where it was.
        from: String,
        /// Where it is.
        path: String,
    },
}

/// Whether a change counts, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    /// Whether it counts.
    pub is_structural: bool,
    /// Why, or why not.
    pub why: &'static str,
}

/// How much a file can say about a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Nothing.
    Ordinary,
    /// That it is there.
    Structural,
    /// What it says.
    Manifest,
}

impl Change {
    /// Whether it counts under an index.
    pub fn weigh(&self, index: &Index) -> Weight {
        use Standing::{Manifest, Ordinary, Structural};
        let counts = |why| Weight { is_structural: true, why };
        let does_not = |why| Weight { is_structural: false, why };
        let standing = |path: &str| standing(index, path);
        match self {
            Change::Added { path } if standing(path) != Ordinary => counts("came in"),
            Change::Deleted { path } if standing(path) != Ordinary => counts("left"),
            Change::Modified { path } => match standing(path) {
                Manifest => counts("content of a manifest"),
                Structural => does_not("only its existence counts"),
                Ordinary => does_not("no structural file"),
            },
            Change::Renamed { from, path } => match (standing(from), standing(path)) {
                (Ordinary, Ordinary) => does_not("no structural file"),
                (Ordinary, _) => counts("came in"),
                (_, Ordinary) => counts("left"),
                (Structural, Structural) => does_not("structural before and after"),
                (Manifest, _) | (_, Manifest) => counts("content under another name"),
            },
            Change::Added { .. } | Change::Deleted { .. } => does_not("no structural file"),
        }
    }
}

/// Below this depth nothing is looked at: a project, and one level in it.
const DEPTH_MAX: usize = PROJECT_DEPTH_MAX + 2;

fn standing(index: &Index, path: &str) -> Standing {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut around = directory.split('/').filter(|part| !part.is_empty());
    let depth = around.clone().count();
    let is_named_by_path = || {
        let of_paths = index.structural_files().into_iter();
        of_paths.filter_map(|pattern| Some((pattern.directory()?.to_owned(), pattern))).any(
            |(inner, pattern)| {
                let is_there = directory == inner || directory.ends_with(&format!("/{inner}"));
                is_there && pattern.matches_name(name)
            },
        )
    };
    if is_named_by_path() {
        return Standing::Structural;
    }
    if depth >= DEPTH_MAX || around.any(|part| index.skips(part)) {
        return Standing::Ordinary;
    }
    if is_manifest(name) && depth <= PROJECT_DEPTH_MAX {
        return Standing::Manifest;
    }
    let files = index.structural_files();
    let is_matched = files.iter().any(|p| p.directory().is_none() && p.matches_name(name));
    if is_matched { Standing::Structural } else { Standing::Ordinary }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(change: &Change) -> (bool, &'static str) {
        let weight = change.weigh(&Index::shipped());
        (weight.is_structural, weight.why)
    }

    fn renamed(from: &str, path: &str) -> (bool, &'static str) {
        weight(&Change::Renamed { from: from.to_owned(), path: path.to_owned() })
    }

    /// 2/P2-2: a rename counts where it crosses the border of what is structural.
    #[test]
    fn a_rename_counts_where_it_crosses_the_border() {
        assert_eq!(renamed("package.json", "package.json.bak"), (true, "left"));
        assert_eq!(renamed("notes.txt", "Cargo.toml"), (true, "came in"));
        assert_eq!(renamed("a.tscn", "b.tscn"), (false, "structural before and after"));
        assert_eq!(renamed("notes.txt", "notes.md"), (false, "no structural file"));
        assert_eq!(renamed("Gemfile", "go.mod"), (true, "content under another name"));
    }

    #[test]
    fn the_content_of_manifests_counts_and_that_of_others_does_not() {
        let modified = |path: &str| weight(&Change::Modified { path: path.to_owned() });
        assert_eq!(modified("packages/a/package.json"), (true, "content of a manifest"));
        assert_eq!(modified("scenes/a.tscn"), (false, "only its existence counts"));
        assert_eq!(modified("src/a.rs"), (false, "no structural file"));
        assert_eq!(modified("node_modules/x/package.json"), (false, "no structural file"));
        let added = |path: &str| weight(&Change::Added { path: path.to_owned() }).0;
        assert!(added("app/src/main/AndroidManifest.xml") && added(".claude-plugin/plugin.json"));
        assert!(!added("a/b/c/d/e/package.json") && !added("README.md"));
    }
}

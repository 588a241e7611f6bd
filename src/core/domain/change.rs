//! Tells for one changed file whether it can change the domain of the project, and why: for people
//! who ask before they believe a verdict. A change counts exactly if it is part of a difference
//! that makes the verdict, so the two cannot contradict each other.

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::domain::catalogue::Catalogue;
use crate::core::domain::freshness::{Reason, differences};
use crate::core::domain::manifest::is_manifest;
use crate::core::domain::name_pattern::NamePattern;
use crate::core::domain::structure::Structure;
use crate::core::domain::survey::PROJECT_DEPTH_MAX;

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// The file is new.
    Added {
        /// The path of the file.
        path: String,
    },
    /// The file has other content.
    Modified {
        /// The path of the file.
        path: String,
    },
    /// The file is gone.
    Deleted {
        /// The path that the file had.
        path: String,
    },
    /// The file has another path.
    Renamed {
        /// The path that the file had.
        from: String,
        /// The path that the file has now.
        path: String,
    },
}

/// The verdict on one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// Set if the change counts.
    pub is_structural: bool,
    /// The reason why it counts or does not.
    pub why: &'static str,
}

/// The part of a file that can tell something about the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relevance {
    /// No part of it.
    Ordinary,
    /// Its existence.
    Structural,
    /// Its content.
    Manifest,
}

/// The structure that an answer rests on, compared with the present one.
pub struct Comparison<'a> {
    catalogue: &'a Catalogue,
    was: &'a Structure,
    now: &'a Structure,
    reasons: Vec<Reason>,
}

impl<'a> Comparison<'a> {
    /// Compares the structure that the answer rests on with the present one.
    pub fn new(catalogue: &'a Catalogue, was: &'a Structure, now: &'a Structure) -> Comparison<'a> {
        Comparison { catalogue, was, now, reasons: differences(was, now) }
    }

    /// Tells whether a change counts.
    pub fn assess(&self, change: &Change) -> Assessment {
        use Relevance::{Manifest, Ordinary, Structural};
        let paths: Vec<&str> = match change {
            Change::Added { path } | Change::Modified { path } | Change::Deleted { path } => {
                vec![path]
            }
            Change::Renamed { from, path } => vec![from, path],
        };
        if let Some(why) = self.part(&paths) {
            return Assessment { is_structural: true, why };
        }
        let relevances = paths.iter().map(|path| relevance(self.catalogue, path));
        let why = match (relevances.max().unwrap_or(Ordinary), change) {
            (Ordinary, _) => "no structural file",
            (Structural, Change::Modified { .. }) => "only its existence counts",
            (Structural, Change::Renamed { .. }) => "structural before and after",
            (Structural, _) => "what it shows is shown with and without it",
            (Manifest, _) => "as it was looked at",
        };
        Assessment { is_structural: false, why }
    }

    /// Describes the part that these paths have in the differences, if any.
    fn part(&self, paths: &[&str]) -> Option<&'static str> {
        let (mut came, mut left, mut changed) = (false, false, false);
        for path in paths {
            for reason in &self.reasons {
                match reason {
                    Reason::ManifestCame { path: of } => came |= of == path,
                    Reason::ManifestLeft { path: of } => left |= of == path,
                    Reason::ManifestChanged { path: of } => changed |= of == path,
                    Reason::SignalCame { project, signal } => came |= shows(path, project, signal),
                    Reason::SignalLeft { project, signal } => left |= shows(path, project, signal),
                    Reason::Beyond { .. } => changed |= self.is_beyond(path),
                    Reason::Algorithm { .. } | Reason::List { .. } => {}
                }
            }
        }
        match (came, left, changed) {
            (true, true, _) => Some("content under another name"),
            (true, false, _) => Some("came in"),
            (false, true, _) => Some("left"),
            (false, false, true) => Some("content of a manifest"),
            (false, false, false) => None,
        }
    }

    /// Tells whether the path is a manifest of a project of which the structure has only the
    /// digest.
    fn is_beyond(&self, path: &str) -> bool {
        let is_kept = [self.was, self.now].iter().any(|of| of.manifests.contains_key(path));
        !is_kept && relevance(self.catalogue, path) == Relevance::Manifest
    }
}

/// Tells whether a file at that path shows the signal of the project.
fn shows(path: &str, project: &str, signal: &str) -> bool {
    let below = |path: &'_ str, directory: &str| -> Option<usize> {
        let rest = path.strip_prefix(directory)?.strip_prefix('/')?;
        Some(path.len() - rest.len())
    };
    let inner = match project {
        "." => Some(path),
        project => below(path, project).map(|at| &path[at..]),
    };
    let Some(inner) = inner else { return false };
    if let Some(directory) = signal.strip_prefix("dir ") {
        return below(inner, directory).is_some();
    }
    let pattern = signal.strip_prefix("file ").map(|text| NamePattern::try_from(text.to_owned()));
    let Some(Ok(pattern)) = pattern else { return false };
    // A file signal may name a directory, and matches at the project's top and one level below it.
    match pattern.directory() {
        Some(directory) => {
            let name = below(inner, directory).and_then(|at| inner[at..].split('/').next());
            name.is_some_and(|name| pattern.matches_name(name))
        }
        None => inner.split('/').take(2).any(|name| pattern.matches_name(name)),
    }
}

/// A survey reads nothing below this depth: a project, and one level in it.
const DEPTH_MAX: usize = PROJECT_DEPTH_MAX + 2;

fn relevance(catalogue: &Catalogue, path: &str) -> Relevance {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut around = directory.split('/').filter(|part| !part.is_empty());
    let depth = around.clone().count();
    let is_named_by_path = || {
        let of_paths = catalogue.structural_files().into_iter();
        of_paths.filter_map(|pattern| Some((pattern.directory()?.to_owned(), pattern))).any(
            |(inner, pattern)| {
                let is_there = directory == inner || directory.ends_with(&format!("/{inner}"));
                is_there && pattern.matches_name(name)
            },
        )
    };
    let is_in_named_directory = || {
        let around = format!("/{directory}/");
        catalogue
            .structural_directories()
            .iter()
            .any(|named| around.contains(&format!("/{named}/")))
    };
    if is_named_by_path() {
        return Relevance::Structural;
    }
    if depth >= DEPTH_MAX || around.any(|part| catalogue.skips(part)) {
        return Relevance::Ordinary;
    }
    if is_manifest(name) && depth <= PROJECT_DEPTH_MAX {
        return Relevance::Manifest;
    }
    let files = catalogue.structural_files();
    let is_matched = files.iter().any(|p| p.directory().is_none() && p.matches_name(name));
    let is_structural = is_matched || is_in_named_directory();
    if is_structural { Relevance::Structural } else { Relevance::Ordinary }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::core::domain::survey::{Purpose, survey};
    use crate::core::domain::testing::Memory;

    fn structure(files: &[(&str, &str)]) -> Structure {
        let tree = Memory::of(files);
        let survey = survey(&tree, &Catalogue::shipped(), Purpose::Compare).unwrap();
        Structure::of(&survey, &tree).unwrap()
    }

    /// Assesses a change between two trees.
    fn assessment(
        was: &[(&str, &str)],
        now: &[(&str, &str)],
        change: &Change,
    ) -> (bool, &'static str) {
        let (was, now) = (structure(was), structure(now));
        let Assessment { is_structural, why } =
            Comparison::new(&Catalogue::shipped(), &was, &now).assess(change);
        (is_structural, why)
    }

    fn renamed(from: &str, to: &str) -> (bool, &'static str) {
        let change = Change::Renamed { from: from.to_owned(), path: to.to_owned() };
        assessment(&[(from, "")], &[(to, "")], &change)
    }

    fn added(before: &[(&str, &str)], path: &str) -> (bool, &'static str) {
        let now = [before, &[(path, "")]].concat();
        assessment(before, &now, &Change::Added { path: path.to_owned() })
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
        let modified = |path: &str| {
            let change = Change::Modified { path: path.to_owned() };
            assessment(&[(path, "1")], &[(path, "2")], &change)
        };
        assert_eq!(modified("packages/a/package.json"), (true, "content of a manifest"));
        assert_eq!(modified("scenes/a.tscn"), (false, "only its existence counts"));
        assert_eq!(modified("src/a.rs"), (false, "no structural file"));
        assert_eq!(modified("node_modules/x/package.json"), (false, "no structural file"));
    }

    /// 2/IMP-1: directories count like files, a second file of a pattern does not, and neither
    /// does what was there already when the tree was looked at.
    #[test]
    fn what_makes_no_difference_does_not_count() {
        assert_eq!(added(&[], "src/routes/a.js"), (true, "came in"));
        let same = (false, "what it shows is shown with and without it");
        assert_eq!(added(&[("src/routes/a.js", "")], "src/routes/b.js"), same);
        assert_eq!(added(&[], "a.proto"), (true, "came in"));
        assert_eq!(added(&[("a.proto", "")], "b.proto"), same);
        assert_eq!(added(&[], "App.xcodeproj/project.pbxproj"), (true, "came in"));
        for path in ["app/src/main/AndroidManifest.xml", ".claude-plugin/plugin.json"] {
            assert_eq!(added(&[], path), (true, "came in"), "{path}");
        }
        for path in ["a/b/c/d/e/package.json", "README.md", "deep/er/x.tmx"] {
            assert!(!added(&[], path).0, "{path}");
        }
        let known = [("package.json", "{}")];
        let change = Change::Added { path: "package.json".to_owned() };
        assert_eq!(assessment(&known, &known, &change), (false, "as it was looked at"));
    }
}

//! Detection: merges the domains of a tree's top and of the projects in it into one answer.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::documents::ReadError;
use crate::core::domain::catalogue::Catalogue;
use crate::core::domain::confidence::Confidence;
use crate::core::domain::go_package;
use crate::core::domain::manifest::{ENTRY, LIBRARY, MANIFEST_BYTES_MAX, dependencies, normalized};
use crate::core::domain::name::Name;
use crate::core::domain::score::{Evidence, Score, score};
use crate::core::domain::source_tree::SourceTree;
use crate::core::domain::survey::{Project, Survey};

/// Bytes at the beginning of a source that are searched for keywords.
const SOURCE_BYTES_MAX: u64 = 64 * 1024;

/// A domain that a tree belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FoundDomain")]
pub struct Found {
    /// The name of the domain.
    pub name: Name,
    /// The highest confidence among its projects.
    pub confidence: Confidence,
    /// Set for the primary domain, which is the first.
    pub primary: bool,
    /// The paths of its projects, `.` for the top; absent if the top is the only one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub paths: Vec<String>,
    /// The signals of the project with the highest confidence.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub signals: Vec<String>,
}

/// Detects every domain that one of the projects belongs to, the primary one first.
pub fn detect(
    survey: &Survey,
    tree: &dyn SourceTree,
    catalogue: &Catalogue,
) -> Result<Vec<Found>, ReadError> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for project in &survey.projects {
        for (order, name, score) in scores(project, tree, catalogue)? {
            let at = candidates.iter().position(|candidate| candidate.order == order);
            let at = at.unwrap_or_else(|| {
                candidates.push(Candidate { order, name, at_top: None, projects: Vec::new() });
                candidates.len() - 1
            });
            candidates[at].add(project, score);
        }
    }
    candidates.sort_by_cached_key(Candidate::rank);
    let found = candidates.into_iter().enumerate();
    Ok(found.map(|(place, candidate)| candidate.into_found(place == 0)).collect())
}

/// A domain with the projects that belong to it.
struct Candidate {
    /// Its position in the catalogue, where the more special ones come first.
    order: usize,
    name: Name,
    at_top: Option<Confidence>,
    projects: Vec<(String, Score)>,
}

impl Candidate {
    fn add(&mut self, project: &Project, score: Score) {
        if project.path.is_empty() {
            self.at_top = Some(score.confidence);
        }
        self.projects.push((project.shown().to_owned(), score));
    }

    fn surest(&self) -> &Score {
        let surest = self.projects.iter().map(|(_, score)| score).rev();
        surest.max_by_key(|score| (score.confidence, score.signals.len())).expect("one at least")
    }

    /// Ranks a domain of the top first, then the domain of most projects, then the most confident
    /// one. Of two that are equal, the one with more signals ranks first, and then the more special
    /// one.
    fn rank(&self) -> impl Ord + use<> {
        let surest = self.surest();
        let rank = (self.at_top, self.projects.len(), surest.confidence, surest.signals.len());
        (Reverse(rank), self.order)
    }

    fn into_found(self, primary: bool) -> Found {
        let Score { confidence, signals } = self.surest().clone();
        let is_only_top = self.at_top.is_some() && self.projects.len() == 1;
        let paths = self.projects.into_iter().map(|(path, _)| path);
        let paths = if is_only_top { Vec::new() } else { paths.collect() };
        Found { name: self.name, confidence, primary, paths, signals }
    }
}

fn scores(
    project: &Project,
    tree: &dyn SourceTree,
    catalogue: &Catalogue,
) -> Result<Vec<(usize, Name, Score)>, ReadError> {
    let mut frameworks = BTreeSet::new();
    for name in &project.manifests {
        let bytes = tree.read(&project.at(name), MANIFEST_BYTES_MAX)?.unwrap_or_default();
        frameworks.extend(dependencies(name, &bytes));
    }
    if is_go_library(project, tree)? {
        frameworks.extend([LIBRARY, ENTRY].map(normalized));
    }
    let read: OnceCell<String> = OnceCell::new();
    let sources = || -> Result<&str, ReadError> {
        if let Some(text) = read.get() {
            return Ok(text);
        }
        let mut all = String::new();
        for path in &project.sources {
            let bytes = tree.read(&project.at(path), SOURCE_BYTES_MAX)?.unwrap_or_default();
            all.push_str(&String::from_utf8_lossy(&bytes).to_lowercase());
            all.push('\n');
        }
        Ok(read.get_or_init(|| all))
    };
    let (directories, files) = (&project.directories, &project.files);
    let evidence = Evidence { directories, files, frameworks: &frameworks, sources: &sources };
    let mut scores = Vec::new();
    for (order, domain) in catalogue.domains().iter().enumerate() {
        if let Some(score) = score(domain, &evidence)? {
            scores.push((order, domain.name.clone(), score));
        }
    }
    Ok(scores)
}

/// Tells whether a project is a Go module without a command, as far as its first sources tell.
fn is_go_library(project: &Project, tree: &dyn SourceTree) -> Result<bool, ReadError> {
    if !project.manifests.iter().any(|name| name == "go.mod") || project.directories.contains("cmd")
    {
        return Ok(false);
    }
    let mut sources = Vec::new();
    let is_go = |path: &&String| path.rsplit_once('.').is_some_and(|(_, end)| end == "go");
    for path in project.sources.iter().filter(is_go) {
        let bytes = tree.read(&project.at(path), SOURCE_BYTES_MAX)?.unwrap_or_default();
        sources.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(go_package::is_library(sources.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests;

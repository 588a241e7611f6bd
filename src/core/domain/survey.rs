//! The survey of a tree: finds its projects, and the files and directories that are signals.
//!
//! A project is the top of the tree, and every directory down to a few levels that has a manifest
//! or a marker. A survey lists no more than counts: nothing below that depth, nothing hidden, no
//! directory that the catalogue skips.

mod patterns;
mod sources;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::core::documents::ReadError;
use crate::core::domain::catalogue::Catalogue;
use crate::core::domain::manifest::is_manifest;
use crate::core::domain::name_pattern::NamePattern;
use crate::core::domain::source_tree::{Node, SourceTree};
use crate::core::text::is_disguise;
use patterns::Patterns;
use sources::is_source;

/// Most levels below the top at which a project may begin.
pub const PROJECT_DEPTH_MAX: usize = 3;
/// Most projects of a tree that are compared with the catalogue, and whose structure is stored.
pub const PROJECTS_MAX: usize = 400;
/// Most directories of a tree that a survey lists.
pub const DIRECTORIES_MAX: usize = 20_000;
/// Most bytes that all projects may take up: they have to fit into one document.
const SEEN_BYTES_MAX: usize = 100_000;
/// Most bytes of a path.
const PATH_BYTES_MAX: usize = 400;

/// The projects of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The top, then every other project in the order of its path.
    pub projects: Vec<Project>,
    /// Projects beyond the limit: their structure is only stored as a digest.
    pub beyond: Vec<Project>,
    /// Set if the tree has more directories than a survey lists: the rest is unknown.
    pub hit_directory_limit: bool,
}

impl Survey {
    /// Tells whether the tree has more projects or directories than the limits allow.
    pub fn is_cut_short(&self) -> bool {
        self.hit_directory_limit || !self.beyond.is_empty()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The path of its directory; empty for the top.
    pub path: String,
    /// The directories of the catalogue that it has.
    pub directories: BTreeSet<String>,
    /// The file patterns of the catalogue that a file in it matches.
    pub files: BTreeSet<String>,
    /// The names of its manifests.
    pub manifests: Vec<String>,
    /// The sources that are searched for keywords, by path in the project.
    pub sources: Vec<String>,
}

impl Project {
    /// Returns the path in the tree of a path in the project.
    pub fn at(&self, path: &str) -> String {
        joined(&self.path, path)
    }

    /// Estimates the bytes that the project takes up in a document: each signal and manifest on a
    /// line of its own, and its path once for each domain that it may belong to.
    fn bytes(&self) -> usize {
        const LINE: usize = 24;
        const ID_LINE: usize = 90;
        let signals = self.directories.iter().chain(&self.files);
        let signals: usize = signals.map(|signal| signal.len() + LINE).sum();
        let manifests: usize =
            self.manifests.iter().map(|name| self.path.len() + name.len() + ID_LINE).sum();
        signals + manifests + 4 * (self.path.len() + LINE)
    }

    /// Returns the project's path for people and documents.
    pub fn shown(&self) -> &str {
        if self.path.is_empty() { "." } else { &self.path }
    }
}

/// The purpose of a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Detecting the domains of a tree.
    Detect,
    /// Comparing a tree with an earlier structure, which needs no sources.
    Compare,
}

/// Surveys a tree.
pub fn survey(
    tree: &dyn SourceTree,
    catalogue: &Catalogue,
    purpose: Purpose,
) -> Result<Survey, ReadError> {
    let patterns = catalogue.structural_files();
    let directories = catalogue.structural_directories();
    let of_paths = patterns.iter().filter_map(NamePattern::directory);
    let parts = directories.iter().copied().chain(of_paths).flat_map(|path| path.split('/'));
    let surveyor = Surveyor {
        tree,
        catalogue,
        purpose,
        listed: RefCell::default(),
        parts: parts.collect(),
        patterns: Patterns::of(&patterns),
        directories: directories.clone(),
    };
    let mut survey = Survey::default();
    let mut pending = vec![(String::new(), 0)];
    let mut seen_bytes = 0;
    while let Some((directory, depth)) = pending.pop() {
        if surveyor.hit_directory_limit() {
            survey.hit_directory_limit = true;
            break;
        }
        let is_full = survey.projects.len() >= PROJECTS_MAX || seen_bytes > SEEN_BYTES_MAX;
        let nodes = surveyor.list(&directory)?;
        if depth == 0 || surveyor.is_project(&directory, &nodes)? {
            let project = surveyor.project(&directory, &nodes)?;
            seen_bytes += project.bytes();
            if is_full {
                survey.beyond.push(project);
            } else {
                survey.projects.push(project);
            }
        }
        if depth == PROJECT_DEPTH_MAX {
            continue;
        }
        for node in nodes.iter().rev().filter(|node| surveyor.enters(&directory, node)) {
            pending.push((joined(&directory, &node.name), depth + 1));
        }
    }
    Ok(survey)
}

fn joined(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

struct Surveyor<'a> {
    tree: &'a dyn SourceTree,
    catalogue: &'a Catalogue,
    purpose: Purpose,
    listed: RefCell<HashMap<String, Rc<Vec<Node>>>>,
    /// Every name on the way to a directory or a file that the catalogue names by its path.
    parts: HashSet<&'a str>,
    patterns: Patterns<'a>,
    directories: BTreeSet<&'a str>,
}

impl Surveyor<'_> {
    fn hit_directory_limit(&self) -> bool {
        self.listed.borrow().len() >= DIRECTORIES_MAX
    }

    fn list(&self, directory: &str) -> Result<Rc<Vec<Node>>, ReadError> {
        if let Some(nodes) = self.listed.borrow().get(directory) {
            return Ok(Rc::clone(nodes));
        }
        let nodes =
            self.tree.list(directory, &|name, is_directory| self.wants(name, is_directory))?;
        let nodes = Rc::new(nodes);
        self.listed.borrow_mut().insert(directory.to_owned(), Rc::clone(&nodes));
        Ok(nodes)
    }

    fn wants(&self, name: &str, is_directory: bool) -> bool {
        let is_matched = || {
            let mut is_matched = self.patterns.of_paths.iter().any(|p| p.matches_name(name));
            self.patterns.of_name(name, |_| is_matched = true);
            is_matched
        };
        if is_directory {
            return !self.catalogue.skips(name) || self.parts.contains(name) || is_matched();
        }
        is_manifest(name) || (self.purpose == Purpose::Detect && is_source(name)) || is_matched()
    }

    /// Tells whether the survey enters a directory. A name that could disguise a path is nobody's
    /// project.
    fn enters(&self, directory: &str, node: &Node) -> bool {
        node.is_directory
            && !self.catalogue.skips(&node.name)
            && directory.len() + node.name.len() < PATH_BYTES_MAX
            && !node.name.contains(is_disguise)
    }

    fn is_project(&self, directory: &str, nodes: &[Node]) -> Result<bool, ReadError> {
        if nodes.iter().any(|node| !node.is_directory && is_manifest(&node.name)) {
            return Ok(true);
        }
        for marker in self.catalogue.markers() {
            if self.has(directory, nodes, marker)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells whether an entry of the directory matches, exactly where the pattern says.
    fn has(
        &self,
        directory: &str,
        nodes: &[Node],
        pattern: &NamePattern,
    ) -> Result<bool, ReadError> {
        let matches = |nodes: &[Node]| nodes.iter().any(|node| pattern.matches_name(&node.name));
        match pattern.directory() {
            None => Ok(matches(nodes)),
            Some(inner) => Ok(self.inner(directory, nodes, inner)?.is_some_and(|at| matches(&at))),
        }
    }

    /// Lists a directory some levels down. Returns `None` if it does not exist.
    fn inner(
        &self,
        directory: &str,
        nodes: &[Node],
        path: &str,
    ) -> Result<Option<Rc<Vec<Node>>>, ReadError> {
        let is_there = |nodes: &[Node], name: &str| {
            nodes.iter().any(|node| node.is_directory && node.name == name)
        };
        let mut at = directory.to_owned();
        let mut here: Option<Rc<Vec<Node>>> = None;
        for part in path.split('/') {
            if !is_there(here.as_ref().map_or(nodes, |nodes| nodes), part) {
                return Ok(None);
            }
            at = joined(&at, part);
            here = Some(self.list(&at)?);
        }
        Ok(here)
    }

    fn project(&self, directory: &str, nodes: &[Node]) -> Result<Project, ReadError> {
        let mut project = Project { path: directory.to_owned(), ..Project::default() };
        let is_file = |node: &&Node| !node.is_directory && !node.name.contains(is_disguise);
        let manifests = nodes.iter().filter(is_file).filter(|node| is_manifest(&node.name));
        project.manifests = manifests.map(|node| node.name.clone()).collect();
        for wanted in &self.directories {
            let (parent, name) = wanted.rsplit_once('/').unwrap_or(("", wanted));
            let inner =
                if parent.is_empty() { None } else { self.inner(directory, nodes, parent)? };
            let around = match (&inner, parent) {
                (Some(inner), _) => inner.as_slice(),
                (None, "") => nodes,
                (None, _) => continue,
            };
            if around.iter().any(|node| node.is_directory && node.name == name) {
                project.directories.insert((*wanted).to_owned());
            }
        }
        self.add_files(&mut project, nodes);
        for node in nodes.iter().filter(|node| self.enters(directory, node)) {
            self.add_files(&mut project, &self.list(&joined(directory, &node.name))?);
        }
        for pattern in &self.patterns.of_paths {
            if self.has(directory, nodes, pattern)? {
                project.files.insert(pattern.as_str().to_owned());
            }
        }
        if self.purpose == Purpose::Detect {
            project.sources = self.sources(directory)?;
        }
        Ok(project)
    }

    fn add_files(&self, project: &mut Project, nodes: &[Node]) {
        for node in nodes {
            self.patterns.of_name(&node.name, |pattern| {
                project.files.insert(pattern.as_str().to_owned());
            });
        }
    }
}

#[cfg(test)]
mod tests;

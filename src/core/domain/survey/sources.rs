//! The sources of a project that are searched for keywords: the first few, level by level. Nearly
//! every language has its sources further down than at the top, some of them very far.

use std::rc::Rc;

use super::{Surveyor, joined};
use crate::core::documents::ReadError;
use crate::core::domain::manifest::is_manifest;
use crate::core::domain::source_tree::Node;

/// Most sources of a project that are searched.
const SOURCES_MAX: usize = 5;
/// Most directories of a project in which the survey looks for sources.
const SEARCHED_MAX: usize = 40;
/// The extensions of sources.
const EXTENSIONS: [&str; 22] = [
    "rs", "py", "js", "mjs", "jsx", "ts", "tsx", "go", "java", "kt", "scala", "swift", "rb", "cs",
    "c", "cpp", "h", "ino", "ex", "dart", "gd", "php",
];

/// Tells whether a file of that name is a source.
pub(super) fn is_source(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    EXTENSIONS.contains(&extension)
}

impl Surveyor<'_> {
    /// Finds the first sources of the project in a directory, by their path in it.
    pub(super) fn sources(&self, directory: &str) -> Result<Vec<String>, ReadError> {
        let mut found = Vec::new();
        let mut level = vec![String::new()];
        let mut searched = 0;
        while !level.is_empty() {
            let mut next = Vec::new();
            for inner in level {
                if found.len() == SOURCES_MAX || searched == SEARCHED_MAX {
                    return Ok(found);
                }
                searched += 1;
                let here = at(directory, &inner);
                let nodes = self.peek(&here)?;
                // A directory with a manifest is another project, which has its own sources.
                let is_manifest = |node: &Node| !node.is_directory && is_manifest(&node.name);
                if !inner.is_empty() && nodes.iter().any(is_manifest) {
                    continue;
                }
                let sources = nodes.iter().filter(|n| !n.is_directory && is_source(&n.name));
                let room = SOURCES_MAX - found.len();
                found.extend(sources.take(room).map(|node| joined(&inner, &node.name)));
                let below = nodes.iter().filter(|node| self.enters(&here, node));
                next.extend(below.map(|node| joined(&inner, &node.name)));
            }
            level = next;
        }
        Ok(found)
    }

    /// Lists a directory without counting it among those that the survey lists: a survey for a
    /// comparison reads no sources, and must see the same projects.
    fn peek(&self, directory: &str) -> Result<Rc<Vec<Node>>, ReadError> {
        if let Some(nodes) = self.listed.borrow().get(directory) {
            return Ok(Rc::clone(nodes));
        }
        let wants = |name: &str, is_directory: bool| self.wants(name, is_directory);
        Ok(Rc::new(self.tree.list(directory, &wants)?))
    }
}

fn at(directory: &str, inner: &str) -> String {
    if inner.is_empty() { directory.to_owned() } else { joined(directory, inner) }
}

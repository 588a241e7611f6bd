//! A tree in memory, for tests.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use crate::core::documents::ReadError;
use crate::core::domain::source_tree::{Kind, Node, SourceTree, Wanted};

#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(pub(crate) BTreeMap<String, Vec<u8>>);

impl Memory {
    pub(crate) fn of(files: &[(&str, &str)]) -> Memory {
        let file = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
        Memory(files.iter().map(file).collect())
    }
}

impl SourceTree for Memory {
    fn list(&self, directory: &str, wanted: &Wanted<'_>) -> Result<Vec<Node>, ReadError> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let below = self.0.keys().filter_map(|path| path.strip_prefix(&prefix));
        let nodes: BTreeSet<Node> = below
            .map(|rest| match rest.split_once('/') {
                Some((name, _)) => Node { name: name.to_owned(), is_directory: true },
                None => Node { name: rest.to_owned(), is_directory: false },
            })
            .collect();
        Ok(nodes.into_iter().filter(|node| wanted(&node.name, node.is_directory)).collect())
    }

    fn kind(&self, path: &str) -> Result<Kind, ReadError> {
        Ok(if self.0.contains_key(path) { Kind::File } else { Kind::Nothing })
    }

    fn content_id(&self, path: &str) -> Result<Option<String>, ReadError> {
        let id = |bytes: &Vec<u8>| format!("{:x}", Sha256::digest(bytes));
        Ok(self.0.get(path).map(id))
    }

    fn read(&self, path: &str, _: u64) -> Result<Option<Vec<u8>>, ReadError> {
        Ok(self.0.get(path).cloned())
    }
}

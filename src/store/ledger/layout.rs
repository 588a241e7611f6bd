//! The layouts of the tree: where each format has the names of a directory.
//!
//! Decisions name documents as if every name were in the tree of its directory. Between the two,
//! format 1 has shards and format 2 has buckets: inner trees, which are no directories.

use crate::core::documents::Key;
use crate::store::ledger::{buckets, shards};

/// The layout of a ledger's trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Format 1: shards by the first characters of ids.
    Shards,
    /// Format 2: buckets where a directory is wide.
    Buckets,
}

impl Layout {
    /// Returns the layout of a format.
    pub fn of_format(version: u64) -> Layout {
        if version < 2 { Layout::Shards } else { Layout::Buckets }
    }

    /// Returns the format of the layout.
    pub fn format(self) -> u64 {
        match self {
            Layout::Shards => 1,
            Layout::Buckets => 2,
        }
    }

    /// Tells whether a name is that of an inner tree, at a level of inner trees of a directory.
    pub fn is_inner(self, dir: &Key, level: usize, name: &[u8]) -> bool {
        match self {
            Layout::Shards => {
                let parts: Vec<&str> = dir.parts().collect();
                level < shards::depth(&parts) && shards::is_shard(name)
            }
            Layout::Buckets => buckets::is_bucket(name),
        }
    }
}

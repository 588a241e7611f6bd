//! The staged paths, with what the commit before and the index have of each.

use std::path::Path;

use super::{Changes, PathBytes};
use crate::core::ownership::Content;
use crate::core::ownership::content::{Mode, Stored};
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::git::program::answer;

/// A path that a commit would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedPath {
    pub path: PathBytes,
    /// The content that the commit would have.
    pub content: Content,
}

impl Changes {
    /// Lists the paths in which an index differs from a commit or a tree.
    pub(super) fn staged_against(
        &self,
        parent: &ObjectId,
        index: Option<&Path>,
    ) -> Result<Vec<StagedPath>, StoreError> {
        let parent = parent.to_string();
        let mut command = self.program.command(&[
            "diff-index",
            "--cached",
            "--raw",
            "--no-abbrev",
            "-z",
            "--no-renames",
            // A path that was only added with `--intent-to-add` is in no commit.
            "--ita-invisible-in-index",
            &parent,
            "--",
        ]);
        if let Some(index) = index {
            command.env("GIT_INDEX_FILE", index);
        }
        let listed = answer(command)?;
        let mut records = listed.split(|byte| *byte == 0);
        let mut staged = Vec::new();
        while let (Some(facts), Some(path)) = (records.next(), records.next()) {
            staged.push(StagedPath { path: path.to_vec(), content: content(facts) });
        }
        Ok(staged)
    }
}

/// Reads the later content of a record: `:<mode> <mode> <id> <id> <letter>`. A submodule counts as
/// nothing.
fn content(facts: &[u8]) -> Content {
    let words: Vec<&str> = std::str::from_utf8(facts).unwrap_or_default().split(' ').collect();
    let [_, mode, _, blob, _] = words[..] else { return Content::Gone };
    let mode = u32::from_str_radix(mode, 8).ok().and_then(Mode::of_git);
    match (mode, blob.parse()) {
        (Some(mode), Ok(blob)) => Content::Stored(Stored { blob, mode }),
        _ => Content::Gone,
    }
}

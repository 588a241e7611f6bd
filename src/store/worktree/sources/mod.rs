//! The trees that the detection of the kind of project reads: the work tree, the index, and the
//! commit that is checked out.
//!
//! All three are equal for a clean checkout, so an answer is valid for each of them.

mod changes;
mod index_file;
mod stored;
mod tracked;
mod work;

use std::path::{Path, PathBuf};

use crate::core::documents::ReadError;
use crate::core::domain::source_tree::{SourceTree, Which};
use crate::store::error::StoreError;
use crate::store::git::backend::Backend;
use crate::store::git::repository::Repository;
use crate::store::os::files::Files;
use stored::{Committed, Staged};
use tracked::Tracked;
use work::WorkTreeSources;

impl Repository {
    /// Opens one of the trees of the repository.
    pub fn sources<'a>(
        &'a self,
        which: Which,
        backend: &'a dyn Backend,
        files: Files,
    ) -> Result<Box<dyn SourceTree + 'a>, StoreError> {
        let which = match which {
            Which::Usual if self.work_tree().is_some() => Which::WorkTree,
            Which::Usual => Which::Head,
            which => which,
        };
        Ok(match which {
            Which::Index => Box::new(Staged::new(self.tracked(files)?, backend)),
            Which::Head => Box::new(Committed::new(self.program().tree_of("HEAD")?, backend)),
            Which::WorkTree | Which::Usual => {
                let tree = self.work_tree().ok_or(StoreError::NoWorkTree)?;
                Box::new(WorkTreeSources::new(self, tree, self.tracked(files)?, files))
            }
        })
    }

    /// Lists the top directories of the repository's other worktrees on this machine.
    pub fn other_work_trees(&self) -> Result<Vec<PathBuf>, StoreError> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let own = self.work_tree().map(|tree| real(&tree.top));
        let mut tops = self.program().work_trees()?;
        tops.retain(|top| own.as_ref() != Some(&real(top)));
        Ok(tops)
    }

    fn tracked(&self, files: Files) -> Result<Tracked, StoreError> {
        let path = self.index_file();
        let bytes = files.read_start(&path, u64::MAX)?;
        let Some(bytes) = bytes else { return Ok(Tracked::default()) };
        match index_file::parse(&bytes, self.hash_kind()) {
            Some(tracked) => Ok(tracked),
            // Only git can read a split or a sparse index.
            None => Ok(Tracked::of_listing(&self.program().staged_entries(&path)?)),
        }
    }
}

fn unreadable(error: impl Into<StoreError>) -> ReadError {
    ReadError::Store(Box::new(error.into()))
}

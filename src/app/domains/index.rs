//! The index that counts here: the shipped one, or what the repository makes of it.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::domain::index::{BadIndex, INDEX_BYTES_MAX, Index};
use crate::core::domain::source_tree::{SourceTree, Whole};
use crate::store::worktree::sources::Which;

/// An index file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It is not there.
    #[error("coord.domainIndex names '{0}', which is not in this tree")]
    Missing(String),
    /// It is a link, or one leads to it, or it is no file at all.
    #[error("coord.domainIndex names '{0}', which is no file; links are not followed")]
    NoFile(String),
    /// There is too much of it.
    #[error("the domain index '{0}' is longer than {INDEX_BYTES_MAX} bytes")]
    TooLong(String),
    /// It says something that it cannot say.
    #[error("the domain index '{path}' cannot be used: {why}")]
    Bad {
        /// Where it is.
        path: String,
        /// What is wrong with it.
        #[source]
        why: BadIndex,
    },
}

/// The index that counts in one of the trees.
pub fn index(ctx: &Ctx, which: Which) -> Result<Index, AppError> {
    if ctx.settings().domains.index.is_none() {
        return Ok(Index::shipped());
    }
    index_in(ctx, &*ctx.sources(which)?)
}

/// The index that counts in this tree.
pub(super) fn index_in(ctx: &Ctx, tree: &dyn SourceTree) -> Result<Index, AppError> {
    let Some(path) = &ctx.settings().domains.index else { return Ok(Index::shipped()) };
    let failed = |error: IndexError| AppError::Failed(Box::new(error));
    let path = path.to_string();
    let bytes = match tree.read_whole(&path, INDEX_BYTES_MAX)? {
        Whole::Bytes(bytes) => bytes,
        Whole::Absent => return Err(failed(IndexError::Missing(path))),
        Whole::NoFile => return Err(failed(IndexError::NoFile(path))),
        Whole::TooLong => return Err(failed(IndexError::TooLong(path))),
    };
    Index::extended(&bytes).map_err(|why| failed(IndexError::Bad { path, why }))
}

//! The index that counts here: the shipped one, or what the repository makes of it.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::domain::index::{BadIndex, INDEX_BYTES_MAX, Index};
use crate::core::domain::survey::SourceTree;
use crate::store::sources::Which;

/// An index file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It is not there.
    #[error("coord.domainIndex names '{0}', which is not in this tree")]
    Missing(String),
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
    let bytes = tree.read(path.as_str(), INDEX_BYTES_MAX)?;
    let bytes = bytes.ok_or_else(|| failed(IndexError::Missing(path.to_string())))?;
    Index::extended(&bytes).map_err(|why| failed(IndexError::Bad { path: path.to_string(), why }))
}

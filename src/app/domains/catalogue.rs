//! The catalogue of this repository: the shipped one, extended or replaced by the repository's own.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::domain::catalogue::{BadCatalogue, CATALOGUE_BYTES_MAX, Catalogue};
use crate::core::domain::source_tree::{SourceTree, Which, Whole};

/// A catalogue file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("coord.domainIndex names '{0}', which is not in this tree")]
    Missing(String),
    /// It is no regular file, or there is a link on its path.
    #[error("coord.domainIndex names '{0}', which is no file; links are not followed")]
    NoFile(String),
    #[error("the domain index '{0}' is longer than {CATALOGUE_BYTES_MAX} bytes")]
    TooLong(String),
    /// Its content is not valid.
    #[error("the domain index '{path}' cannot be used: {why}")]
    Bad {
        path: String,
        #[source]
        why: BadCatalogue,
    },
}

/// Reads the catalogue of one of the trees.
pub fn catalogue(ctx: &Ctx, which: Which) -> Result<Catalogue, AppError> {
    if ctx.settings().domains.index.is_none() {
        return Ok(Catalogue::shipped());
    }
    catalogue_in(ctx, &*ctx.sources(which)?)
}

/// Reads the catalogue of this tree.
pub(super) fn catalogue_in(ctx: &Ctx, tree: &dyn SourceTree) -> Result<Catalogue, AppError> {
    let Some(path) = &ctx.settings().domains.index else { return Ok(Catalogue::shipped()) };
    let failed = |error: CatalogueError| AppError::Failed(Box::new(error));
    let path = path.to_string();
    let bytes = match tree.read_whole(&path, CATALOGUE_BYTES_MAX)? {
        Whole::Bytes(bytes) => bytes,
        Whole::Absent => return Err(failed(CatalogueError::Missing(path))),
        Whole::NoFile => return Err(failed(CatalogueError::NoFile(path))),
        Whole::TooLong => return Err(failed(CatalogueError::TooLong(path))),
    };
    Catalogue::extended(&bytes).map_err(|why| failed(CatalogueError::Bad { path, why }))
}

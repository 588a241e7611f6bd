//! The repository of the tour.

use tempfile::TempDir;

use crate::app::problem::{Kind, Problem};
use crate::store::git::repository::make_scratch;

/// The files that the agents of the tour want.
const FILES: [&str; 2] = ["src/api/users.rs", "docs/guide.md"];

/// Makes a temporary repository, which is removed when it is dropped.
pub fn scratch_repository() -> Result<TempDir, Problem> {
    let scratch = tempfile::tempdir().map_err(|error| Problem::caused(Kind::Failure, &error))?;
    make_scratch(scratch.path(), &FILES).map_err(|error| Problem::caused(Kind::Failure, &error))?;
    Ok(scratch)
}

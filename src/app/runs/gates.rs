//! Reads gates from a file of the caller or of the repository.

use std::path::Path;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::domain::source_tree::Which;
use crate::core::run::chain::Chain;
use crate::core::run::gates::{Gate, check_gates, of_repository};

/// The size limit of a file with gates.
const GATES_BYTES_MAX: u64 = 64 * 1024;

/// Reads gates from a file that the caller named. It has one gate for each step between two phases.
pub(super) fn in_file(ctx: &Ctx, file: &Path, chain: &Chain) -> Result<Vec<Gate>, AppError> {
    let fault = |why: String| AppError::Usage(format!("'{}': {why}", file.display()));
    let file = ctx.directory().join(file);
    let metadata = file.metadata().map_err(|error| fault(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > GATES_BYTES_MAX {
        return Err(fault(format!("not a file of at most {GATES_BYTES_MAX} bytes")));
    }
    let text = std::fs::read(file).map_err(|error| fault(error.to_string()))?;
    let gates = parsed(&text).map_err(fault)?;
    check_gates(&gates, chain).map_err(|error| fault(error.to_string()))?;
    Ok(gates)
}

/// Reads the gates of the repository, if `coord.runGates` names a file in it.
pub(super) fn of_this_repository(ctx: &Ctx, chain: &Chain) -> Result<Option<Vec<Gate>>, AppError> {
    let Some(path) = &ctx.settings().run_gates else { return Ok(None) };
    let fault = |why: String| AppError::Usage(format!("coord.runGates, '{path}': {why}"));
    let tree = ctx.sources(Which::Usual)?;
    let text = tree.read(path.as_str(), GATES_BYTES_MAX)?;
    let text = text.ok_or_else(|| fault("there is no such file".to_owned()))?;
    let gates = parsed(&text).map_err(fault)?;
    of_repository(&gates, chain).map_err(|error| fault(error.to_string()))?;
    Ok(Some(gates))
}

fn parsed(text: &[u8]) -> Result<Vec<Gate>, String> {
    serde_json::from_slice(text).map_err(|error| format!("not gates: {error}"))
}

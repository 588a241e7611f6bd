//! The file that an agent's later shell commands take their variables from.

use std::path::Path;

use crate::app::error::AppError;
use crate::app::identity::AGENT_VARIABLE;
use crate::core::ids::AgentName;
use crate::store::error::StoreError;
use crate::store::os::files::Files;
use crate::store::os::shared_mode::SharedMode;

const BYTES_MAX: u64 = 1 << 20;

/// Exports the agent's name there, so that later commands and the git hooks that they run act under
/// it. Leaves the file alone if its last word on it is the same.
pub fn export_name(path: &Path, agent: &AgentName) -> Result<(), AppError> {
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let before = files.read(path, BYTES_MAX).map_err(StoreError::from)?.unwrap_or_default();
    // No name of an agent has a quote in it.
    let (assignment, value) = (format!("export {AGENT_VARIABLE}="), format!("'{agent}'"));
    let export = format!("{assignment}{value}");
    let is_ours = |line: &&[u8]| line.starts_with(assignment.as_bytes());
    let last = before.split(|byte| *byte == b'\n').rev().find(is_ours);
    if last == Some(export.as_bytes()) {
        return Ok(());
    }
    let gap = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
    let line = format!("{gap}{export}\n");
    Ok(files.append(path, line.as_bytes()).map_err(StoreError::from)?)
}

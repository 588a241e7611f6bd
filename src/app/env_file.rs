//! The file that an agent's later shell commands take their variables from.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::app::error::AppError;
use crate::app::identity::AGENT_VARIABLE;
use crate::core::ids::AgentName;
use crate::store::error::StoreError;
use crate::store::os::files::Files;
use crate::store::os::shared_mode::SharedMode;

/// Names the directory that the session of a command was begun in.
pub const SESSION_DIR_VARIABLE: &str = "GIT_COORD_SESSION_DIR";

const BYTES_MAX: u64 = 1 << 20;

/// Exports the agent's name there, so that later commands and the git hooks that they run act under
/// it.
pub fn export_name(path: &Path, agent: &AgentName) -> Result<(), AppError> {
    export(path, AGENT_VARIABLE, agent.as_str().as_bytes())
}

/// Exports the directory that the session was begun in, so that a later command in another
/// repository knows where the session is heard.
pub fn export_directory(path: &Path, begun: &Path) -> Result<(), AppError> {
    export(path, SESSION_DIR_VARIABLE, begun.as_os_str().as_bytes())
}

/// Exports a variable. Leaves the file alone if its last word on it is the same, or if the value
/// does not fit on a line.
fn export(path: &Path, variable: &str, value: &[u8]) -> Result<(), AppError> {
    if value.contains(&b'\n') {
        return Ok(());
    }
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let before = files.read(path, BYTES_MAX).map_err(StoreError::from)?.unwrap_or_default();
    let assignment = format!("export {variable}=");
    let quoted = value.split(|byte| *byte == b'\'').collect::<Vec<_>>().join(&b"'\\''"[..]);
    let export = [assignment.as_bytes(), b"'", &quoted, b"'"].concat();
    let is_ours = |line: &&[u8]| line.starts_with(assignment.as_bytes());
    let last = before.split(|byte| *byte == b'\n').rev().find(is_ours);
    if last == Some(&export[..]) {
        return Ok(());
    }
    let gap = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
    let line = [gap.as_bytes(), &export, b"\n"].concat();
    Ok(files.append(path, &line).map_err(StoreError::from)?)
}

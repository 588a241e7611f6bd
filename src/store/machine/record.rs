//! Small files that processes replace, take and name alike: most of them are about one agent.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::core::ids::AgentName;
use crate::store::os::files::{FileError, Files, Purpose};

/// Encodes an agent's name as a file name. The name may contain slashes, but never `%`.
pub fn file_name(agent: &AgentName) -> String {
    agent.as_str().replace('/', "%2F")
}

/// Decodes the name of an agent's file.
pub fn agent_of(name: &str) -> Option<AgentName> {
    name.replace("%2F", "/").parse().ok()
}

/// Replaces a file in one step, and creates its directory if need be.
pub fn replace(
    files: Files,
    path: &Path,
    content: &[u8],
    purpose: Purpose,
) -> Result<(), FileError> {
    let staged = aside(path);
    let write = || files.write_new(&staged, content, purpose);
    match write() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            path.parent().map_or(Ok(()), |directory| files.make_directories(directory))?;
            write()?;
        }
        // Left by a killed process that had the same id.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            files.remove(&staged)?;
            write()?;
        }
        other => other?,
    }
    files.rename(&staged, path)
}

/// Takes a file away from all other processes, and returns its new path; `None` if there is none.
pub fn take(files: Files, path: &Path) -> Result<Option<PathBuf>, FileError> {
    let aside = aside(path);
    // If both are one file, a rename would leave both.
    files.remove(&aside)?;
    match files.rename(path, &aside) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(|()| Some(aside)),
    }
}

/// Returns the path for this process's own file beside another one. Listings pass over it.
fn aside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::FILES;

    #[test]
    fn a_name_with_slashes_is_one_file_and_comes_back() {
        for name in ["alice", "claude:1/sub", "a/b/c"] {
            let agent: AgentName = name.parse().unwrap();
            let file = file_name(&agent);
            assert!(!file.contains('/'), "{file}");
            assert_eq!(agent_of(&file), Some(agent));
        }
        assert_eq!(agent_of(".bob.1"), None, "what is set aside is no agent's");
    }

    #[test]
    fn a_file_is_replaced_and_taken_once_whatever_a_killed_process_left() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("new/file");
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        replace(FILES, &path, b"1", Purpose::Helper).unwrap();
        assert_eq!(read(&path), "1");
        std::fs::write(aside(&path), "left").unwrap();
        replace(FILES, &path, b"2", Purpose::Helper).unwrap();
        assert_eq!(read(&path), "2");
        std::fs::hard_link(&path, aside(&path)).unwrap();
        let taken = take(FILES, &path).unwrap().unwrap();
        assert_eq!((read(&taken).as_str(), path.exists()), ("2", false));
        assert_eq!(take(FILES, &path).unwrap(), None);
    }
}

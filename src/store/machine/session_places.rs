//! The work trees that a session works in, beside the one that it was begun in: its end has to be
//! heard in all of them.
//!
//! The repository that a session was begun in has a file with its other work trees, and each of
//! those notes once that it is in such a file. Without these files a turn ends where the session
//! stands and where it was begun, as if it had worked nowhere else.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::core::ids::AgentName;
use crate::store::error::StoreError;
use crate::store::layout::{HelperDir, hashed_name};
use crate::store::os::files::Files;

/// The maximum size of a file; what is beyond is not noted.
const BYTES_MAX: u64 = 64 * 1024;
/// The largest number of work trees that are returned.
const PLACES_MAX: usize = 32;
/// Ends each path, which may have any other byte in it.
const END: u8 = 0;

/// The files of one repository.
#[derive(Clone, Debug)]
pub struct SessionPlaces {
    directory: PathBuf,
    files: Files,
}

impl SessionPlaces {
    pub fn new(common_dir: &Path, files: Files) -> SessionPlaces {
        SessionPlaces { directory: HelperDir::Presence.below(common_dir), files }
    }

    fn file(&self, session: &AgentName) -> PathBuf {
        self.directory.join(format!("{}.places", hashed_name(&[session.as_str().as_bytes()])))
    }

    /// Names the file that says which repository has noted this work tree.
    fn mark(&self, session: &AgentName, top: &Path) -> PathBuf {
        let about = [session.as_str().as_bytes(), top.as_os_str().as_bytes()];
        self.directory.join(format!("{}.noted", hashed_name(&about)))
    }

    /// Tells whether it is marked here that the place of a work tree is noted where the session was
    /// begun.
    pub fn is_marked(&self, session: &AgentName, top: &Path, begun: &Path) -> bool {
        let marked = self.files.read(&self.mark(session, top), BYTES_MAX).ok().flatten();
        marked.is_some_and(|marked| marked == begun.as_os_str().as_bytes())
    }

    /// Marks the same. It replaces the mark of a session that was begun elsewhere.
    pub fn set_mark(
        &self,
        session: &AgentName,
        top: &Path,
        begun: &Path,
    ) -> Result<(), StoreError> {
        let mark = self.mark(session, top);
        self.files.remove(&mark)?;
        self.append(&mark, begun.as_os_str().as_bytes())
    }

    /// Removes what is noted of a session here, and the mark of a work tree.
    pub fn forget(&self, session: &AgentName, top: Option<&Path>) -> Result<(), StoreError> {
        self.files.remove(&self.file(session))?;
        if let Some(top) = top {
            self.files.remove(&self.mark(session, top))?;
        }
        Ok(())
    }

    fn append(&self, file: &Path, content: &[u8]) -> Result<(), StoreError> {
        match self.files.append(file, content) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(&self.directory)?;
                Ok(self.files.append(file, content)?)
            }
            other => Ok(other?),
        }
    }

    /// Lists the noted work trees of a session.
    pub fn of(&self, session: &AgentName) -> Vec<PathBuf> {
        let content = self.files.read(&self.file(session), 2 * BYTES_MAX).ok().flatten();
        let content = content.unwrap_or_default();
        let whole = content.iter().rposition(|byte| *byte == END).unwrap_or(0);
        let paths = content[..whole].split(|byte| *byte == END);
        let paths = paths.map(|path| PathBuf::from(OsStr::from_bytes(path)));
        paths.filter(|path| path.is_absolute()).take(PLACES_MAX).collect()
    }

    /// Notes that a session works in a work tree.
    pub fn note(&self, session: &AgentName, top: &Path) -> Result<(), StoreError> {
        let file = self.file(session);
        let is_full = self.files.stamp(&file)?.is_some_and(|stamp| stamp.length > BYTES_MAX);
        if is_full || self.of(session).iter().any(|known| known == top) {
            return Ok(());
        }
        // It begins with the mark, so that a path that was cut short spoils no other.
        let line = [&[END], top.as_os_str().as_bytes(), &[END]].concat();
        self.append(&file, &line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::FILES;

    #[test]
    fn each_session_has_its_places_once() {
        let home = tempfile::tempdir().unwrap();
        let places = SessionPlaces::new(home.path(), FILES);
        let [one, other] = ["claude:1", "claude:2"].map(|name| name.parse().unwrap());
        assert!(places.of(&one).is_empty());
        places.forget(&one, None).unwrap();
        for top in ["/a", "/b\nc", "/a"] {
            places.note(&one, Path::new(top)).unwrap();
        }
        places.note(&other, Path::new("/a")).unwrap();
        assert_eq!(places.of(&one), [PathBuf::from("/a"), PathBuf::from("/b\nc")]);
        places.forget(&one, None).unwrap();
        assert!(places.of(&one).is_empty());
        assert_eq!(places.of(&other), [PathBuf::from("/a")]);
    }

    #[test]
    fn a_path_that_was_cut_short_is_none() {
        let home = tempfile::tempdir().unwrap();
        let places = SessionPlaces::new(home.path(), FILES);
        let one: AgentName = "claude:1".parse().unwrap();
        places.note(&one, Path::new("/first")).unwrap();
        FILES.append(&places.file(&one), b"\0/sec").unwrap();
        assert_eq!(places.of(&one), [PathBuf::from("/first")]);
        places.note(&one, Path::new("/third")).unwrap();
        let all = ["/first", "/sec", "/third"].map(PathBuf::from);
        assert_eq!(places.of(&one), all, "a place that is none is passed over later");
    }

    #[test]
    fn a_place_is_marked_for_where_its_session_was_begun() {
        let home = tempfile::tempdir().unwrap();
        let places = SessionPlaces::new(home.path(), FILES);
        let one: AgentName = "claude:1".parse().unwrap();
        let [top, begun, elsewhere] = ["/top", "/begun", "/elsewhere"].map(Path::new);
        assert!(!places.is_marked(&one, top, begun));
        for begun in [begun, elsewhere] {
            places.set_mark(&one, top, begun).unwrap();
            assert!(places.is_marked(&one, top, begun));
            assert!(!places.is_marked(&one, begun, begun));
        }
        assert!(!places.is_marked(&one, top, begun));
        places.forget(&one, Some(top)).unwrap();
        assert!(!places.is_marked(&one, top, elsewhere));
    }
}

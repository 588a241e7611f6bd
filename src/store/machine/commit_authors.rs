//! The agents that made the commits of this repository, as far as this machine knows.
//!
//! Two files hold a line for each commit. When the newer one is full, it replaces the older one, so
//! that both together stay small. If they are lost, a push of another agent's commits is compared
//! with the current holders of the changed paths.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::core::ids::AgentName;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::layout::HelperDir;
use crate::store::os::files::Files;

/// The size at which the files rotate: some thousand lines. A file can exceed it by the lines that
/// are written concurrently.
const FILE_BYTES_MAX: u64 = 256 * 1024;
const READ_BYTES_MAX: u64 = 2 * FILE_BYTES_MAX;

/// The recorded authors of the commits of a repository.
#[derive(Clone, Debug)]
pub struct CommitAuthors {
    dir: PathBuf,
    files: Files,
}

impl CommitAuthors {
    pub fn new(common_dir: &Path, files: Files) -> CommitAuthors {
        CommitAuthors { dir: HelperDir::CommitAuthors.below(common_dir), files }
    }

    fn newer(&self) -> PathBuf {
        self.dir.join("newer")
    }

    fn older(&self) -> PathBuf {
        self.dir.join("older")
    }

    /// Records that `agent` has made a commit.
    pub fn note(&self, commit: &ObjectId, agent: &AgentName) -> Result<(), StoreError> {
        self.files.make_directories(&self.dir)?;
        let newer = self.newer();
        let is_full = self.files.stamp(&newer)?.is_some_and(|stamp| stamp.length > FILE_BYTES_MAX);
        if is_full {
            self.files.rename(&newer, &self.older())?;
        }
        Ok(self.files.append(&newer, format!("{commit} {agent}\n").as_bytes())?)
    }

    /// Reads all records.
    pub fn all(&self) -> Result<HashMap<ObjectId, AgentName>, StoreError> {
        let mut known = HashMap::new();
        for path in [self.older(), self.newer()] {
            let bytes = self.files.read_start(&path, READ_BYTES_MAX)?.unwrap_or_default();
            known.extend(String::from_utf8_lossy(&bytes).lines().filter_map(read));
        }
        Ok(known)
    }
}

/// Parses a line; `None` if it is truncated or not ours.
fn read(line: &str) -> Option<(ObjectId, AgentName)> {
    let (commit, agent) = line.split_once(' ')?;
    Some((commit.parse().ok()?, agent.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::git::object::{HashKind, Object, ObjectKind};
    use crate::store::testing::FILES;

    fn commit(number: usize) -> ObjectId {
        let bytes = number.to_string().into_bytes();
        Object { kind: ObjectKind::Commit, bytes }.id(HashKind::Sha1)
    }

    #[test]
    fn the_newest_are_known_and_the_oldest_are_forgotten() {
        let home = tempfile::tempdir().unwrap();
        let authors = CommitAuthors::new(home.path(), FILES);
        assert!(authors.all().unwrap().is_empty());
        let name = format!("a{}", "b".repeat(60)).parse().unwrap();
        // Two files are full, and the third is half full.
        let lines = usize::try_from(FILE_BYTES_MAX).unwrap() * 5 / 2 / 103;
        for number in 0..lines {
            authors.note(&commit(number), &name).unwrap();
        }
        let known = authors.all().unwrap();
        assert_eq!(known.get(&commit(lines - 1)), Some(&name));
        assert_eq!(known.get(&commit(lines / 2)), Some(&name));
        assert_eq!(known.get(&commit(0)), None);
        let length = |path: PathBuf| std::fs::metadata(path).unwrap().len();
        assert!(length(authors.newer()) + length(authors.older()) < READ_BYTES_MAX + 1_000);
    }

    #[test]
    fn what_is_no_line_says_nothing() {
        let home = tempfile::tempdir().unwrap();
        let authors = CommitAuthors::new(home.path(), FILES);
        authors.note(&commit(1), &"alice".parse().unwrap()).unwrap();
        std::fs::write(
            authors.older(),
            format!("{} \n\n{} not a name\n\u{0}", commit(2), commit(3)),
        )
        .unwrap();
        assert_eq!(authors.all().unwrap().len(), 1);
    }
}

//! Edits in a worktree that no commit contains yet, each with the fence that permitted it.
//!
//! Each agent and path has a small file below the worktree's own git directory, so that several
//! sessions write concurrently without a lock. Losing a note loses one safety net: that path is
//! then compared only with its holder at the time of the commit.

use std::io;
use std::path::{Path, PathBuf};

use crate::core::ids::AgentName;
use crate::core::pattern::Pattern;
use crate::core::reservation::fence::Note;
use crate::store::error::StoreError;
use crate::store::layout::{HelperDir, hashed_name};
use crate::store::os::files::{Files, Purpose};

/// The maximum size of a note: a path, two names and some numbers.
const NOTE_BYTES_MAX: u64 = 64 * 1024;
/// The maximum number of notes that are read.
const NOTES_MAX: usize = 20_000;

/// The notes of one worktree.
#[derive(Clone, Debug)]
pub struct Notes {
    dir: PathBuf,
    files: Files,
}

impl Notes {
    pub fn new(git_dir: &Path, files: Files) -> Notes {
        Notes { dir: HelperDir::Notes.below(git_dir), files }
    }

    /// Writes a note. It replaces an earlier one of the same agent and path.
    pub fn put(&self, note: &Note) -> Result<(), StoreError> {
        let name = file_name(&note.agent, &note.path);
        let bytes = serde_json::to_vec(note).expect("a note is plain data");
        let write = |path: &Path| self.files.write_new(path, &bytes, Purpose::Helper);
        // The first note on a path is written in place: a reader that sees half of it finds no note
        // yet.
        let path = self.dir.join(&name);
        let written = match write(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(&self.dir)?;
                write(&path)
            }
            other => other,
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return Ok(other?),
        }
        let staged = self.dir.join(format!(".{name}.{}", std::process::id()));
        // Left by a killed process that had the same id.
        self.files.remove(&staged)?;
        write(&staged)?;
        Ok(self.files.rename(&staged, &path)?)
    }

    /// Reads the note of an agent on a path.
    pub fn get(&self, agent: &AgentName, path: &Pattern) -> Result<Option<Note>, StoreError> {
        self.read(&self.dir.join(file_name(agent, path)))
    }

    /// Reads every readable note of this worktree.
    pub fn all(&self) -> Result<Vec<Note>, StoreError> {
        let mut notes = Vec::new();
        let names = self.files.list(&self.dir)?;
        let whole = names.iter().filter(|name| !name.as_encoded_bytes().starts_with(b"."));
        for name in whole.take(NOTES_MAX) {
            // A note under another name could not be removed again, so it does not count.
            let is_in_its_place = |note: &Note| *name == *file_name(&note.agent, &note.path);
            notes.extend(self.read(&self.dir.join(name))?.filter(is_in_its_place));
        }
        Ok(notes)
    }

    /// Removes the note of an agent on a path. Returns false if there was none.
    pub fn forget(&self, agent: &AgentName, path: &Pattern) -> Result<bool, StoreError> {
        Ok(self.files.remove(&self.dir.join(file_name(agent, path)))?)
    }

    /// Reads a note; `None` if the file is truncated or not a note.
    fn read(&self, path: &Path) -> Result<Option<Note>, StoreError> {
        let bytes = self.files.read(path, NOTE_BYTES_MAX)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }
}

fn file_name(agent: &AgentName, path: &Pattern) -> String {
    hashed_name(&[agent.as_str().as_bytes(), &[0], path.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Timestamp;
    use crate::store::testing::FILES;

    fn note(agent: &str, path: &str, fence: u64) -> Note {
        Note {
            path: Pattern::canonical(path.as_bytes()).unwrap(),
            agent: agent.parse().unwrap(),
            hold: None,
            fence,
            at: Timestamp::from_millis(0),
            left: None,
            by_shell: false,
        }
    }

    #[test]
    fn the_last_note_of_an_agent_on_a_path_stays() {
        let home = tempfile::tempdir().unwrap();
        let notes = Notes::new(home.path(), FILES);
        assert!(notes.all().unwrap().is_empty());
        for fence in [1, 2] {
            notes.put(&note("alice", "src/a.rs", fence)).unwrap();
        }
        notes.put(&note("bob", "src/a.rs", 3)).unwrap();
        let mut fences: Vec<u64> = notes.all().unwrap().iter().map(|note| note.fence).collect();
        fences.sort_unstable();
        assert_eq!(fences, [2, 3]);
        let alice = note("alice", "src/a.rs", 2);
        assert_eq!(notes.get(&alice.agent, &alice.path).unwrap(), Some(alice.clone()));
        assert!(notes.forget(&alice.agent, &alice.path).unwrap());
        assert!(!notes.forget(&alice.agent, &alice.path).unwrap());
    }

    #[test]
    fn a_note_that_was_begun_and_not_written_is_replaced() {
        let home = tempfile::tempdir().unwrap();
        let notes = Notes::new(home.path(), FILES);
        let first = note("alice", "src/a.rs", 1);
        notes.put(&first).unwrap();
        let name = file_name(&first.agent, &first.path);
        let directory = HelperDir::Notes.below(home.path());
        std::fs::write(directory.join(&name), "").unwrap();
        // Left by a killed process that had this process's id.
        std::fs::write(directory.join(format!(".{name}.{}", std::process::id())), "{").unwrap();
        assert!(notes.all().unwrap().is_empty());
        notes.put(&note("alice", "src/a.rs", 2)).unwrap();
        assert_eq!(notes.get(&first.agent, &first.path).unwrap().unwrap().fence, 2);
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_note_says_nothing() {
        let home = tempfile::tempdir().unwrap();
        let notes = Notes::new(home.path(), FILES);
        notes.put(&note("alice", "src/a.rs", 1)).unwrap();
        let directory = HelperDir::Notes.below(home.path());
        std::fs::write(directory.join("0".repeat(32)), "{\"path\":").unwrap();
        std::fs::write(directory.join(".staged.1"), "{").unwrap();
        let name = file_name(&"alice".parse().unwrap(), &note("alice", "src/a.rs", 1).path);
        std::fs::copy(directory.join(name), directory.join("1".repeat(32))).unwrap();
        assert_eq!(notes.all().unwrap().len(), 1);
    }
}

//! Edits in a worktree that no commit contains yet: whose they are, how they left the file, and the
//! fence that permitted them.
//!
//! Each agent and path has a small file below the worktree's own git directory, so that several
//! sessions write concurrently without a lock. Its name tells the path from the agent, so one
//! listing finds all notes on a path. Losing a note loses one safety net: that change is then
//! nobody's, and the path is compared only with its holder at the time of the commit.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::core::ids::AgentName;
use crate::core::ownership::Note;
use crate::core::pattern::Pattern;
use crate::store::error::StoreError;
use crate::store::layout::{HelperDir, hashed_name};
use crate::store::machine::record::{replace, take};
use crate::store::os::files::{Files, Purpose};

/// The maximum size of a note: a path, two names and some numbers.
const NOTE_BYTES_MAX: u64 = 64 * 1024;
/// The maximum number of notes that are read.
const NOTES_MAX: usize = 20_000;
/// Stands between the path and the agent in the name of a note.
const SEPARATOR: char = '.';

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
        let bytes = serde_json::to_vec(note).expect("a note is plain data");
        let path = self.dir.join(file_name(&note.agent, &note.path));
        let write = || self.files.write_new(&path, &bytes, Purpose::Helper);
        // The first note on a path is written in place: a reader that sees half of it finds no note
        // yet.
        let written = match write() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.files.make_directories(&self.dir)?;
                write()
            }
            other => other,
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return Ok(other?),
        }
        Ok(replace(self.files, &path, &bytes, Purpose::Helper)?)
    }

    /// Reads the note of an agent on a path.
    pub fn get(&self, agent: &AgentName, path: &Pattern) -> Result<Option<Note>, StoreError> {
        self.read(&self.dir.join(file_name(agent, path)))
    }

    /// Reads every readable note of this worktree.
    pub fn all(&self) -> Result<Vec<Note>, StoreError> {
        self.chosen(|_| true)
    }

    /// Reads the readable notes on these paths. It lists all notes once, and opens no others.
    pub fn on(&self, paths: &[Pattern]) -> Result<Vec<Note>, StoreError> {
        let names = self.names()?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let wanted: BTreeSet<String> = paths.iter().map(path_part).collect();
        self.among(&names, |name| {
            name.split_once(SEPARATOR).is_some_and(|(path, _)| wanted.contains(path))
        })
    }

    /// Removes the note of an agent on a path. Returns false if there was none.
    pub fn forget(&self, agent: &AgentName, path: &Pattern) -> Result<bool, StoreError> {
        Ok(self.files.remove(&self.dir.join(file_name(agent, path)))?)
    }

    /// Removes a note, unless its agent has changed the path again since it was read.
    pub fn settle(&self, note: &Note) -> Result<(), StoreError> {
        let path = self.dir.join(file_name(&note.agent, &note.path));
        let Some(aside) = take(self.files, &path)? else { return Ok(()) };
        if self.read(&aside)?.is_some_and(|found| found != *note) {
            // If there is another one by now, that is the newest.
            self.files.link(&aside, &path).ok();
        }
        self.files.remove(&aside)?;
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, StoreError> {
        let names = self.files.list(&self.dir)?.into_iter();
        let names = names.filter_map(|name| name.into_string().ok());
        Ok(names.filter(|name| !name.starts_with('.')).take(NOTES_MAX).collect())
    }

    fn chosen(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Note>, StoreError> {
        self.among(&self.names()?, is_wanted)
    }

    fn among(
        &self,
        names: &[String],
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Note>, StoreError> {
        let mut notes = Vec::new();
        // Many notes are of few agents.
        let mut agents: BTreeMap<AgentName, String> = BTreeMap::new();
        for name in names.iter().filter(|name| is_wanted(name)) {
            let Some(note) = self.read(&self.dir.join(name))? else { continue };
            if !agents.contains_key(&note.agent) {
                agents.insert(note.agent.clone(), agent_part(&note.agent));
            }
            // A note under another name could not be removed again, so it does not count.
            let (path, agent) = name.split_once(SEPARATOR).unwrap_or_default();
            if agents.get(&note.agent).is_some_and(|it| it == agent)
                && path_part(&note.path) == path
            {
                notes.push(note);
            }
        }
        Ok(notes)
    }

    /// Reads a note; `None` if the file is truncated or not a note.
    fn read(&self, path: &Path) -> Result<Option<Note>, StoreError> {
        let bytes = self.files.read(path, NOTE_BYTES_MAX)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }
}

/// Names the file of a note so that a listing shows which path it is about, and whose it is.
fn file_name(agent: &AgentName, path: &Pattern) -> String {
    format!("{}{SEPARATOR}{}", path_part(path), agent_part(agent))
}

fn agent_part(agent: &AgentName) -> String {
    hashed_name(&[agent.as_str().as_bytes()])
}

fn path_part(path: &Pattern) -> String {
    hashed_name(&[path.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Timestamp;
    use crate::store::testing::FILES;

    fn note(agent: &str, path: &str, fence: u64) -> Note {
        let path = Pattern::canonical(path.as_bytes()).unwrap();
        let at = Timestamp::from_millis(0);
        Note { fence, ..Note::of_edit(&agent.parse().unwrap(), path, at) }
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

    /// One listing finds the notes on a path, and only those are opened.
    #[test]
    fn the_notes_on_a_path_are_found_by_their_names() {
        let home = tempfile::tempdir().unwrap();
        let notes = Notes::new(home.path(), FILES);
        for (agent, path) in [("alice", "a"), ("bob", "a"), ("alice", "b")] {
            notes.put(&note(agent, path, 1)).unwrap();
        }
        let other = note("alice", "b", 1);
        let unread = HelperDir::Notes.below(home.path()).join(file_name(&other.agent, &other.path));
        std::fs::write(unread, vec![0; usize::try_from(NOTE_BYTES_MAX).unwrap() + 1]).unwrap();
        let found = notes.on(std::slice::from_ref(&note("x", "a", 1).path)).unwrap();
        let mut agents: Vec<&str> = found.iter().map(|note| note.agent.as_str()).collect();
        agents.sort_unstable();
        assert_eq!(agents, ["alice", "bob"]);
    }

    /// A note is removed as it was judged, and not if its agent has edited again meanwhile.
    #[test]
    fn a_note_is_settled_only_as_it_was_seen() {
        let home = tempfile::tempdir().unwrap();
        let notes = Notes::new(home.path(), FILES);
        let (seen, newer) = (note("alice", "a", 1), note("alice", "a", 2));
        notes.put(&newer).unwrap();
        notes.settle(&seen).unwrap();
        assert_eq!(notes.all().unwrap(), std::slice::from_ref(&newer));
        notes.settle(&newer).unwrap();
        notes.settle(&newer).unwrap();
        assert_eq!(notes.files.list(&notes.dir).unwrap().len(), 0);
    }
}

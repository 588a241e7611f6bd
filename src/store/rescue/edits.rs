//! Files as edits have left them, until a snapshot has them.
//!
//! A snapshot is made at the end of a turn. Until then each edit is saved by itself, in a file
//! below the common git directory: it survives the removal of a linked worktree, and costs an edit
//! as good as nothing. Git's own objects are left alone here, because git counts those that nothing
//! leads to, and removes them when it likes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::core::ids::AgentName;
use crate::core::ownership::content::Stored;
use crate::core::pattern::Pattern;
use crate::core::rescue::prune;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::layout::{HelperDir, hashed_name, rescue_directory};
use crate::store::machine::record::replace;
use crate::store::os::files::{Files, Purpose};

/// The largest file that each edit saves; larger ones are saved at the end of the turn.
pub const EDIT_BYTES_MAX: u64 = 1 << 20;
/// The maximum length of the line before the content: a path, a name and some numbers.
const HEAD_BYTES_MAX: u64 = 16 * 1024;
/// The largest number of saved edits of a worktree that are kept.
const EDITS_MAX: usize = 1_000;
/// The largest number of saved edits of one path that are kept.
const EDITS_OF_PATH_MAX: usize = 5;
/// The largest number of saved edits that are removed at a time because of their age: the clock may
/// be wrong.
const OLD_MAX: usize = 2;
/// One in so many edits looks whether there are too many. It is chosen by its content, so that most
/// edits list nothing.
const PRUNED_EVERY: u32 = 32;
/// The largest number of bytes of all saved edits of a worktree.
const BYTES_MAX: u64 = 64 << 20;

/// A file as an edit has left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedEdit {
    pub path: Pattern,
    pub agent: AgentName,
    pub at: Timestamp,
    pub stored: Stored,
    pub bytes: u64,
}

/// The saved edits of one worktree.
#[derive(Clone, Debug)]
pub struct SavedEdits {
    dir: PathBuf,
    files: Files,
}

impl SavedEdits {
    /// Opens those of a linked worktree, or of the main one.
    pub fn new(common_dir: &Path, worktree: Option<&Line>, files: Files) -> SavedEdits {
        let name = rescue_directory(worktree.map(Line::as_str));
        SavedEdits { dir: HelperDir::Saved.below(common_dir).join(name), files }
    }

    /// Saves a file. If it is saved with this content, it is as of now: what was there in between
    /// is older.
    pub fn put(&self, edit: &SavedEdit, content: &[u8]) -> Result<(), StoreError> {
        let mut bytes = serde_json::to_vec(edit).expect("a saved edit is plain data");
        bytes.push(b'\n');
        bytes.extend_from_slice(content);
        Ok(replace(self.files, &self.dir.join(file_name(edit)), &bytes, Purpose::Private)?)
    }

    /// Lists the names of the saved edits, which tell path and content.
    pub fn names(&self) -> Result<SavedNames, StoreError> {
        Ok(SavedNames(self.files.list(&self.dir)?.into_iter().collect()))
    }

    /// Lists the saved edits, the newest first.
    pub fn all(&self) -> Result<Vec<SavedEdit>, StoreError> {
        let mut edits = Vec::new();
        for name in self.files.list(&self.dir)? {
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let start = self.files.read_start(&self.dir.join(name), HEAD_BYTES_MAX)?;
            let head = start.as_ref().and_then(|start| start.split(|byte| *byte == b'\n').next());
            let edit: Option<SavedEdit> = head.and_then(|head| serde_json::from_slice(head).ok());
            // One under another name could not be removed again.
            edits.extend(edit.filter(|edit| file_name(edit) == name));
        }
        edits.sort_by(|one, other| (other.at, &one.path).cmp(&(one.at, &other.path)));
        Ok(edits)
    }

    /// Reads the content of a saved edit; `None` if it is gone or cut short.
    pub fn content(&self, edit: &SavedEdit) -> Result<Option<Vec<u8>>, StoreError> {
        let length_max = HEAD_BYTES_MAX + edit.bytes + 1;
        let whole = self.files.read(&self.dir.join(file_name(edit)), length_max)?;
        let content = whole.and_then(|whole| {
            let end = whole.iter().position(|byte| *byte == b'\n')?;
            Some(whole[end + 1..].to_vec())
        });
        Ok(content.filter(|content| content.len() as u64 == edit.bytes))
    }

    /// Removes a saved edit, for example because a snapshot has it.
    pub fn forget(&self, edit: &SavedEdit) -> Result<(), StoreError> {
        Ok(self.files.remove(&self.dir.join(file_name(edit))).map(drop)?)
    }

    /// Removes the oldest ones beyond the bounds, and those that are older than `seconds_max`.
    pub fn prune(&self, now: Timestamp, seconds_max: u64) -> Result<(), StoreError> {
        let mut kept = Vec::new();
        let (mut bytes, mut of_paths) = (0_u64, BTreeMap::<Pattern, usize>::new());
        let mut edits = self.all()?;
        edits.sort_by_key(|edit| Reverse(prune::order(edit.at, now)));
        for (place, edit) in edits.into_iter().enumerate() {
            bytes = bytes.saturating_add(edit.bytes);
            let of_path = of_paths.entry(edit.path.clone()).or_default();
            *of_path += 1;
            let fits = place < EDITS_MAX && bytes <= BYTES_MAX && *of_path <= EDITS_OF_PATH_MAX;
            if fits {
                kept.push(edit);
            } else {
                self.forget(&edit)?;
            }
        }
        let is_old = |edit: &&SavedEdit| now.seconds_since(edit.at) > seconds_max;
        kept.iter().rev().filter(is_old).take(OLD_MAX).try_for_each(|edit| self.forget(edit))
    }

    /// Removes the oldest ones beyond the bounds after one in some edits: a turn may be long, and
    /// only its end makes a snapshot.
    pub fn prune_seldom(
        &self,
        new: &SavedEdit,
        now: Timestamp,
        seconds_max: u64,
    ) -> Result<(), StoreError> {
        if is_chosen(new) { self.prune(now, seconds_max) } else { Ok(()) }
    }
}

/// The names of saved edits.
#[derive(Clone, Debug)]
pub struct SavedNames(BTreeSet<OsString>);

impl SavedNames {
    /// Tells whether a path is saved with this content.
    pub fn contains(&self, path: &Pattern, stored: &Stored) -> bool {
        self.0.contains(OsStr::new(&name_of(path, stored)))
    }
}

/// Tells whether an edit is one of those after which somebody looks. The id of a blob is as good as
/// random.
fn is_chosen(edit: &SavedEdit) -> bool {
    let digits = edit.stored.blob.as_str().get(..4).unwrap_or_default();
    u32::from_str_radix(digits, 16).is_ok_and(|number| number % PRUNED_EVERY == 0)
}

fn file_name(edit: &SavedEdit) -> String {
    name_of(&edit.path, &edit.stored)
}

/// Names the file of a saved edit by its path and its content.
fn name_of(path: &Pattern, stored: &Stored) -> String {
    let mode = serde_json::to_string(&stored.mode).unwrap_or_default();
    let path = hashed_name(&[path.as_bytes(), mode.as_bytes()]);
    format!("{path}.{}", stored.blob.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ownership::content::Mode;
    use crate::store::git::object::{HashKind, Object, ObjectKind};
    use crate::store::testing::FILES;

    fn edit(path: &str, content: &[u8], second: i64) -> SavedEdit {
        let blob = Object { kind: ObjectKind::Blob, bytes: content.to_vec() };
        let blob = blob.id(HashKind::Sha1).to_string().parse().unwrap();
        SavedEdit {
            path: Pattern::canonical(path.as_bytes()).unwrap(),
            agent: "bob".parse().unwrap(),
            at: Timestamp::from_millis(second * 1_000),
            stored: Stored { blob, mode: Mode::File },
            bytes: content.len() as u64,
        }
    }

    fn edits(home: &tempfile::TempDir) -> SavedEdits {
        SavedEdits::new(home.path(), None, FILES)
    }

    /// 8/RESCUE: an edit is saved byte for byte, once, and what is cut short is not taken for it.
    #[test]
    fn an_edit_is_saved_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let edits = edits(&home);
        let content = b"{\"path\":\n\xff\0\n";
        edits.put(&edit("src/a b", content, 1), content).unwrap();
        let first = edit("src/a b", content, 2);
        edits.put(&first, content).unwrap();
        assert_eq!(edits.all().unwrap(), std::slice::from_ref(&first));
        assert_eq!(edits.content(&first).unwrap().as_deref(), Some(&content[..]));
        let path = edits.dir.join(file_name(&first));
        let mode = std::fs::metadata(&path).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(edits.content(&first).unwrap(), None);
        std::fs::write(edits.dir.join("x"), b"{").unwrap();
        edits.forget(&first).unwrap();
        assert_eq!(edits.all().unwrap(), []);
        assert_eq!(edits.content(&first).unwrap(), None);
    }

    #[test]
    fn old_and_many_edits_are_pruned() {
        let home = tempfile::tempdir().unwrap();
        let edits = edits(&home);
        for second in 1..=8 {
            let content = second.to_string();
            edits.put(&edit("a", content.as_bytes(), second), content.as_bytes()).unwrap();
        }
        edits.put(&edit("b", b"x", 0), b"x").unwrap();
        edits.prune(Timestamp::from_millis(9_000), 8).unwrap();
        edits.prune(Timestamp::from_millis(9_000), 8).unwrap();
        let seconds: Vec<i64> =
            edits.all().unwrap().iter().map(|edit| edit.at.as_seconds()).collect();
        assert_eq!(seconds, [8, 7, 6, 5, 4]);
        // A clock that is far ahead removes two at a time.
        edits.prune(Timestamp::from_millis(9_000_000), 8).unwrap();
        assert_eq!(edits.all().unwrap().len(), 3);
    }

    /// 8/RESCUE: a long turn keeps within the bounds.
    #[test]
    fn many_edits_are_pruned_meanwhile() {
        let home = tempfile::tempdir().unwrap();
        let edits = edits(&home);
        let mut most = 0;
        for second in 1..=300 {
            let content = second.to_string();
            let edit = edit("a", content.as_bytes(), second);
            edits.put(&edit, content.as_bytes()).unwrap();
            edits.prune_seldom(&edit, Timestamp::from_millis(second * 1_000), 10_000).unwrap();
            most = most.max(edits.files.list(&edits.dir).unwrap().len());
            let kept = edits.all().unwrap();
            assert!(kept.len() < EDITS_OF_PATH_MAX || kept[0].at.as_seconds() == second);
        }
        assert!(most < 8 * PRUNED_EVERY as usize, "{most}");
    }

    /// A directory that is gone, and what a killed process has left, are in no edit's way.
    #[test]
    fn an_edit_is_saved_whatever_is_there() {
        let home = tempfile::tempdir().unwrap();
        let edits = edits(&home);
        let first = edit("a", b"x", 1);
        edits.put(&first, b"x").unwrap();
        let left = edits.dir.join(format!(".{}.{}", file_name(&first), std::process::id()));
        std::fs::write(&left, "half").unwrap();
        edits.put(&first, b"x").unwrap();
        assert!(!left.exists());
        std::fs::remove_dir_all(&edits.dir).unwrap();
        edits.put(&first, b"x").unwrap();
        assert_eq!(edits.content(&first).unwrap().as_deref(), Some(&b"x"[..]));
    }
}

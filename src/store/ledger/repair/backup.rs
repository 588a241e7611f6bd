//! Backs up the damaged state before a repair.

use super::Damage;
use crate::core::limits::LINE_CHARS_MAX;
use crate::core::text::{Line, shown};
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::Ledger;
use crate::store::ledger::entry::EntryHead;
use crate::store::ledger::layout::Layout;

impl Ledger<'_> {
    /// Names the ref that will back up the damaged entry. Returns `None` if no ref can: `git gc`
    /// fails while a ref leads to an object that is missing or unreadable.
    pub(super) fn backup_ref(
        &self,
        damage: &Damage,
        at: Timestamp,
    ) -> Result<Option<(String, ObjectId)>, StoreError> {
        let Some(tip) = damage.tip else { return Ok(None) };
        let Ok(Some(object)) = self.backend.read(&tip) else { return Ok(None) };
        let is_whole = match EntryHead::parse(&object.bytes) {
            Ok(head) => {
                let layout = self.at(Some(tip)).map(|base| base.snapshot.layout());
                self.read_below(head.tree, layout.unwrap_or(Layout::Shards)).is_ok()
            }
            Err(_) => true,
        };
        let can_be_ref = is_whole && self.backend.is_connected(&tip)?;
        Ok(can_be_ref.then(|| (self.name.damaged(at, &tip), tip)))
    }

    /// Writes the content of the ref to a file, with the damaged commit if it is readable. Returns
    /// the path.
    pub(super) fn back_up_to_file(
        &self,
        damage: &Damage,
        at: Timestamp,
    ) -> Result<String, StoreError> {
        let mut content = format!("{} held:\n\n", self.name.reference()).into_bytes();
        match damage.tip {
            None => content.extend_from_slice(&damage.raw),
            Some(id) => {
                content.extend_from_slice(format!("{id}\n").as_bytes());
                if let Ok(Some(object)) = self.backend.read(&id) {
                    content.extend_from_slice(format!("\n{}\n\n", object.kind.name()).as_bytes());
                    content.extend_from_slice(&object.bytes);
                }
            }
        }
        let name = format!("{}-{}", self.name, at.compact());
        Ok(self.backend.write_backup(&name, &content)?.display().to_string())
    }
}

/// Shortens a text to one line, and removes characters that could disguise something and the
/// directories of this machine, which concern nobody else.
pub(super) fn line(text: &str) -> Line {
    let safe: String =
        shown(without_directories(text.trim()).as_str()).chars().take(LINE_CHARS_MAX).collect();
    Line::new(&safe).unwrap_or_else(|_| Line::new("nothing").expect("a plain word is a line"))
}

/// Shortens each absolute path, quoted or alone, to the part below the git directory, or else to
/// the name of the file.
fn without_directories(text: &str) -> String {
    let shortened = |part: &str| match part.strip_prefix('/') {
        None => part.to_owned(),
        Some(path) => {
            let below_git = path.split_once(".git/").map(|(_, below)| below);
            let name = || path.rsplit('/').next().unwrap_or_default();
            below_git.unwrap_or_else(name).to_owned()
        }
    };
    text.split('\'').map(shortened).collect::<Vec<_>>().join("'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_no_directories_of_a_machine() {
        for (text, recorded) in [
            ("/srv/ada/p/.git/coord/damaged/runs-1", "coord/damaged/runs-1"),
            ("/srv/p.git/coord/damaged/runs-1", "coord/damaged/runs-1"),
            (
                "cannot read '/srv/ada/p/.git/objects/1f/0e': gone",
                "cannot read 'objects/1f/0e': gone",
            ),
            ("cannot read '/srv/ada/secret': gone", "cannot read 'secret': gone"),
            ("refs/coord/damaged/runs/1", "refs/coord/damaged/runs/1"),
            ("tree 1f: 'a/b' is missing", "tree 1f: 'a/b' is missing"),
        ] {
            assert_eq!(line(text).as_str(), recorded);
        }
    }
}

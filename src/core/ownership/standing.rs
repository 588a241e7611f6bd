//! The state of the change that a note is about.

use super::{Content, Left, Note};

/// A path as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The content in the newest commit.
    pub head: Content,
    /// The content of the file; none if it is too long to be read for this.
    pub file: Option<Content>,
    /// The state of the file.
    pub stamp: Left,
    /// True if git sees no difference between the file and the newest commit. Filters of git may
    /// make one of their bytes.
    pub is_clean: bool,
}

/// The state of a noted change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is committed, or reverted by its owner, and the note is over.
    Settled,
    /// It was announced, and is not made yet.
    Unmade,
    /// It is in the file, and belongs to the agent of the note.
    Owned,
    /// It is in no commit, and not in the file any more.
    Lost,
}

/// Tells what has become of a noted change. Time settles nothing.
pub fn standing(note: &Note, seen: &Seen) -> Standing {
    if note.by_shell {
        return if seen.is_clean { Standing::Settled } else { Standing::Unmade };
    }
    match &note.content {
        _ if note.lost => Standing::Lost,
        Some(content) if *content == seen.head => Standing::Settled,
        Some(content) if seen.is_clean && seen.file.as_ref() == Some(content) => Standing::Settled,
        Some(_) if seen.is_clean => Standing::Lost,
        None if note.left.is_none() && is_unmade(note, seen) => Standing::Unmade,
        None if seen.is_clean => Standing::Settled,
        _ => Standing::Owned,
    }
}

/// Tells whether a first edit has not changed the file yet.
fn is_unmade(note: &Note, seen: &Seen) -> bool {
    note.before.map_or(seen.is_clean, |before| before == seen.stamp)
}

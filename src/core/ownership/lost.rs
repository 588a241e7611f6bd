//! Changes that are gone: in no commit, and not in their files any more.

use serde::{Deserialize, Serialize};

use super::{Content, Note};
use crate::core::ids::AgentName;
use crate::core::pattern::Pattern;
use crate::core::time::Timestamp;

/// A change that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// A literal path.
    pub path: Pattern,
    /// The agent that made the change.
    pub agent: AgentName,
    /// The time of its last edit.
    pub changed_at: Timestamp,
    /// The time at which somebody saw that the change is gone.
    pub seen_at: Timestamp,
    /// The content that the agent had left; none if the file was too long to be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content: Option<Content>,
}

impl Loss {
    /// Describes the loss of a noted change that is seen now.
    pub fn of(note: &Note, seen_at: Timestamp) -> Loss {
        Loss {
            path: note.path.clone(),
            agent: note.agent.clone(),
            changed_at: note.at,
            seen_at,
            content: note.content.clone(),
        }
    }

    /// Tells whether there is a content that could be brought back.
    pub fn has_content(&self) -> bool {
        self.content.as_ref().is_some_and(|content| content.blob().is_some())
    }

    /// Tells whether the change is gone still: it may be back in the file, or a commit may have
    /// changed the path since the edit, on top of it.
    pub fn is_so(&self, file: Option<&Content>, committed_at: Option<i64>) -> bool {
        let is_back = self.content.is_some() && file == self.content.as_ref();
        let is_committed_over = committed_at.is_some_and(|at| at >= self.changed_at.as_seconds());
        !is_back && !is_committed_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_came_back_is_not_lost() {
        let path = Pattern::canonical(b"a").unwrap();
        let at = Timestamp::from_millis(7_000);
        let note = Note::of_edit(&"claude:1".parse().unwrap(), path, at);
        let gone = Note { content: Some(Content::Gone), ..note.clone() };
        let (unread, gone) = (Loss::of(&note, at), Loss::of(&gone, at));
        assert!(unread.is_so(None, None) && unread.is_so(Some(&Content::Gone), Some(6)));
        assert!(!gone.is_so(Some(&Content::Gone), None));
        assert!(gone.is_so(None, Some(6)) && !gone.is_so(None, Some(7)));
        assert!(!unread.has_content() && !gone.has_content());
    }
}

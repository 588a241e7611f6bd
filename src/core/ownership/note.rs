//! Notes: an agent changed a path in a worktree.

use serde::{Deserialize, Serialize};

use super::Content;
use crate::core::ids::{AgentName, HoldId};
use crate::core::pattern::Pattern;
use crate::core::reservation::Hold;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

words! {
    /// How a change came to belong to an agent.
    pub enum Via {
        /// An edit of the agent that passed the gate.
        Edit = "edit",
        /// A shell command of the agent wrote a file that was nobody's.
        Shell = "shell",
        /// The agent adopted it from another.
        Adopted = "adopted",
    }
}

/// A record of an edit that was let through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// A literal path.
    pub path: Pattern,
    /// The agent that changed the path.
    pub agent: AgentName,
    /// The hold that let the edit pass; none if the path was being edited in another worktree. Of a
    /// file that a shell command wrote after that of another agent it is the other's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hold: Option<HoldId>,
    /// The fence of that hold, or the highest fence that had been given out.
    pub fence: u64,
    /// The time of the first of the edits that are not settled.
    pub since: Timestamp,
    /// The time of the last one.
    pub at: Timestamp,
    pub via: Via,
    /// The branch that was checked out at the last edit; none if there was no branch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<Line>,
    /// The state of the file before the first edit, until that is made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<Left>,
    /// The state in which the edit left the file, once it is made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left: Option<Left>,
    /// The content that the edit left, once it is made; none if the file is too long to be read for
    /// this.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content: Option<Content>,
    /// Set once somebody has seen that the change is gone. Later content of the file is not this
    /// agent's.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub lost: bool,
    /// Set if this was no edit: a shell command of the agent changed a path under the hold of
    /// another agent, which is the one named here. Such a note owns nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub by_shell: bool,
}

/// The state of a file after a write: enough to see that it was written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// The time of the write in nanoseconds since 1970; none if the file is gone.
    pub written_ns: Option<u64>,
    pub bytes: u64,
}

impl Note {
    /// Notes an edit that is about to be made.
    pub fn of_edit(agent: &AgentName, path: Pattern, at: Timestamp) -> Note {
        Note {
            path,
            agent: agent.clone(),
            hold: None,
            fence: 0,
            since: at,
            at,
            via: Via::Edit,
            branch: None,
            before: None,
            left: None,
            content: None,
            lost: false,
            by_shell: false,
        }
    }

    /// Notes that a shell command of the agent changed a path under a hold of another agent. The
    /// fence is below that hold's, so the path counts as overtaken by the hold until the agent is
    /// granted the path.
    pub fn of_shell(agent: &AgentName, path: Pattern, by: &Hold, at: Timestamp) -> Note {
        let fence = by.fence.saturating_sub(1);
        let hold = Some(by.id.clone());
        Note { hold, fence, by_shell: true, ..Note::of_edit(agent, path, at) }
    }

    /// Tells whether a shell command wrote the file after a shell command of the holder, for which
    /// the holder has the hold.
    pub fn is_written_over(&self, hold: &Hold) -> bool {
        self.via == Via::Shell && !self.by_shell && self.hold.as_ref() == Some(&hold.id)
    }
}

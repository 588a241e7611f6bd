//! The tool calls of agents, by which others see that they are at work.

/// The kind of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Something that runs no commands, such as an edit.
    Other,
    /// A shell command.
    Shell,
    /// A shell command that runs git.
    Git,
}

impl CallKind {
    /// Returns the word in a record; none for a call that needs none.
    pub fn word(self) -> Option<&'static str> {
        match self {
            CallKind::Other => None,
            CallKind::Shell => Some("shell"),
            CallKind::Git => Some("git"),
        }
    }

    /// Reads the word of a record. One that is unknown says no more than none.
    pub fn of(word: &str) -> CallKind {
        let all = [CallKind::Shell, CallKind::Git];
        all.into_iter().find(|kind| kind.word() == Some(word)).unwrap_or(CallKind::Other)
    }
}

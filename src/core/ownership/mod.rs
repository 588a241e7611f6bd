//! Ownership of uncommitted changes: who changed a path, and until when that counts.
//!
//! A reservation ends with the turn of its holder; ownership does not. A [`Note`] says how an agent
//! left a path, and it is unsettled until that content is committed, the path is again as the
//! commit has it, or another agent adopts the change.
//!
//! [`Content`] compares what a path holds, [`standing`] says what has become of a note,
//! [`sweep`] which notes a commit would override, and [`turn`] whether the owner is still at work.
//! [`adopt`] puts a takeover on the record, and [`written`] says whose the writes of a shell are.
//! [`lost`] describes a change that is gone.

pub mod adopt;
pub mod content;
pub mod lost;
mod note;
pub mod standing;
pub mod sweep;
pub mod tool_call;
pub mod turn;
pub mod written;

#[cfg(test)]
mod tests;

pub use content::Content;
pub use note::{Left, Note, Via};

//! The only code that knows git. Each folder has one subject:
//!
//! - [`ledger`]: a chain of entries below `refs/coord`, how it is read, written, checked, shortened
//!   and repaired;
//! - [`git`]: the repository: objects, packs, refs and configuration, read and written in process
//!   or by the git program;
//! - [`machine`]: files that processes of one machine share. Nothing in them is state: losing one
//!   costs time or a warning, never a decision;
//! - [`worktree`]: the user's files: changes, tracked sources, and the paths that lead to them;
//! - [`os`]: files, processes and signals, without any knowledge of git.
//!
//! [`layout`] spells the names of refs and helper files, [`error`] says what can go wrong.

pub mod error;
pub mod git;
pub mod layout;
pub mod ledger;
pub mod machine;
pub mod os;
#[cfg(test)]
mod testing;
pub mod worktree;

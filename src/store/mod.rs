//! The only code that knows git. Each directory has one subject:
//!
//! - [`ledger`]: a chain of entries below `refs/coord`, and how it is read, written, verified,
//!   compacted and repaired;
//! - [`git`]: the repository: objects, packs, refs and configuration, accessed in process or
//!   through the git program;
//! - [`machine`]: files that processes of one machine share. They are not state: losing one costs
//!   time or a warning, never a decision;
//! - [`rescue`]: snapshots of uncommitted content;
//! - [`worktree`]: the user's files: changes, tracked sources, and the resolution of paths;
//! - [`os`]: files, processes and signals, without any knowledge of git.
//!
//! [`layout`] contains the names of refs and helper files, and [`error`] the errors.

pub mod error;
pub mod git;
pub mod layout;
pub mod ledger;
pub mod machine;
pub mod os;
pub mod rescue;
#[cfg(test)]
mod testing;
pub mod worktree;

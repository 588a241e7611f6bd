//! Snapshots of uncommitted content: what is saved, what is pruned, and what may be brought back.
//!
//! A snapshot is a commit that no branch leads to. Its tree is that of the newest commit with the
//! changed files in it, so git can show it without this program. [`Record`] is its message,
//! [`bounds`] says which files fit into one, [`prune`] which snapshots go, and [`restore`] whether
//! a file may be brought back.

pub mod bounds;
pub mod prune;
mod record;
pub mod restore;
#[cfg(test)]
mod tests;

pub use record::{Dropped, DroppedFrom, LeftOut, Owner, Record, Why};

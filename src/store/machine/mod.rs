//! Files that the processes of one machine share, below `coord` in the git directory.
//!
//! None of them is state: the ledger alone decides, and losing one of these files costs time or a
//! warning.
//!
//! - [`queue`] lets one writer after the other write, and [`group_commit`] lets the first of them
//!   write for the others too;
//! - [`waiters`] tells which waiting processes are alive and wakes them;
//! - [`presence`] records when an agent was last seen, [`open_tool_calls`] which calls it is busy
//!   with;
//! - [`commands`] records the commands that run under `with`;
//! - [`losses`] records changes that are gone until their agents are told;
//! - [`notes`] records edits that no commit contains yet, [`commit_authors`] the agents that made
//!   commits;
//! - [`cursors`] records how far each consumer has read the events;
//! - [`session_places`] records the further work trees of each session;
//! - [`place`] is the id of this clone;
//! - [`record`] names, replaces and takes the files of all these.

pub mod commands;
pub mod commit_authors;
pub mod cursors;
pub mod group_commit;
pub mod losses;
pub mod notes;
pub mod open_tool_calls;
pub mod place;
pub mod presence;
pub mod queue;
pub mod record;
pub mod session_places;
pub mod waiters;

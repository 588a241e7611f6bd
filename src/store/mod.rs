//! The only code that knows git.
//!
//! - [`ledger`] is a ledger and its states, [`proposal`] what a command comes to on one of them,
//!   [`transact`] the way to write it, alone or with the [`errands`] of others, [`snapshot`] the
//!   state at one entry, [`history`] the entries, [`verify`] whether they are right, [`compact`]
//!   makes their chain shorter, [`repair`] takes a damaged one on;
//! - [`entry`], [`tree`] and [`object`] are the bytes;
//! - [`backend`] is what is needed of a repository, [`git`] gives it, with [`libgit2`] where that
//!   knows the repository and with the git [`program`] where it does not; [`found`] tells how one
//!   was found and which count, [`unopened`] is one that neither opens;
//! - [`process`] is who runs, [`processes`] who else does, [`child`] what is run for the user,
//!   [`commands`] what others see of that, [`stand_in`] who goes on with it, [`waiters`] who of
//!   this machine waits, [`alarm`] how to sleep until a signal, [`trial`] a program that is tried
//!   once, [`executable`] where programs are found;
//! - [`changes`] is what commits of the user's change, [`notes`] what was edited before them,
//!   [`sources`] the trees that are asked what kind of project they are, [`places`] where a path of
//!   the work tree leads;
//! - [`pack`], [`packs`], [`refs`], [`queue`] and [`files`] are the files underneath.

pub mod alarm;
pub mod backend;
mod batch;
pub mod calls;
pub mod changes;
pub mod child;
pub mod commands;
pub mod compact;
pub mod config;
pub mod config_entries;
pub mod config_env;
pub mod cursors;
pub mod diff;
pub mod entry;
pub mod errands;
pub mod error;
pub mod executable;
pub mod files;
pub mod found;
pub mod git;
pub mod history;
pub mod layout;
pub mod ledger;
pub mod libgit2;
pub mod makers;
pub mod notes;
pub mod object;
pub mod pack;
pub mod packs;
pub mod places;
pub mod presence;
pub mod process;
pub mod processes;
pub mod program;
pub mod proof;
pub mod proposal;
pub mod published;
pub mod queue;
pub mod refs;
pub mod repair;
pub mod repository;
mod shallow;
pub mod shared_mode;
pub mod signature;
pub mod snapshot;
pub mod sources;
pub mod stand_in;
mod stillness;
#[cfg(test)]
mod testing;
pub mod transact;
pub mod tree;
pub mod trial;
pub mod unopened;
pub mod verify;
pub mod waiters;
pub mod work_files;
mod work_tree;
mod writer;

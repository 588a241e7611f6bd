//! Files, processes and signals of the operating system. Nothing here knows git or a ledger.
//!
//! - [`files`] is the only code that changes files, with the permissions of [`shared_mode`];
//! - [`process`] identifies a process, [`processes`] lists those of this host;
//! - [`child`] runs a command for the user, [`stand_in`] continues it after a kill;
//! - [`probe`] runs a program once with a time limit, [`executable`] finds programs;
//! - [`alarm`] sleeps until a signal or a message.

pub mod alarm;
pub mod child;
pub mod executable;
pub mod files;
pub(super) mod idle_timer;
pub mod probe;
pub mod process;
pub mod processes;
pub mod shared_mode;
pub mod stand_in;

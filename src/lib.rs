//! Coordination of many agents and people on one git repository, kept in git itself.
//!
//! The layers, from the inside out:
//!
//! - [`core`]: documents, commands and decisions; pure data and pure functions;
//! - [`store`]: ledgers as commits under `refs/coord/*`; the only code that knows git;
//! - [`app`]: what can be asked for, whoever asks;
//! - [`cli`]: the command line; [`hook`]: what git and agents' programs call.
//!
//! `docs/architecture.md` tells how a command becomes a commit.

pub mod app;
pub mod cli;
pub mod core;
pub mod hook;
pub mod store;

//! The door that hooks come through: a program calls us at a moment of its own, with a payload on
//! stdin, and goes by what we print and how we exit.
//!
//! - [`agent`]: the hooks of coding agents, before an edit, after a shell command, at the ends of
//!   turns and sessions.
//!
//! A hook never stands in the way of work because of a fault of its own, unless it is told to.

pub mod agent;

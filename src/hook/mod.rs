//! The door that hooks come through: a program calls us at a moment of its own, and goes by what we
//! print and how we exit.
//!
//! - [`agent`]: the hooks of coding agents, before an edit, after a shell command, at the ends of
//!   turns and sessions; a payload on stdin, an answer in the agent's own form;
//! - [`git`]: the hooks of git, before and after a commit and before a push; arguments, variables
//!   and stdin in, a verdict out.
//!
//! Hooks are guests in somebody else's command. Both kinds have the same little time ([`deadline`])
//! and the same [`policy`]: they are silent where nobody asked for them, and what fails in them
//! stops nobody unless the user wants it to.

pub mod agent;
pub mod deadline;
pub mod git;
pub mod policy;

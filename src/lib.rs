//! Coordination of many agents and people on one git repository, kept in git itself.

pub mod core;
pub mod store;

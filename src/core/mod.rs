//! Documents, commands and decisions: everything that `git coord` knows, and nothing that it does.

pub mod pattern;

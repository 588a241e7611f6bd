//! The events of an agent's session: before and after an edit or a shell command, at the beginnings
//! and ends of turns and sessions. The answers are values; a door puts them into words that its
//! agent understands.

pub mod edit;
pub mod end;
pub mod news;
pub mod shell;
pub mod welcome;

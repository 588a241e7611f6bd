//! What kind of project this is.

pub mod index;

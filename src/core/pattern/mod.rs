//! Patterns: the set of paths that somebody means, and the comparison of two such sets.
//!
//! One matcher serves reservations, checks, hooks, overrides and CI. It works on bytes and does no
//! I/O. A text becomes [`Pattern`]s in [`parse`]; a [`Pattern`] becomes a [`Matcher`], which tells
//! whether it matches a path, overlaps another pattern or covers it.
//!
//! The meaning of a pattern:
//!
//! - `/` separates segments. `*`, `?`, `[a-z]`, `[^a-z]` and `[!a-z]` stay inside one, and `\`
//!   takes the next byte as it is. A segment that is exactly `**` stands for any number of names,
//!   none included; elsewhere `**` is `*`. Wildcards match a leading dot.
//! - `{a,b}` stands for several patterns. A trailing `/` means everything below.
//! - A pattern without wildcards covers its path and everything below it.
//! - A segment with wildcards also stands for the name spelled like it, without escapes. If classes
//!   are the only wildcards, the pattern also covers everything below the path spelled like it. So
//!   both `app/[id]/*.tsx` and `app/[id]` hold what they say in a project with such a directory.
//!   This ends at `*` and `?`: nobody has a directory `*`, and if `src/*` covered everything below
//!   it, then `src/*` and `src/*/*` would exclude each other.
//!
//! From text to answer: `spec` (prefixes, the directory of the writer), `braces`, `segment`,
//! `canonical`, then `matcher` (paths, segment by segment), `name` and `automaton` (names, byte by
//! byte) and `cover`. Every size is limited in [`bounds`].

mod automaton;
pub mod bounds;
mod braces;
mod byte_set;
mod canonical;
mod case;
mod cover;
mod error;
mod matcher;
mod name;
mod node;
mod quote;
mod segment;
mod sequence;
mod serial;
mod spec;
#[cfg(test)]
mod tests;

pub use canonical::Pattern;
pub use case::Case;
pub use error::{Fault, PatternError};
pub use matcher::Matcher;
pub use node::{node_name, node_segment};
pub use quote::quoted as quoted_path;
pub use spec::{Reading, for_path, parse};

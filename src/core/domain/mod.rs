//! Domains: what kind of project this is, whether that answer still holds, and the agents that are
//! made for it.
//!
//! Detection is a function of a tree. [`survey`] looks at one through the [`SourceTree`] it is
//! given and finds the projects in it; [`manifest`] reads what they depend on; [`score`] holds
//! them against the [`catalogue`] of domains; [`detection`] puts the answer together. What the
//! answer rests on is its [`structure`], and [`freshness`] compares that with the structure of
//! now, so that no date decides anything. [`change`] says which changes of files count for that.
//!
//! [`cache`] holds the documents, [`record`] and [`classify`] are the commands that change them,
//! [`laws`] what must be true of them. [`profile`] is what a domain asks of its agents, [`agent`]
//! renders one of them, [`generation`] says what is done about each file, and [`made`] remembers
//! those that were made.
//!
//! [`SourceTree`]: source_tree::SourceTree

pub mod agent;
pub mod cache;
pub mod catalogue;
pub mod change;
pub mod classify;
pub mod confidence;
pub mod detection;
pub mod freshness;
pub mod generation;
pub mod laws;
pub mod made;
pub mod manifest;
pub mod name;
pub mod name_pattern;
pub mod profile;
pub mod record;
pub mod refusal;
pub mod score;
pub mod source_tree;
pub mod structure;
pub mod survey;
#[cfg(test)]
mod testing;
pub mod tree_path;

/// The directory of the ledger that says which agents were made.
pub const AGENTS: &str = "agents";

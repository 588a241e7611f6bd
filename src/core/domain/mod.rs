//! Domains: the kind of project that a repository is, the freshness of that answer, and the agents
//! that are generated for it.
//!
//! Detection is a function of a tree. [`survey`] reads the tree through a [`SourceTree`] and finds
//! the projects in it; [`manifest`] reads their dependencies; [`score`] compares them with the
//! [`catalogue`] of domains; [`detection`] merges the answer. The answer rests on a [`structure`],
//! and [`freshness`] compares that with the present structure, so that no date decides anything.
//! [`change`] tells which changes of files count for that.
//!
//! [`cache`] holds the documents, [`record`] and [`classify`] are the commands that change them,
//! and [`laws`] hold in every state of them. A [`profile`] lists the agents of a domain, [`agent`]
//! renders one of them, [`generation`] decides the treatment of each file, and [`agent_record`]
//! records the files that were generated.
//!
//! [`SourceTree`]: source_tree::SourceTree

pub mod agent;
pub mod agent_record;
pub mod cache;
pub mod catalogue;
pub mod change;
pub mod classify;
mod code_fence;
pub mod confidence;
pub mod detection;
pub mod freshness;
pub mod generation;
mod go_package;
pub mod laws;
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

/// The directory of the ledger with the records of generated agents.
pub const AGENTS: &str = "agents";

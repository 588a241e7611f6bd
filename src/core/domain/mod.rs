//! Domains: what kind of project this is.
//!
//! Detection is a function of a tree. [`survey`] looks at one through the [`SourceTree`] it is
//! given and finds the projects in it; [`manifest`] reads what they depend on; [`score`] holds
//! them against the [`index`] of domains; [`detection`] puts the answer together. What the answer
//! rests on is its [`structure`], so that no date decides whether it still holds.
//!
//! [`SourceTree`]: survey::SourceTree

pub mod confidence;
pub mod detection;
pub mod index;
pub mod manifest;
pub mod name;
pub mod name_pattern;
pub mod score;
pub mod structure;
pub mod survey;
#[cfg(test)]
mod testing;
pub mod tree_path;

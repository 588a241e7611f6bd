//! Reads a shell command without running it: the simple commands in it, in order, with the words
//! and the directory that each one gets.
//!
//! - `walk` follows the syntax tree: lists, pipes, groups, branches, loops, functions;
//! - `expand` turns a node into words: quotes, variables, braces, wildcards;
//! - `state` is the shell's memory on the way: directory, variables, functions;
//! - `run` does what a simple command does to that memory, and looks behind `env`, `bash -c`,
//!   `eval`, `xargs` and `find`; `wrapper` takes off what stands before a command;
//! - [`git`] reads the words of a git command, and [`verbs`] and `writers` say what a command does
//!   to uncommitted work: an [`effect`] on the paths of a [`pathspec`]. `harmless` knows the
//!   programs that do nothing to files. [`act`] does all of it;
//! - [`verdict`] holds an effect against the work of others;
//! - [`running`] looks at a command that runs already.
//!
//! Words that the text does not tell are marked as unknown. A branch counts as taken and a body of
//! a loop as run, because the caller asks what a command could do.

pub mod act;
mod arguments;
mod commits;
pub mod effect;
mod expand;
pub mod git;
mod harmless;
mod options;
pub mod pathspec;
mod run;
pub mod running;
mod state;
pub mod verbs;
pub mod verdict;
mod walk;
mod word;
mod wrapper;
mod writers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use self::word::{Glob, Word};

/// A longer command is not read.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;
/// The largest number of simple commands that are read.
pub const COMMANDS_MAX: usize = 500;
/// The largest number of texts inside of texts: `bash -c`, `eval`, functions.
pub const DEPTH_MAX: usize = 5;
/// The largest number of groups inside of groups.
const NESTING_MAX: usize = 200;

/// The situation that a command begins in.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The current directory.
    pub directory: PathBuf,
    /// Variables of the environment that are known. A variable that is not here may have any value.
    pub variables: BTreeMap<String, Known>,
}

/// A known fact about a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    Unset,
    Is(String),
}

/// The content of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The simple commands in the order in which they run.
    pub commands: Vec<Simple>,
    /// Unset if a part of the text was not understood, or left out because of its size.
    pub is_whole: bool,
}

/// A simple command: a program with its arguments, or the files that a redirection writes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simple {
    /// The words, without the wrappers before the program. Empty for a redirection.
    pub words: Vec<Word>,
    /// The directory; none if it is not known.
    pub directory: Option<PathBuf>,
    /// The exported variables that git reads.
    pub variables: GitVariables,
    /// The files that a redirection writes to.
    pub writes: Vec<Word>,
}

/// The variables that tell git which repository is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitVariables {
    pub git_dir: Setting,
    pub work_tree: Setting,
    pub index_file: Setting,
}

/// The value of a variable, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    Unset,
    Is(String),
    Unknown,
}

impl Simple {
    /// Returns the name of the program, without its directory.
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::literal).map(base_name)
    }
}

/// Reads a command.
pub fn read(text: &str, start: &Start) -> Reading {
    let mut reader = walk::Reader::default();
    let mut state = state::State::new(start);
    reader.text(text, &mut state, 0);
    reader.finish()
}

/// Returns the last name of a path.
fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Goes from a directory to a path as `cd` does: `..` takes the last name away, whatever the links.
pub fn joined(directory: &Path, path: &str) -> PathBuf {
    let mut result = directory.to_owned();
    if path.starts_with('/') {
        result = PathBuf::from("/");
    }
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(result.pop()),
            name => result.push(name),
        }
    }
    result
}

#[cfg(test)]
mod tests;

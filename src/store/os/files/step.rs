//! The single point that every file operation passes. It knows the operation and the path, names
//! both in errors, and lets tests make the operation fail.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(debug_assertions)]
use super::faults;

/// A file operation that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} '{}': {}", path.display(), reason(cause))]
pub struct FileError {
    /// The failed operation, as a verb.
    pub operation: &'static str,
    pub path: PathBuf,
    /// The cause. It is part of the message above, and therefore not a further source in the chain
    /// of errors.
    pub cause: io::Error,
}

impl FileError {
    /// Returns the kind of the cause, for callers that expect some of them.
    pub fn kind(&self) -> io::ErrorKind {
        self.cause.kind()
    }
}

/// Returns the system's message without the number that Rust appends.
fn reason(cause: &io::Error) -> String {
    let text = cause.to_string();
    let number = cause.raw_os_error().map(|number| format!(" (os error {number})"));
    number.and_then(|number| text.strip_suffix(&number).map(str::to_owned)).unwrap_or(text)
}

/// The operation of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Create,
    Share,
    Write,
    Sync,
    Open,
    Append,
    Lock,
    Rename,
    Link,
    Remove,
    RemoveDirectory,
    MakeDirectory,
    SyncDirectory,
    Touch,
    Read,
    List,
    Examine,
}

impl Operation {
    /// Returns the verb for an error message, which precedes the path.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Share => "set the permissions of",
            Operation::Write => "write",
            Operation::Sync => "sync",
            Operation::Open => "open",
            Operation::Append => "append to",
            Operation::Lock => "lock",
            Operation::Rename => "move a file to",
            Operation::Link => "link a file to",
            Operation::Remove => "remove",
            Operation::RemoveDirectory => "remove the directory",
            Operation::MakeDirectory => "create the directory",
            Operation::SyncDirectory => "sync the directory",
            Operation::Touch => "touch",
            Operation::Read => "read",
            Operation::List => "list",
            Operation::Examine => "examine",
        }
    }
}

/// One operation on a file or directory.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(debug_assertions), expect(dead_code, reason = "some of it only tests want to know"))]
pub(super) struct Step<'a> {
    pub(super) operation: Operation,
    pub(super) path: &'a Path,
    /// The other path of a rename or a link.
    pub(super) from: Option<&'a Path>,
    /// The content that is written, and the handle.
    pub(super) writes: Option<(&'a File, &'a [u8])>,
}

impl<'a> Step<'a> {
    pub(super) fn new(operation: Operation, path: &'a Path) -> Step<'a> {
        Step { operation, path, from: None, writes: None }
    }

    pub(super) fn from(self, from: &'a Path) -> Step<'a> {
        Step { from: Some(from), ..self }
    }

    pub(super) fn writing(self, file: &'a File, content: &'a [u8]) -> Step<'a> {
        Step { writes: Some((file, content)), ..self }
    }

    /// Runs the operation.
    pub(super) fn run<T>(self, call: impl FnOnce() -> io::Result<T>) -> Result<T, FileError> {
        #[cfg(debug_assertions)]
        let outcome = faults::pass(&self, call);
        #[cfg(not(debug_assertions))]
        let outcome = call();
        let Step { operation, path, .. } = self;
        outcome.map_err(|cause| FileError {
            operation: operation.verb(),
            path: path.to_owned(),
            cause,
        })
    }
}

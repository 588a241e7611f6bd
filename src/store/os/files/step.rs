//! The gate that every file operation passes: it knows what is done and to what, names both when
//! it fails, and is where a test makes it fail.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(debug_assertions)]
use super::faults;

/// A file operation that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {operation} '{}': {}", path.display(), reason(cause))]
pub struct FileError {
    /// What was tried, as a verb.
    pub operation: &'static str,
    /// On which file or directory.
    pub path: PathBuf,
    /// Why not. Part of the text above, and so no further link of the chain of causes.
    pub cause: io::Error,
}

impl FileError {
    /// The cause, for callers that expect some causes.
    pub fn kind(&self) -> io::ErrorKind {
        self.cause.kind()
    }
}

/// The system's words without the number that Rust adds to them.
fn reason(cause: &io::Error) -> String {
    let text = cause.to_string();
    let number = cause.raw_os_error().map(|number| format!(" (os error {number})"));
    number.and_then(|number| text.strip_suffix(&number).map(str::to_owned)).unwrap_or(text)
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
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

impl Act {
    /// As it stands in an error, before the path.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Act::Create => "create",
            Act::Share => "set the permissions of",
            Act::Write => "write",
            Act::Sync => "sync",
            Act::Open => "open",
            Act::Append => "append to",
            Act::Lock => "lock",
            Act::Rename => "move a file to",
            Act::Link => "link a file to",
            Act::Remove => "remove",
            Act::RemoveDirectory => "remove the directory",
            Act::MakeDirectory => "create the directory",
            Act::SyncDirectory => "sync the directory",
            Act::Touch => "touch",
            Act::Read => "read",
            Act::List => "list",
            Act::Examine => "examine",
        }
    }
}

/// One operation on a file or directory.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(debug_assertions), expect(dead_code, reason = "some of it only tests want to know"))]
pub(super) struct Step<'a> {
    pub(super) act: Act,
    pub(super) path: &'a Path,
    /// The other name, where the operation gives a file a new one.
    pub(super) from: Option<&'a Path>,
    /// What is written, and through which handle.
    pub(super) writes: Option<(&'a File, &'a [u8])>,
}

impl<'a> Step<'a> {
    pub(super) fn new(act: Act, path: &'a Path) -> Step<'a> {
        Step { act, path, from: None, writes: None }
    }

    pub(super) fn from(self, from: &'a Path) -> Step<'a> {
        Step { from: Some(from), ..self }
    }

    /// A step that writes.
    pub(super) fn writing(self, file: &'a File, content: &'a [u8]) -> Step<'a> {
        Step { writes: Some((file, content)), ..self }
    }

    /// Does it.
    pub(super) fn run<T>(self, call: impl FnOnce() -> io::Result<T>) -> Result<T, FileError> {
        #[cfg(debug_assertions)]
        let outcome = faults::pass(&self, call);
        #[cfg(not(debug_assertions))]
        let outcome = call();
        let Step { act, path, .. } = self;
        outcome.map_err(|cause| FileError { operation: act.verb(), path: path.to_owned(), cause })
    }
}

//! Opens regular files only. A pipe or a device in the place of a file does not block the caller.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a path without blocking.
pub(super) fn opened_without_waiting(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).expect("a flag of open(2)");
    options.custom_flags(flags).open(path)
}

/// Opens a regular file or a directory. Reading a directory fails later, with the system's own
/// error.
pub(super) fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = opened_without_waiting(options, path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() || kind.is_dir() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

/// Opens a file for reading.
pub(super) fn opened_to_read(path: &Path) -> io::Result<File> {
    opened(OpenOptions::new().read(true), path)
}

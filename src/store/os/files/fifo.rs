//! Named pipes that one process waits on and others write to.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::regular::opened_without_waiting;
use super::step::{Operation, Step};
use super::{Files, Result, SharedMode};

impl Files {
    /// Creates a pipe, which must not exist, and opens it for its reader. Reading never blocks.
    pub fn create_fifo(&self, path: &Path) -> Result<File> {
        Step::new(Operation::Create, path).run(|| make_fifo(path))?;
        // Opened for reading and writing, it never reaches its end when other processes close it.
        let open = || opened_without_waiting(OpenOptions::new().read(true).write(true), path);
        let bell = Step::new(Operation::Open, path).run(open)?;
        self.share(&bell, path, SharedMode::for_file)?;
        Ok(bell)
    }

    /// Writes to a pipe. Fails if it has no reader or is full.
    pub fn write_to_fifo(&self, path: &Path) -> Result<()> {
        Step::new(Operation::Open, path).run(|| {
            let mut bell = opened_without_waiting(OpenOptions::new().write(true), path)?;
            bell.write_all(b"!")
        })
    }
}

#[cfg(target_os = "linux")]
fn make_fifo(path: &Path) -> std::io::Result<()> {
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    Ok(rustix::fs::mkfifoat(rustix::fs::CWD, path, mode)?)
}

/// Creates a pipe on systems where only the C library can.
#[cfg(not(target_os = "linux"))]
fn make_fifo(path: &Path) -> std::io::Result<()> {
    let made = crate::store::os::executable::command("mkfifo").arg(path).status()?;
    if made.success() { Ok(()) } else { Err(std::io::Error::other("mkfifo failed")) }
}

//! Named pipes that one process sleeps at and others ring.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::regular::opened_without_waiting;
use super::step::{Act, Step};
use super::{Files, Result, SharedMode};

impl Files {
    /// Makes a bell, which must not be there, and opens it for the one who listens. Reading it
    /// never blocks.
    pub fn hang_bell(&self, path: &Path) -> Result<File> {
        Step::new(Act::Create, path).run(|| make_fifo(path))?;
        // Opened for both, it never comes to an end, whoever opens and closes the other side.
        let open = || opened_without_waiting(OpenOptions::new().read(true).write(true), path);
        let bell = Step::new(Act::Open, path).run(open)?;
        self.share(&bell, path, SharedMode::for_file)?;
        Ok(bell)
    }

    /// Rings a bell. One that nobody listens at is an error, as is one that cannot be heard for all
    /// the ringing.
    pub fn ring_bell(&self, path: &Path) -> Result<()> {
        Step::new(Act::Open, path).run(|| {
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

/// Systems on which only the C library knows how.
#[cfg(not(target_os = "linux"))]
fn make_fifo(path: &Path) -> std::io::Result<()> {
    let made = crate::store::os::executable::command("mkfifo").arg(path).status()?;
    if made.success() { Ok(()) } else { Err(std::io::Error::other("mkfifo failed")) }
}

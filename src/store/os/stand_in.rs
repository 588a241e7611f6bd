//! A second process of this program that waits beside the first, and takes over if the first is
//! killed, or for as long as it is stopped.
//!
//! The first process holds the writing end of a pipe, and the second reads: a message means that
//! all is done, an end of file without a message that the first is gone. The second has a process
//! group of its own, so that signals to the group of the first do not reach it.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The message of the first process when it is done.
const DONE: &[u8] = b"done\n";

/// A process that takes over if this one is killed.
pub struct StandIn {
    child: Child,
}

impl StandIn {
    /// Starts this program with these words in a directory.
    pub fn start(words: &[OsString], directory: &Path) -> io::Result<StandIn> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).current_dir(directory).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(StandIn { child: command.spawn()? })
    }

    /// Ends the stand-in: everything is done.
    pub fn dismiss(mut self) {
        // After the message it does nothing, so it can be killed before it has read it.
        let told = self.child.stdin.as_mut().map(|stdin| stdin.write_all(DONE));
        if matches!(told, Some(Ok(()))) {
            self.child.kill().ok();
        }
        self.child.wait().ok();
    }
}

/// Waits until the parent of this process has ended, and no longer than this. Returns true if it
/// ended without a message, and `None` if it has not ended.
pub fn is_orphaned(at_most: Duration) -> io::Result<Option<bool>> {
    let stdin = io::stdin();
    // A time that is too long for the system means no limit.
    let limit = Timespec::try_from(at_most).ok();
    match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], limit.as_ref()) {
        Ok(0) | Err(Errno::INTR) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let mut word = Vec::new();
    stdin.lock().read_to_end(&mut word)?;
    Ok(Some(word.is_empty()))
}

//! A second process of this program that waits beside the first, and goes on where that is killed.
//!
//! The first one holds the writing end of a pipe, and the second reads: a word means that all is
//! done, an end without a word that the first is gone. The second has a process group of its own,
//! so that what is done to the group of the first does not reach it.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Said by the first one when it needs nobody any more.
const DONE: &[u8] = b"done\n";

/// One who stands in if this process is killed.
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

    /// Sends it away: everything is done.
    pub fn dismiss(mut self) {
        // Once it has the word it does nothing, so it need not be waited for until it has read it.
        let told = self.child.stdin.as_mut().map(|stdin| stdin.write_all(DONE));
        if matches!(told, Some(Ok(()))) {
            self.child.kill().ok();
        }
        self.child.wait().ok();
    }
}

/// Waits until the one who started this process has gone; whether that was without a word.
pub fn is_left_alone() -> io::Result<bool> {
    let mut word = Vec::new();
    io::stdin().lock().read_to_end(&mut word)?;
    Ok(word.is_empty())
}

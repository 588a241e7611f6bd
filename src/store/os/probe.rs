//! Runs a program once on an input and reads its output, with a time limit.
//!
//! Input and output are files, so that neither a program that does not read nor a child that it
//! leaves behind can block us.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::store::os::executable;

/// The interval for polling the program.
const PAUSE: Duration = Duration::from_millis(5);
/// The maximum number of bytes that are read of each output.
const SAID_BYTES_MAX: u64 = 1 << 20;

/// A program to be run once.
pub struct Probe<'a> {
    /// The program and its arguments. There must be at least the program.
    pub words: &'a [OsString],
    /// The directory that the program runs in.
    pub directory: &'a Path,
    /// Environment variables to set.
    pub set: &'a [(&'a str, &'a OsStr)],
    /// Environment variables to remove.
    pub unset: &'a [&'a str],
    /// The content of the standard input.
    pub input: &'a [u8],
    pub limit: Duration,
}

/// The outcome of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The exit code; `None` if a signal ended the program.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The reason that there is no outcome.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The program could not be started.
    #[error("it cannot be run: {0}")]
    NotStarted(#[source] io::Error),
    /// The program did not end within the limit.
    #[error("it did not answer within {}s", .0.as_secs())]
    TooLong(Duration),
    /// Its input or output failed.
    #[error("cannot listen to it: {0}")]
    Unheard(#[from] io::Error),
}

impl Probe<'_> {
    /// Runs the program. When the time is over, kills it together with its children.
    pub fn run(&self) -> Result<Probed, ProbeError> {
        let (program, arguments) = self.words.split_first().ok_or_else(no_program)?;
        let mut input = tempfile::tempfile()?;
        input.write_all(self.input)?;
        input.rewind()?;
        let (stdout, stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = Command::new(executable::resolve(program));
        command.args(arguments).current_dir(self.directory).process_group(0);
        command.env("PATH", executable::search_path());
        for name in self.unset {
            command.env_remove(name);
        }
        command.envs(self.set.iter().copied());
        command.stdin(Stdio::from(input));
        command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        let mut child = command.spawn().map_err(ProbeError::NotStarted)?;
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if begun.elapsed() >= self.limit {
                break None;
            }
            std::thread::sleep(PAUSE);
        };
        let Some(status) = status else {
            // The program may have ended meanwhile.
            kill_process_group(Pid::from_child(&child), Signal::KILL).ok();
            child.wait()?;
            return Err(ProbeError::TooLong(self.limit));
        };
        Ok(Probed { code: status.code(), stdout: said(stdout)?, stderr: said(stderr)? })
    }
}

fn no_program() -> ProbeError {
    ProbeError::NotStarted(io::ErrorKind::InvalidInput.into())
}

fn said(mut file: std::fs::File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(SAID_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(script: &str, limit: Duration) -> Result<Probed, ProbeError> {
        let words = ["sh", "-c", script].map(OsString::from);
        let set = [("GIVEN", OsStr::new("yes"))];
        let (unset, directory) = (&["HOME"][..], Path::new("/"));
        Probe { words: &words, directory, set: &set, unset, input: b"in", limit }.run()
    }

    #[test]
    fn what_a_program_says_is_heard() {
        let long = Duration::from_secs(600);
        let told = tried("cat; echo \"-$GIVEN-$HOME\" >&2; exit 3", long).unwrap();
        let expected = ("in".to_owned(), "-yes-\n".to_owned());
        assert_eq!((told.code, (told.stdout, told.stderr)), (Some(3), expected));
    }

    #[test]
    fn nobody_waits_for_what_does_not_end() {
        let late = tried("sleep 600 & sleep 600", Duration::from_millis(20));
        assert!(matches!(late, Err(ProbeError::TooLong(_))));
        // A child that stays behind keeps the output open, and nobody waits for that either.
        let behind = tried("sleep 600 & echo here; kill $!", Duration::from_secs(600)).unwrap();
        assert_eq!(behind.stdout, "here\n");
        let directory = Path::new("/");
        let words = [OsString::from("/no/such/program")];
        let probe =
            Probe { words: &words, directory, set: &[], unset: &[], input: b"", limit: PAUSE };
        assert!(matches!(probe.run(), Err(ProbeError::NotStarted(_))));
    }
}

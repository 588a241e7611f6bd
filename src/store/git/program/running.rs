//! The gits that run for this process, so that none is left behind by one who has no more time:
//! what keeps it waiting would keep it for ever.

use std::io;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process};

use super::ProgramError;

/// Those that run; none once they were ended, and no other is started then.
static RUNNING: Mutex<Option<Vec<Pid>>> = Mutex::new(Some(Vec::new()));

/// One that runs, for as long as it may have to be ended.
pub struct Noted(Pid);

/// Starts a git.
pub fn start(command: &mut Command) -> Result<(Child, Noted), ProgramError> {
    let mut running = lock();
    let Some(running) = running.as_mut() else {
        return Err(ProgramError::NotStarted(io::ErrorKind::TimedOut.into()));
    };
    let child = command.spawn().map_err(ProgramError::NotStarted)?;
    let pid = Pid::from_child(&child);
    running.push(pid);
    Ok((child, Noted(pid)))
}

/// Runs a git to its end.
pub fn output(command: &mut Command) -> Result<Output, ProgramError> {
    let (child, _noted) = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    child.wait_with_output().map_err(ProgramError::NotStarted)
}

/// Ends all that run, for one who ends as well and does not wait for them. They put away what they
/// have begun.
pub fn end_all() {
    for pid in lock().take().into_iter().flatten() {
        kill_process(pid, Signal::TERM).ok();
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if let Some(running) = lock().as_mut() {
            running.retain(|pid| *pid != self.0);
        }
    }
}

fn lock() -> MutexGuard<'static, Option<Vec<Pid>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

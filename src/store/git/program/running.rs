//! The git processes that run for this process. A process whose time is up ends them, because the
//! obstacle that blocks it could block them for ever.

use std::io;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process};

use super::ProgramError;

/// The running processes; `None` after they were ended, when no other may be started.
static RUNNING: Mutex<Option<Vec<Pid>>> = Mutex::new(Some(Vec::new()));

/// Removes a process from the list when it is dropped.
pub struct RunningGuard(Pid);

/// Starts a git and adds it to the list.
pub fn start(command: &mut Command) -> Result<(Child, RunningGuard), ProgramError> {
    let mut running = lock();
    let Some(running) = running.as_mut() else {
        return Err(ProgramError::NotStarted(io::ErrorKind::TimedOut.into()));
    };
    let child = command.spawn().map_err(ProgramError::NotStarted)?;
    let pid = Pid::from_child(&child);
    running.push(pid);
    Ok((child, RunningGuard(pid)))
}

/// Runs a git until it ends.
pub fn output(command: &mut Command) -> Result<Output, ProgramError> {
    let (child, _guard) = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    child.wait_with_output().map_err(ProgramError::NotStarted)
}

/// Terminates all running gits without waiting for them. They clean up their own temporary files.
pub fn end_all() {
    for pid in lock().take().into_iter().flatten() {
        kill_process(pid, Signal::TERM).ok();
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        if let Some(running) = lock().as_mut() {
            running.retain(|pid| *pid != self.0);
        }
    }
}

fn lock() -> MutexGuard<'static, Option<Vec<Pid>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

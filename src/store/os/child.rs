//! A command that runs for a user: in a process group of its own, so that all of it can be
//! signalled, and with the terminal if there is one. If the process that started it is killed, or
//! for as long as it is stopped, another process adopts it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgrp, kill_current_process_group, kill_process_group,
    setpgid, test_kill_process_group, waitid,
};
use rustix::stdio::stdin;
use rustix::termios::{tcgetpgrp, tcsetpgrp};

use crate::store::os::process::{Liveness, ProcessIdentity};
use crate::store::os::processes::is_stopped;

/// The interval for polling a command whose end is not signalled. On systems other than Linux each
/// check starts a process.
const LOOK_PAUSE: Duration =
    if cfg!(target_os = "linux") { Duration::from_millis(250) } else { Duration::from_secs(1) };

/// A command that is watched until it ends.
pub trait Watched {
    /// Checks whether the command has ended.
    fn state(&mut self) -> io::Result<State>;

    /// Sends a signal to the command's process group.
    fn signal(&self, number: i32);

    /// Tells whether any process of the group is left.
    fn has_group(&self) -> bool;

    /// Returns the interval for polling; `None` if a signal announces the command's end.
    fn look_pause(&self) -> Option<Duration>;
}

/// A command that this process has started.
pub struct Running {
    child: Child,
    group: Pid,
    /// Set if the command's group has the terminal, which our group had before.
    has_terminal: bool,
}

/// The state of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Runs,
    /// The exit code, or 128 plus the number of the signal that ended it.
    Ended(u8),
}

impl Running {
    /// Starts a program with its arguments in a directory, with one more variable. There is at
    /// least the program.
    pub fn start(
        words: &[OsString],
        directory: &Path,
        variable: (&str, &str),
    ) -> io::Result<Running> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).env(variable.0, variable.1);
        command.process_group(0);
        let child = command.spawn()?;
        let group = Pid::from_child(&child);
        let mut running = Running { child, group, has_terminal: false };
        running.hand_terminal_over();
        Ok(running)
    }

    pub fn process(&self) -> ProcessIdentity {
        ProcessIdentity::of_child(self.child.id())
    }

    /// Gives the terminal to the command's group, if our group has it.
    fn hand_terminal_over(&mut self) {
        let is_ours = tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp());
        self.has_terminal = is_ours && tcsetpgrp(stdin(), self.group).is_ok();
        if self.has_terminal {
            // The command may have read from the terminal before it had it, and have been stopped.
            self.signal(Signal::CONT.as_raw());
        }
    }

    /// Takes the terminal back. Only a group that has the terminal may give it away, so this
    /// process joins the group for a moment.
    fn take_terminal_back(&mut self) {
        let own = getpgrp();
        if std::mem::take(&mut self.has_terminal) && setpgid(None, Some(self.group)).is_ok() {
            tcsetpgrp(stdin(), own).ok();
            setpgid(None, Some(own)).ok();
        }
    }

    fn stop_too(&mut self) {
        if !self.has_terminal {
            return;
        }
        // Returns once this process is continued, in the foreground or not.
        kill_current_process_group(Signal::TSTP).ok();
        self.hand_terminal_over();
        self.signal(Signal::CONT.as_raw());
    }
}

impl Watched for Running {
    /// Checks the command. If it was stopped at the terminal, this process stops too, until it is
    /// continued.
    fn state(&mut self) -> io::Result<State> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        // With `NOWAIT` the ended process stays a zombie, so that its group still exists and can be
        // joined.
        let news = waitid(WaitId::Pid(self.group), look | WaitIdOptions::NOWAIT)?;
        let Some(news) = news else { return Ok(State::Runs) };
        if news.stopped() {
            waitid(WaitId::Pid(self.group), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG)?;
            self.stop_too();
            return Ok(State::Runs);
        }
        self.take_terminal_back();
        Ok(State::Ended(code(self.child.wait()?)))
    }

    fn signal(&self, number: i32) {
        signal_group(self.group, number);
    }

    fn has_group(&self) -> bool {
        test_kill_process_group(self.group).is_ok()
    }

    fn look_pause(&self) -> Option<Duration> {
        None
    }
}

/// A command whose parent is dead or stopped. Its exit code is not known.
pub struct Adopted {
    process: ProcessIdentity,
    group: Pid,
    /// The parent, if that is stopped.
    stopped_parent: Option<u32>,
}

impl Adopted {
    /// Adopts the command with this process, which leads its group.
    pub fn new(process: ProcessIdentity) -> Option<Adopted> {
        let group = i32::try_from(process.pid()).ok().and_then(Pid::from_raw)?;
        Some(Adopted { process, group, stopped_parent: None })
    }

    /// Adopts the command for as long as its parent is stopped and the command is not. For this
    /// process it ends with that time.
    #[must_use]
    pub fn while_stopped(self, parent: &ProcessIdentity) -> Adopted {
        Adopted { stopped_parent: Some(parent.pid()), ..self }
    }

    fn is_ours(&self) -> bool {
        let is_left = |parent| is_stopped(parent) && !is_stopped(self.process.pid());
        self.stopped_parent.is_none_or(is_left)
    }
}

impl Watched for Adopted {
    fn state(&mut self) -> io::Result<State> {
        let runs = self.process.liveness() == Liveness::Alive && self.is_ours();
        Ok(if runs { State::Runs } else { State::Ended(0) })
    }

    fn signal(&self, number: i32) {
        signal_group(self.group, number);
    }

    fn has_group(&self) -> bool {
        test_kill_process_group(self.group).is_ok()
    }

    fn look_pause(&self) -> Option<Duration> {
        Some(LOOK_PAUSE)
    }
}

/// Sends a signal to a group. Ignores a group that has ended.
fn signal_group(group: Pid, number: i32) {
    if let Some(signal) = Signal::from_named_raw(number) {
        kill_process_group(group, signal).ok();
    }
}

/// Converts an exit status as a shell does.
fn code(status: ExitStatus) -> u8 {
    let by_signal = || status.signal().map_or(255, |signal| 128 + signal);
    u8::try_from(status.code().unwrap_or_else(by_signal)).unwrap_or(u8::MAX)
}

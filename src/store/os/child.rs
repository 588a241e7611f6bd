//! A command that is run for the user: in a process group of its own, so that all of it can be
//! signalled, and with the terminal if there is one. Whoever started it can be killed; then another
//! process takes it over.

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

/// How often a command is looked at whose end no signal tells. Elsewhere a look costs a process.
const LOOK_PAUSE: Duration =
    if cfg!(target_os = "linux") { Duration::from_millis(250) } else { Duration::from_secs(1) };

/// A command that is watched until it ends.
pub trait Watched {
    /// Looks what has become of it.
    fn state(&mut self) -> io::Result<State>;

    /// Sends a signal to all of its group.
    fn signal(&self, number: i32);

    /// Whether anybody of its group is left.
    fn has_group(&self) -> bool;

    /// How often to look, where no signal tells its end.
    fn look_pause(&self) -> Option<Duration>;
}

/// A command that was started.
pub struct Running {
    child: Child,
    group: Pid,
    /// Whether its group has the terminal, which ours had before.
    has_terminal: bool,
}

/// What has become of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It runs.
    Runs,
    /// It has ended: its exit code, or 128 and the number of the signal.
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

    /// Its process, for others.
    pub fn process(&self) -> ProcessIdentity {
        ProcessIdentity::of_child(self.child.id())
    }

    /// Gives the terminal to the group, if it is ours to give.
    fn hand_terminal_over(&mut self) {
        let is_ours = tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp());
        self.has_terminal = is_ours && tcsetpgrp(stdin(), self.group).is_ok();
        if self.has_terminal {
            // It may have asked for the terminal before it was given, and been stopped.
            self.signal(Signal::CONT.as_raw());
        }
    }

    /// Only a group that has the terminal may give it away, so it is joined for a moment.
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
        // Returns once we are continued, in the foreground or not.
        kill_current_process_group(Signal::TSTP).ok();
        self.hand_terminal_over();
        self.signal(Signal::CONT.as_raw());
    }
}

impl Watched for Running {
    /// If it was stopped at the terminal, so are we, until somebody lets us go on.
    fn state(&mut self) -> io::Result<State> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        // Not waited for in earnest: as long as it can be, its group is there to be joined.
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

/// A command that another process has started, which is gone. What it ends with is not known.
pub struct Adopted {
    process: ProcessIdentity,
    group: Pid,
}

impl Adopted {
    /// Takes over the command with that process, which leads its group.
    pub fn new(process: ProcessIdentity) -> Option<Adopted> {
        let group = i32::try_from(process.pid()).ok().and_then(Pid::from_raw)?;
        Some(Adopted { process, group })
    }
}

impl Watched for Adopted {
    fn state(&mut self) -> io::Result<State> {
        let runs = self.process.liveness() == Liveness::Alive;
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

/// Sends a signal to a group. One that is no more needs none.
fn signal_group(group: Pid, number: i32) {
    if let Some(signal) = Signal::from_named_raw(number) {
        kill_process_group(group, signal).ok();
    }
}

/// As a shell says it.
fn code(status: ExitStatus) -> u8 {
    let by_signal = || status.signal().map_or(255, |signal| 128 + signal);
    u8::try_from(status.code().unwrap_or_else(by_signal)).unwrap_or(u8::MAX)
}

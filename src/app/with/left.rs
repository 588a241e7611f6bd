//! The data that a `with` passes to the process that stands in for it.

use std::ffi::OsString;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use crate::core::ids::HoldId;
use crate::core::time::Ttl;
use crate::store::os::alarm::Stopwatch;
use crate::store::os::process::{NotAProcess, ProcessIdentity};
use crate::store::os::{processes, stand_in};

/// The process of a `with`, as one process names it to another.
#[derive(Clone, Debug)]
pub struct WithProcess(pub(super) ProcessIdentity);

impl FromStr for WithProcess {
    type Err = NotAProcess;

    fn from_str(text: &str) -> Result<WithProcess, NotAProcess> {
        text.parse().map(WithProcess)
    }
}

/// The `with` that a stand-in replaces.
#[derive(Clone, Debug)]
pub struct Left {
    pub with: WithProcess,
    pub held: Vec<HoldId>,
    pub ttl: Ttl,
    /// Set if the command goes on when its reservations are lost.
    pub keep_going: bool,
}

/// The reason that a `with` cannot renew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It was killed.
    Killed,
    /// It is stopped, and may be continued.
    Stopped,
}

/// A stand-in's wait for the absence of its `with`.
#[derive(Debug)]
pub struct Vigil {
    with: ProcessIdentity,
    begun: Stopwatch,
    pause: Duration,
}

impl Vigil {
    /// Begins to watch the `with` that started this process.
    pub fn of(with: &WithProcess, ttl: Ttl) -> Vigil {
        // Its last renewal is a third of this time ago at most.
        let pause = Duration::from_secs(ttl.as_seconds()) / 6;
        Vigil { with: with.0.clone(), begun: Stopwatch::start(), pause }
    }

    /// Waits until the `with` cannot renew. Returns `None` once it has ended in good order.
    pub fn wait(&self) -> io::Result<Option<Absence>> {
        loop {
            match stand_in::is_orphaned(self.pause)? {
                Some(is_orphaned) => return Ok(is_orphaned.then_some(Absence::Killed)),
                None if processes::is_stopped(self.with.pid()) => {
                    return Ok(Some(Absence::Stopped));
                }
                None => {}
            }
        }
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}

impl Left {
    /// Builds the command that starts a stand-in, which acts under the same name.
    pub(super) fn words(&self, actor: &str) -> Vec<OsString> {
        let mut words = vec![format!("--as={actor}"), "with".to_owned()];
        words.push(format!("--stand-in={}", self.with.0));
        words.push(format!("--ttl={}s", self.ttl.as_seconds()));
        words.extend(self.keep_going.then(|| "--keep-going".to_owned()));
        words.push("--".to_owned());
        words.extend(self.held.iter().map(ToString::to_string));
        words.into_iter().map(OsString::from).collect()
    }
}

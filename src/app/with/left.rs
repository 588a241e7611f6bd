//! The data that a `with` passes to the process that stands in for it.

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use crate::core::ids::HoldId;
use crate::core::time::Ttl;
use crate::store::os::alarm::Stopwatch;
use crate::store::os::stand_in;

pub use crate::store::os::process::ProcessIdentity;

/// The `with` that a stand-in replaces.
#[derive(Clone, Debug)]
pub struct Left {
    pub with: ProcessIdentity,
    pub held: Vec<HoldId>,
    pub ttl: Ttl,
    /// Set if the command goes on when its reservations are lost.
    pub keep_going: bool,
}

/// Waits until the `with` that started this process is gone. Returns the time that this took if the
/// `with` was killed, and nothing if it ended in good order.
pub fn left_alone() -> io::Result<Option<Duration>> {
    let begun = Stopwatch::start();
    Ok(stand_in::is_orphaned()?.then(|| begun.elapsed()))
}

impl Left {
    /// Builds the command that starts a stand-in, which acts under the same name.
    pub(super) fn words(&self, actor: &str) -> Vec<OsString> {
        let mut words = vec![format!("--as={actor}"), "with".to_owned()];
        words.push(format!("--stand-in={}", self.with));
        words.push(format!("--ttl={}s", self.ttl.as_seconds()));
        words.extend(self.keep_going.then(|| "--keep-going".to_owned()));
        words.push("--".to_owned());
        words.extend(self.held.iter().map(ToString::to_string));
        words.into_iter().map(OsString::from).collect()
    }
}

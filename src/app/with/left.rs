//! The data that a `with` passes to the process that stands in for it.

use std::ffi::OsString;

use crate::core::ids::HoldId;
use crate::core::time::Ttl;
use crate::store::os::process::ProcessIdentity;

/// The `with` that a stand-in replaces.
#[derive(Clone, Debug)]
pub struct Left {
    pub with: ProcessIdentity,
    pub held: Vec<HoldId>,
    pub ttl: Ttl,
    /// Set if the command goes on when its reservations are lost.
    pub keep_going: bool,
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

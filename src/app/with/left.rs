//! What a `with` leaves to the process that stands in for it.

use std::ffi::OsString;

use crate::core::ids::HoldId;
use crate::core::time::Ttl;
use crate::store::os::process::ProcessIdentity;

/// What a stand-in has to know of the `with` that started it.
#[derive(Clone, Debug)]
pub struct Left {
    /// Its process.
    pub with: ProcessIdentity,
    /// What it held.
    pub held: Vec<HoldId>,
    /// For how long that lives unless it is renewed.
    pub ttl: Ttl,
    /// Whether the command runs on when what it needs is lost.
    pub keep_going: bool,
}

impl Left {
    /// The words that start a stand-in, which acts under the same name.
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

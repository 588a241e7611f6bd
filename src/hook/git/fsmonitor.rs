//! The hook that git runs when it reads the index, before it touches a file: `core.fsmonitor`.
//!
//! Git wants to know which files have changed since a token. The answer is always that all may
//! have. The moment counts: uncommitted work is saved before git goes on. Git waits for the end of
//! this process and may hold the lock of the index meanwhile, so nothing here takes a lock of
//! git's. The answer is given in any case.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::app::open::{Door, late_because};
use crate::app::problem::Problem;
use crate::app::rescue::keep::NOT_SAVED;
use crate::app::rescue::terminal::{Caller, INNER_VARIABLE, keep};
use crate::core::environment::Environment;
use crate::core::ids::AgentName;
use crate::hook::deadline::{LIMIT, in_time};

/// The answer in the second version of the protocol: a token, and that everything may have changed.
const ANSWER: &[u8] = b"git-coord\0/\0";
/// The answer in the first version, which has no token.
const ANSWER_OF_FIRST: &[u8] = b"/\0";

/// The reply to git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub answer: &'static [u8],
    /// Lines for the user, about work that is not saved and may be lost now.
    pub remarks: Vec<String>,
}

/// A call of the hook.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The version of the protocol, and the token.
    pub args: &'a [OsString],
    /// The agent that acts, if the caller has named it.
    pub acting_as: Option<&'a AgentName>,
    pub environment: &'a Environment,
}

/// Saves what may be lost, and answers. If that takes too long, `late` shows a reply in its place,
/// and the process ends with what it returns.
pub fn run(call: Call<'_>, late: impl FnOnce(Reply) -> u8 + Send + 'static) -> Reply {
    let is_first = call.args.first().is_some_and(|version| version == "1");
    let answer = if is_first { ANSWER_OF_FIRST } else { ANSWER };
    let is_at_risk = Arc::new(AtomicBool::new(false));
    let (watched, environment) = (Arc::clone(&is_at_risk), call.environment.clone());
    let reply = move |is_at_risk: bool, why: &str| {
        let remark = format!("git coord: uncommitted work is not saved: {why}");
        Reply { answer, remarks: is_at_risk.then_some(remark).into_iter().collect() }
    };
    let is_known = || is_at_risk.load(Ordering::Relaxed);
    in_time(
        move || {
            let why = late_because(&environment, LIMIT);
            late(reply(watched.load(Ordering::Relaxed), &why))
        },
        |_| match call.save(&is_at_risk) {
            Ok(remarks) => Reply { answer, remarks },
            Err(problem) => reply(is_known(), &problem.message),
        },
        |why| reply(is_known(), why),
    )
}

impl Call<'_> {
    /// Saves what may be lost. Sets `is_at_risk` once the caller is known to throw work away.
    fn save(&self, is_at_risk: &AtomicBool) -> Result<Vec<String>, Problem> {
        if self.environment.os(INNER_VARIABLE).is_some() {
            return Ok(Vec::new());
        }
        let door = Door::find(self.environment)?;
        let settings = door.settings()?;
        if !door.is_enabled() || !settings.rescue.enabled {
            return Ok(Vec::new());
        }
        let identity = door.identity(self.acting_as, &settings)?;
        let ctx = door.open_for(identity)?;
        let caller = Caller::find(&ctx, &door);
        is_at_risk.store(caller.throws_away, Ordering::Relaxed);
        let kept = keep(&ctx, &caller)?;
        let left_out = kept.map(|kept| kept.left_out).filter(|_| caller.throws_away);
        let files: Vec<String> =
            left_out.into_iter().flatten().map(|file| file.path.shown()).collect();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![format!("git coord: not saved, {NOT_SAVED}: {}", files.join(", "))])
    }
}

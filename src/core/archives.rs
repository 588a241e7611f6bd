//! `ledger compact --drop-archives`: records which chains of earlier compactions are given up.
//!
//! The decision changes no document. It is for the record: later readers learn why what was set
//! aside cannot be read any more, and who gave it up.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::clean::{Clean, LeftOut};
use crate::core::decision::{Act, Decide, Env, No};
use crate::core::text::{BadText, Line};
use crate::core::time::Timestamp;

/// Archives of a ledger that are given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DropArchives {
    /// The refs that keep them.
    pub archives: Vec<Line>,
}

/// Tells whether an archive is older than so many seconds. `name` is its ref below the archives of
/// its ledger: the time at which it was set aside, and the beginning of a commit's id. A ref of any
/// other name is none of ours.
pub fn is_old(name: &str, now: Timestamp, keep_seconds: u64) -> bool {
    let Some((at, id)) = name.split_once('-') else { return false };
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let at = Timestamp::of_compact(at).filter(|_| is_id);
    at.is_some_and(|at| now.seconds_since(at) > keep_seconds)
}

impl Clean for DropArchives {
    fn clean(&mut self) -> Result<LeftOut, BadText> {
        // Names of refs are ours.
        Ok(LeftOut::default())
    }
}

impl Decide for DropArchives {
    type Answer = ();

    fn decide(&self, act: &mut Act<'_>) -> Result<(), No> {
        if !self.archives.is_empty() {
            let data = ("archives".to_owned(), json!(self.archives));
            act.record_of_ledger("archives_dropped", Map::from_iter([data]));
        }
        Ok(())
    }

    fn summary(&self, (): &(), env: &Env<'_>) -> String {
        let count = self.archives.len();
        let archives = if count == 1 { "archive" } else { "archives" };
        format!("drop {count} {archives} by {}", env.actor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_compaction_has_named_is_old() {
        let now: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        let is_old = |name: &str| is_old(name, now, 30 * 24 * 60 * 60);
        assert!(is_old("20260105T100000Z-1f0e2d3c4b5a"));
        for kept in [
            "20260210T100000Z-1f0e2d3c4b5a",
            "20270105T100000Z-1f0e2d3c4b5a",
            "20260105T100000Z-",
            "20260105T100000Z-of-mine",
            "20260105T100000Z",
            "20260105T100000Z-1f0e/more",
            "mine-1f0e2d3c4b5a",
            "",
        ] {
            assert!(!is_old(kept), "{kept}");
        }
    }
}

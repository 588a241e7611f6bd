//! `doctor --repair`: records that a ledger goes on from its newest whole entry, and what was lost.
//!
//! If a ledger goes on from an earlier entry, the decision changes no document. It is for the
//! record: later readers learn that something is missing, and where the rest of it is kept. If only
//! reservations cannot be read, the decision removes those and no others.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents as _, Key};
use crate::core::reservation::index;
use crate::core::text::Line;

/// The repair of a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// The value that the ref held: the name of the damaged entry, or whatever else stood there.
    pub lost: Line,
    /// The damage that was found.
    pub why: Line,
    /// The ref, the entry or the file that keeps the rest of it.
    pub kept_at: Line,
    /// Set to remove the reservations that cannot be read.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub takes_out: bool,
}

impl Decide for Repair {
    type Answer = ();

    fn decide(&self, act: &mut Act<'_>) -> Result<(), No> {
        let Repair { lost, why, kept_at, takes_out } = self;
        let facts = [("lost", lost), ("why", why), ("kept_at", kept_at)];
        let mut data: Map<_, _> =
            facts.into_iter().map(|(name, text)| (name.to_owned(), json!(text))).collect();
        if *takes_out {
            let unreadable = index::unreadable(act)?;
            if unreadable.is_empty() {
                return Ok(());
            }
            let names: Vec<Key> = unreadable.iter().map(|key| act.path_in_events(key)).collect();
            let names: Vec<&str> = names.iter().map(Key::as_str).collect();
            data.insert("taken_out".to_owned(), json!(names));
            for key in unreadable {
                act.remove(key);
            }
        }
        act.record_of_ledger("repaired", data);
        Ok(())
    }

    fn summary(&self, (): &(), env: &Env<'_>) -> String {
        format!("repair by {}: {}", env.actor, self.why)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::core::command::decide;
    use crate::core::decision::RULES;
    use crate::core::ids::OpId;
    use crate::core::ledger::LedgerName;
    use crate::core::pattern::Case;
    use crate::core::place::Skew;
    use crate::core::reservation::process::Gone;
    use crate::core::time::Timestamp;

    #[test]
    fn a_repair_is_an_event_and_changes_no_document() {
        let line = |text: &str| Line::new(text).unwrap();
        let (lost, why, kept_at) = (line("1f0e"), line("a blob"), line("a ref"));
        let repair = Repair { lost, why, kept_at, takes_out: false };
        let env = Env {
            ledger: LedgerName::Reservations,
            rules: RULES,
            actor: &"ops".parse().unwrap(),
            host: &line("here"),
            now: Timestamp::from_millis(1_767_607_200_000),
            before: None,
            leap: None,
            skew: Skew::default(),
            before_by: None,
            asked_at: None,
            last: None,
            place: None,
            op: &OpId::from_bits(7),
            fence: 0,
            case: Case::Sensitive,
            gone: &Gone::NOTHING,
            earlier: None,
        };
        let documents: BTreeMap<Key, Vec<u8>> = BTreeMap::new();
        let decided = decide(&repair, &documents, env).unwrap();
        let changes = decided.changes.unwrap();
        assert!(changes.edits.is_empty(), "{changes:?}");
        assert_eq!(changes.events.len(), 1);
        assert_eq!(changes.events[0].kind, "repaired");
        assert_eq!(changes.events[0].text("lost"), Some("1f0e"));
        assert_eq!(decided.summary, "repair by ops: a blob");
    }
}

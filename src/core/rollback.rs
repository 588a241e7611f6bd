//! `ledger rollback`: restores the state of an earlier entry, by a decision like any other.
//!
//! One entry restores what another had. Append-only documents are carried forward, and counters
//! live in trailers, so nothing that was said once is unsaid.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, Key, ReadError, walk};
use crate::core::domain;
use crate::core::ids::{EntryName, OpId};
use crate::core::ledger::LedgerName;
use crate::core::refusal::Refusal;
use crate::core::reservation::{self, Hold};
use crate::core::routing;
use crate::core::text::Line;

/// A request to go back to an earlier state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollback {
    pub to: EntryName,
    pub reason: Line,
    /// The act of the newest entry that the caller saw. Nobody may undo what nobody has seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expect: Option<OpId>,
}

/// The effects of a rollback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// Holds that were granted again.
    pub regranted: Vec<Hold>,
    /// Holds that were revoked.
    pub revoked: Vec<Hold>,
    /// Documents of other ledgers that were restored.
    pub restored: Vec<Key>,
}

impl Decide for Rollback {
    type Answer = RolledBack;

    fn decide(&self, act: &mut Act<'_>) -> Result<RolledBack, No> {
        let answer = self.go_back(act)?;
        let other = self.expect.as_ref().filter(|op| act.env.last != Some(*op));
        // To go back to a state that is there already undoes nothing.
        if let Some(expected) = other.filter(|_| !act.is_unchanged()) {
            let found = act.env.last.map_or_else(|| "none".to_owned(), ToString::to_string);
            return Err(Refusal::Changed { expected: expected.to_string(), found }.into());
        }
        Ok(answer)
    }

    fn summary(&self, _: &RolledBack, env: &Env<'_>) -> String {
        let short = &self.to.as_str()[..self.to.as_str().len().min(10)];
        format!("roll back to {short} by {}: {}", env.actor, self.reason)
    }
}

impl Rollback {
    fn go_back(&self, act: &mut Act<'_>) -> Result<RolledBack, No> {
        let Some(earlier) = act.env.earlier else {
            let why = format!("entry '{}' cannot be read", self.to);
            return Err(ReadError::damaged(&Key::root(), why).into());
        };
        match act.env.ledger {
            LedgerName::Reservations => reservation::rollback::to(self, earlier, act),
            LedgerName::Overrides => {
                Ok(self.restore(act, earlier, routing::index::is_append_only)?)
            }
            LedgerName::Runs => Ok(self.restore(act, earlier, |_| false)?),
            // The record of generated files describes the disk, and a rollback removes no file.
            LedgerName::Domains => {
                let is_of_agents = |key: &Key| key.parts().next() == Some(domain::AGENTS);
                Ok(self.restore(act, earlier, is_of_agents)?)
            }
        }
    }

    /// Restores every document, except those that are carried forward. Nothing is parsed: people
    /// roll back because of damaged documents.
    pub fn restore(
        &self,
        act: &mut Act<'_>,
        earlier: &dyn Documents,
        is_carried_forward: impl Fn(&Key) -> bool,
    ) -> Result<RolledBack, ReadError> {
        let keys: BTreeSet<Key> =
            walk(act, &Key::root())?.into_iter().chain(walk(earlier, &Key::root())?).collect();
        let mut restored = Vec::new();
        // Documents at the root belong to the framework: the format, and the command of this very
        // entry.
        let is_ours = |key: &Key| key.parts().count() > 1 && !is_carried_forward(key);
        for key in keys.into_iter().filter(is_ours) {
            let before = earlier.get(&key)?;
            if act.get(&key)? == before {
                continue;
            }
            match before {
                Some(bytes) => act.put_bytes(key.clone(), bytes),
                None => act.remove(key.clone()),
            }
            restored.push(key);
        }
        if !restored.is_empty() {
            let mut data = Map::new();
            data.insert("to".to_owned(), json!(self.to));
            data.insert("because".to_owned(), json!(self.reason));
            data.insert("documents".to_owned(), json!(restored.len()));
            act.record_of_ledger("rolled_back", data);
        }
        Ok(RolledBack { restored, ..RolledBack::default() })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::core::decision::{Changes, RULES};
    use crate::core::documents::apply;
    use crate::core::pattern::Case;
    use crate::core::place::Skew;
    use crate::core::reservation::process::Gone;
    use crate::core::time::Timestamp;

    type Memory = BTreeMap<Key, Vec<u8>>;

    fn state(documents: &[(&str, &str)]) -> Memory {
        let document =
            |(path, text): &(&str, &str)| (Key::of(path.split('/')), text.as_bytes().to_vec());
        documents.iter().map(document).collect()
    }

    fn restored(present: &Memory, earlier: &Memory) -> (Memory, Changes) {
        let (to, reason) = ("1f0e".parse().unwrap(), Line::new("a mistake").unwrap());
        let rollback = Rollback { to, reason, expect: None };
        let env = Env {
            ledger: LedgerName::Reservations,
            rules: RULES,
            actor: &"ops".parse().unwrap(),
            host: &Line::new("host").unwrap(),
            gone: &Gone::NOTHING,
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
            earlier: Some(earlier),
        };
        let mut act = Act::on(present, env);
        let is_log = |key: &Key| key.parts().next() == Some("log");
        rollback.restore(&mut act, earlier, is_log).unwrap();
        let changes = act.into_changes();
        let mut after = present.clone();
        apply(&mut after, &changes.edits);
        (after, changes)
    }

    #[test]
    fn documents_are_as_they_were_and_what_is_append_only_stays() {
        let earlier =
            state(&[("a/kept", "1"), ("a/changed", "1"), ("a/gone", "1"), ("command", "old")]);
        let present = state(&[
            ("a/kept", "1"),
            ("a/changed", "not even JSON"),
            ("a/new", "2"),
            ("log/7", "said"),
        ]);
        let (after, changes) = restored(&present, &earlier);
        let mut expected = earlier;
        expected.extend(state(&[("log/7", "said")]));
        expected.remove(&Key::of(["command"]));
        assert_eq!(after, expected);
        assert_eq!(changes.edits.len(), 3, "what is the same is not written again");
        assert_eq!(changes.events.len(), 1);
        assert_eq!(changes.events[0].data["documents"], 3);
    }

    #[test]
    fn going_back_to_the_same_state_changes_nothing() {
        let same = state(&[("a/kept", "1")]);
        let (_, changes) = restored(&same, &same);
        assert!(changes.edits.is_empty() && changes.events.is_empty(), "{changes:?}");
    }
}

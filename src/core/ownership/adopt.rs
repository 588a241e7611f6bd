//! `adopt`: puts on the record that an agent takes uncommitted changes over from others.
//!
//! The notes themselves are no state of the ledger. The entry says who took what from whom and why,
//! and the owners are told in it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::AgentName;
use crate::core::limits::PATTERNS_PER_COMMAND_MAX;
use crate::core::negotiation::MessageKind;
use crate::core::negotiation::send::Send;
use crate::core::negotiation::thread_index::line;
use crate::core::pattern::Pattern;
use crate::core::refusal::{Conflict, Refusal, within};
use crate::core::reservation::check::{self, Asker};
use crate::core::reservation::target::files;
use crate::core::reservation::{About, Via};
use crate::core::text::Line;

/// A change that is taken over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Adopted {
    /// A literal path.
    pub path: Pattern,
    /// The owner so far.
    pub from: AgentName,
}

/// A request to take changes over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adopt {
    pub changes: Vec<Adopted>,
    pub reason: Line,
    /// The linked worktree that the changes are in; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
}

impl Decide for Adopt {
    /// The owners, each once.
    type Answer = Vec<AgentName>;

    /// Refuses where somebody else holds one of the paths. Edits in other worktrees are not in the
    /// way.
    fn decide(&self, act: &mut Act<'_>) -> Result<Vec<AgentName>, No> {
        within("changes to adopt", self.changes.len(), PATTERNS_PER_COMMAND_MAX)?;
        let (now, actor) = (act.env.now, act.env.actor);
        let (worktree, place) = (self.worktree.clone(), act.env.place.cloned());
        let here = About { reason: None, task: None, run: None, via: Via::Hook, worktree, place };
        let by = Asker { edit: Some(&here), ..Asker::of(act.env, actor) };
        let paths: Vec<Pattern> = self.changes.iter().map(|change| change.path.clone()).collect();
        let mut conflicts: Vec<Conflict> =
            check::check(act, &files(&paths), by, act.env.comparing())?;
        conflicts.retain(|conflict| !act.env.gone.has_hold(&conflict.held));
        if !conflicts.is_empty() {
            return Err(Refusal::Held { conflicts, before: Vec::new(), at: now }.into());
        }
        let mut owners: Vec<AgentName> =
            self.changes.iter().map(|change| change.from.clone()).collect();
        owners.sort();
        owners.dedup();
        for owner in &owners {
            self.take_from(act, owner)?;
        }
        Ok(owners)
    }

    fn summary(&self, answer: &Vec<AgentName>, env: &Env<'_>) -> String {
        let owners: Vec<&str> = answer.iter().map(AgentName::as_str).collect();
        let (count, actor) = (self.changes.len(), env.actor);
        let changes = if count == 1 { "change" } else { "changes" };
        format!("{actor} adopts {count} {changes} of {}: {}", owners.join(", "), self.reason)
    }
}

impl Adopt {
    /// Records what is taken from one owner, and tells the owner.
    fn take_from(&self, act: &mut Act<'_>, owner: &AgentName) -> Result<(), No> {
        let taken = self.changes.iter().filter(|change| change.from == *owner);
        let paths: Vec<Pattern> = taken.map(|change| change.path.clone()).collect();
        let mut data = Map::new();
        data.insert("from".to_owned(), json!(owner));
        data.insert("paths".to_owned(), json!(paths));
        data.insert("because".to_owned(), json!(self.reason));
        if let Some(worktree) = &self.worktree {
            data.insert("worktree".to_owned(), json!(worktree));
        }
        act.record("adopted", owner, data);
        let what = match &paths[..] {
            [only] => format!("change of '{}'", only.shown()),
            several => format!("changes of {} paths", several.len()),
        };
        let subject = format!("{} adopted your {what}: {}", act.env.actor, self.reason);
        let message = Send {
            to: vec![owner.clone()],
            kind: MessageKind::Adopted,
            subject: line(&subject),
            body: None,
            thread: None,
            urgent: false,
            ack: false,
            patterns: paths,
        };
        message.decide(act).map(drop)
    }
}

//! The frame that all decisions share.
//!
//! A decision reads a [`Draft`], edits it, names the events, and gives an answer or a refusal. It
//! is taken again, on another state, whenever the ledger moved meanwhile, and it is taken again by
//! `verify` to see that an entry is what its command makes of the entry before. So it may depend
//! on nothing but its arguments.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::core::clean::Clean;
use crate::core::documents::{Child, Documents, Draft, Edits, Key, ReadError, encode};
use crate::core::event::Event;
use crate::core::ids::{AgentName, Derived, OpId};
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::refusal::Refusal;
use crate::core::reservation::process::Gone;
use crate::core::run;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Raised whenever any decision changes, so that `verify` knows which entries it can take again.
pub const RULES: u32 = 1;

/// What a decision is given besides the documents and the command.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// Which ledger this is about.
    pub ledger: LedgerName,
    /// Who asks.
    pub actor: &'a AgentName,
    /// On which host.
    pub host: &'a Line,
    /// The later of the asker's clock and the time of the entry before.
    pub now: Timestamp,
    /// The act, which ids are derived from.
    pub op: &'a OpId,
    /// The highest fence given so far.
    pub fence: u64,
    /// Whether the ledger folds case.
    pub case: Case,
    /// What the asker's host knows to have ended.
    pub gone: &'a Gone,
    /// The state that a rollback goes back to.
    pub earlier: Option<&'a dyn Documents>,
}

/// Why there is no decision.
#[derive(Debug, thiserror::Error)]
pub enum No {
    /// The decision was no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The state could not be read; no decision was taken.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
}

impl From<run::refusal::Refusal> for No {
    fn from(refusal: run::refusal::Refusal) -> No {
        No::Refused(refusal.into())
    }
}

/// A command whose outcome is a pure function of a state.
pub trait Decide: Clean {
    /// What the asker is told.
    type Answer;

    /// Decides on a state.
    fn decide(&self, act: &mut Act<'_>) -> Result<Self::Answer, No>;

    /// One line for people, once it is decided.
    fn summary(&self, answer: &Self::Answer, env: &Env<'_>) -> String;
}

/// A decision in the making: the state with its edits, the events, the ids and fences given out.
pub struct Act<'a> {
    /// What the decision is given.
    pub env: Env<'a>,
    draft: Draft<'a>,
    events: Vec<Event>,
    ids_given: u64,
    fence: u64,
}

/// What a decision changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The documents.
    pub edits: Edits,
    /// What happened.
    pub events: Vec<Event>,
    /// The highest fence given out by now.
    pub fence: u64,
}

impl<'a> Act<'a> {
    /// Begins a decision on a state.
    pub fn on(documents: &'a dyn Documents, env: Env<'a>) -> Act<'a> {
        // A fence is at least the clock, so that it grows even after somebody reset the ref.
        let clock = u64::try_from(env.now.as_millis()).unwrap_or(0);
        let fence = env.fence.max(clock);
        Act { env, draft: Draft::on(documents), events: Vec::new(), ids_given: 0, fence }
    }

    /// Writes a document.
    pub fn put(&mut self, key: Key, document: &impl Serialize) {
        self.draft.put(key, encode(document));
    }

    /// Writes a document as it was before.
    pub fn put_bytes(&mut self, key: Key, bytes: Vec<u8>) {
        self.draft.put(key, bytes);
    }

    /// Removes a document.
    pub fn remove(&mut self, key: Key) {
        self.draft.remove(key);
    }

    /// Notes what happened.
    pub fn record(&mut self, kind: &str, subject: &impl ToString, data: Map<String, Value>) {
        self.events.push(Event {
            kind: kind.to_owned(),
            actor: self.env.actor.clone(),
            subject: Some(subject.to_string()),
            data,
        });
    }

    /// Notes what happened to the ledger as a whole.
    pub fn record_of_ledger(&mut self, kind: &str, data: Map<String, Value>) {
        let actor = self.env.actor.clone();
        self.events.push(Event { kind: kind.to_owned(), actor, subject: None, data });
    }

    /// The next id that this act derives and that `is_taken` does not know.
    pub fn new_id<I: Derived>(
        &mut self,
        is_taken: impl Fn(&Draft<'a>, &I) -> Result<bool, ReadError>,
    ) -> Result<I, ReadError> {
        loop {
            let id = I::derive(self.env.op, self.next_number());
            if !is_taken(&self.draft, &id)? {
                return Ok(id);
            }
        }
    }

    /// The number of the next thing that this act makes, which its name is derived from.
    pub fn next_number(&mut self) -> u64 {
        self.ids_given += 1;
        self.ids_given - 1
    }

    /// Takes a further decision for another agent, on top of this one: all of it, or nothing of it
    /// if that is refused. What comes of it is this actor's doing.
    pub fn on_behalf_of<C: Decide>(
        &mut self,
        agent: &AgentName,
        command: &C,
    ) -> Result<C::Answer, No> {
        let env = Env { actor: agent, fence: self.fence, ..self.env };
        let mut inner = Act::on(self, env);
        inner.ids_given = self.ids_given;
        let answer = command.decide(&mut inner)?;
        let ids_given = inner.ids_given;
        let Changes { edits, events, fence } = inner.into_changes();
        self.draft.extend(edits);
        let actor = self.env.actor;
        let by_this_actor = |event: Event| Event { actor: actor.clone(), ..event };
        self.events.extend(events.into_iter().map(by_this_actor));
        (self.ids_given, self.fence) = (ids_given, fence);
        Ok(answer)
    }

    /// What has happened so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The highest fence given out so far.
    pub fn fence(&self) -> u64 {
        self.fence
    }

    /// A fence above all that were given before.
    pub fn new_fence(&mut self) -> u64 {
        self.fence += 1;
        self.fence
    }

    /// Whether nothing has changed so far.
    pub fn is_unchanged(&self) -> bool {
        self.draft.is_unchanged() && self.events.is_empty()
    }

    /// Whether anything has happened so far.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// What the decision changes.
    pub fn into_changes(self) -> Changes {
        Changes { edits: self.draft.into_edits(), events: self.events, fence: self.fence }
    }
}

impl Documents for Act<'_> {
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>, ReadError> {
        self.draft.get(key)
    }

    fn list_starting(&self, dir: &Key, start: &str) -> Result<Vec<Child>, ReadError> {
        self.draft.list_starting(dir, start)
    }
}

//! The framework that all decisions share.
//!
//! A decision reads a [`Draft`], edits it, records events, and returns an answer or a refusal. If
//! the ledger moved meanwhile, the decision is taken again on another state. `verify` also takes it
//! again, to see that an entry is what its command makes of the entry before. So a decision may
//! depend on nothing but its arguments.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::core::clean::Clean;
use crate::core::clock::Leap;
use crate::core::documents::{Child, Documents, Draft, Edits, Key, ReadError, encode};
use crate::core::event::Event;
use crate::core::ids::{AgentName, Derived, OpId};
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::core::place::{Place, Skew};
use crate::core::refusal::Refusal;
use crate::core::reservation::paths::Comparing;
use crate::core::reservation::process::Gone;
use crate::core::run;
use crate::core::text::Line;
use crate::core::time::{Timestamp, Ttl};

/// The version of the decisions. It is raised whenever a decision changes. An entry records the
/// version that it was decided under, and [`Env::rules`] hands it to the decision, so that `verify`
/// can decide entries of earlier versions again.
pub const RULES: u32 = 4;

/// The inputs of a decision besides the documents and the command.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    pub ledger: LedgerName,
    /// The version of the decisions to follow, [`RULES`] unless an entry is decided again.
    pub rules: u32,
    pub actor: &'a AgentName,
    pub host: &'a Line,
    /// The clone that the asker works in, if it is known.
    pub place: Option<&'a Place>,
    /// The time of the decision, as [`clock::now`](crate::core::clock::now) tells it.
    pub now: Timestamp,
    /// The clock at which this was first asked, if it is decided again.
    pub asked_at: Option<Timestamp>,
    /// The time of the entry before; `None` if there is none.
    pub before: Option<Timestamp>,
    /// The leap of the time that is in doubt, as [`clock::leap`](crate::core::clock::leap) tells
    /// it.
    pub leap: Option<Leap>,
    /// The judge of when holds of other places end.
    pub skew: Skew<'a>,
    /// The agent that wrote the entry before; `None` if that is unknown.
    pub before_by: Option<&'a AgentName>,
    /// The act of the entry before; `None` if there is none.
    pub last: Option<&'a OpId>,
    /// The act, which ids are derived from.
    pub op: &'a OpId,
    /// The highest fence given so far.
    pub fence: u64,
    pub case: Case,
    /// The holds and tickets that the asker's host knows to have ended.
    pub gone: &'a Gone,
    /// The state that a rollback goes back to.
    pub earlier: Option<&'a dyn Documents>,
}

impl Env<'_> {
    /// Returns the way in which the rules of this decision compare sets of paths.
    pub fn comparing(&self) -> Comparing {
        Comparing::under(self.rules, self.case)
    }

    /// Returns the end of what is asked for that long. A decision that is taken again does not
    /// extend it; once the end has passed, the request is over.
    pub fn end_after(&self, ttl: Ttl) -> Result<Timestamp, Refusal> {
        let Some(asked_at) = self.asked_at else { return Ok(self.now.plus(ttl)) };
        let end = asked_at.plus(ttl);
        if end > self.now { Ok(end) } else { Err(Refusal::Over { ended: end }) }
    }
}

/// The reason why a decision changes nothing.
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
    /// The answer to the asker.
    type Answer;

    /// Decides on a state.
    fn decide(&self, act: &mut Act<'_>) -> Result<Self::Answer, No>;

    /// Summarizes the decision in one line for people.
    fn summary(&self, answer: &Self::Answer, env: &Env<'_>) -> String;
}

/// A decision in the making: the state with its edits, the events, and the ids and fences given
/// out.
pub struct Act<'a> {
    pub env: Env<'a>,
    draft: Draft<'a>,
    events: Vec<Event>,
    ids_given: u64,
    fence: u64,
}

/// The changes that a decision makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub edits: Edits,
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

    /// Writes a document byte for byte, as an earlier state had it.
    pub fn put_bytes(&mut self, key: Key, bytes: Vec<u8>) {
        self.draft.put(key, bytes);
    }

    /// Removes a document.
    pub fn remove(&mut self, key: Key) {
        self.draft.remove(key);
    }

    /// Records an event.
    pub fn record(&mut self, kind: &str, subject: &impl ToString, data: Map<String, Value>) {
        self.events.push(Event {
            kind: kind.to_owned(),
            actor: self.env.actor.clone(),
            subject: Some(subject.to_string()),
            data,
        });
    }

    /// Records an event of the ledger as a whole.
    pub fn record_of_ledger(&mut self, kind: &str, data: Map<String, Value>) {
        let actor = self.env.actor.clone();
        self.events.push(Event { kind: kind.to_owned(), actor, subject: None, data });
    }

    /// Derives the next id of this act that `is_taken` does not claim.
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

    /// Returns the number of the next thing that this act makes, for deriving its id.
    pub fn next_number(&mut self) -> u64 {
        self.ids_given += 1;
        self.ids_given - 1
    }

    /// Takes a further decision for another agent, on top of this one. If it is refused, nothing of
    /// it stays. Its events name this actor. The command itself tells the place of that agent.
    pub fn on_behalf_of<C: Decide>(
        &mut self,
        agent: &AgentName,
        command: &C,
    ) -> Result<C::Answer, No> {
        let env = Env { actor: agent, place: None, fence: self.fence, ..self.env };
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

    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the highest fence given out so far.
    pub fn fence(&self) -> u64 {
        self.fence
    }

    /// Returns a fence above all that were given out before.
    pub fn new_fence(&mut self) -> u64 {
        self.fence += 1;
        self.fence
    }

    /// Tells whether nothing has changed so far.
    pub fn is_unchanged(&self) -> bool {
        self.draft.is_unchanged() && self.events.is_empty()
    }

    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

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

    fn list_share(&self, dir: &Key, turn: u64) -> Result<Vec<Child>, ReadError> {
        self.draft.list_share(dir, turn)
    }

    fn may_have(&self, dir: &Key, count: usize) -> Result<bool, ReadError> {
        self.draft.may_have(dir, count)
    }

    fn format(&self) -> u64 {
        self.draft.format()
    }

    fn path_in_events(&self, key: &Key) -> Key {
        self.draft.path_in_events(key)
    }
}

//! `ask`: asks a holder to release holds, and gives it a while to answer.
//!
//! A request is pinned to the holds that stand in the way, so that the asker can be told how they
//! end. Asking again for the same targets joins the open request.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::{AgentName, HoldId, HoldIdPrefix, LockName};
use crate::core::limits::{OPEN_ASKS_PER_AGENT_MAX, PATTERNS_PER_COMMAND_MAX};
use crate::core::negotiation::dispute::Dispute;
use crate::core::negotiation::events::{self, ThreadEvent};
use crate::core::negotiation::find::refused;
use crate::core::negotiation::ids::ThreadId;
use crate::core::negotiation::thread_index::{self, Letter};
use crate::core::negotiation::{Asked, MessageKind, Thread, window_seconds};
use crate::core::pattern::Pattern;
use crate::core::refusal::within;
use crate::core::reservation::check::Asker;
use crate::core::reservation::paths::{PathFacts, PathKind, Paths};
use crate::core::reservation::target::targets;
use crate::core::reservation::{Hold, Target, index, named, named_targets, narrow, select, sweep};
use crate::core::text::Line;
use crate::core::time::Ttl;

/// Shorter beginnings of ids are words that people use for files.
const ID_PREFIX_MIN: usize = 4;

/// A request to a holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The word as a hold, by its id or by a beginning of the id that is long enough.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hold: Option<HoldIdPrefix>,
    /// The words as paths.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// The facts about these paths.
    #[serde(flatten)]
    pub facts: PathFacts,
    /// The words as locks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
    /// The agent to ask, if there are several holders.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub holder: Option<AgentName>,
    pub reason: Line,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub urgent: bool,
    /// The time for which the asker wants the holds.
    pub ttl: Ttl,
    /// The linked worktree that the asker works in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worktree: Option<Line>,
    /// True if the asker works through hooks, which end its holds with its turn.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub through_hooks: bool,
}

/// An open request after the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asking {
    /// The thread, old or new.
    pub thread: Thread,
    pub asked: Asked,
    /// True if the request was open before.
    pub joined: bool,
    /// Holds of the holder that would end as a whole, although the request is for a part of them:
    /// they cannot go on without it.
    pub ends_whole: Vec<Target>,
}

impl Decide for Ask {
    type Answer = Asking;

    fn decide(&self, act: &mut Act<'_>) -> Result<Asking, No> {
        let count = self.patterns.len() + self.locks.len();
        within("patterns in one command", count, PATTERNS_PER_COMMAND_MAX)?;
        let (wanted, mut holds) = self.wanted(act)?;
        let holder = self.the_holder(&wanted, &holds)?;
        holds.retain(|hold| hold.holder == holder);
        let pinned = ids(&holds);
        let (rules, by) = (act.env.rules, act.env.comparing());
        let is_said = |hold: &Hold| rules >= 2 && narrow::loses_rest(hold, &wanted, by);
        let ends_whole: Vec<Hold> = holds.iter().filter(|hold| is_said(hold)).cloned().collect();
        if let Some(thread) = open_thread(act, &wanted, &holds)? {
            return Ok(self.join(act, thread, pinned, &ends_whole));
        }
        let id = ThreadId::derive(act.env.op, act.next_number());
        let now = act.env.now;
        let asked = Asked {
            holder,
            patterns: wanted.iter().filter_map(Target::pattern).cloned().collect(),
            facts: facts_of(&wanted),
            locks: wanted.iter().filter_map(Target::lock).cloned().collect(),
            reason: self.reason.clone(),
            urgent: self.urgent,
            ttl: self.ttl,
            worktree: self.worktree.clone(),
            through_hooks: self.through_hooks,
            place: act.env.place.cloned(),
            pinned,
            ends_whole: recorded(&ends_whole, rules),
            changed: false,
            window_began_at: now,
            window_ends_at: now.plus_seconds(window_seconds(self.urgent)),
            deferred: None,
            outcome: None,
        };
        let by = act.env.actor.clone();
        let thread = Thread {
            id,
            opened_by: by.clone(),
            opened_at: now,
            asked: Some(asked.clone()),
            unknown: serde_json::Map::new(),
        };
        tell(act, None, &thread, &asked, &ends_whole);
        let count = thread_index::count_made(act, &by)?;
        within("requests that wait for an answer", count, OPEN_ASKS_PER_AGENT_MAX)?;
        Ok(Asking { thread, asked, joined: false, ends_whole: targets_of(&ends_whole) })
    }

    fn summary(&self, answer: &Asking, env: &Env<'_>) -> String {
        let Asked { holder, .. } = &answer.asked;
        format!("ask {holder} for {} for {}: {}", answer.asked.what(), env.actor, self.reason)
    }
}

impl Ask {
    /// Returns the targets that are asked for, and the holds that stand in the way.
    fn wanted(&self, act: &mut Act<'_>) -> Result<(Vec<Target>, Vec<Hold>), No> {
        let asker = Asker::of(act.env, act.env.actor);
        let wanted = targets(&self.patterns, &self.locks, &self.facts);
        let holds = meeting(act, &wanted, asker)?;
        let Some((named, is_whole_id)) = self.named_by_id(act, asker)? else {
            return Ok((wanted, holds));
        };
        if !is_whole_id && !holds.is_empty() {
            let (what, id) = (self.what(&wanted), named.id);
            return Err(refused(Dispute::PathOrId { what, id }));
        }
        // The request is for what the holder has, so it has the same exceptions. Before rules 3 it
        // was for the whole pattern.
        let wanted = vec![match named.target.clone() {
            Target::Paths(paths) if act.env.rules < 3 => {
                Target::Paths(Paths::new(paths.pattern, paths.kind))
            }
            target => target,
        }];
        let all = meeting(act, &wanted, asker)?;
        let of_holder = all.into_iter().filter(|other| other.holder == named.holder);
        Ok((wanted, of_holder.collect()))
    }

    /// Finds the hold in the asker's way that the word names by its id or by the beginning of its
    /// id, and tells whether the word is the whole id. A word that is too short is a path.
    pub fn named_by_id(
        &self,
        documents: &dyn Documents,
        asker: Asker<'_>,
    ) -> Result<Option<(Hold, bool)>, ReadError> {
        let is_long_enough = |prefix: &&HoldIdPrefix| prefix.as_str().len() >= ID_PREFIX_MIN;
        let Some(prefix) = self.hold.as_ref().filter(is_long_enough) else { return Ok(None) };
        let ids = index::with_prefix(documents, prefix)?;
        let [only] = ids.as_slice() else { return Ok(None) };
        let hold = index::by_id(documents, only)?.filter(|hold| asker.is_blocked_by(hold));
        Ok(hold.map(|hold| (hold, only.as_str() == prefix.as_str())))
    }

    /// Chooses the one agent to ask.
    fn the_holder(&self, asked: &[Target], holds: &[Hold]) -> Result<AgentName, No> {
        let mut holders: BTreeSet<&AgentName> = holds.iter().map(|hold| &hold.holder).collect();
        if let Some(wanted) = &self.holder {
            let is_exact = holders.contains(wanted);
            holders
                .retain(|holder| if is_exact { *holder == wanted } else { wanted.covers(holder) });
        }
        let mut holders: Vec<AgentName> = holders.into_iter().cloned().collect();
        match (holders.pop(), holders.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                holders.push(last);
                Err(refused(Dispute::SeveralHolders { what: self.what(asked), holders }))
            }
            (None, _) => Err(refused(Dispute::NotHeld {
                what: self.what(asked),
                targets: asked.to_vec(),
                holder: self.holder.clone(),
            })),
        }
    }

    fn what(&self, asked: &[Target]) -> String {
        match (&self.hold, asked) {
            (Some(id), []) => id.to_string(),
            (_, asked) => named_targets(asked),
        }
    }

    /// Asks again. The window begins anew if other holds are in the way than before, or if more of
    /// them would end: their holder could not know of it.
    fn join(
        &self,
        act: &mut Act<'_>,
        before: Thread,
        pinned: Vec<HoldId>,
        ends_whole: &[Hold],
    ) -> Asking {
        let now = act.env.now;
        let mut asked = before.asked.clone().expect("an open thread asks for something");
        let recorded = recorded(ends_whole, act.env.rules);
        let is_said = asked.ends_whole == recorded;
        let is_other = asked.changed || asked.pinned != pinned || !is_said;
        let whole = targets_of(ends_whole);
        let is_more_urgent = self.urgent && !asked.urgent;
        if !is_other && !is_more_urgent {
            return Asking { thread: before, asked, joined: true, ends_whole: whole };
        }
        asked.urgent |= self.urgent;
        asked.reason = self.reason.clone();
        let end = now.plus_seconds(asked.window_seconds());
        if is_other {
            asked.window_began_at = now;
            asked.window_ends_at = end;
            asked.deferred = None;
        } else {
            asked.window_ends_at = asked.window_ends_at.min(end);
        }
        (asked.pinned, asked.changed) = (pinned, false);
        asked.ends_whole = recorded;
        let thread = Thread { asked: Some(asked.clone()), ..before.clone() };
        tell(act, Some(&before), &thread, &asked, ends_whole);
        Asking { thread, asked, joined: true, ends_whole: whole }
    }
}

/// Lists the holds of which the request records that it said that they would end. Before rules 3 it
/// did not record them.
fn recorded(ends_whole: &[Hold], rules: u32) -> Vec<HoldId> {
    if rules < 3 { Vec::new() } else { ids(ends_whole) }
}

fn ids(holds: &[Hold]) -> Vec<HoldId> {
    holds.iter().map(|hold| hold.id.clone()).collect()
}

fn targets_of(holds: &[Hold]) -> Vec<Target> {
    holds.iter().map(|hold| hold.target.clone()).collect()
}

/// Collects the facts about the paths of targets.
fn facts_of(targets: &[Target]) -> PathFacts {
    let of_kind = |kind: PathKind| -> Vec<Pattern> {
        let paths = targets.iter().filter_map(Target::paths);
        paths.filter(|paths| paths.kind == Some(kind)).map(|paths| paths.pattern.clone()).collect()
    };
    let except = targets.iter().filter_map(Target::paths).flat_map(|paths| paths.except.clone());
    let (files, new) = (of_kind(PathKind::File), of_kind(PathKind::New));
    PathFacts { files, new, except: except.collect() }
}

/// Finds the live holds that stand in the way of the targets.
fn meeting(act: &mut Act<'_>, wanted: &[Target], asker: Asker<'_>) -> Result<Vec<Hold>, No> {
    let mut holds = Vec::new();
    for target in wanted {
        let mut meeting = index::meeting(act, target, act.env.comparing())?;
        sweep::remove_ended(act, &mut meeting);
        holds.extend(meeting.into_iter().filter(|hold| asker.is_blocked_by(hold)));
    }
    Ok(select::once(holds))
}

/// Finds an open request of the asker for exactly these targets.
fn open_thread(act: &Act<'_>, wanted: &[Target], holds: &[Hold]) -> Result<Option<Thread>, No> {
    let is_same = |thread: &Thread| {
        let asks_for_the_same = |asked: &Asked| {
            let asked = asked.targets();
            asked.len() == wanted.len() && asked.iter().all(|target| wanted.contains(target))
        };
        thread.opened_by == *act.env.actor && thread.open().is_some_and(asks_for_the_same)
    };
    for hold in holds {
        if let Some(thread) = thread_index::pinning(act, &hold.id)?.into_iter().find(is_same) {
            return Ok(Some(thread));
        }
    }
    Ok(None)
}

/// Writes the request and sends it to the holder, with what else a release would free.
fn tell(
    act: &mut Act<'_>,
    before: Option<&Thread>,
    thread: &Thread,
    asked: &Asked,
    ends_whole: &[Hold],
) {
    thread_index::put(act, before, thread);
    events::record(act, ThreadEvent::Asked, thread);
    let mut subject = format!("{} asks for {}: {}", thread.opened_by, asked.what(), asked.reason);
    if !ends_whole.is_empty() {
        subject.push_str(&format!("; a release frees all of {}", named(ends_whole)));
    }
    let letter = Letter {
        thread: &thread.id,
        kind: MessageKind::Ask,
        to: vec![asked.holder.clone()],
        subject: thread_index::line(&subject),
        body: None,
        urgent: asked.urgent,
        ack: false,
        patterns: asked.patterns.clone(),
    };
    thread_index::post(act, letter);
}

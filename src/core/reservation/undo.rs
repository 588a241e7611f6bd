//! `undo`: takes one act of an agent back, if nobody has built on it since.
//!
//! The command records each hold that the act changed, as it was before and after. A hold that the
//! act granted ends. One that it ended is granted again, with a new fence, if it is free. One that
//! it renewed gets its former end, and one that it moved goes back. If a hold is no longer as the
//! act left it, somebody has built on it, and nothing is taken back.
//!
//! Fences only grow, and messages stay said. Holds that go with a process are left alone.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::core::command::Command;
use crate::core::decision::{Act, Decide, Env, No};
use crate::core::event::Event;
use crate::core::ids::{HoldId, OpId};
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::check::Asker;
use crate::core::reservation::reserve::keep_agent_limit;
use crate::core::reservation::{Hold, Via, events, index, named};
use crate::core::text::Line;

/// The type of the event that names the act that was taken back.
pub const UNDONE: &str = "undone";

/// The types of events that tell of a change of a hold by its holder.
const CHANGES: [&str; 7] =
    ["granted", "renewed", "mode_changed", "absorbed", "released", "narrowed", "transferred"];
/// The types of other events that come with such a change and concern nobody else.
const BESIDE: [&str; 4] = ["expired", "waiting", "wait_over", "conflict"];

/// A request to take an act back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undo {
    /// The act.
    pub act: OpId,
    /// Each hold that the act changed.
    pub changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Line>,
}

/// A hold as it was before an act and after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<Hold>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<Hold>,
}

/// The effects of an undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// Holds that ended.
    pub ended: Vec<Hold>,
    /// Holds that were granted again.
    pub granted: Vec<Hold>,
    /// Holds that are as they were before the act.
    pub restored: Vec<Hold>,
    /// Holds whose time is over, so that nothing of the act was left.
    pub over: Vec<HoldId>,
}

/// The verdict on an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can be taken back.
    Undoable,
    /// It changed no hold by the will of its agent, and is passed over.
    PassedOver,
    /// It cannot be taken back, for this reason.
    Final(&'static str),
}

/// Judges an act by its command and its events. Acts of hooks are passed over: they come with edits
/// and turns, and go with them.
pub fn verdict(command: &Command, events: &[Event]) -> Verdict {
    match command {
        Command::Reserve(asked) if asked.with_edit || asked.about.via != Via::Command => {
            Verdict::PassedOver
        }
        Command::Release(asked) if asked.which.via.is_some() || asked.which.leaving => {
            Verdict::PassedOver
        }
        Command::Reserve(_) | Command::Renew(_) | Command::Release(_) | Command::Transfer(_) => {
            by_events(events)
        }
        Command::Ask(_) => Verdict::Final("its holder has got the request"),
        Command::Answer(_) => Verdict::Final("the asker has got the answer"),
        Command::Take(_) => Verdict::Final("the holder was told that you took it"),
        Command::Send(_) => Verdict::Final("the message was sent"),
        Command::Adopt(_) => Verdict::Final("the changes were taken over from another agent"),
        Command::Rollback(_) => Verdict::Final("a rollback is undone by a further rollback"),
        Command::Sweep(_) => Verdict::Final("what has expired does not come back"),
        Command::Prune(_) => Verdict::Final("threads that were removed do not come back"),
        _ => Verdict::PassedOver,
    }
}

fn by_events(events: &[Event]) -> Verdict {
    if !events.iter().any(is_change) {
        return Verdict::PassedOver;
    }
    if events.iter().any(|event| event.data.contains_key("forced")) {
        return Verdict::Final("it was by force, and the holder was told");
    }
    let is_known = |event: &Event| is_change(event) || BESIDE.contains(&event.kind.as_str());
    if events.iter().all(is_known) {
        Verdict::Undoable
    } else {
        Verdict::Final("an agent that asked for it was told")
    }
}

/// Tells whether an event tells of a change of a hold by its holder.
fn is_change(event: &Event) -> bool {
    CHANGES.contains(&event.kind.as_str())
}

/// Lists the holds that an act has changed, each once.
pub fn changed(events: &[Event]) -> Vec<HoldId> {
    let mut ids: Vec<HoldId> = Vec::new();
    for event in events.iter().filter(|event| is_change(event)) {
        let id = event.subject.as_ref().and_then(|id| id.parse().ok());
        ids.extend(id.filter(|id| !ids.contains(id)));
    }
    ids
}

impl Change {
    /// Tells whether the hold goes with a process, before or after the act.
    pub fn is_of_process(&self) -> bool {
        [&self.before, &self.after].into_iter().flatten().any(|hold| hold.process.is_some())
    }
}

impl Decide for Undo {
    type Answer = Undone;

    fn decide(&self, act: &mut Act<'_>) -> Result<Undone, No> {
        let mut undone = Undone::default();
        for change in &self.changes {
            match (&change.before, &change.after) {
                (None, Some(after)) => end(act, after, &mut undone)?,
                (Some(before), None) => regrant(act, before, &mut undone)?,
                (Some(before), Some(after)) if before.id == after.id => {
                    restore(act, before, after, &mut undone)?;
                }
                (Some(before), Some(_)) => return Err(built_on(before)),
                (None, None) => {}
            }
        }
        keep_law(act, &undone)?;
        keep_agent_limit(act, act.env.actor)?;
        let mut data = Map::new();
        data.insert("act".to_owned(), json!(self.act));
        data.extend(self.reason.iter().map(|reason| ("because".to_owned(), json!(reason))));
        act.record_of_ledger(UNDONE, data);
        Ok(undone)
    }

    fn summary(&self, answer: &Undone, env: &Env<'_>) -> String {
        let holds = named(answer.ended.iter().chain(&answer.granted).chain(&answer.restored));
        let because = self.reason.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        format!("undo what {} did to {holds}{because}", env.actor)
    }
}

/// Ends a hold that the act granted.
fn end(act: &mut Act<'_>, after: &Hold, undone: &mut Undone) -> Result<(), No> {
    must_be_own(act, after)?;
    match index::by_id(act, &after.id)? {
        Some(present) if is_same_grant(&present, after) && present.is_live(act.env.now) => {
            index::remove(act, &present);
            events::released(act, &present, None);
            undone.ended.push(present);
        }
        Some(present) if present.is_live(act.env.now) => return Err(built_on(&present)),
        None if after.is_live(act.env.now) => return Err(built_on(after)),
        Some(_) | None => undone.over.push(after.id.clone()),
    }
    Ok(())
}

/// Grants a hold again that the act ended.
fn regrant(act: &mut Act<'_>, before: &Hold, undone: &mut Undone) -> Result<(), No> {
    must_be_own(act, before)?;
    if let Some(present) = index::by_id(act, &before.id)? {
        return Err(built_on(&present));
    }
    if !before.is_live(act.env.now) || before.process.is_some() {
        undone.over.push(before.id.clone());
        return Ok(());
    }
    let hold = Hold { fence: act.new_fence(), ..before.clone() };
    index::put(act, &hold);
    events::granted(act, &hold);
    undone.granted.push(hold);
    Ok(())
}

/// Makes a hold what it was before the act.
fn restore(act: &mut Act<'_>, before: &Hold, after: &Hold, undone: &mut Undone) -> Result<(), No> {
    must_be_own(act, before)?;
    let now = act.env.now;
    let present = match index::by_id(act, &after.id)? {
        Some(present) if present.is_live(now) && is_same_grant(&present, after) => present,
        Some(present) if present.is_live(now) => return Err(built_on(&present)),
        None if after.is_live(now) => return Err(built_on(after)),
        Some(_) | None => {
            undone.over.push(after.id.clone());
            return Ok(());
        }
    };
    // An edit may have made it last longer since: that stays.
    let is_as_left = present.expires_at == after.expires_at;
    let expires_at = if is_as_left { before.expires_at } else { present.expires_at };
    let mut hold = Hold { expires_at, fence: present.fence, ..before.clone() };
    hold.process.clone_from(&present.process);
    index::remove(act, &present);
    if !hold.is_live(now) {
        events::expired(act, &hold);
        undone.ended.push(hold);
        return Ok(());
    }
    let is_moved = hold.holder != present.holder;
    let is_same_right = hold.target == present.target && hold.mode == present.mode;
    if is_moved || !is_same_right {
        hold.fence = act.new_fence();
    }
    index::put(act, &hold);
    if is_moved {
        events::transferred(act, &hold, &present.holder, None);
    } else if hold.target != present.target {
        events::granted(act, &hold);
    } else if hold.mode == present.mode {
        events::renewed(act, &hold);
    } else {
        events::mode_changed(act, &hold);
    }
    undone.restored.push(hold);
    Ok(())
}

/// Tells whether the holder has the same right by both holds, whenever they end.
fn is_same_grant(one: &Hold, other: &Hold) -> bool {
    one.holder == other.holder && one.target == other.target && one.mode == other.mode
}

fn must_be_own(act: &Act<'_>, hold: &Hold) -> Result<(), No> {
    if act.env.actor.covers(&hold.holder) {
        return Ok(());
    }
    Err(Refusal::NotYours { holds: vec![hold.clone()], at: act.env.now }.into())
}

fn built_on(hold: &Hold) -> No {
    Refusal::BuiltOn { hold: Box::new(hold.clone()) }.into()
}

/// Refuses an undo after which a hold would stand against one of a stranger.
fn keep_law(act: &Act<'_>, undone: &Undone) -> Result<(), No> {
    let mut conflicts: Vec<Conflict> = Vec::new();
    for hold in undone.granted.iter().chain(&undone.restored) {
        let asker = Asker::like(hold, act.env.now);
        let meeting = index::meeting(act, &hold.target, act.env.comparing())?;
        conflicts.extend(asker.conflicts(&hold.target, &meeting));
    }
    if conflicts.is_empty() {
        return Ok(());
    }
    Err(Refusal::Held { conflicts, before: Vec::new(), at: act.env.now }.into())
}

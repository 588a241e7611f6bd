//! The events of reservations: functions that record them, and [`fold`], which reads them back.
//!
//! The events carry everything that is needed to follow the state: [`fold`] computes the holds that
//! they lead to, and a property test compares these with the tree.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::core::decision::Act;
use crate::core::event::Event;
use crate::core::ids::{AgentName, HoldId, TicketId};
use crate::core::reservation::tickets::{Over, Ticket};
use crate::core::reservation::{About, Hold, Target};
use crate::core::text::Line;

/// Records a grant, of a new hold or of one that a rollback brought back.
pub fn granted(act: &mut Act<'_>, hold: &Hold) {
    act.record("granted", &hold.id, object(&hold));
}

/// Records that a hold lasts longer, or has a new reason, task or run.
pub fn renewed(act: &mut Act<'_>, hold: &Hold) {
    act.record("renewed", &hold.id, object(&hold));
}

/// Records that a hold changed from exclusive to shared or back.
pub fn mode_changed(act: &mut Act<'_>, hold: &Hold) {
    act.record("mode_changed", &hold.id, object(&hold));
}

/// Records that a hold went into a wider one of the same holder.
pub fn absorbed(act: &mut Act<'_>, hold: &Hold, into: &HoldId) {
    let mut data = ended(hold);
    data.insert("into".to_owned(), json!(into));
    act.record("absorbed", &hold.id, data);
}

/// Records a release, by the holder or by force.
pub fn released(act: &mut Act<'_>, hold: &Hold, forced: Option<&Line>) {
    let mut data = ended(hold);
    if let Some(reason) = forced {
        data.insert("forced".to_owned(), json!(true));
        data.insert("because".to_owned(), json!(reason));
    }
    act.record("released", &hold.id, data);
}

/// Records that the holder gave a part of a hold away, or that somebody took it.
pub fn narrowed(act: &mut Act<'_>, hold: &Hold, freed: &[Target], forced: Option<&Line>) {
    let mut data = object(&hold);
    let freed: Vec<String> = freed.iter().map(Target::shown).collect();
    data.insert("freed".to_owned(), json!(freed));
    if let Some(reason) = forced {
        data.insert("forced".to_owned(), json!(true));
        data.insert("because".to_owned(), json!(reason));
    }
    act.record("narrowed", &hold.id, data);
}

/// Records that a hold was removed because its time was over, its process or the session of its
/// holder had ended, or a wrong clock had set its end.
pub fn expired(act: &mut Act<'_>, hold: &Hold) {
    let mut data = ended(hold);
    data.insert("expired_at".to_owned(), json!(hold.expires_at));
    if hold.is_live(act.env.now) {
        let why = if hold.process.is_some() { "process_ended" } else { "session_ended" };
        data.insert("why".to_owned(), json!(why));
        if let Some(process) = &hold.process {
            data.insert("process".to_owned(), json!(process));
        }
    } else if !hold.is_over(act.env.now) {
        data.insert("why".to_owned(), json!("dated_ahead"));
    }
    act.record("expired", &hold.id, data);
}

/// Records that a hold has another holder.
pub fn transferred(act: &mut Act<'_>, hold: &Hold, from: &AgentName, forced: Option<&Line>) {
    let mut data = object(&hold);
    data.insert("from".to_owned(), json!(from));
    if let Some(reason) = forced {
        data.insert("forced".to_owned(), json!(true));
        data.insert("because".to_owned(), json!(reason));
    }
    act.record("transferred", &hold.id, data);
}

/// Records that a rollback undid a hold.
pub fn revoked(act: &mut Act<'_>, hold: &Hold, because: &Line) {
    let mut data = ended(hold);
    data.insert("because".to_owned(), json!(because));
    act.record("revoked", &hold.id, data);
}

/// Records that a rollback undid a hold that could not be read.
pub fn revoked_unread(act: &mut Act<'_>, id: &HoldId, because: &Line) {
    let data = Map::from_iter([("because".to_owned(), json!(because))]);
    act.record("revoked", id, data);
}

/// Records that a target was refused to an agent because of a hold.
pub fn conflict(act: &mut Act<'_>, target: &Target, held: &Hold, about: &About) {
    let mut data = object(target);
    data.insert("holder".to_owned(), json!(held.holder));
    data.insert("held".to_owned(), json!(held.target));
    for (name, text) in [("reason", &about.reason), ("run", &about.run)] {
        data.extend(text.as_ref().map(|text| (name.to_owned(), json!(text))));
    }
    act.record("conflict", &held.id, data);
}

/// Records that an agent began to wait.
pub fn waiting(act: &mut Act<'_>, ticket: &Ticket) {
    act.record("waiting", &ticket.id, object(&ticket));
}

/// Records that an agent waits no longer.
pub fn wait_over(act: &mut Act<'_>, ticket: &Ticket, over: Over) {
    let data = [("agent", json!(ticket.agent)), ("why", json!(over))];
    act.record(
        "wait_over",
        &ticket.id,
        data.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
    );
}

/// Records that a rollback removed a ticket that could not be read.
pub fn wait_over_unread(act: &mut Act<'_>, id: &TicketId, because: &Line) {
    let data = Map::from_iter([("because".to_owned(), json!(because))]);
    act.record("wait_over", id, data);
}

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => unreachable!("holds, tickets and what they are on are objects"),
    }
}

/// Describes a hold that has ended, for the readers of its event.
fn ended(hold: &Hold) -> Map<String, Value> {
    let mut data = Map::new();
    data.insert("holder".to_owned(), json!(hold.holder));
    data.extend(object(&hold.target));
    if let Some(run) = &hold.about.run {
        data.insert("run".to_owned(), json!(run));
    }
    data
}

/// Names the agent that somebody else's event concerns: its hold was taken away, handed over, or
/// granted again.
pub fn concerned(event: &Event) -> Option<AgentName> {
    let name = match event.kind.as_str() {
        "granted" | "released" | "narrowed" | "revoked" => event.text("holder"),
        "transferred" => event.text("from"),
        _ => None,
    };
    name?.parse().ok().filter(|name| *name != event.actor)
}

/// Applies an event to the holds, which are kept by id.
pub fn fold(holds: &mut BTreeMap<String, Map<String, Value>>, event: &Event) {
    let Some(subject) = &event.subject else { return };
    match event.kind.as_str() {
        "granted" | "renewed" | "narrowed" | "mode_changed" | "transferred" => {
            let mut hold = event.data.clone();
            if matches!(event.kind.as_str(), "narrowed" | "transferred") {
                for told_only in ["from", "freed", "forced", "because"] {
                    hold.shift_remove(told_only);
                }
            }
            holds.insert(subject.clone(), hold);
        }
        "absorbed" | "released" | "expired" | "revoked" => drop(holds.remove(subject)),
        _ => {}
    }
}

//! Notifies askers that a hold they asked for has ended, in the entry that ends it.
//!
//! There is one place for that. Every end of a hold leaves an event, whichever command, sweep or
//! rollback brought it about. So this module looks through the events of each decision.

use crate::core::decision::Act;
use crate::core::documents::ReadError;
use crate::core::event::Event;
use crate::core::ids::HoldId;
use crate::core::negotiation::answer::{conclude, notify_asker};
use crate::core::negotiation::events::{self, ThreadEvent};
use crate::core::negotiation::{Asked, How, MessageKind, Outcome, Thread, thread_index};
use crate::core::reservation::check::{self, Asker};
use crate::core::reservation::index;
use crate::core::text::Line;

/// The end of a hold.
struct Ended {
    hold: HoldId,
    how: How,
    because: Option<Line>,
    /// The new holder.
    to: Option<String>,
    /// The hold that absorbed it.
    into: Option<HoldId>,
    /// True if only a part of the hold ended.
    is_part: bool,
}

impl Ended {
    fn of(event: &Event) -> Option<Ended> {
        let how = match event.kind.as_str() {
            "released" | "absorbed" | "narrowed" => How::Released,
            "expired" => How::Expired,
            "revoked" => How::Revoked,
            "transferred" => How::Transferred,
            _ => return None,
        };
        let text = |field: &str| event.text(field);
        Some(Ended {
            hold: event.subject.as_ref()?.parse().ok()?,
            how,
            because: text("because").and_then(|text| Line::new(text).ok()),
            to: text("holder").filter(|_| how == How::Transferred).map(str::to_owned),
            into: text("into").and_then(|id| id.parse().ok()),
            is_part: event.kind == "narrowed",
        })
    }
}

/// Notifies the askers of the holds that this decision has ended.
pub fn askers(act: &mut Act<'_>) -> Result<(), ReadError> {
    let ended: Vec<Ended> = act.events().iter().filter_map(Ended::of).collect();
    for ended in ended {
        for thread in thread_index::pinning(act, &ended.hold)? {
            let asked = thread.asked.clone().expect("an open thread asks for something");
            if ended.is_part && still_meets(act, &asked, &ended.hold)? {
                continue;
            }
            match &ended.into {
                Some(into) => become_another(act, &thread, asked, &ended.hold, into),
                None => end(act, &thread, asked, &ended)?,
            }
        }
    }
    Ok(())
}

/// Tells whether the part of a hold that its holder kept stands in the way of a request.
fn still_meets(act: &Act<'_>, asked: &Asked, id: &HoldId) -> Result<bool, ReadError> {
    let Some(hold) = index::by_id(act, id)? else { return Ok(false) };
    let kept = hold.target.reach(act.env.comparing());
    Ok(asked.targets().iter().any(|target| target.reach(act.env.comparing()).meets(&kept)))
}

/// Pins the thread to the hold that absorbed the old one. The holder has more now than it was asked
/// for, and the asker has not seen it yet.
fn become_another(
    act: &mut Act<'_>,
    before: &Thread,
    mut asked: Asked,
    old: &HoldId,
    new: &HoldId,
) {
    asked.pinned.retain(|id| id != old && id != new);
    asked.pinned.push(new.clone());
    asked.changed = true;
    let thread = Thread { asked: Some(asked), ..before.clone() };
    thread_index::put(act, Some(before), &thread);
    events::record(act, ThreadEvent::Changed, &thread);
}

fn end(
    act: &mut Act<'_>,
    before: &Thread,
    mut asked: Asked,
    ended: &Ended,
) -> Result<(), ReadError> {
    if asked.pinned.len() > 1 {
        asked.pinned.retain(|id| *id != ended.hold);
        let thread = Thread { asked: Some(asked), ..before.clone() };
        thread_index::put(act, Some(before), &thread);
        events::record(act, ThreadEvent::Changed, &thread);
        return Ok(());
    }
    let outcome = Outcome {
        how: ended.how,
        at: act.env.now,
        by: act.env.actor.clone(),
        because: ended.because.clone(),
        acknowledged: false,
        freed: Vec::new(),
        narrowed: Vec::new(),
        granted: Vec::new(),
        fence: act.fence(),
    };
    let thread = conclude(act, before, asked.clone(), outcome);
    events::record(act, ThreadEvent::Freed, &thread);
    // An agent needs no message about its own act.
    if thread.opened_by != *act.env.actor {
        let subject = subject(act, &thread, &asked, ended)?;
        notify_asker(act, &thread, &asked, MessageKind::Freed, &subject);
    }
    Ok(())
}

/// Says how the hold ended, and whether the asker can have it now.
fn subject(
    act: &Act<'_>,
    thread: &Thread,
    asked: &Asked,
    ended: &Ended,
) -> Result<String, ReadError> {
    let (holder, what) = (&asked.holder, asked.what());
    let became = match (ended.how, &ended.to) {
        (How::Expired, _) => format!("{what} of {holder} ran out"),
        (How::Revoked, _) => format!("{what} of {holder} was rolled back"),
        (How::Transferred, Some(to)) => format!("{holder} handed {what} on to {to}"),
        _ => format!("{holder} released {what}"),
    };
    let by = Asker::of(act.env, &thread.opened_by);
    let rest = match check::check(act, &asked.targets(), by, act.env.comparing()) {
        Ok(conflicts) => match conflicts.first() {
            None => "it is free, reserve it".to_owned(),
            Some(conflict) => format!("{} holds it now, ask again", conflict.held.holder),
        },
        // A command that asks for the target will report the damage.
        Err(ReadError::Damaged { .. }) => "see who holds it now".to_owned(),
        Err(error) => return Err(error),
    };
    Ok(format!("{became}: {rest}"))
}

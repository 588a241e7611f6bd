//! `answer`: the holder releases the holds, puts the request off once, or refuses it.
//!
//! A release is one act: the holds are freed, the thread acknowledges that, and the asker is
//! granted what it asked for. If no hold was left to free, nothing is acknowledged.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::ids::AgentName;
use crate::core::limits::DEFER_SECONDS_MAX;
use crate::core::negotiation::dispute::Dispute;
use crate::core::negotiation::events::{self, ThreadEvent};
use crate::core::negotiation::find::{Side, Which, in_the_way, refused};
use crate::core::negotiation::thread_index::{self, Letter};
use crate::core::negotiation::{Asked, Deferral, How, MessageKind, Outcome, Thread};
use crate::core::refusal::{Conflict, Refusal, within};
use crate::core::reservation::narrow::{self, Freed};
use crate::core::reservation::reserve::{Grant, Reserve, Scope};
use crate::core::reservation::{About, Hold, Mode, Target, Via, index, select, sweep};
use crate::core::text::Line;

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    #[serde(flatten)]
    pub which: Which,
    pub verdict: Verdict,
    /// Set if the holder also gives away what it cannot keep: the rest of a hold that has too many
    /// exceptions for one more.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub whole: bool,
}

/// The answers that a holder can give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The holder releases the holds.
    Release,
    /// The holder needs more time.
    Defer { seconds: u64, reason: Line },
    /// The holder keeps the holds.
    Refuse { reason: Line },
}

/// The effects of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub thread: Thread,
    pub asked: Asked,
    /// The holds of which the asked targets were freed.
    pub released: Vec<Freed>,
    /// The holds that the asker has now.
    pub granted: Vec<Grant>,
    /// The conflicts that the asker still has.
    pub in_the_way: Vec<Conflict>,
}

impl Decide for Answer {
    type Answer = Answered;

    fn decide(&self, act: &mut Act<'_>) -> Result<Answered, No> {
        let (thread, asked) =
            self.which.request(act, act.env.actor, Side::Holder, act.env.comparing())?;
        if let Some(outcome) = &asked.outcome {
            // A release of holds that are gone already succeeds without effect.
            let is_gone = !matches!(outcome.how, How::Refused | How::Taken);
            if self.verdict == Verdict::Release && is_gone {
                return Ok(Answered::without_effect(thread, asked));
            }
            return Err(over(&thread, outcome));
        }
        match &self.verdict {
            Verdict::Release => self.release(act, &thread, asked),
            Verdict::Defer { seconds, reason } => defer(act, &thread, asked, *seconds, reason),
            Verdict::Refuse { reason } => Ok(refuse(act, &thread, asked, reason)),
        }
    }

    fn summary(&self, answer: &Answered, _: &Env<'_>) -> String {
        let Answered { thread, asked, .. } = answer;
        let (asker, holder, what) = (&thread.opened_by, &asked.holder, asked.what());
        match &self.verdict {
            Verdict::Release => format!("answer {asker}: {holder} releases {what}"),
            Verdict::Defer { reason, .. } => {
                format!("answer {asker}: {holder} puts off {what}: {reason}")
            }
            Verdict::Refuse { reason } => {
                format!("answer {asker}: {holder} refuses {what}: {reason}")
            }
        }
    }
}

impl Answer {
    /// Frees the pinned holds, and every other hold of the holder that stands in the asker's way:
    /// an acknowledgement beside one of those would not be true.
    fn release(&self, act: &mut Act<'_>, thread: &Thread, asked: Asked) -> Result<Answered, No> {
        let for_whom = thread.opened_by.clone();
        let mut holds = pinned(act, &asked)?;
        holds.extend(in_the_way(act, &for_whom, &asked.holder, &asked.targets())?);
        let mut holds = select::once(holds);
        sweep::remove_ended(act, &mut holds);
        let given = asked.targets();
        if !self.whole {
            let losing = unannounced(act, &asked, &holds);
            if !losing.is_empty() {
                let thread = thread.id.clone();
                return Err(refused(Dispute::EndsWhole { thread, holds: losing }));
            }
        }
        let freed: Vec<Freed> =
            holds.into_iter().map(|hold| narrow::free(act, hold, &given, None)).collect();
        let (granted, in_the_way) = grant(act, &for_whom, &asked)?;
        let is_acknowledged = !freed.is_empty();
        let outcome = Outcome {
            how: if is_acknowledged { How::Released } else { How::Expired },
            at: act.env.now,
            by: act.env.actor.clone(),
            because: None,
            acknowledged: is_acknowledged,
            freed: narrow::ended(&freed),
            narrowed: narrow::kept(&freed),
            granted: granted.iter().map(|grant| grant.hold.id.clone()).collect(),
            fence: act.fence(),
        };
        let thread = conclude(act, thread, asked, outcome);
        let asked = thread.asked.clone().expect("a concluded request is one");
        let event = if is_acknowledged { ThreadEvent::Answered } else { ThreadEvent::Freed };
        events::record(act, event, &thread);
        let kind = if is_acknowledged { MessageKind::Released } else { MessageKind::Freed };
        let did = if is_acknowledged { "released" } else { "holds no longer" };
        let rest = match (granted.first(), in_the_way.first()) {
            (Some(grant), _) => format!("it is yours until {}", grant.hold.expires_at),
            (None, Some(conflict)) => {
                format!("'{}' of {} is in the way", conflict.held.target, conflict.held.holder)
            }
            (None, None) => "reserve it".to_owned(),
        };
        let beyond = unrequested(act, &freed, &given);
        let subject = format!("{} {did} {}: {rest}{beyond}", asked.holder, asked.what());
        notify_asker(act, &thread, &asked, kind, &subject);
        Ok(Answered { thread, asked, released: freed, granted, in_the_way })
    }
}

impl Answered {
    fn without_effect(thread: Thread, asked: Asked) -> Answered {
        let (released, granted, in_the_way) = (Vec::new(), Vec::new(), Vec::new());
        Answered { thread, asked, released, granted, in_the_way }
    }
}

/// Refuses because the request is over.
pub fn over(thread: &Thread, outcome: &Outcome) -> No {
    let Outcome { how, by, at, .. } = outcome.clone();
    refused(Dispute::Over { thread: thread.id.clone(), how, by, at })
}

/// Ends a request.
pub fn conclude(act: &mut Act<'_>, before: &Thread, mut asked: Asked, outcome: Outcome) -> Thread {
    asked.outcome = Some(outcome);
    let thread = Thread { asked: Some(asked), ..before.clone() };
    thread_index::put(act, Some(before), &thread);
    thread
}

/// Builds the reservation that the asker asked for.
pub fn claim(asked: &Asked) -> Reserve {
    Reserve {
        patterns: asked.patterns.clone(),
        locks: asked.locks.clone(),
        mode: Mode::Exclusive,
        ttl: asked.ttl,
        about: About {
            reason: Some(asked.reason.clone()),
            task: None,
            run: None,
            via: if asked.through_hooks { Via::Ask } else { Via::Command },
            worktree: asked.worktree.clone(),
            place: asked.place.clone(),
        },
        facts: asked.facts.clone(),
        scope: Scope::All,
        request_id: None,
        with_edit: false,
        process: None,
        shell: None,
        wait: None,
    }
}

/// Reads the pinned holds that the holder still has, live or not.
pub fn pinned(documents: &dyn Documents, asked: &Asked) -> Result<Vec<Hold>, ReadError> {
    let mut holds = Vec::new();
    for id in &asked.pinned {
        holds.extend(index::by_id(documents, id)?);
    }
    holds.retain(|hold| hold.holder == asked.holder);
    Ok(holds)
}

/// Finds the holds that would end as a whole without a word of it in the request. Before rules
/// 3 a hold ended so.
pub fn unannounced(act: &Act<'_>, asked: &Asked, holds: &[Hold]) -> Vec<Hold> {
    let Env { rules, .. } = act.env;
    let by = act.env.comparing();
    let given = asked.targets();
    let is_unannounced =
        |hold: &&Hold| narrow::loses_rest(hold, &given, by) && !asked.ends_whole.contains(&hold.id);
    holds.iter().filter(|_| rules >= 3).filter(is_unannounced).cloned().collect()
}

/// Says what of the freed holds was not asked for; empty if nothing was, or under rules 1.
pub fn unrequested(act: &Act<'_>, freed: &[Freed], given: &[Target]) -> String {
    if act.env.rules < 2 {
        return String::new();
    }
    let beyond = freed.iter().filter_map(|freed| freed.beyond(given, act.env.comparing()));
    beyond.flat_map(|beyond| ["; ".to_owned(), beyond]).collect()
}

/// Grants the asker what it asked for. A hold of a third agent, or the asker's own limit, does not
/// stop the holder from releasing.
fn grant(
    act: &mut Act<'_>,
    for_whom: &AgentName,
    asked: &Asked,
) -> Result<(Vec<Grant>, Vec<Conflict>), No> {
    match act.on_behalf_of(for_whom, &claim(asked)) {
        Ok(reserved) => Ok((reserved.granted, Vec::new())),
        Err(No::Refused(Refusal::Held { conflicts, .. })) => Ok((Vec::new(), conflicts)),
        Err(No::Refused(_)) => Ok((Vec::new(), Vec::new())),
        Err(error) => Err(error),
    }
}

fn defer(
    act: &mut Act<'_>,
    before: &Thread,
    mut asked: Asked,
    seconds: u64,
    reason: &Line,
) -> Result<Answered, No> {
    let (given, most) = (usize::try_from(seconds), usize::try_from(DEFER_SECONDS_MAX));
    within("seconds to put it off", given.unwrap_or(usize::MAX), most.unwrap_or(usize::MAX))?;
    if let Some(deferral) = &asked.deferred {
        let (thread, until) = (before.id.clone(), deferral.until);
        return Err(refused(Dispute::DeferredBefore { thread, until }));
    }
    let now = act.env.now;
    let until = now.plus_seconds(seconds);
    if until < asked.window_ends_at {
        // Such an answer would move nothing, and use up the one deferral.
        let (thread, window_ends_at) = (before.id.clone(), asked.window_ends_at);
        return Err(refused(Dispute::DefersNothing { thread, window_ends_at }));
    }
    asked.deferred = Some(Deferral { at: now, until, reason: reason.clone() });
    (asked.window_began_at, asked.window_ends_at) = (now, until);
    let thread = Thread { asked: Some(asked.clone()), ..before.clone() };
    thread_index::put(act, Some(before), &thread);
    events::record(act, ThreadEvent::Deferred, &thread);
    let subject = format!("{} needs {} until {until}: {reason}", asked.holder, asked.what());
    notify_asker(act, &thread, &asked, MessageKind::Deferred, &subject);
    Ok(Answered::without_effect(thread, asked))
}

fn refuse(act: &mut Act<'_>, thread: &Thread, asked: Asked, reason: &Line) -> Answered {
    let outcome = Outcome {
        how: How::Refused,
        at: act.env.now,
        by: act.env.actor.clone(),
        because: Some(reason.clone()),
        acknowledged: false,
        freed: Vec::new(),
        narrowed: Vec::new(),
        granted: Vec::new(),
        fence: act.fence(),
    };
    let thread = conclude(act, thread, asked, outcome);
    let asked = thread.asked.clone().expect("a concluded request is one");
    events::record(act, ThreadEvent::Refused, &thread);
    let subject = format!("{} keeps {}: {reason}", asked.holder, asked.what());
    notify_asker(act, &thread, &asked, MessageKind::Refused, &subject);
    Answered::without_effect(thread, asked)
}

/// Sends a message about the request to the asker.
pub fn notify_asker(
    act: &mut Act<'_>,
    thread: &Thread,
    asked: &Asked,
    kind: MessageKind,
    subject: &str,
) {
    let letter = Letter {
        thread: &thread.id,
        kind,
        to: vec![thread.opened_by.clone()],
        subject: thread_index::line(subject),
        body: None,
        urgent: asked.urgent,
        ack: false,
        patterns: asked.patterns.clone(),
    };
    thread_index::post(act, letter);
}

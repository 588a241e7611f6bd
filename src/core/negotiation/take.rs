//! `take`: the asker takes the holds, once the holder has had its time or gives no sign of life.
//!
//! Time alone frees nothing: this is an act of the asker, on the record, and a message tells the
//! holder. Exactly the holds that were asked for are freed. A hold that the holder has got since
//! was asked for by nobody, so it stops the takeover.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::negotiation::answer::{claim, conclude, over, pinned, unannounced, unrequested};
use crate::core::negotiation::dispute::Dispute;
use crate::core::negotiation::events::{self, ThreadEvent};
use crate::core::negotiation::find::{Side, Which, in_the_way, refused};
use crate::core::negotiation::standing::{Evidence, Held};
use crate::core::negotiation::thread_index::{self, Letter};
use crate::core::negotiation::{Asked, How, MessageKind, Outcome, Thread};
use crate::core::reservation::narrow::{self, Freed};
use crate::core::reservation::reserve::Grant;
use crate::core::reservation::{Hold, sweep};
use crate::core::text::Line;
use crate::core::time::about;

/// A takeover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Take {
    #[serde(flatten)]
    pub which: Which,
    pub reason: Line,
    /// The holder's last sign of life, as far as known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<Evidence>,
}

/// The effects of a takeover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub thread: Thread,
    pub asked: Asked,
    /// The holds of which the holder lost the asked targets.
    pub taken: Vec<Freed>,
    /// The holds that the asker has now.
    pub granted: Vec<Grant>,
}

impl Decide for Take {
    type Answer = Taken;

    fn decide(&self, act: &mut Act<'_>) -> Result<Taken, No> {
        let (thread, asked) =
            self.which.request(act, act.env.actor, Side::Asker, act.env.comparing())?;
        // A repeated takeover succeeds without effect.
        if asked.outcome.as_ref().is_some_and(|outcome| outcome.how == How::Taken) {
            return Ok(Taken { thread, asked, taken: Vec::new(), granted: Vec::new() });
        }
        self.keep_rules(act, &thread, &asked)?;
        let mut holds = pinned(act, &asked)?;
        sweep::remove_ended(act, &mut holds);
        let losing = unannounced(act, &asked, &holds);
        if !losing.is_empty() {
            let (thread, holder) = (thread.id, asked.holder);
            // A request that leaves something out cannot be typed again.
            let patterns = asked.facts.except.is_empty().then_some(asked.patterns);
            let patterns = patterns.unwrap_or_default();
            return Err(refused(Dispute::TakesWhole { thread, holder, holds: losing, patterns }));
        }
        let given = asked.targets();
        let by_force = |hold: Hold| narrow::free(act, hold, &given, Some(&self.reason));
        let freed: Vec<Freed> = holds.into_iter().map(by_force).collect();
        let granted = act.on_behalf_of(&thread.opened_by, &claim(&asked))?.granted;
        let is_taken = !freed.is_empty();
        let outcome = Outcome {
            how: if is_taken { How::Taken } else { How::Expired },
            at: act.env.now,
            by: act.env.actor.clone(),
            because: Some(self.reason.clone()),
            acknowledged: is_taken,
            freed: narrow::ended(&freed),
            narrowed: narrow::kept(&freed),
            granted: granted.iter().map(|grant| grant.hold.id.clone()).collect(),
            fence: act.fence(),
        };
        let thread = conclude(act, &thread, asked, outcome);
        let asked = thread.asked.clone().expect("a concluded request is one");
        if is_taken {
            self.tell_holder(act, &thread, &asked, &freed);
        } else {
            events::record(act, ThreadEvent::Freed, &thread);
        }
        Ok(Taken { thread, asked, taken: freed, granted })
    }

    fn summary(&self, answer: &Taken, env: &Env<'_>) -> String {
        let Asked { holder, .. } = &answer.asked;
        format!("take {} of {holder} for {}: {}", answer.asked.what(), env.actor, self.reason)
    }
}

impl Take {
    fn keep_rules(&self, act: &Act<'_>, thread: &Thread, asked: &Asked) -> Result<(), No> {
        let id = thread.id.clone();
        match &asked.outcome {
            Some(Outcome { how: How::Refused, by, at, because, .. }) => {
                let (by, at, reason) = (by.clone(), *at, because.clone());
                return Err(refused(Dispute::Barred { thread: id, by, at, reason }));
            }
            Some(outcome) => return Err(over(thread, outcome)),
            None => {}
        }
        let holder = asked.holder.clone();
        let Env { now, gone, .. } = act.env;
        let is_live = |hold: &Hold| hold.is_live(now) && !gone.has_hold(hold);
        let holds = pinned(act, asked)?;
        let held = if holds.iter().any(is_live) { Held::Yes } else { Held::NoMore };
        let evidence = self.evidence.as_ref().filter(|evidence| evidence.is_about(&holds));
        if !asked.standing(now, held, evidence).can_take {
            let (window_ends_at, presence) = (asked.window_ends_at, self.presence(act, asked));
            let early = Dispute::TooEarly { thread: id, holder, window_ends_at, presence };
            return Err(refused(early));
        }
        let mut holds = in_the_way(act, &thread.opened_by, &holder, &asked.targets())?;
        if !asked.changed {
            holds.retain(|hold| !asked.pinned.contains(&hold.id));
        }
        if holds.is_empty() {
            return Ok(());
        }
        Err(refused(Dispute::ReservationChanged { thread: id, holder, holds }))
    }

    /// Describes the holder's last sign of life, for an asker that is too early.
    fn presence(&self, act: &Act<'_>, asked: &Asked) -> String {
        let silence = about(asked.window_seconds() * 2);
        match &self.evidence {
            Some(Evidence { runs: true, .. }) => "a command of its runs under 'with'".to_owned(),
            Some(evidence) => {
                if let Some(since) = evidence.busy(act.env.now) {
                    return format!("a tool call of its is open since {since}");
                }
                let ago = about(act.env.now.seconds_since(evidence.last_seen));
                format!("it was seen {ago} ago, where {silence} of silence would do")
            }
            None => "no sign of life of its is known on this host".to_owned(),
        }
    }

    /// Records the audit, and sends an urgent message to the holder.
    fn tell_holder(&self, act: &mut Act<'_>, thread: &Thread, asked: &Asked, freed: &[Freed]) {
        let holds: Vec<&Hold> = freed.iter().map(|freed| &freed.hold).collect();
        let mut audit = json!({
            "holder": asked.holder,
            "asker": thread.opened_by,
            "patterns": asked.patterns,
            "locks": asked.locks,
            "holds": holds,
            "reason": self.reason,
            "urgent": asked.urgent,
            "age_seconds": act.env.now.seconds_since(thread.opened_at),
            "window_ended_at": asked.window_ends_at,
        });
        if let Some(evidence) = &self.evidence {
            audit["evidence"] = json!(evidence);
        }
        events::taken(act, thread, audit);
        let beyond = unrequested(act, freed, &asked.targets());
        let subject = format!("{} took {}: {}{beyond}", act.env.actor, asked.what(), self.reason);
        let letter = Letter {
            thread: &thread.id,
            kind: MessageKind::Taken,
            to: vec![asked.holder.clone()],
            subject: thread_index::line(&subject),
            body: None,
            urgent: true,
            ack: true,
            patterns: holds.iter().filter_map(|hold| hold.target.pattern()).cloned().collect(),
        };
        thread_index::post(act, letter);
    }
}

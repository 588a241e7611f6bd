//! `renew`: extends holds that are still the asker's. A hold that is no longer the asker's is
//! reported, not revived.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::event::Event;
use crate::core::ids::{AgentName, HoldId, LockName};
use crate::core::reservation::index::Whose;
use crate::core::reservation::select::{self, Named, Selection};
use crate::core::reservation::word::{Meant, Missing, Wider, meant};
use crate::core::reservation::{Hold, events, index, named};
use crate::core::time::{Timestamp, Ttl};

/// A request for a longer life of holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renew {
    #[serde(flatten)]
    pub which: Selection,
    /// The time from now on. A hold that lasts longer already is not shortened.
    pub ttl: Ttl,
}

/// A hold that no longer belongs to the asker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lost {
    /// The id, the path or the lock that the request named.
    #[serde(flatten)]
    pub named: Asked,
    /// The reason why the hold is lost.
    #[serde(flatten)]
    pub why: Why,
}

/// The way in which a request named a hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// The id of the hold.
    Id(String),
    /// A path or a pattern.
    Path(String),
    /// The lock that the hold is on.
    Lock(LockName),
}

/// The reason why a hold is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Why {
    /// The hold does not exist: it was released or swept, or it never was.
    Gone,
    /// The time of the hold is over.
    Expired { expired_at: Timestamp },
    /// Another agent has the hold.
    Held { holder: AgentName },
}

/// The holds that were renewed, and those that were lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renewed {
    pub renewed: Vec<Hold>,
    /// The holds that no longer belong to the asker.
    pub lost: Vec<Lost>,
}

impl Decide for Renew {
    type Answer = Renewed;

    fn decide(&self, act: &mut Act<'_>) -> Result<Renewed, No> {
        let mut answer = Renewed::default();
        let mut mine = Vec::new();
        let how = (act.env.comparing(), Wider::Counts);
        let is_own = |hold: &Hold| hold.holder == *act.env.actor && hold.is_live(act.env.now);
        let Meant { which, missing } = meant(act, &self.which, how, act.env.now, is_own)?;
        answer.lost.extend(missing.into_iter().map(|missing| lost_word(missing, act)));
        let by_path = select::by_paths(act, &which, act.env.comparing(), is_own)?;
        mine.extend(by_path.inside.into_iter().chain(by_path.wider));
        for found in select::by_ids(act, &which.ids)? {
            let (id, hold) = match found {
                Named::Missing(id) => (id.to_string(), None),
                Named::Hold(hold) => (hold.id.to_string(), Some(*hold)),
            };
            match why_lost(hold.as_ref(), act.env.actor, act.env.now) {
                Some(why) => answer.lost.push(Lost { named: Asked::Id(id), why }),
                None => mine.extend(hold),
            }
        }
        for name in &which.locks {
            match own_on_lock(act, name)? {
                Ok(holds) => mine.extend(holds),
                Err(why) => answer.lost.push(Lost { named: Asked::Lock(name.clone()), why }),
            }
        }
        if which.mine {
            mine.extend(index::of_agent(act, act.env.actor, Whose::Own)?);
            mine.retain(|hold| hold.is_live(act.env.now));
        }
        for mut hold in select::once(mine) {
            hold.expires_at = hold.expires_at.max(act.env.end_after(self.ttl)?);
            index::put(act, &hold);
            events::renewed(act, &hold);
            answer.renewed.push(hold);
        }
        Ok(answer)
    }

    fn summary(&self, answer: &Renewed, env: &Env<'_>) -> String {
        let patterns = named(&answer.renewed);
        format!("renew {patterns} for {} ({})", env.actor, self.ttl)
    }
}

/// Says why a word names nothing of the asker's.
fn lost_word(Missing { word, meeting }: Missing, act: &Act<'_>) -> Lost {
    let (own, others): (Vec<Hold>, Vec<Hold>) =
        meeting.into_iter().partition(|hold| hold.holder == *act.env.actor);
    let held = others.into_iter().find(|hold| hold.is_live(act.env.now));
    let held = held.map(|hold| Why::Held { holder: hold.holder });
    let expired = own.first().map(|hold| Why::Expired { expired_at: hold.expires_at });
    let why = held.or(expired);
    let named = match &word.id {
        Some(id) if why.is_none() => Asked::Id(id.to_string()),
        _ => Asked::Path(word.as_path()),
    };
    Lost { named, why: why.unwrap_or(Why::Gone) }
}

/// Says why a hold no longer belongs to an agent; `None` if it does.
fn why_lost(hold: Option<&Hold>, agent: &AgentName, now: Timestamp) -> Option<Why> {
    match hold {
        None => Some(Why::Gone),
        Some(hold) if hold.holder != *agent => Some(Why::Held { holder: hold.holder.clone() }),
        Some(hold) if !hold.is_live(now) => Some(Why::Expired { expired_at: hold.expires_at }),
        Some(_) => None,
    }
}

/// Finds which of these holds an agent has lost, without writing anything.
pub fn lost(
    documents: &dyn Documents,
    ids: &[HoldId],
    agent: &AgentName,
    now: Timestamp,
) -> Result<Vec<(HoldId, Lost)>, ReadError> {
    let mut lost = Vec::new();
    for id in ids {
        if let Some(why) = why_lost(index::by_id(documents, id)?.as_ref(), agent, now) {
            lost.push((id.clone(), Lost { named: Asked::Id(id.to_string()), why }));
        }
    }
    Ok(lost)
}

/// Finds the holds that other agents' events took from an agent; the newest event comes first. A
/// hold that was granted to the agent again since, or that it released itself, is not lost.
pub fn lost_by<'e>(events: impl Iterator<Item = &'e Event>, agent: &AgentName) -> Vec<Lost> {
    let is_agent = |event: &Event, field: &str| event.text(field) == Some(agent.as_str());
    let (mut known, mut lost) = (BTreeSet::new(), Vec::new());
    for event in events {
        let Some(id) = event.subject.as_ref().filter(|id| !known.contains(*id)) else { continue };
        let why = match event.kind.as_str() {
            "expired" if is_agent(event, "holder") => {
                let at = event.text("expired_at").and_then(|at| at.parse().ok());
                at.map_or(Why::Gone, |expired_at| Why::Expired { expired_at })
            }
            "released" | "revoked" if is_agent(event, "holder") => Why::Gone,
            "transferred" if is_agent(event, "from") => {
                let holder = event.text("holder").and_then(|holder| holder.parse().ok());
                holder.map_or(Why::Gone, |holder| Why::Held { holder })
            }
            "granted" | "renewed" | "mode_changed" | "transferred" => {
                known.insert(id.clone());
                continue;
            }
            _ => continue,
        };
        known.insert(id.clone());
        lost.push(Lost { named: Asked::Id(id.clone()), why });
    }
    lost
}

/// Returns the asker's live holds on a lock, or why it has none there.
fn own_on_lock(act: &Act<'_>, name: &LockName) -> Result<Result<Vec<Hold>, Why>, ReadError> {
    let (own, others): (Vec<Hold>, Vec<Hold>) =
        select::by_lock(act, name)?.into_iter().partition(|hold| hold.holder == *act.env.actor);
    let is_live = |hold: &Hold| hold.is_live(act.env.now);
    if own.iter().any(is_live) {
        return Ok(Ok(own.into_iter().filter(is_live).collect()));
    }
    let holder = others.into_iter().find(is_live).map(|hold| Why::Held { holder: hold.holder });
    let expired = || own.iter().map(|hold| Why::Expired { expired_at: hold.expires_at }).next();
    Ok(Err(holder.or_else(expired).unwrap_or(Why::Gone)))
}

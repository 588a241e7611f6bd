//! `renew`: longer life for what is still mine. What is no longer mine is named, not revived.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::event::Event;
use crate::core::ids::{AgentName, HoldId, LockName};
use crate::core::reservation::index::Whose;
use crate::core::reservation::select::{self, Named, Selection};
use crate::core::reservation::{Hold, events, index, named};
use crate::core::time::{Timestamp, Ttl};

/// What is to live longer, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renew {
    /// Which holds.
    #[serde(flatten)]
    pub which: Selection,
    /// For how long from now; a hold that lives longer already is not shortened.
    pub ttl: Ttl,
}

/// A hold that is no longer the asker's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lost {
    /// What was named.
    #[serde(flatten)]
    pub named: Asked,
    /// What became of it.
    #[serde(flatten)]
    pub why: Why,
}

/// How a hold was named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// By its id.
    Id(String),
    /// By the lock that it is on.
    Lock(LockName),
}

/// What became of a hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Why {
    /// It does not exist: it was released or swept, or it never was.
    Gone,
    /// Its time was over.
    Expired { expired_at: Timestamp },
    /// Another agent holds it.
    Held { holder: AgentName },
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renewed {
    /// What lives longer.
    pub renewed: Vec<Hold>,
    /// What is no longer the asker's.
    pub lost: Vec<Lost>,
}

impl Decide for Renew {
    type Answer = Renewed;

    fn decide(&self, act: &mut Act<'_>) -> Result<Renewed, No> {
        let mut answer = Renewed::default();
        let mut mine = Vec::new();
        for found in select::by_ids(act, &self.which.ids)? {
            let (id, hold) = match found {
                Named::Missing(id) => (id.to_string(), None),
                Named::Hold(hold) => (hold.id.to_string(), Some(*hold)),
            };
            match why_lost(hold.as_ref(), act.env.actor, act.env.now) {
                Some(why) => answer.lost.push(Lost { named: Asked::Id(id), why }),
                None => mine.extend(hold),
            }
        }
        for name in &self.which.locks {
            match own_on_lock(act, name)? {
                Ok(holds) => mine.extend(holds),
                Err(why) => answer.lost.push(Lost { named: Asked::Lock(name.clone()), why }),
            }
        }
        if self.which.mine {
            mine.extend(index::of_agent(act, act.env.actor, Whose::Own)?);
            mine.retain(|hold| hold.is_live(act.env.now));
        }
        for mut hold in select::once(mine) {
            hold.expires_at = hold.expires_at.max(act.env.now.plus(self.ttl));
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

/// Why a hold is no longer an agent's; nothing if it is.
fn why_lost(hold: Option<&Hold>, agent: &AgentName, now: Timestamp) -> Option<Why> {
    match hold {
        None => Some(Why::Gone),
        Some(hold) if hold.holder != *agent => Some(Why::Held { holder: hold.holder.clone() }),
        Some(hold) if !hold.is_live(now) => Some(Why::Expired { expired_at: hold.expires_at }),
        Some(_) => None,
    }
}

/// Which of these holds are no longer an agent's, for one who keeps them and writes nothing.
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

/// What an agent has lost by the doing of others, by events of theirs, the newest first. What was
/// granted to it again since, or let go of by itself, is not lost.
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

/// What the asker has on a lock, or why it has nothing there.
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

//! Who is here: everybody who holds or asks for something, and who was seen on this machine lately.

use std::collections::BTreeMap;

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::presence::{Seen, Witness};
use crate::core::damage::{Damage, Found};
use crate::core::documents::{ChildKind, Documents, Key, ReadError};
use crate::core::ids::AgentName;
use crate::core::negotiation::thread_index;
use crate::core::pattern::node_segment;
use crate::core::reservation::{Hold, index};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// Who was seen longer ago than this, and has nothing to do with anything, is not here.
const LATELY_SECONDS: u64 = 24 * 60 * 60;

/// One who is here.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Who.
    pub name: AgentName,
    /// How it was last seen on this machine; nothing if it was not.
    pub seen: Option<Seen>,
    /// Whether it is alive; nothing is known of who was not seen here.
    pub is_alive: Option<bool>,
    /// Its live holds.
    pub holds: Vec<Hold>,
    /// Open requests that it has to answer.
    pub to_answer: usize,
    /// How many of those have waited for too long.
    pub overdue: usize,
    /// Open requests that it made.
    pub made: usize,
}

impl Agent {
    fn new(name: AgentName) -> Agent {
        let (seen, is_alive, holds) = (None, None, Vec::new());
        Agent { name, seen, is_alive, holds, to_answer: 0, overdue: 0, made: 0 }
    }

    /// The task of its newest hold that has one.
    pub fn task(&self) -> Option<&Line> {
        let newest = self.holds.iter().filter(|hold| hold.about.task.is_some());
        newest.max_by_key(|hold| hold.fence).and_then(|hold| hold.about.task.as_ref())
    }

    /// When its oldest hold was granted.
    pub fn holds_since(&self) -> Option<Timestamp> {
        self.holds.iter().map(|hold| hold.granted_at).min()
    }
}

/// Everybody who is here.
#[derive(Clone, Debug)]
pub struct Agents {
    /// Each, by name.
    pub agents: Vec<Agent>,
    /// Requests and reservations that cannot be read, and so count for nobody.
    pub damaged: Vec<Damage>,
    /// The time that counted.
    pub now: Timestamp,
}

/// Everybody who is here.
pub fn agents(ctx: &Ctx) -> Result<Agents, AppError> {
    let reading = ctx.read()?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let witness = Witness::new(ctx);
    let mut roster = Roster::default();
    let (holds, mut damaged) = index::all_readable(documents)?;
    for hold in holds.into_iter().filter(|hold| hold.is_live(now)) {
        roster.agent(&hold.holder).holds.push(hold);
    }
    for party in parties(documents)? {
        for found in thread_index::open_of(documents, &party)? {
            let thread = match found {
                Found::Whole(thread) => thread,
                Found::Damaged(damage) => {
                    damaged.push(damage);
                    continue;
                }
            };
            let Some(asked) = thread.open() else { continue };
            // The threads of subagents are found with those of their session, too.
            if asked.holder == party {
                let standing = witness.standing(asked, now);
                // What it does not hold any more needs no answer.
                let is_waiting = standing.stage.is_some();
                let agent = roster.agent(&party);
                agent.to_answer += usize::from(is_waiting);
                agent.overdue += usize::from(is_waiting && standing.can_take);
            } else if thread.opened_by == party {
                roster.agent(&party).made += 1;
            }
        }
    }
    for seen in ctx.presences().all() {
        let was_lately = now.seconds_since(seen.last_seen) <= LATELY_SECONDS;
        let is_here = was_lately || roster.0.contains_key(&seen.agent);
        if is_here && let Some(seen) = witness.seen(&seen.agent) {
            let agent = roster.agent(&seen.presence.agent);
            agent.is_alive = Some(seen.is_alive(now));
            agent.seen = Some(seen);
        }
    }
    damaged.sort_by(|one, other| one.key.cmp(&other.key));
    damaged.dedup();
    Ok(Agents { agents: roster.0.into_values().collect(), damaged, now })
}

/// Agents by name.
#[derive(Default)]
struct Roster(BTreeMap<AgentName, Agent>);

impl Roster {
    fn agent(&mut self, name: &AgentName) -> &mut Agent {
        self.0.entry(name.clone()).or_insert_with(|| Agent::new(name.clone()))
    }
}

/// The agents that open requests stand under.
fn parties(documents: &dyn Documents) -> Result<Vec<AgentName>, ReadError> {
    let mut found = Vec::new();
    let mut pending = vec![(String::new(), Key::of(["parties"]))];
    while let Some((above, dir)) = pending.pop() {
        let mut is_party = false;
        for child in documents.list(&dir)? {
            if child.kind != ChildKind::Directory {
                continue;
            }
            match node_segment(&child.name).and_then(|name| String::from_utf8(name).ok()) {
                Some(name) => {
                    let name = if above.is_empty() { name } else { format!("{above}/{name}") };
                    pending.push((name, dir.join(&child.name)));
                }
                None => is_party = true,
            }
        }
        found.extend(above.parse().ok().filter(|_| is_party));
    }
    Ok(found)
}

/// Forgets who was last seen long ago.
pub fn forget_old(ctx: &Ctx, now: Timestamp) {
    const KEPT_SECONDS: u64 = 7 * 24 * 60 * 60;
    for seen in ctx.presences().all() {
        if now.seconds_since(seen.last_seen) > KEPT_SECONDS {
            ctx.presences().forget(&seen.agent).ok();
        }
    }
}

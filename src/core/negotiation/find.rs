//! Finds the request that a command means: by the beginning of its thread's id, or by its targets.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, No};
use crate::core::documents::Documents;
use crate::core::ids::{AgentName, LockName};
use crate::core::negotiation::dispute::Dispute;
use crate::core::negotiation::ids::{ThreadId, ThreadPrefix};
use crate::core::negotiation::thread_index::{self, Found};
use crate::core::negotiation::{Asked, Thread};
use crate::core::pattern::Pattern;
use crate::core::refusal::Refusal;
use crate::core::reservation::check::Asker;
use crate::core::reservation::paths::{Comparing, PathFacts};
use crate::core::reservation::target::targets;
use crate::core::reservation::{Hold, Target, index, named_targets, select};

/// The words of a caller that name a request. One word can be both the beginning of a thread's id
/// and a path; if there is such a thread, the thread is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Which {
    /// The word as a thread id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread: Option<ThreadPrefix>,
    /// The words as paths.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// The words as locks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
}

/// The side of a request that an agent is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The agent that is asked.
    Holder,
    /// The agent that asks.
    Asker,
}

impl Side {
    fn is_on(self, agent: &AgentName, thread: &Thread, asked: &Asked) -> bool {
        match self {
            Side::Holder => agent.covers(&asked.holder),
            Side::Asker => agent.covers(&thread.opened_by),
        }
    }

    fn role(self) -> &'static str {
        match self {
            Side::Holder => "could answer",
            Side::Asker => "made",
        }
    }
}

impl Which {
    /// Finds the request that is meant, and checks that the agent is on that side of it.
    pub fn request(
        &self,
        documents: &dyn Documents,
        agent: &AgentName,
        side: Side,
        by: impl Into<Comparing>,
    ) -> Result<(Thread, Asked), No> {
        let thread = match self.by_name(documents)? {
            Some(thread) => thread,
            None => self.by_path(documents, agent, side, by.into())?,
        };
        let Some(asked) = thread.asked.clone() else {
            return Err(refused(Dispute::NothingAsked { thread: thread.id }));
        };
        if side.is_on(agent, &thread, &asked) {
            return Ok((thread, asked));
        }
        Err(refused(match side {
            Side::Holder => Dispute::NotHolder { thread: thread.id, holder: asked.holder },
            Side::Asker => Dispute::NotAsker { thread: thread.id, asker: thread.opened_by },
        }))
    }

    fn by_name(&self, documents: &dyn Documents) -> Result<Option<Thread>, No> {
        self.thread.as_ref().map_or(Ok(None), |prefix| by_prefix(documents, prefix))
    }

    fn by_path(
        &self,
        documents: &dyn Documents,
        agent: &AgentName,
        side: Side,
        by: Comparing,
    ) -> Result<Thread, No> {
        let targets = self.targets();
        let meant: Vec<_> = targets.iter().map(|target| target.reach(by)).collect();
        let meets = |thread: &Thread| {
            thread.open().is_some_and(|asked| {
                side.is_on(agent, thread, asked)
                    && asked.targets().iter().any(|target| {
                        let asked = target.reach(by);
                        meant.iter().any(|meant| meant.meets(&asked))
                    })
            })
        };
        let open = thread_index::open_of(documents, agent)?.into_iter().filter_map(Found::whole);
        let mut threads: Vec<Thread> = open.filter(meets).collect();
        if threads.len() > 1 {
            let threads: Vec<ThreadId> = threads.into_iter().map(|thread| thread.id).collect();
            return Err(refused(Dispute::SeveralThreads { what: self.what(), threads }));
        }
        threads.pop().ok_or_else(|| {
            let is_name = self.thread.as_ref().is_some_and(|name| {
                let name: Result<ThreadId, _> = name.as_str().parse();
                name.is_ok()
            });
            let what = self.what();
            refused(if is_name {
                Dispute::NoThread { what }
            } else {
                let to_ask_for = if side == Side::Asker { self.targets() } else { Vec::new() };
                Dispute::NoRequest { what, to_ask_for, role: side.role() }
            })
        })
    }

    fn targets(&self) -> Vec<Target> {
        targets(&self.patterns, &self.locks, &PathFacts::NONE)
    }

    fn what(&self) -> String {
        match &self.thread {
            Some(name) => name.to_string(),
            None => named_targets(&self.targets()),
        }
    }
}

/// Finds the one thread whose id begins with the prefix.
pub fn by_prefix(documents: &dyn Documents, prefix: &ThreadPrefix) -> Result<Option<Thread>, No> {
    match thread_index::with_prefix(documents, prefix)?.as_slice() {
        [] => Ok(None),
        [only] => Ok(thread_index::thread(documents, only)?),
        several => {
            let (what, threads) = (prefix.to_string(), several.to_vec());
            Err(refused(Dispute::SeveralThreads { what, threads }))
        }
    }
}

/// Turns a dispute into the end of a decision.
pub fn refused(dispute: Dispute) -> No {
    No::Refused(Refusal::Dispute(Box::new(dispute)))
}

/// Finds the holds of the holder that stand in the asker's way.
pub fn in_the_way(
    act: &Act<'_>,
    asker: &AgentName,
    holder: &AgentName,
    targets: &[Target],
) -> Result<Vec<Hold>, No> {
    let asker = Asker::of(act.env, asker);
    let counts = |hold: &Hold| hold.holder == *holder && asker.is_blocked_by(hold);
    let mut holds = Vec::new();
    for target in targets {
        let meeting = index::meeting(act, target, act.env.comparing())?;
        holds.extend(meeting.into_iter().filter(counts));
    }
    Ok(select::once(holds))
}

//! `run agent`: records which agents work in a phase of a run, and which have finished.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError, read};
use crate::core::ids::AgentName;
use crate::core::run::names::{IdPrefix, MemberId, PhaseName};
use crate::core::run::phase::Tally;
use crate::core::run::refusal::Refusal;
use crate::core::run::{Run, events, index, phase};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::core::words::words;

words! {
    /// The status of an agent in a run.
    #[derive(Default)]
    pub enum MemberStatus {
        /// The agent works.
        #[default]
        Active = "active",
        /// The agent has finished.
        Completed = "completed",
        /// The agent failed.
        Failed = "failed",
    }
}

/// An agent that works in a phase of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// The id of this agent's work in the run.
    pub id: MemberId,
    /// The name of the agent.
    pub name: AgentName,
    /// The phase that the agent works in.
    pub phase: PhaseName,
    /// The status of the agent in this phase.
    #[serde(default)]
    pub status: MemberStatus,
    /// The number of phases that the run had come to when the agent began.
    #[serde(default)]
    pub step: u32,
    /// The time when the agent began.
    pub at: Timestamp,
    /// The agent that recorded it.
    pub by: AgentName,
    /// The time when the agent finished.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended_at: Option<Timestamp>,
    /// The reason, if another agent ended its work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub because: Option<Line>,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Member {
    fn put(&self, act: &mut Act<'_>, run: &Run) -> Result<(), No> {
        let place = run.place_of(&self.phase)?;
        let (key, link) =
            (index::agent(&run.id, &self.id), index::working_agent(run, place, &self.id));
        if self.status == MemberStatus::Active {
            index::put_linked(act, key, link, self);
        } else {
            act.put(key, self);
            act.remove(link);
        }
        Ok(())
    }
}

/// Reads the agents that work in a phase.
pub fn working(
    documents: &dyn Documents,
    run: &Run,
    place: usize,
) -> Result<Vec<Member>, ReadError> {
    index::all(documents, &index::working_agents(run, place))
}

/// An agent that begins to work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddAgent {
    pub run: IdPrefix,
    pub name: AgentName,
    /// The phase; the current one if none is named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<PhaseName>,
}

/// An agent of a run, added now or earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedAgent {
    pub run: Run,
    pub member: Member,
    /// True if the agent worked in the phase already.
    pub known: bool,
}

impl Decide for AddAgent {
    type Answer = AddedAgent;

    fn decide(&self, act: &mut Act<'_>) -> Result<AddedAgent, No> {
        let run = index::select(act, &self.run)?;
        run.must_be_active()?;
        let place = run.place_or_present(self.phase.as_ref())?;
        let present = working(act, &run, place)?;
        if let Some(member) = present.into_iter().find(|member| member.name == self.name) {
            return Ok(AddedAgent { run, member, known: true });
        }
        if let Some(max) = run.max_agents
            && all_working(act, &run)? >= u64::from(max)
        {
            return Err(Refusal::TooManyAgents { run: run.id, max }.into());
        }
        let id = act.new_id(|draft, id| Ok(draft.get(&index::agent(&run.id, id))?.is_some()))?;
        let member = Member {
            id,
            name: self.name.clone(),
            phase: run.phases.at(place).clone(),
            status: MemberStatus::Active,
            step: run.steps,
            at: act.env.now,
            by: act.env.actor.clone(),
            ended_at: None,
            because: None,
            unknown: Map::new(),
        };
        member.put(act, &run)?;
        phase::count(act, &run, place, |tally| tally.working += 1)?;
        events::agent_added(act, &run, &member);
        Ok(AddedAgent { run, member, known: false })
    }

    fn summary(&self, AddedAgent { run, member, .. }: &AddedAgent, env: &Env<'_>) -> String {
        format!("{} works in '{}' of run {} by {}", self.name, member.phase, run.id, env.actor)
    }
}

fn all_working(documents: &dyn Documents, run: &Run) -> Result<u64, ReadError> {
    let mut count = 0;
    for place in 0..run.phases.names().len() {
        count += Tally::of(documents, run, place)?.working;
    }
    Ok(count)
}

/// An agent that has finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishAgent {
    pub run: IdPrefix,
    /// The agent's name, or the id of its work.
    pub agent: AgentName,
    pub status: MemberStatus,
}

impl FinishAgent {
    /// Finds the agents that are meant: the one of that id, or those of that name that still work.
    fn meant(&self, act: &Act<'_>, run: &Run) -> Result<Vec<Member>, No> {
        if let Ok(id) = self.agent.as_str().parse::<MemberId>()
            && let Some(member) = read::<Member>(act, &index::agent(&run.id, &id))?
        {
            return Ok(vec![member]);
        }
        let mut found = Vec::new();
        for place in 0..run.phases.names().len() {
            let present = working(act, run, place)?;
            found.extend(present.into_iter().filter(|member| member.name == self.agent));
        }
        Ok(found)
    }

    /// Finds the agent of that name that ended last.
    fn last(&self, act: &Act<'_>, run: &Run) -> Result<Option<Member>, ReadError> {
        let all: Vec<Member> = index::all(act, &index::agents(&run.id))?;
        let of_name = all.into_iter().filter(|member| member.name == self.agent);
        Ok(of_name.max_by_key(|member| (member.ended_at, member.id.clone())))
    }
}

impl Decide for FinishAgent {
    type Answer = (Run, Member);

    fn decide(&self, act: &mut Act<'_>) -> Result<(Run, Member), No> {
        let run = index::select(act, &self.run)?;
        let mut meant = self.meant(act, &run)?;
        if meant.is_empty() {
            meant.extend(self.last(act, &run)?);
        }
        let member = match meant.len() {
            0 => {
                let agent = self.agent.clone();
                return Err(Refusal::NoAgent { run: run.id, agent }.into());
            }
            1 => meant.remove(0),
            _ => {
                let ids = meant.iter().map(|member| member.id.to_string()).collect();
                return Err(Refusal::Ambiguous { prefix: self.agent.to_string(), ids }.into());
            }
        };
        if member.status == self.status {
            return Ok((run, member));
        }
        if member.status != MemberStatus::Active {
            return Err(Refusal::AgentOver { run: run.id, agent: member.name }.into());
        }
        let member = Member { status: self.status, ended_at: Some(act.env.now), ..member };
        member.put(act, &run)?;
        let place = run.place_of(&member.phase)?;
        phase::count(act, &run, place, |tally| tally.working = tally.working.saturating_sub(1))?;
        events::agent_finished(act, &run, &member);
        Ok((run, member))
    }

    fn summary(&self, (run, member): &(Run, Member), env: &Env<'_>) -> String {
        let status = self.status.name();
        format!("{} is {status} in run {} by {}", member.name, run.id, env.actor)
    }
}

/// Fails the agents that work in a phase, with an event each, and returns their ids.
pub fn fail_working(
    act: &mut Act<'_>,
    run: &Run,
    place: usize,
    because: &Line,
) -> Result<Vec<MemberId>, No> {
    let mut ids = Vec::new();
    for member in working(act, run, place)? {
        let member = Member {
            status: MemberStatus::Failed,
            ended_at: Some(act.env.now),
            because: Some(because.clone()),
            ..member
        };
        member.put(act, run)?;
        events::agent_failed(act, run, &member);
        ids.push(member.id);
    }
    if !ids.is_empty() {
        phase::count(act, run, place, |tally| tally.working = 0)?;
    }
    Ok(ids)
}

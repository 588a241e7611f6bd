//! `run create`: creates a run at its first phase.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents as _;
use crate::core::limits::{CHILDREN_MAX, METADATA_MAX, UPSTREAMS_MAX};
use crate::core::run::artifact::ContentHash;
use crate::core::run::budget::{Budget, Tokens};
use crate::core::run::chain::Chain;
use crate::core::run::gates::{self, BadGates, Gate, Source, check_gates};
use crate::core::run::names::{IdPrefix, MetadataKey, RunId};
use crate::core::run::refusal::{Refusal, within};
use crate::core::run::{Run, Status, dependencies, events, index, phase};
use crate::core::text::Line;

/// A request for a new run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Create {
    /// The purpose of the run.
    pub goal: Line,
    pub phases: Chain,
    /// The gates of the run's own, one for every pair of neighbouring phases.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gates: Option<Vec<Gate>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<Budget>,
    /// The estimated difficulty, from 1 to 5.
    pub complexity: u8,
    /// Set if every step needs somebody's approval.
    #[serde(skip_serializing_if = "super::is_default", default)]
    pub manual: bool,
    /// The number of agents that may work in the run at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_agents: Option<u32>,
    /// The run that this one is to be a part of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<IdPrefix>,
    /// The runs that this one is to wait for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub after: Vec<IdPrefix>,
    /// The part of the project that the run is about, as people name it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<Line>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub metadata: BTreeMap<MetadataKey, Line>,
    /// The gates that the repository gives to runs that have none of their own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repository_gates: Option<Vec<Gate>>,
    /// The id that the run is to have.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<RunId>,
}

/// A run that was created, now or by an earlier request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    pub run: Run,
    /// True if the run existed already.
    pub known: bool,
}

impl Decide for Create {
    type Answer = Created;

    fn decide(&self, act: &mut Act<'_>) -> Result<Created, No> {
        let parent = self.parent.as_ref().map(|prefix| index::select(act, prefix)).transpose()?;
        let upstreams = self.upstreams(act)?;
        let after: Vec<RunId> = upstreams.iter().map(|upstream| upstream.id.clone()).collect();
        let wish = self.hash(parent.as_ref(), &after);
        if let Some(id) = &self.id
            && let Some(run) = index::by_id(act, id)?
        {
            // The run exists, whatever has become of its parent and of the runs that it waits for.
            let is_same = run.wish.as_ref() == Some(&wish);
            let known = || Created { run: run.clone(), known: true };
            return is_same.then(known).ok_or_else(|| Refusal::Taken(run.id.clone()).into());
        }
        for upstream in upstreams {
            upstream.must_not_have_ended()?;
        }
        if let Some(parent) = &parent {
            parent.must_be_active()?;
        }
        let id = match &self.id {
            Some(id) => id.clone(),
            None => act.new_id(|draft, id| Ok(draft.get(&index::header(id))?.is_some()))?,
        };
        let (gates_from, gates) = self.settled_gates().map_err(Refusal::from)?;
        let mut run = self.made(act, id, parent.as_ref(), after);
        (run.wish, run.gates_from) = (Some(wish), gates_from);
        within(&run.id, "runs to wait for", run.after.len(), UPSTREAMS_MAX)?;
        within(&run.id, "facts of a run's own", run.metadata.len(), METADATA_MAX)?;
        refuse_cycle(act, &run)?;
        if let Some(parent) = parent {
            within(&parent.id, "parts of one run", parent.children as usize + 1, CHILDREN_MAX)?;
            act.put(index::child(&parent.id, &run.id), &run.id);
            index::put(act, &Run { children: parent.children + 1, ..parent });
        }
        if let Some(gates) = &gates {
            act.put(index::gates(&run.id), gates);
        }
        index::put(act, &run);
        events::run_created(act, &run, gates.as_deref());
        phase::enter(act, &run, 0)?;
        Ok(Created { run, known: false })
    }

    fn summary(&self, Created { run, .. }: &Created, env: &Env<'_>) -> String {
        format!("create run {} by {}: {}", run.id, env.actor, self.goal)
    }
}

impl Create {
    /// Finds the runs to wait for, each once, whatever their status.
    fn upstreams(&self, act: &Act<'_>) -> Result<Vec<Run>, No> {
        let mut upstreams: Vec<Run> = Vec::new();
        for prefix in &self.after {
            let upstream = index::select(act, prefix)?;
            if upstreams.iter().all(|known| known.id != upstream.id) {
                upstreams.push(upstream);
            }
        }
        Ok(upstreams)
    }

    /// Hashes the request, without its id, and without the gates of the repository: a later change
    /// of these does not make it another request.
    fn hash(&self, parent: Option<&Run>, after: &[RunId]) -> ContentHash {
        let named = |id: &RunId| id.as_str().parse().expect("an id is the beginning of itself");
        let mut after: Vec<IdPrefix> = after.iter().map(named).collect();
        after.sort();
        let wish = Create {
            id: None,
            repository_gates: None,
            parent: parent.map(|parent| named(&parent.id)),
            after,
            ..self.clone()
        };
        ContentHash::of(&serde_json::to_vec(&wish).expect("a wish is plain data"))
    }

    /// Chooses the run's own gates, or those of the repository, or the default ones.
    fn settled_gates(&self) -> Result<(Source, Option<Vec<Gate>>), BadGates> {
        if let Some(gates) = &self.gates {
            check_gates(gates, &self.phases)?;
            return Ok((Source::Run, Some(gates.clone())));
        }
        let given = self.repository_gates.as_deref().unwrap_or_default();
        Ok(match gates::of_repository(given, &self.phases)? {
            Some(gates) => (Source::Repository, Some(gates)),
            None => (Source::Default, None),
        })
    }

    fn made(&self, act: &Act<'_>, id: RunId, parent: Option<&Run>, after: Vec<RunId>) -> Run {
        Run {
            id,
            goal: self.goal.clone(),
            status: Status::Active,
            phase: self.phases.at(0).clone(),
            phases: self.phases.clone(),
            steps: 1,
            complexity: self.complexity,
            manual: self.manual,
            max_agents: self.max_agents,
            budget: self.budget,
            spent: Tokens::default(),
            parent: parent.map(|parent| parent.id.clone()),
            children: 0,
            after,
            gates_from: Source::Default,
            scope: self.scope.clone(),
            metadata: self.metadata.clone(),
            wish: None,
            created_at: act.env.now,
            created_by: act.env.actor.clone(),
            paused_at: None,
            completed_at: None,
            completions: 0,
            rollbacks: 0,
            ended: None,
            unknown: Map::new(),
        }
    }
}

/// Refuses a run that makes its parent wait for itself: the parent waits for the new run, which
/// waits for others.
fn refuse_cycle(act: &Act<'_>, run: &Run) -> Result<(), No> {
    let Some(parent) = &run.parent else { return Ok(()) };
    for upstream in &run.after {
        if let Some(path) = dependencies::waits_for(act, upstream, parent)? {
            let path = [parent.clone(), run.id.clone()].into_iter().chain(path).collect();
            return Err(Refusal::Cycle { waiting: parent.clone(), path }.into());
        }
    }
    Ok(())
}

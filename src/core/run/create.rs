//! `run create`.

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

/// A run to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Create {
    /// What it is for.
    pub goal: Line,
    /// What it goes through.
    pub phases: Chain,
    /// Its own gates, one for every pair of neighbours.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gates: Option<Vec<Gate>>,
    /// What it may spend.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<Budget>,
    /// How hard it is thought to be, from 1 to 5.
    pub complexity: u8,
    /// Whether every step needs somebody's word.
    #[serde(skip_serializing_if = "super::is_default", default)]
    pub manual: bool,
    /// How many agents may work in it at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_agents: Option<u32>,
    /// The run that it is a part of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<IdPrefix>,
    /// The runs that it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub after: Vec<IdPrefix>,
    /// What it is about: a part of the project, as people name it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<Line>,
    /// Facts of its own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub metadata: BTreeMap<MetadataKey, Line>,
    /// The gates that the repository gives to runs which have none of their own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repository_gates: Option<Vec<Gate>>,
    /// The name that it is to have.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<RunId>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The run.
    pub run: Run,
    /// Whether it was there already.
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
            // What was made is there, whatever has become of the runs that it was made for.
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
    /// The runs that it waits for, each once, however they stand.
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

    /// What is asked for, without the name it is to have and without what the repository adds to
    /// every run: a later change of that makes no other wish.
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

    /// Its own gates, or those of the repository, or none besides the usual ones.
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

/// The parent waits for the new run, which waits for others: none of them may wait for the parent.
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

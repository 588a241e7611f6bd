//! `run create`.

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents as _;
use crate::core::limits::{CHILDREN_MAX, UPSTREAMS_MAX};
use crate::core::refusal::within;
use crate::core::run::budget::{Budget, Tokens};
use crate::core::run::chain::Chain;
use crate::core::run::gate::{Gate, check_gates};
use crate::core::run::names::{IdPrefix, RunId};
use crate::core::run::refusal::Refusal;
use crate::core::run::{Run, Status, facts, index, phase, portfolio};
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
        if let Some(gates) = &self.gates {
            check_gates(gates, &self.phases).map_err(Refusal::from)?;
        }
        let parent = self.parent.as_ref().map(|prefix| index::select(act, prefix)).transpose()?;
        let after = self.upstreams(act)?;
        let known = match &self.id {
            Some(id) => index::by_id(act, id)?,
            None => None,
        };
        if let Some(run) = known {
            return self.again(run, parent.as_ref(), &after);
        }
        if let Some(parent) = &parent {
            parent.must_be_active()?;
        }
        let id = match &self.id {
            Some(id) => id.clone(),
            None => act.new_id(|draft, id| Ok(draft.get(&index::header(id))?.is_some()))?,
        };
        let run = self.made(act, id, parent.as_ref(), after);
        refuse_cycle(act, &run)?;
        if let Some(parent) = parent {
            within("parts of one run", parent.children as usize + 1, CHILDREN_MAX)?;
            act.put(index::child(&parent.id, &run.id), &run.id);
            index::put(act, &Run { children: parent.children + 1, ..parent });
        }
        if let Some(gates) = &self.gates {
            act.put(index::gates(&run.id), gates);
        }
        index::put(act, &run);
        facts::run_created(act, &run);
        phase::enter(act, &run, 0)?;
        Ok(Created { run, known: false })
    }

    fn summary(&self, Created { run, .. }: &Created, env: &Env<'_>) -> String {
        format!("create run {} by {}: {}", run.id, env.actor, self.goal)
    }
}

impl Create {
    fn upstreams(&self, act: &Act<'_>) -> Result<Vec<RunId>, No> {
        within("runs to wait for", self.after.len(), UPSTREAMS_MAX)?;
        let mut after = Vec::new();
        for prefix in &self.after {
            let upstream = index::select(act, prefix)?;
            upstream.must_not_have_ended()?;
            if !after.contains(&upstream.id) {
                after.push(upstream.id);
            }
        }
        Ok(after)
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
            own_gates: self.gates.is_some(),
            created_at: act.env.now,
            created_by: act.env.actor.clone(),
            paused_at: None,
            completed_at: None,
            completions: 0,
            ended: None,
            unknown: Map::new(),
        }
    }

    /// The same wish again is answered with what it made; another one cannot have the name.
    fn again(&self, run: Run, parent: Option<&Run>, after: &[RunId]) -> Result<Created, No> {
        let is_same = run.goal == self.goal
            && run.phases == self.phases
            && run.parent.as_ref() == parent.map(|parent| &parent.id)
            && run.after == after;
        if is_same { Ok(Created { run, known: true }) } else { Err(Refusal::Taken(run.id).into()) }
    }
}

/// The parent waits for the new run, which waits for others: none of them may wait for the parent.
fn refuse_cycle(act: &Act<'_>, run: &Run) -> Result<(), No> {
    let Some(parent) = &run.parent else { return Ok(()) };
    for upstream in &run.after {
        if let Some(path) = portfolio::waits_for(act, upstream, parent)? {
            let path = [parent.clone(), run.id.clone()].into_iter().chain(path).collect();
            return Err(Refusal::Cycle { waiting: parent.clone(), path }.into());
        }
    }
    Ok(())
}

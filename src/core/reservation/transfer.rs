//! `transfer`: moves holds from one agent to another, all of them or none.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::{AgentName, HoldId};
use crate::core::refusal::{Conflict, Refusal};
use crate::core::reservation::check::Asker;
use crate::core::reservation::index::Whose;
use crate::core::reservation::reserve::keep_agent_limit;
use crate::core::reservation::select::{self, Named, Selection};
use crate::core::reservation::word::{Meant, Wider, meant};
use crate::core::reservation::{Hold, events, index, named};
use crate::core::text::Line;

/// A request to move holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    pub from: AgentName,
    pub to: AgentName,
    /// The holds to move; all of them if none is named.
    #[serde(flatten)]
    pub which: Selection,
    /// The reason why holds of another agent may be moved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub force: Option<Line>,
}

impl Decide for Transfer {
    /// The holds that were moved.
    type Answer = Vec<Hold>;

    fn decide(&self, act: &mut Act<'_>) -> Result<Vec<Hold>, No> {
        let chosen = self.chosen(act)?;
        let may_move = |hold: &Hold| self.force.is_some() || act.env.actor.covers(&hold.holder);
        let not_theirs = |hold: &&Hold| hold.holder != self.from || !may_move(hold);
        let strangers: Vec<Hold> = chosen.iter().filter(not_theirs).cloned().collect();
        if !strangers.is_empty() {
            return Err(Refusal::NotYours { holds: strangers, at: act.env.now }.into());
        }
        if self.from == self.to {
            return Ok(Vec::new());
        }
        let mut moved = Vec::new();
        for mut hold in chosen {
            index::remove(act, &hold);
            hold.holder = self.to.clone();
            // The process and the terminal of the old holder say nothing about the new one.
            hold.process = None;
            hold.shell = None;
            // A resource must tell the new holder from the old one, which may not know of the
            // transfer yet.
            hold.fence = act.new_fence();
            index::put(act, &hold);
            let forced = self.force.as_ref().filter(|_| !act.env.actor.covers(&self.from));
            events::transferred(act, &hold, &self.from, forced);
            moved.push(hold);
        }
        keep_law(act, &moved)?;
        keep_agent_limit(act, &self.to)?;
        Ok(moved)
    }

    fn summary(&self, answer: &Vec<Hold>, env: &Env<'_>) -> String {
        let patterns = named(answer);
        let forced = match &self.force {
            Some(reason) if !env.actor.covers(&self.from) => {
                format!(" by force of {}: {reason}", env.actor)
            }
            _ => String::new(),
        };
        format!("transfer {patterns} from {} to {}{forced}", self.from, self.to)
    }
}

impl Transfer {
    /// Finds the live holds that are meant. A hold that was named or seen and is not there refuses
    /// the whole transfer.
    fn chosen(&self, act: &Act<'_>) -> Result<Vec<Hold>, No> {
        let mut chosen = Vec::new();
        let is_from = |hold: &Hold| hold.holder == self.from;
        let how = (act.env.comparing(), Wider::IsNotMeant);
        let Meant { which, missing } = meant(act, &self.which, how, act.env.now, is_from)?;
        let is_in_the_way = |hold: &&Hold| hold.is_live(act.env.now) && !is_from(hold);
        let others = missing.iter().flat_map(|missing| &missing.meeting).filter(is_in_the_way);
        let others: Vec<Hold> = select::once(others.cloned().collect());
        if !others.is_empty() {
            return Err(Refusal::NotYours { holds: others, at: act.env.now }.into());
        }
        let mut missing: Vec<String> = missing.iter().map(|it| it.word.shown()).collect();
        for (found, id) in select::by_ids(act, &which.ids)?.into_iter().zip(&which.ids) {
            match found {
                Named::Hold(hold) if hold.is_live(act.env.now) => chosen.push(*hold),
                Named::Hold(_) | Named::Missing(_) => missing.push(id.to_string()),
            }
        }
        for name in &which.locks {
            let mut holds = select::by_lock(act, name)?;
            holds.retain(|hold| is_from(hold) && hold.is_live(act.env.now));
            if holds.is_empty() {
                missing.push(name.to_string());
            }
            chosen.extend(holds);
        }
        if !missing.is_empty() {
            return Err(Refusal::NothingThere { named: missing }.into());
        }
        chosen.extend(select::by_paths(act, &which, act.env.comparing(), is_from)?.inside);
        if which.names_nothing() {
            chosen.extend(index::of_agent(act, &self.from, Whose::Own)?);
        }
        chosen.retain(|hold| hold.is_live(act.env.now) && self.which.saw(hold));
        let is_gone = |id: &&HoldId| chosen.iter().all(|hold| hold.id != **id);
        let gone: Vec<&HoldId> = self.which.seen.iter().flatten().filter(is_gone).collect();
        if !gone.is_empty() {
            let named = gone.into_iter().map(ToString::to_string).collect();
            return Err(Refusal::NothingThere { named }.into());
        }
        Ok(select::once(chosen))
    }
}

/// Refuses a transfer after which a hold stands against the new holder: holds that one session
/// may have side by side can do that.
fn keep_law(act: &Act<'_>, moved: &[Hold]) -> Result<(), No> {
    let mut conflicts: Vec<Conflict> = Vec::new();
    for hold in moved {
        let asker = Asker { skew: act.env.skew, ..Asker::like(hold, act.env.now) };
        let meeting = index::meeting(act, &hold.target, act.env.comparing())?;
        conflicts.extend(asker.conflicts(&hold.target, &meeting));
    }
    if conflicts.is_empty() {
        return Ok(());
    }
    Err(Refusal::Held { conflicts, before: Vec::new(), at: act.env.now }.into())
}

//! `reserve`: grants everything that is asked for or nothing, or each target for itself.
//!
//! The decision looks first at the holds that the asker has. An own hold that covers the request is
//! renewed. Own holds that the request covers are absorbed into it. A hold that merely overlaps
//! stays beside the new one. Otherwise an agent that holds `src/a.rs` and asks for `src/**` could
//! be told "renewed" and be protected from nothing.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents as _;
use crate::core::ids::{AgentName, LockName, RequestId};
use crate::core::limits::{HOLDS_PER_AGENT_MAX, PATTERNS_PER_COMMAND_MAX, ROOT_WILDCARDS_MAX};
use crate::core::pattern::Pattern;
use crate::core::refusal::{Conflict, Refusal, within};
use crate::core::reservation::check::Asker;
use crate::core::reservation::index::{self, Whose};
use crate::core::reservation::process::Process;
use crate::core::reservation::target::{Reach, targets};
use crate::core::reservation::tickets::Ticket;
use crate::core::reservation::wait::Wait;
use crate::core::reservation::{
    About, Hold, Mode, Target, events, named, named_targets, requests, sweep,
};
use crate::core::time::Ttl;

/// A request for holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserve {
    pub patterns: Vec<Pattern>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<LockName>,
    pub mode: Mode,
    pub ttl: Ttl,
    #[serde(flatten)]
    pub about: About,
    /// The patterns that name an existing file.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<Pattern>,
    pub scope: Scope,
    /// The process that the holds end with, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub process: Option<Process>,
    /// Set if the asker is ready to wait.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wait: Option<Wait>,
    /// Makes repeating the request harmless.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request_id: Option<RequestId>,
    /// Set if the request comes with an edit. An edit hook asks again and again, so a hold that
    /// lasts long enough stays as it is, and an edit of the same path in another worktree is no
    /// obstacle.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub with_edit: bool,
}

impl Reserve {
    /// Asks for exclusive holds on everything or nothing, which end when their time is over.
    pub fn asked(patterns: Vec<Pattern>, locks: Vec<LockName>, ttl: Ttl, about: About) -> Reserve {
        Reserve {
            patterns,
            locks,
            mode: Mode::Exclusive,
            ttl,
            about,
            files: Vec::new(),
            scope: Scope::All,
            process: None,
            wait: None,
            request_id: None,
            with_edit: false,
        }
    }
}

/// The effect of one refused target on the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One refused target refuses the whole request.
    All,
    /// Each target is granted or refused for itself.
    Each,
}

/// A hold that the asker has now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub hold: Hold,
    /// True if the asker had the hold before.
    pub renewed: bool,
}

/// The answer to a request; it has conflicts only with [`Scope::Each`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// The holds that the asker has now, in the order of the request.
    pub granted: Vec<Grant>,
    pub conflicts: Vec<Conflict>,
    /// Targets that were not granted because the asker has as many holds as it may have.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub over_limit: Vec<Target>,
    /// Edits in another worktree at the same time. No hold was granted for these targets, so that
    /// no two agents hold the same path; git merges such edits in the end.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub edited_elsewhere: Vec<Conflict>,
    /// The asker's place in line, if it waits instead of holding anything.
    #[serde(skip)]
    pub waiting: Option<Ticket>,
    /// The tickets of agents that wait for the same targets and go first.
    #[serde(skip)]
    pub before: Vec<Ticket>,
    /// True if this repeats the answer to an earlier request with the same id.
    #[serde(skip)]
    pub replayed: bool,
}

impl Decide for Reserve {
    type Answer = Reserved;

    fn decide(&self, act: &mut Act<'_>) -> Result<Reserved, No> {
        let asked = targets(&self.patterns, &self.locks);
        within("patterns in one command", asked.len(), PATTERNS_PER_COMMAND_MAX)?;
        if let Some(first_answer) = requests::answered(act, self)? {
            return Ok(first_answer);
        }
        if let Some(wait) = &self.wait
            && let Some(waiting) = self.stand_in_line(act, wait, &asked)?
        {
            return Ok(waiting);
        }
        let mut answer = Reserved::default();
        for target in asked {
            match self.claim(act, &target)? {
                Claim::Granted(grant) => answer.granted.push(*grant),
                Claim::Blocked(conflicts) => answer.conflicts.extend(conflicts),
                Claim::EditedElsewhere(edits) => answer.edited_elsewhere.extend(edits),
                Claim::OverLimit => answer.over_limit.push(target),
            }
        }
        if self.scope == Scope::All && !answer.conflicts.is_empty() {
            let (conflicts, before) = (answer.conflicts, Vec::new());
            return Err(Refusal::Held { conflicts, before, at: act.env.now }.into());
        }
        answer.keep_what_is_there(act)?;
        // Renewed holds are counted already, and most edits only renew.
        if answer.granted.iter().any(|grant| !grant.renewed) {
            self.keep_limits(act)?;
        }
        // A grant that was cut short by the limit may be asked for again.
        if !answer.granted.is_empty() && answer.over_limit.is_empty() {
            requests::remember(act, self, &answer);
        }
        Ok(answer)
    }

    fn summary(&self, answer: &Reserved, env: &Env<'_>) -> String {
        if let Some(ticket) = &answer.waiting {
            let wanted = named_targets(&ticket.targets());
            return format!("wait for {wanted} by {} until {}", env.actor, ticket.until);
        }
        if answer.granted.is_empty() {
            return format!("sweep what a refused request of {} met", env.actor);
        }
        let patterns = named(answer.granted.iter().map(|grant| &grant.hold));
        let shared = if self.mode == Mode::Shared { " shared" } else { "" };
        format!("reserve {patterns}{shared} for {} ({})", env.actor, self.ttl)
    }
}

impl Reserved {
    /// Lists each granted hold once, in its final form: a target can absorb or renew a hold that an
    /// earlier target of the same request was granted.
    fn keep_what_is_there(&mut self, act: &Act<'_>) -> Result<(), No> {
        let mut listed: Vec<Grant> = Vec::new();
        for Grant { hold, renewed } in self.granted.drain(..) {
            let is_listed = listed.iter().any(|grant| grant.hold.id == hold.id);
            if let Some(hold) = index::by_id(act, &hold.id)?.filter(|_| !is_listed) {
                listed.push(Grant { hold, renewed });
            }
        }
        self.granted = listed;
        Ok(())
    }
}

enum Claim {
    Granted(Box<Grant>),
    Blocked(Vec<Conflict>),
    EditedElsewhere(Vec<Conflict>),
    OverLimit,
}

impl Reserve {
    pub(super) fn asker<'a>(&'a self, env: Env<'a>) -> Asker<'a> {
        let process = self.process.as_ref();
        Asker { agent: env.actor, mode: self.mode, now: env.now, process }
    }

    fn claim(&self, act: &mut Act<'_>, target: &Target) -> Result<Claim, No> {
        let mut meeting = index::meeting(act, target, act.env.case)?;
        sweep::remove_ended(act, &mut meeting);
        let asker = self.asker(act.env);
        let (elsewhere, conflicts): (Vec<_>, Vec<_>) = asker
            .conflicts(target, &meeting)
            .into_iter()
            .partition(|conflict| self.with_edit && self.about.is_edit_elsewhere(&conflict.held));
        if !conflicts.is_empty() {
            return Ok(Claim::Blocked(conflicts));
        }
        if !elsewhere.is_empty() {
            return Ok(Claim::EditedElsewhere(elsewhere));
        }
        // A hold that goes with a process ends with it. So such a hold and the other holds of the
        // same agent never become part of each other.
        let is_own = |hold: &Hold| hold.holder == *act.env.actor && hold.process.is_none();
        meeting.retain(|hold| self.process.is_none() && is_own(hold));
        let grant = match self.covering(act, target, &meeting) {
            Some((hold, _)) if self.with_edit && self.is_held_for_long(act, &hold) => {
                Grant { hold, renewed: true }
            }
            Some((hold, extent)) => self.extend(act, hold, extent),
            None if self.scope == Scope::Each && is_at_limit(act)? => return Ok(Claim::OverLimit),
            None => self.grant(act, target, &meeting)?,
        };
        Ok(Claim::Granted(Box::new(grant)))
    }

    /// Finds an own hold on exactly this target, or else one that already gives what is asked for.
    fn covering(&self, act: &Act<'_>, target: &Target, own: &[Hold]) -> Option<(Hold, Extent)> {
        let asked = target.reach(act.env.case);
        let mut wider = None;
        for hold in own {
            let held = hold.target.reach(act.env.case);
            let covers = held.covers(&asked);
            if covers && asked.covers(&held) {
                return Some((hold.clone(), Extent::Same));
            }
            if hold.mode.gives(self.mode) && (covers || self.is_file_inside(target, &held)) {
                wider = wider.or(Some((hold.clone(), Extent::Wider)));
            }
        }
        wider
    }

    /// Tells whether the hold lasts for more than half of the time that is asked for.
    fn is_held_for_long(&self, act: &Act<'_>, hold: &Hold) -> bool {
        hold.expires_at.seconds_since(act.env.now) * 2 > self.ttl.as_seconds()
    }

    /// Tells whether the target is an existing file that the hold matches. A file has nothing below
    /// it, so a hold that matches its path covers all of it.
    fn is_file_inside(&self, target: &Target, held: &Reach<'_>) -> bool {
        let file = target.pattern().filter(|pattern| self.files.contains(pattern));
        file.and_then(Pattern::literal_path).is_some_and(|path| held.matches(&path))
    }

    fn extend(&self, act: &mut Act<'_>, mut hold: Hold, extent: Extent) -> Grant {
        hold.expires_at = hold.expires_at.max(act.env.now.plus(self.ttl));
        if extent == Extent::Wider {
            index::put(act, &hold);
            events::renewed(act, &hold);
            return Grant { hold, renewed: true };
        }
        let About { reason, task, run, .. } = &self.about;
        hold.about.reason = reason.clone().or(hold.about.reason);
        hold.about.task = task.clone().or(hold.about.task);
        hold.about.run = run.clone().or(hold.about.run);
        if hold.mode == self.mode {
            events::renewed(act, &hold);
        } else {
            hold.mode = self.mode;
            hold.fence = act.new_fence();
            events::mode_changed(act, &hold);
        }
        index::put(act, &hold);
        Grant { hold, renewed: true }
    }

    fn grant(&self, act: &mut Act<'_>, target: &Target, own: &[Hold]) -> Result<Grant, No> {
        let id = act.new_id(|documents, id| Ok(documents.get(&index::id_key(id))?.is_some()))?;
        let reach = target.reach(act.env.case);
        let mut expires_at = act.env.now.plus(self.ttl);
        let narrower = own.iter().filter(|hold| {
            self.mode.gives(hold.mode) && reach.covers(&hold.target.reach(act.env.case))
        });
        for hold in narrower.cloned().collect::<Vec<_>>() {
            expires_at = expires_at.max(hold.expires_at);
            index::remove(act, &hold);
            events::absorbed(act, &hold, &id);
        }
        let hold = Hold {
            id,
            holder: act.env.actor.clone(),
            target: target.clone(),
            mode: self.mode,
            about: self.about.clone(),
            process: self.process.clone(),
            granted_at: act.env.now,
            expires_at,
            fence: act.new_fence(),
            unknown: serde_json::Map::new(),
        };
        index::put(act, &hold);
        events::granted(act, &hold);
        Ok(Grant { hold, renewed: false })
    }

    fn keep_limits(&self, act: &mut Act<'_>) -> Result<(), No> {
        keep_agent_limit(act, act.env.actor)?;
        if self.patterns.iter().any(Pattern::begins_with_wildcard) {
            let mut at_root = index::at_root(act)?;
            if at_root.len() > ROOT_WILDCARDS_MAX {
                sweep::remove_ended(act, &mut at_root);
            }
            within("patterns that begin with a wildcard", at_root.len(), ROOT_WILDCARDS_MAX)?;
        }
        Ok(())
    }
}

/// The relation of an own hold to the target that is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Same,
    Wider,
}

fn is_at_limit(act: &mut Act<'_>) -> Result<bool, No> {
    let actor = act.env.actor;
    Ok(live_count_above(act, actor, HOLDS_PER_AGENT_MAX - 1)?.is_some())
}

/// Counts the live holds of an agent; `None` if there are no more than `few`, which is close to the
/// limit. Most agents have far fewer, so the cheap checks come first: nothing is listed, let alone
/// read, before it has to be.
fn live_count_above(act: &mut Act<'_>, agent: &AgentName, few: usize) -> Result<Option<usize>, No> {
    const { assert!(HOLDS_PER_AGENT_MAX >= 1_000, "so many that no shard is empty") };
    if !index::may_have_a_thousand(act, agent)? || index::own_keys(act, agent)?.len() <= few {
        return Ok(None);
    }
    let mut own = index::of_agent(act, agent, Whose::Own)?;
    sweep::remove_ended(act, &mut own);
    Ok(Some(own.len()).filter(|count| *count > few))
}

/// Refuses a command that leaves an agent with more live holds than allowed.
pub(super) fn keep_agent_limit(act: &mut Act<'_>, agent: &AgentName) -> Result<(), No> {
    let count = live_count_above(act, agent, HOLDS_PER_AGENT_MAX)?.unwrap_or_default();
    Ok(within("live reservations of one agent", count, HOLDS_PER_AGENT_MAX)?)
}

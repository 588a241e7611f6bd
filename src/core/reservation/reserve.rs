//! `reserve`: grants everything that is asked for or nothing, or each target for itself.

use serde::{Deserialize, Serialize};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::ids::{AgentName, LockName, RequestId};
use crate::core::limits::{HOLDS_PER_AGENT_MAX, PATTERNS_PER_COMMAND_MAX, ROOT_WILDCARDS_MAX};
use crate::core::pattern::Pattern;
use crate::core::refusal::{Conflict, Refusal, within};
use crate::core::reservation::check::Asker;
use crate::core::reservation::claim::Claim;
use crate::core::reservation::index::{self, Whose};
use crate::core::reservation::paths::PathFacts;
use crate::core::reservation::process::Process;
use crate::core::reservation::target::targets;
use crate::core::reservation::tickets::Ticket;
use crate::core::reservation::wait::Wait;
use crate::core::reservation::{About, Hold, Mode, Target, named, named_targets, requests, sweep};
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
    /// The facts about the patterns.
    #[serde(flatten)]
    pub facts: PathFacts,
    pub scope: Scope,
    /// The process that the holds end with, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub process: Option<Process>,
    /// The shell of the terminal that a person asks from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shell: Option<Process>,
    /// Set if the asker is ready to wait.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wait: Option<Wait>,
    /// Makes repeating the request harmless.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request_id: Option<RequestId>,
    /// Set if the request comes with an edit. An edit hook asks again and again, so a hold that
    /// lasts long enough stays as it is. An edit of the same path in another worktree is no
    /// obstacle, and neither is a shared hold if the asker has one too.
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
            facts: PathFacts::NONE,
            scope: Scope::All,
            process: None,
            shell: None,
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
    /// Edits in another worktree at the same time. Each of the agents holds the path in its own
    /// worktree; git merges such edits in the end. Under rules 1, the asker got no hold.
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
        let asked = self.targets(act.env.rules);
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
                Claim::Granted { grant, elsewhere } => {
                    answer.granted.push(*grant);
                    answer.edited_elsewhere.extend(elsewhere);
                }
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

impl Reserve {
    /// Returns the targets of the request under these rules.
    pub fn targets(&self, rules: u32) -> Vec<Target> {
        targets(&self.patterns, &self.locks, self.facts_by(rules))
    }

    /// Returns the facts that count under these rules: under rules 1, every path may be a
    /// directory.
    pub(super) fn facts_by(&self, rules: u32) -> &PathFacts {
        static NONE: PathFacts = PathFacts::NONE;
        if rules >= 2 { &self.facts } else { &NONE }
    }

    pub(super) fn asker<'a>(&'a self, env: Env<'a>) -> Asker<'a> {
        let process = self.process.as_ref();
        Asker { mode: self.mode, process, ..Asker::of(env, env.actor) }
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

pub(super) fn is_at_limit(act: &mut Act<'_>) -> Result<bool, No> {
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

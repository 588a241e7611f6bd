//! `domain agents generate`: what is wanted and may be written is.

use super::{Wanted, Workshop, recorded};
use crate::app::Ctx;
use crate::app::error::{AppError, with_causes};
use crate::core::domain::generation::{Action, Mode, OnDisk, State, action};
use crate::core::domain::made::{Made, RecordAgents};
use crate::core::domain::name::Name;
use crate::core::domain::tree_path::TreePath;
use crate::store::git::object::ObjectId;

/// What became of one agent.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its name, as its profile has it.
    pub agent: String,
    /// Where its file is, if it can have one.
    pub path: Option<TreePath>,
    /// What was done, or why it could not be.
    pub done: Result<Action, String>,
}

/// What became of the agents of one domain.
#[derive(Clone, Debug)]
pub struct OfDomain {
    /// Which.
    pub domain: Name,
    /// Why it has no profile, if it has none.
    pub lacks_profile: Option<String>,
    /// Its agents.
    pub agents: Vec<Outcome>,
}

impl OfDomain {
    /// How many of its agents there are, whoever made them.
    pub fn succeeded(&self) -> usize {
        let is_there = |agent: &&Outcome| agent.done.as_ref().is_ok_and(|done| done.is_success());
        self.agents.iter().filter(is_there).count()
    }

    /// Whether one of its agents cannot be made as it is described.
    pub(super) fn has_bad_agents(&self) -> bool {
        self.agents.iter().any(|agent| agent.path.is_none() && agent.done.is_err())
    }
}

/// What a generation came to.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// By domain.
    pub domains: Vec<OfDomain>,
    /// Agents that nothing asks for any more.
    pub orphaned: Vec<Made>,
    /// The entry that records what was written.
    pub entry: Option<ObjectId>,
    /// What the caller should be told besides.
    pub notices: Vec<String>,
}

impl Generated {
    /// Whether anything could not be done.
    pub fn has_failures(&self) -> bool {
        let failed = |of: &OfDomain| of.lacks_profile.is_some() || of.succeeded() < of.agents.len();
        self.domains.iter().any(failed)
    }

    /// Whether no domain has a profile.
    pub fn lacks_all_profiles(&self) -> bool {
        self.domains.iter().all(|of| of.lacks_profile.is_some())
    }
}

/// Makes the agents of every domain of the project. What one of them fails by does not stop the
/// others.
pub fn generate(ctx: &Ctx, mode: Mode, dry_run: bool) -> Result<Generated, AppError> {
    let workshop = Workshop::open(ctx)?;
    let mut record = RecordAgents::default();
    let mut domains = workshop.outcomes.clone();
    for wanted in &workshop.wanted {
        let done = make(&workshop, wanted, mode, dry_run);
        if matches!(done, Ok(Action::Write | Action::Adopt)) {
            record.written.push(wanted.written());
        }
        let of = domains.iter_mut().find(|of| of.domain == wanted.domain);
        let outcome =
            Outcome { agent: wanted.agent.to_string(), path: Some(wanted.path.clone()), done };
        of.expect("what is wanted is wanted by a domain").agents.push(outcome);
    }
    let listed = workshop.inventory().listed.into_iter();
    let orphaned = listed.filter(|of| of.state == State::Orphaned).filter_map(|of| of.made);
    let orphaned = orphaned.collect();
    let (entry, notices) = if dry_run { (None, Vec::new()) } else { recorded(ctx, record)? };
    Ok(Generated { domains, orphaned, entry, notices })
}

fn make(
    workshop: &Workshop<'_>,
    wanted: &Wanted,
    mode: Mode,
    dry_run: bool,
) -> Result<Action, String> {
    let disk = workshop.disk(&wanted.path);
    if let OnDisk::Unreadable(why) = disk {
        return Err(why);
    }
    let action = action(mode, &wanted.content, workshop.made_at(&wanted.path), &disk);
    if action == Action::Write && !dry_run {
        let written = workshop.files.write(&wanted.path, &wanted.bytes);
        written.map_err(|error| with_causes(&error))?;
    }
    Ok(action)
}

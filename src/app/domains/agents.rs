//! Agents for the domains of a project: their files are made, listed and repaired.
//!
//! Files come first, the record of them after: what the ledger lists was written. A command that
//! is killed between the two leaves files that the next one knows by their content.

use std::collections::BTreeSet;

use super::profiles::{self, Profiled};
use super::{Known, show};
use crate::app::Ctx;
use crate::app::error::{AppError, with_causes};
use crate::core::domain::agent::{GENERATOR, content_hash, render};
use crate::core::domain::generation::{Action, Mode, OnDisk, State, action, file_state};
use crate::core::domain::made::{self, Accepted, Made, RecordAgents, Written};
use crate::core::domain::name::Name;
use crate::core::domain::profile::CORE_AGENTS;
use crate::core::domain::tree_path::TreePath;
use crate::store::error::StoreError;
use crate::store::layout::LedgerName;
use crate::store::object::ObjectId;
use crate::store::work_files::{Found, WorkFiles};

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
    /// Whether it has no profile.
    pub lacks_profile: bool,
    /// Its agents.
    pub agents: Vec<Outcome>,
}

impl OfDomain {
    /// How many of its agents are as they can be.
    pub fn succeeded(&self) -> usize {
        self.agents.iter().filter(|agent| agent.done.is_ok()).count()
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
        let failed = |of: &OfDomain| of.lacks_profile || of.succeeded() < of.agents.len();
        self.domains.iter().any(failed)
    }

    /// Whether no domain has a profile.
    pub fn lacks_all_profiles(&self) -> bool {
        self.domains.iter().all(|of| of.lacks_profile)
    }
}

/// An agent that some domain asks for.
struct Wanted {
    domain: Name,
    agent: Name,
    path: TreePath,
    bytes: Vec<u8>,
    content: String,
}

impl Wanted {
    fn written(&self) -> Written {
        Written {
            path: self.path.clone(),
            agent: self.agent.clone(),
            domain: self.domain.clone(),
            content: self.content.clone(),
            generator: GENERATOR,
        }
    }
}

/// What is wanted, what was made, and where it goes.
struct Workshop<'c> {
    files: WorkFiles<'c>,
    wanted: Vec<Wanted>,
    made: Vec<Made>,
    /// What is not to be made, by domain, and why.
    outcomes: Vec<OfDomain>,
}

impl<'c> Workshop<'c> {
    fn open(ctx: &'c Ctx) -> Result<Workshop<'c>, AppError> {
        let tree = ctx.repository().work_tree().ok_or(StoreError::NoWorkTree)?;
        let Known { cache, .. } = show(ctx)?;
        let profiled = profiles::of(ctx, cache.domains())?;
        let made = made::all(&ctx.read_ledger(LedgerName::Domains)?.base.snapshot)?;
        let files = WorkFiles::new(tree, ctx.files);
        let mut workshop = Workshop { files, wanted: Vec::new(), made, outcomes: Vec::new() };
        let mut names = BTreeSet::new();
        for Profiled { domain, profile, .. } in profiled {
            let mut of = OfDomain { domain, lacks_profile: profile.is_none(), agents: Vec::new() };
            for agent in profile.into_iter().flat_map(|profile| profile.agents) {
                let specification = match agent {
                    Ok(specification) => specification,
                    Err(bad) => {
                        let (agent, why) = (bad.heading, bad.why);
                        of.agents.push(Outcome { agent, path: None, done: Err(why) });
                        continue;
                    }
                };
                let name = specification.name.clone();
                let left_out = if CORE_AGENTS.contains(&name.as_str()) {
                    Some(Action::Core)
                } else {
                    (!names.insert(name.clone())).then_some(Action::Twice)
                };
                if let Some(action) = left_out {
                    let agent = name.to_string();
                    of.agents.push(Outcome { agent, path: None, done: Ok(action) });
                    continue;
                }
                let bytes = render(&of.domain, &specification);
                let directory = &ctx.settings().domains.agents;
                let path = directory.join(&format!("{name}.md"));
                let path = path.map_err(|error| AppError::Usage(error.to_string()))?;
                let (domain, content) = (of.domain.clone(), content_hash(&bytes));
                workshop.wanted.push(Wanted { domain, agent: name, path, bytes, content });
            }
            workshop.outcomes.push(of);
        }
        Ok(workshop)
    }

    fn made_at(&self, path: &TreePath) -> Option<&Made> {
        self.made.iter().find(|made| made.path == *path)
    }

    fn wanted_at(&self, path: &TreePath) -> Option<&Wanted> {
        self.wanted.iter().find(|wanted| wanted.path == *path)
    }

    fn disk(&self, path: &TreePath) -> Result<OnDisk, StoreError> {
        Ok(match self.files.look(path)? {
            Found::Nothing => OnDisk::Nothing,
            Found::File(bytes) => OnDisk::File(content_hash(&bytes)),
            Found::NoFile => OnDisk::NoFile,
        })
    }

    /// Agents that were made and that nothing asks for any more.
    fn orphaned(&self) -> Vec<Made> {
        let is_orphan = |made: &&Made| {
            let wanted = self.wanted_at(&made.path);
            wanted.is_none_or(|wanted| wanted.domain != made.domain && self.lacks(&made.domain))
        };
        self.made.iter().filter(is_orphan).cloned().collect()
    }

    fn lacks(&self, domain: &Name) -> bool {
        self.outcomes.iter().all(|of| of.domain != *domain)
    }

    fn make(&self, wanted: &Wanted, mode: Mode, dry_run: bool) -> Result<Action, StoreError> {
        let disk = self.disk(&wanted.path)?;
        let action = action(mode, &wanted.content, self.made_at(&wanted.path), &disk);
        if action == Action::Write && !dry_run {
            self.files.write(&wanted.path, &wanted.bytes)?;
        }
        Ok(action)
    }
}

/// Makes the agents of every domain of the project. What one of them fails by does not stop the
/// others.
pub fn generate(ctx: &Ctx, mode: Mode, dry_run: bool) -> Result<Generated, AppError> {
    let mut workshop = Workshop::open(ctx)?;
    let mut record = RecordAgents::default();
    let mut outcomes = std::mem::take(&mut workshop.outcomes);
    for wanted in &workshop.wanted {
        let done = workshop.make(wanted, mode, dry_run);
        if matches!(done, Ok(Action::Write | Action::Adopt)) {
            record.written.push(wanted.written());
        }
        let of = outcomes.iter_mut().find(|of| of.domain == wanted.domain);
        let outcome = Outcome {
            agent: wanted.agent.to_string(),
            path: Some(wanted.path.clone()),
            done: done.map_err(|error| with_causes(&error)),
        };
        of.expect("what is wanted is wanted by a domain").agents.push(outcome);
    }
    workshop.outcomes = outcomes;
    let orphaned = workshop.orphaned();
    let (entry, notices) = if dry_run { (None, Vec::new()) } else { recorded(ctx, record)? };
    Ok(Generated { domains: workshop.outcomes, orphaned, entry, notices })
}

fn recorded(ctx: &Ctx, record: RecordAgents) -> Result<(Option<ObjectId>, Vec<String>), AppError> {
    if record.is_empty() {
        return Ok((None, Vec::new()));
    }
    let committed = ctx.transact(LedgerName::Domains, record, None)?;
    Ok((committed.entry, committed.notices))
}

/// One agent or file, and how it stands with it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Where.
    pub path: TreePath,
    /// How it stands.
    pub state: State,
    /// How it stands with its file, if it was made here.
    pub file: Option<State>,
    /// What was made, if it was made here.
    pub made: Option<Made>,
    /// Whether its specification or the generator has changed since.
    pub is_outdated: bool,
}

/// What was made against what is there.
pub fn list(ctx: &Ctx) -> Result<Vec<Listed>, AppError> {
    let workshop = Workshop::open(ctx)?;
    listed(ctx, &workshop)
}

fn listed(ctx: &Ctx, workshop: &Workshop<'_>) -> Result<Vec<Listed>, AppError> {
    let orphaned = workshop.orphaned();
    let mut all = Vec::new();
    for made in &workshop.made {
        let file = file_state(made, &workshop.disk(&made.path)?);
        let is_orphaned = orphaned.iter().any(|orphan| orphan.path == made.path);
        let wanted = workshop.wanted_at(&made.path);
        all.push(Listed {
            path: made.path.clone(),
            state: if is_orphaned { State::Orphaned } else { file },
            file: Some(file),
            made: Some(made.clone()),
            is_outdated: wanted.is_some_and(|wanted| wanted.content != made.content),
        });
    }
    let directory = &ctx.settings().domains.agents;
    for name in workshop.files.names(directory)? {
        let Ok(path) = directory.join(&name) else { continue };
        let is_agent = name.strip_suffix(".md").is_some_and(|stem| !stem.starts_with('.'));
        if is_agent && workshop.made_at(&path).is_none() {
            let (state, file, made) = (State::Unknown, None, None);
            all.push(Listed { path, state, file, made, is_outdated: false });
        }
    }
    all.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(all)
}

/// What a repair came to.
#[derive(Clone, Debug, Default)]
pub struct Repaired {
    /// Files that were missing and are there again.
    pub written: Vec<TreePath>,
    /// Files that were as they should be, and are recorded now.
    pub adopted: Vec<TreePath>,
    /// Files whose edits are kept from now on.
    pub accepted: Vec<TreePath>,
    /// Agents that are gone from the disk and that nothing asks for.
    pub forgotten: Vec<TreePath>,
    /// Files that were not made here, or that nothing asks for: they are left alone.
    pub left: Vec<Listed>,
    /// What could not be done, and why.
    pub failed: Vec<(TreePath, String)>,
    /// The entry that records it.
    pub entry: Option<ObjectId>,
    /// What the caller should be told besides.
    pub notices: Vec<String>,
}

/// Brings what was made and what is there together, without touching what somebody else wrote.
pub fn repair(ctx: &Ctx) -> Result<Repaired, AppError> {
    let workshop = Workshop::open(ctx)?;
    let mut repaired = Repaired::default();
    let mut record = RecordAgents::default();
    for listed in listed(ctx, &workshop)? {
        let path = listed.path.clone();
        let wanted = workshop.wanted_at(&path);
        match (listed.state, listed.file, wanted) {
            (State::Missing, _, Some(wanted)) => match workshop.files.write(&path, &wanted.bytes) {
                Ok(()) => {
                    record.written.push(wanted.written());
                    repaired.written.push(path);
                }
                Err(error) => repaired.failed.push((path, with_causes(&error))),
            },
            (State::Orphaned | State::Missing, Some(State::Missing), _) => {
                record.forgotten.push(path.clone());
                repaired.forgotten.push(path);
            }
            (State::Edited, _, _) => match workshop.disk(&path)? {
                OnDisk::File(content) => {
                    record.accepted.push(Accepted { path: path.clone(), content });
                    repaired.accepted.push(path);
                }
                _ => repaired.failed.push((path, "it is no file any more".to_owned())),
            },
            (State::Unknown, _, Some(wanted))
                if workshop.disk(&path)? == OnDisk::File(wanted.content.clone()) =>
            {
                record.written.push(wanted.written());
                repaired.adopted.push(path);
            }
            (State::Unknown | State::Orphaned, _, _) => repaired.left.push(listed),
            (State::Ok | State::Missing, _, _) => {}
        }
    }
    (repaired.entry, repaired.notices) = recorded(ctx, record)?;
    Ok(repaired)
}

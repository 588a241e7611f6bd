//! Agents for the domains of a project: generates, lists and repairs their files.
//!
//! Files are written first and recorded then, so the ledger lists only files that were written. A
//! command that is killed between the two leaves files that the next one recognises by their
//! content.

pub mod generate;
pub mod list;
pub mod repair;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use generate::{OfDomain, Outcome};

use super::profiles::{self, Profiled};
use super::{Known, known};
use crate::app::answer::{self, Answer, Note};
use crate::app::error::{AppError, with_causes};
use crate::app::{Ctx, WriteMode};
use crate::core::domain::agent::{GENERATOR, content_hash, render};
use crate::core::domain::agent_record::{self, AgentRecord, RecordAgents, Written};
use crate::core::domain::generation::{Action, OnDisk};
use crate::core::domain::name::Name;
use crate::core::domain::profile::CORE_AGENTS;
use crate::core::domain::tree_path::TreePath;
use crate::core::ledger::LedgerName;
use crate::store::error::StoreError;
use crate::store::worktree::files::{Found, WorkFiles};

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

/// The agents that are wanted, those that were made, and the files.
struct Workshop<'c> {
    ctx: &'c Ctx,
    files: WorkFiles<'c>,
    /// The top directories of the other worktrees, read when needed.
    elsewhere: OnceCell<Vec<PathBuf>>,
    wanted: Vec<Wanted>,
    made: Vec<AgentRecord>,
    /// The domains, each with the agents that cannot be made and the reasons.
    outcomes: Vec<OfDomain>,
}

impl<'c> Workshop<'c> {
    fn open(ctx: &'c Ctx) -> Result<Workshop<'c>, AppError> {
        let tree = ctx.repository().work_tree().ok_or(StoreError::NoWorkTree)?;
        let Known { cache, .. } = known(ctx)?;
        let profiled = profiles::of(ctx, cache.domains())?;
        let made = agent_record::all(&ctx.read_ledger(LedgerName::Domains)?.base.snapshot)?;
        let mut workshop = Workshop {
            ctx,
            files: WorkFiles::new(&tree.top, ctx.files),
            elsewhere: OnceCell::new(),
            wanted: Vec::new(),
            made,
            outcomes: Vec::new(),
        };
        let mut names = BTreeSet::new();
        for Profiled { domain, profile, .. } in profiled {
            let lacks_profile = profile.as_ref().err().cloned();
            let mut of = OfDomain { domain, lacks_profile, agents: Vec::new() };
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

    fn made_at(&self, path: &TreePath) -> Option<&AgentRecord> {
        self.made.iter().find(|made| made.path == *path)
    }

    fn wanted_at(&self, path: &TreePath) -> Option<&Wanted> {
        self.wanted.iter().find(|wanted| wanted.path == *path)
    }

    fn disk(&self, path: &TreePath) -> OnDisk {
        match self.files.look(path) {
            Ok(Found::Nothing) => OnDisk::Nothing,
            Ok(Found::File(bytes)) => OnDisk::File(content_hash(&bytes)),
            Ok(Found::NoFile) => OnDisk::NoFile,
            Err(error) => OnDisk::Unreadable(with_causes(&error)),
        }
    }

    /// Tells whether another worktree of this machine has a file at that path; false if git cannot
    /// list the worktrees.
    fn is_elsewhere(&self, path: &TreePath) -> bool {
        let tops = self
            .elsewhere
            .get_or_init(|| self.ctx.repository().other_work_trees().unwrap_or_default());
        let has = |top: &PathBuf| WorkFiles::new(top, self.ctx.files).has(path);
        tops.iter().any(|top| has(top).unwrap_or(true))
    }

    /// Tells whether this project still asks for an agent that was made.
    fn asks(&self, made: &AgentRecord) -> Asked {
        if self.wanted_at(&made.path).is_some() {
            return Asked::For;
        }
        match self.outcomes.iter().find(|of| of.domain == made.domain) {
            None => Asked::Orphaned,
            Some(of) if of.lacks_profile.is_some() || of.has_bad_agents() => Asked::Unclear,
            Some(_) => Asked::NotAnyMore,
        }
    }
}

/// The demand of a project for an agent that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// It is asked for.
    For,
    /// Its domain is no longer one of the project's.
    Orphaned,
    /// Its domain is there, but asks for other agents, or for this one at another path.
    NotAnyMore,
    /// Its domain is there, but the profile cannot be read.
    Unclear,
}

/// Records the changes of files, if there are any.
fn recorded(
    ctx: &Ctx,
    record: RecordAgents,
) -> Result<(Option<answer::Written>, Vec<Note>), AppError> {
    if record.is_empty() {
        return Ok((None, Vec::new()));
    }
    let committed = ctx.transact(LedgerName::Domains, record, WriteMode::Plain)?;
    let answer = Answer::committed(committed, |_| ());
    Ok((answer.written, answer.notes))
}

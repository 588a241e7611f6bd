//! Making git and coding agents call us, and the way back.
//!
//! [`found`] looks, the planners make a [`plan`] of that as data, and only [`follow`] changes
//! something. The planners are [`git_hooks`], [`claude`], [`documents`] and, for the configuration,
//! [`before`]. [`hook_file`] and [`settings`] know the bytes of the files, [`handlers`] the
//! commands that agents run, and [`claude_program`] which version of Claude Code is there.
//! [`published`] has the same files for users who do not run `install`, and [`plugin`] knows who
//! does both.

pub mod before;
pub mod claude;
pub mod claude_program;
pub mod documents;
pub mod follow;
pub mod found;
pub mod git_hooks;
pub mod handlers;
pub mod hook_file;
pub mod plan;
pub mod plugin;
pub mod published;
pub mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::store::error::StoreError;
use crate::store::git::program::ProgramError;
use crate::store::layout::NAMESPACE;
use crate::store::os::files::FileError;
use documents::{Beside, Document};
use follow::{Followed, follow};
use found::Host;
use plan::{Act, Item, Need, Setting};
use settings::Wanted;

/// The coding agents to install for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agents {
    /// The agents that are found here.
    WhereFound,
    Claude,
    Nobody,
}

/// A request to install.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub agents: Agents,
    /// Set to write to the settings that everybody shares, not to the user's own.
    pub shared: bool,
    /// Set to let agents call us without asking.
    pub allow: bool,
    /// Set to save uncommitted work before commands that people type.
    pub terminal: bool,
    pub dry_run: bool,
}

impl From<claude::Unreadable> for AppError {
    fn from(error: claude::Unreadable) -> AppError {
        AppError::Failed(Box::new(error))
    }
}

/// Makes git and coding agents call us, or shows what that would change.
pub fn install(
    ctx: &Ctx,
    host: &Host,
    asked: Asked,
    documents: &[Document],
) -> Result<Followed, Problem> {
    let agents = agents(ctx, host, asked)?;
    let restart = !asked.dry_run && agents.iter().any(Item::is_change);
    let mut items = plan_install(ctx, host, agents, asked.terminal, documents)?;
    if restart {
        items.push(Item::note("restart open sessions: agents read their settings when they start"));
    }
    Ok(follow(ctx, &items, asked.dry_run))
}

/// Undoes what [`install`] changed, or shows what that would change; with `state` it also deletes
/// everything that was ever reserved.
pub fn uninstall(ctx: &Ctx, host: &Host, state: bool, dry_run: bool) -> Result<Followed, Problem> {
    let items = plan_uninstall(ctx, host, state)?;
    Ok(follow(ctx, &items, dry_run))
}

fn plan_install(
    ctx: &Ctx,
    host: &Host,
    agents: Vec<Item>,
    has_terminal: bool,
    documents: &[Document],
) -> Result<Vec<Item>, AppError> {
    let local = found::local(ctx)?;
    let path = found::before_path(ctx);
    let mut noted = before::Noted { path: &path, before: found::before(ctx)? };
    let hooks = found::hooks(ctx, host, &local)?;
    let mut items = git_hooks::install(&hooks);
    before::remember_directory(&mut items, &hooks.directory, &mut noted);
    items.extend(agents);
    let beside = found::beside(ctx, host);
    let paths = match &beside {
        Beside::Prefix(prefix) => documents.iter().map(|page| prefix.join(page.path)).collect(),
        _ => Vec::new(),
    };
    let install = |found: &documents::Found<'_>| documents::install(&beside, documents, found);
    items.extend(with_documents(ctx, &beside, paths, install)?);
    if has_terminal && hooks.has_work_tree {
        items.push(before::monitor(host.monitor.as_deref(), &local, &mut noted));
    }
    // Last, because this makes the hooks act.
    items.extend(before::configuration(&local, &mut noted));
    Ok(items)
}

/// Reads the files at these paths, and plans the documents with them.
fn with_documents(
    ctx: &Ctx,
    beside: &Beside,
    paths: Vec<PathBuf>,
    plan: impl FnOnce(&documents::Found<'_>) -> Vec<Item>,
) -> Result<Vec<Item>, AppError> {
    let mut present = BTreeMap::new();
    for path in paths {
        let content = found::read(ctx, &path)?;
        present.insert(path, content);
    }
    Ok(plan(&documents::Found {
        content: &|path| present.get(path).cloned().flatten(),
        is_directory: &Path::is_dir,
        note_path: &beside.note_path().unwrap_or_default(),
        note: found::documents_note(ctx, beside)?,
        repository: ctx.repository.common_dir(),
    }))
}

fn agents(ctx: &Ctx, host: &Host, asked: Asked) -> Result<Vec<Item>, AppError> {
    let wanted = match asked.agents {
        Agents::Nobody => return Ok(Vec::new()),
        Agents::Claude => true,
        Agents::WhereFound => found::has_claude(ctx, host),
    };
    if !wanted {
        return Ok(vec![Item::note("Claude Code was not found; --agents claude installs for it")]);
    }
    let Some(file) = found::claude_settings(ctx, asked.shared)? else {
        return Ok(vec![Item::note("no hooks of Claude Code: there is no work tree here")]);
    };
    let wanted = Wanted { fail_closed: host.fail_closed, allow: asked.allow };
    Ok(claude::install(&file, wanted)?)
}

fn plan_uninstall(ctx: &Ctx, host: &Host, state: bool) -> Result<Vec<Item>, AppError> {
    let local = found::local(ctx)?;
    // First, because from here on hooks that are still called do nothing.
    let path = found::before_path(ctx);
    let noted = before::Noted { path: &path, before: found::before(ctx)? };
    let mut items = before::without_configuration(&local, &noted);
    let hooks = found::hooks(ctx, host, &local)?;
    items.extend(git_hooks::uninstall(&hooks));
    items.extend(before::forget(&hooks.directory, &noted));
    for file in found::every_claude_settings(ctx)? {
        items.extend(claude::uninstall(&file));
    }
    let beside = found::beside(ctx, host);
    let noted = found::documents_note(ctx, &beside)?.unwrap_or_default();
    let paths = noted.files().map(Path::to_owned).collect();
    items.extend(with_documents(ctx, &beside, paths, documents::uninstall)?);
    if state {
        let refs = found::common(ctx).values_below(NAMESPACE).map_err(StoreError::from)?;
        items.extend(plan::without_state(&refs, &found::helper_directories(ctx)?));
    }
    Ok(items)
}

/// Carries out one item of a plan.
fn carry_out(ctx: &Ctx, item: &Item) -> Result<(), AppError> {
    let Need::Change(acts) = &item.need else { return Ok(()) };
    Ok(acts.iter().try_for_each(|act| carry_out_act(ctx, act))?)
}

fn carry_out_act(ctx: &Ctx, act: &Act) -> Result<(), StoreError> {
    let files = ctx.files;
    let git = found::common(ctx);
    let with = |done: fn(&_, &str, &str) -> Result<(), ProgramError>, setting: &Setting| {
        done(&git, &setting.key, &setting.value).map_err(StoreError::from)
    };
    let file = |done: Result<(), FileError>| done.map_err(StoreError::from);
    match act {
        Act::Write { path, content, rights } => {
            path.parent().map_or(Ok(()), |directory| files.make_directories(directory))?;
            file(files.replace(path, content, *rights))
        }
        Act::Link { from, to } => file(files.link(from, to)),
        Act::Rename { from, to } => file(files.rename(from, to)),
        Act::Remove(path) => file(files.remove(path).map(drop)),
        Act::RemoveIfEmpty(path) => file(files.remove_if_empty(path).map(drop)),
        Act::RemoveAll(path) => file(files.remove_all(path)),
        Act::Add(setting) => with(crate::store::git::program::Program::add_local, setting),
        Act::Set(setting) => with(crate::store::git::program::Program::set_local, setting),
        Act::Unset(setting) => with(crate::store::git::program::Program::unset_local, setting),
        Act::DeleteRef { name, value } => Ok(git.delete_ref(name, value)?),
    }
}

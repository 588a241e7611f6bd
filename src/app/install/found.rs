//! Finds what is there before something is installed or taken away. Looking changes nothing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::install::before::Before;
use crate::app::install::claude;
use crate::app::install::documents::{self, Beside};
use crate::app::install::git_hooks::{Elsewhere, Found, Manager, Place};
use crate::app::install::hook_file::GitHook;
use crate::app::install::plan::Setting;
use crate::app::open::Door;
use crate::core::boolean::parse_boolean;
use crate::store::error::StoreError;
use crate::store::git::program::{self, Program};
use crate::store::layout::{HelperDir, helpers};

/// A hook may be a compiled program, so the limit is generous; it only keeps a device out.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The directory of Claude Code, in a project and at home.
const CLAUDE: &str = ".claude";
/// The files by which cargo marks the directory that it builds in. It tags only a directory that it
/// made itself.
const BUILT_HERE: [&str; 2] = ["CACHEDIR.TAG", ".cargo-lock"];

/// The machine and the user that the repository is installed for.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// `core.hooksPath`, wherever it is set.
    pub hooks_path: Option<String>,
    /// `core.fsmonitor`, wherever it is set.
    pub monitor: Option<String>,
    /// `coord.hook.failClosed`.
    pub fail_closed: bool,
    pub home: Option<PathBuf>,
    /// The directories of `PATH`.
    pub search_path: Vec<PathBuf>,
    /// The path of this program.
    pub program: Option<PathBuf>,
}

impl Host {
    /// Reads the host from the process, the environment of a door and the configuration there.
    pub fn of(door: &Door) -> Host {
        let path = door.environment().os("PATH").unwrap_or_default();
        let program = std::env::current_exe().ok();
        let fail_closed = door.get("coord.hook.failClosed");
        Host {
            hooks_path: door.get("core.hooksPath").filter(|path| !path.is_empty()),
            monitor: door.get("core.fsmonitor"),
            fail_closed: fail_closed.as_deref().and_then(parse_boolean) == Some(true),
            home: door.environment().os("HOME").map(Into::into),
            search_path: std::env::split_paths(path).collect(),
            program: program.map(|program| program.canonicalize().unwrap_or(program)),
        }
    }
}

/// A settings file that is a link in a commit, and leads out of the work tree.
#[derive(Debug, thiserror::Error)]
#[error(
    "'{}' is a committed link to '{}', which is not in the work tree, so nothing was changed",
    path.display(),
    target.display()
)]
struct CommittedLink {
    path: PathBuf,
    target: PathBuf,
}

/// Reads the repository's own configuration.
pub(in crate::app) fn local(ctx: &Ctx) -> Result<Vec<Setting>, AppError> {
    let listed = common(ctx).local_configuration().map_err(StoreError::from)?;
    Ok(listed.into_iter().map(|(key, value)| Setting { key, value }).collect())
}

/// Returns git for the part of the repository that all worktrees share.
pub(super) fn common(ctx: &Ctx) -> Program {
    ctx.repository.common_program()
}

/// Finds the hooks of git: their files, the directory that `core.hooksPath` names, and the managers
/// that call us.
pub(in crate::app) fn hooks(ctx: &Ctx, host: &Host, local: &[Setting]) -> Result<Found, AppError> {
    let directory = ctx.repository.common_dir().join("hooks");
    let place = |hook: GitHook| {
        let path = directory.join(hook.name());
        let shape = ctx.files.shape(&path).map_err(AppError::files)?;
        let content = read(ctx, &path)?.unwrap_or_default();
        let chained = directory.join(hook.chained_name());
        // A dangling link counts as a file.
        let is_kept = ctx.files.exists(&chained).map_err(AppError::files)?;
        let chained = read(ctx, &chained)?.or(is_kept.then(Vec::new));
        Ok(Place { hook, file: shape.map(|shape| (content, shape)), chained })
    };
    let places = GitHook::ALL.into_iter().map(place).collect::<Result<_, AppError>>()?;
    let elsewhere = host.hooks_path.as_deref().map(|path| elsewhere(ctx, host, path));
    let called = called(ctx, &directory)?;
    Ok(Found {
        git: program::version_numbers(&ctx.environment).map_err(StoreError::from)?,
        has_work_tree: has_work_tree(ctx, local)?,
        directory,
        places,
        elsewhere: elsewhere.transpose()?,
        called,
        local: local.to_vec(),
    })
}

/// Tells whether people can commit here: a bare repository may have linked worktrees.
fn has_work_tree(ctx: &Ctx, local: &[Setting]) -> Result<bool, AppError> {
    let is_bare = |set: &Setting| set.key == "core.bare" && parse_boolean(&set.value) == Some(true);
    if ctx.repository.work_tree().is_some() || !local.iter().any(is_bare) {
        return Ok(true);
    }
    let linked = ctx.repository.common_dir().join("worktrees");
    Ok(!ctx.files.list(&linked).map_err(AppError::files)?.is_empty())
}

fn elsewhere(ctx: &Ctx, host: &Host, path: &str) -> Result<Elsewhere, AppError> {
    let top = top(ctx).unwrap_or_default();
    let at_home = path.strip_prefix("~/").zip(host.home.as_ref());
    let directory = at_home.map_or_else(|| top.join(path), |(below, home)| home.join(below));
    let known = [Manager::Husky, Manager::Lefthook, Manager::PreCommit];
    let has_file = |manager: &Manager| {
        manager.file(&top, GitHook::PreCommit).is_some_and(|file| match manager {
            Manager::Husky => file.parent().is_some_and(Path::exists),
            _ => file.exists(),
        })
    };
    let manager = known.into_iter().find(has_file).unwrap_or(Manager::Unknown);
    let (mut called, mut mentioned) = (Vec::new(), Vec::new());
    for hook in GitHook::ALL {
        if is_called(ctx, &top, &directory, hook)? {
            called.push(hook);
        }
        let mut places = vec![directory.join(hook.name())];
        places.extend(known.iter().filter_map(|manager| manager.file(&top, hook)));
        for place in places {
            if mentions(ctx, &place, hook)? && !mentioned.contains(&hook) {
                mentioned.push(hook);
            }
        }
    }
    Ok(Elsewhere { path: path.to_owned(), manager, called, mentioned })
}

/// Lists the hooks in git's own directory that a manager has made, and that call us because the
/// manager's file says so.
fn called(ctx: &Ctx, directory: &Path) -> Result<Vec<GitHook>, AppError> {
    let Some(top) = top(ctx) else { return Ok(Vec::new()) };
    let mut called = Vec::new();
    for hook in GitHook::ALL {
        if can_be_run(ctx, directory, hook)? && is_called_by_manager(ctx, &top, directory, hook)? {
            called.push(hook);
        }
    }
    Ok(called)
}

/// Tells whether git calls us through the hook in a directory: it can be executed, and it or the
/// file of its manager has the call.
fn is_called(ctx: &Ctx, top: &Path, directory: &Path, hook: GitHook) -> Result<bool, AppError> {
    Ok(can_be_run(ctx, directory, hook)?
        && (mentions(ctx, &directory.join(hook.name()), hook)?
            || is_called_by_manager(ctx, top, directory, hook)?))
}

fn can_be_run(ctx: &Ctx, directory: &Path, hook: GitHook) -> Result<bool, AppError> {
    let path = directory.join(hook.name());
    // The target of a link counts.
    let path = path.canonicalize().unwrap_or(path);
    let shape = ctx.files.shape(&path).map_err(AppError::files)?;
    Ok(shape.is_some_and(|shape| shape.is_executable))
}

fn is_called_by_manager(
    ctx: &Ctx,
    top: &Path,
    directory: &Path,
    hook: GitHook,
) -> Result<bool, AppError> {
    let content = read(ctx, &directory.join(hook.name()))?.unwrap_or_default();
    let is_husky = directory.ends_with(".husky/_");
    let manager = Manager::that_made(&content).or(is_husky.then_some(Manager::Husky));
    match manager.and_then(|manager| manager.file(top, hook)) {
        Some(file) => mentions(ctx, &file, hook),
        None => Ok(false),
    }
}

/// Tells whether a file has the call of a hook outside of comments.
fn mentions(ctx: &Ctx, file: &Path, hook: GitHook) -> Result<bool, AppError> {
    let text = read(ctx, file)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let call = format!("coord hook {}", hook.name());
    Ok(text.lines().any(|line| !line.trim_start().starts_with('#') && line.contains(&call)))
}

/// Tells whether this project or this user has Claude Code.
pub(super) fn has_claude(ctx: &Ctx, host: &Host) -> bool {
    let in_project = top(ctx).is_some_and(|top| top.join(CLAUDE).is_dir());
    let at_home = || host.home.as_ref().is_some_and(|home| home.join(CLAUDE).is_dir());
    let has_program = |directory: &PathBuf| directory.join("claude").is_file();
    in_project || at_home() || host.search_path.iter().any(has_program)
}

/// Reads the settings file of Claude Code in this work tree; none where there is no work tree.
pub(super) fn claude_settings(ctx: &Ctx, shared: bool) -> Result<Option<claude::File>, AppError> {
    let Some(top) = top(ctx) else { return Ok(None) };
    let name = if shared { "settings.json" } else { "settings.local.json" };
    let path = top.join(CLAUDE).join(name);
    refuse_committed_link(ctx, &top, name)?;
    let mut file = settings_at(ctx, &path)?;
    // Git commits nothing that is behind a link.
    if !shared && file.path == path {
        let git = ctx.repository.program();
        file.is_for_git = !git.ignores(&top, &path).map_err(StoreError::from)?;
    }
    Ok(Some(file))
}

/// Refuses a settings file that a committed link puts outside of the work tree. A link that is not
/// committed is the user's own.
fn refuse_committed_link(ctx: &Ctx, top: &Path, name: &str) -> Result<(), AppError> {
    let inside = top.canonicalize().unwrap_or_else(|_| top.to_owned());
    for path in [PathBuf::from(CLAUDE), Path::new(CLAUDE).join(name)] {
        let here = top.join(&path);
        let leads_inside = here.canonicalize().is_ok_and(|path| path.starts_with(&inside));
        if !here.is_symlink() || leads_inside {
            continue;
        }
        let git = ctx.repository.program();
        if git.tracks_link(top, &path).map_err(StoreError::from)? {
            let target = here.read_link().unwrap_or_default();
            return Err(AppError::Failed(Box::new(CommittedLink { path, target })));
        }
    }
    Ok(())
}

/// Reads the settings files that Claude Code reads in this work tree, the strongest first. It
/// passes over those of an administrator and of plugins.
pub(in crate::app) fn claude_sources(
    ctx: &Ctx,
    host: &Host,
) -> Result<Vec<(PathBuf, Vec<u8>)>, AppError> {
    let Some(top) = top(ctx) else { return Ok(Vec::new()) };
    let project = ["settings.local.json", "settings.json"].map(|name| top.join(CLAUDE).join(name));
    let home = host.home.as_ref().map(|home| home.join(CLAUDE).join("settings.json"));
    let mut sources = Vec::new();
    for path in project.into_iter().chain(home).map(|path| resolved(&path)) {
        sources.extend(read(ctx, &path)?.map(|content| (path, content)));
    }
    Ok(sources)
}

/// Reads the settings file of the main work tree that newer versions of Claude Code read in a
/// linked one, before those of the linked one; none in the main work tree itself.
pub(in crate::app) fn claude_settings_of_main(
    ctx: &Ctx,
) -> Result<Option<(PathBuf, Vec<u8>)>, AppError> {
    let common_dir = resolved(ctx.repository.common_dir());
    let is_linked = ctx.repository.work_tree().is_some_and(|tree| tree.linked.is_some());
    let Some(main) = common_dir.parent().filter(|_| is_linked && common_dir.ends_with(".git"))
    else {
        return Ok(None);
    };
    let path = resolved(&main.join(CLAUDE).join("settings.local.json"));
    Ok(read(ctx, &path)?.map(|content| (path, content)))
}

/// Reads the settings files that may have entries of ours: those of this work tree, and those of
/// other work trees that have a note.
pub(in crate::app) fn every_claude_settings(ctx: &Ctx) -> Result<Vec<claude::File>, AppError> {
    let directory = HelperDir::Before.below(ctx.repository.common_dir());
    let mut paths = Vec::new();
    for name in ctx.files.list(&directory).map_err(AppError::files)? {
        let note = read(ctx, &directory.join(name))?.unwrap_or_default();
        let note = serde_json::from_slice::<claude::Before>(&note);
        paths.extend(note.ok().map(|note| note.path));
    }
    if let Some(top) = top(ctx) {
        let here = ["settings.local.json", "settings.json"].map(|name| top.join(CLAUDE).join(name));
        paths.extend(here.iter().map(|path| resolved(path)));
    }
    paths.sort();
    paths.dedup();
    paths.iter().map(|path| settings_at(ctx, path)).collect()
}

fn settings_at(ctx: &Ctx, path: &Path) -> Result<claude::File, AppError> {
    let path = resolved(path);
    let name = claude::note_name(&path);
    let note_path = HelperDir::Before.below(ctx.repository.common_dir()).join(name);
    let note = read(ctx, &note_path)?.and_then(|note| serde_json::from_slice(&note).ok());
    let content = read(ctx, &path)?;
    let has_directory = path.parent().is_some_and(Path::is_dir);
    Ok(claude::File { path, content, has_directory, is_for_git: false, note_path, note })
}

/// Follows the links of a path. A user who keeps settings elsewhere and links to them wants them to
/// stay there. The path is the same before and after the file is made.
fn resolved(path: &Path) -> PathBuf {
    let in_directory = || {
        let directory = path.parent()?.canonicalize().ok()?;
        Some(directory.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_directory).unwrap_or_else(|| path.to_owned())
}

/// Finds the place of the manual and the completions.
pub(super) fn beside(ctx: &Ctx, host: &Host) -> Beside {
    let Some(program) = &host.program else { return Beside::NoPrefix };
    let is_built_in =
        |directory: &Path| BUILT_HERE.iter().any(|name| directory.join(name).is_file());
    if program.ancestors().any(is_built_in) {
        return Beside::BuildDirectory;
    }
    let bin = program.parent().filter(|parent| parent.file_name() == Some(OsStr::new("bin")));
    let Some(prefix) = bin.and_then(Path::parent) else { return Beside::NoPrefix };
    let share = prefix.join("share");
    let nearest = if share.is_dir() { &share } else { prefix };
    if ctx.files.can_write_in(nearest) {
        Beside::Prefix(prefix.to_owned())
    } else {
        Beside::NotWritable(nearest.to_owned())
    }
}

/// Returns the path of the note on the repository as it was before.
pub(super) fn before_path(ctx: &Ctx) -> PathBuf {
    HelperDir::Before.below(ctx.repository.common_dir()).join("repository.json")
}

/// Reads the note on the repository; none where there is none that can be parsed.
pub(super) fn before(ctx: &Ctx) -> Result<Option<Before>, AppError> {
    let note = read(ctx, &before_path(ctx))?;
    Ok(note.and_then(|note| serde_json::from_slice(&note).ok()))
}

/// Reads the note beside the program; none where there is none that can be parsed.
pub(super) fn documents_note(
    ctx: &Ctx,
    beside: &Beside,
) -> Result<Option<documents::Note>, AppError> {
    let Some(path) = beside.note_path() else { return Ok(None) };
    Ok(read(ctx, &path)?.and_then(|note| serde_json::from_slice(&note).ok()))
}

/// Lists the directories of helper files: that of the repository, and that of each linked worktree.
pub(super) fn helper_directories(ctx: &Ctx) -> Result<Vec<PathBuf>, AppError> {
    let common = ctx.repository.common_dir();
    let worktrees = common.join("worktrees");
    let names = ctx.files.list(&worktrees).map_err(AppError::files)?;
    let linked = names.iter().map(|name| helpers(&worktrees.join(name)));
    let all = linked.chain([helpers(common)]);
    Ok(all.filter(|path| path.is_dir()).collect())
}

/// Reads a file; none if there is none.
pub(super) fn read(ctx: &Ctx, path: &Path) -> Result<Option<Vec<u8>>, AppError> {
    ctx.files.read(path, FILE_BYTES_MAX).map_err(AppError::files)
}

fn top(ctx: &Ctx) -> Option<PathBuf> {
    ctx.repository.work_tree().map(|tree| tree.top.clone())
}

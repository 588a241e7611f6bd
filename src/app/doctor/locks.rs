//! Lock files that stop every writer: `doctor` reports them, and `doctor --repair` moves them
//! aside.
//!
//! No writer removes a lock that may be in use. `doctor --repair` is told that a lock is left
//! behind, and still moves it only if nothing speaks against that.

use std::path::PathBuf;
use std::time::Duration;

use super::{Check, State};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::store::git::refs::{Holder, LockFiles, SeenLock};
use crate::store::layout::HelperDir;
use crate::store::os::processes::{self, Running};

/// The time that a lock must stay unchanged before it is moved aside, and before it is a fault.
const UNMOVED: Duration = Duration::from_secs(10);
/// The limit for a `gitdir` file, which has the path of a worktree.
const PATH_BYTES_MAX: u64 = 64 * 1024;

/// A lock that was in the way.
#[derive(Clone, Debug)]
pub(super) struct Cleared {
    /// Its path, which it may have left.
    pub lock: PathBuf,
    /// Its owner, as far as that is known, in a sentence.
    pub whose: String,
    pub outcome: Outcome,
}

/// The fate of a lock that was in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was moved to this path.
    Moved(PathBuf),
    /// Its owner has released it.
    Released,
    /// It stays: a running process has it.
    InUse,
    /// It stays for this reason, and stops every writer.
    Stays(String),
}

impl Outcome {
    /// Returns the reason why the lock stays, if it does.
    pub(super) fn stays(&self) -> Option<&str> {
        match self {
            Outcome::Moved(_) | Outcome::Released => None,
            Outcome::InUse => Some("it is in use"),
            Outcome::Stays(why) => Some(why),
        }
    }
}

/// Reports the locks that are there.
pub(super) fn checks(ctx: &Ctx) -> Result<Vec<Check>, AppError> {
    let found = seen(ctx)?;
    Ok(found.iter().map(check).collect())
}

fn check(lock: &SeenLock) -> Check {
    let state = match lock.holder {
        Holder::Ended => State::Note,
        Holder::Elsewhere { .. } | Holder::Unknown if lock.age >= UNMOVED => State::Fault,
        _ => State::Warning,
    };
    let text = format!("'{}': {}", lock.path.display(), lock.describe());
    let check = Check::new("leftovers", state, text);
    let repair = ["git", "coord", "doctor", "--repair"];
    if state == State::Fault { check.with_next(&repair) } else { check }
}

/// Moves abandoned locks aside, as far as this host can tell that they are.
pub(super) fn clear_locks(ctx: &Ctx) -> Result<Vec<Cleared>, AppError> {
    seen(ctx)?.iter().map(|lock| clear(ctx, lock)).collect()
}

fn clear(ctx: &Ctx, lock: &SeenLock) -> Result<Cleared, AppError> {
    let whose = lock.describe();
    let outcome = match lock.holder {
        Holder::Ended => take_away(ctx, lock)?,
        Holder::Lives { is_stopped: false, .. } => Outcome::InUse,
        Holder::Lives { is_stopped: true, .. } => Outcome::Stays("its process is stopped".into()),
        Holder::Elsewhere { .. } | Holder::Unknown => judge(ctx, lock)?,
    };
    Ok(Cleared { lock: lock.path.clone(), whose, outcome })
}

/// Moves a lock of unknown owner aside if it stays unchanged for a while and nothing speaks against
/// it. The owner of a young lock may release it in that time.
fn judge(ctx: &Ctx, lock: &SeenLock) -> Result<Outcome, AppError> {
    if lock.age >= UNMOVED
        && let Some(other) = in_the_way(ctx, lock)
    {
        return Ok(Outcome::Stays(other));
    }
    let files = lock_files(ctx);
    if !files.stays(lock, UNMOVED).map_err(AppError::files)? {
        return after_a_move(ctx, lock);
    }
    match in_the_way(ctx, lock) {
        Some(other) => Ok(Outcome::Stays(other)),
        None => take_away(ctx, lock),
    }
}

fn take_away(ctx: &Ctx, lock: &SeenLock) -> Result<Outcome, AppError> {
    match lock_files(ctx).take_away(lock).map_err(AppError::files)? {
        Some(moved) => Ok(Outcome::Moved(moved.now_at)),
        None => after_a_move(ctx, lock),
    }
}

/// Looks at the place of a lock that is gone or was replaced.
fn after_a_move(ctx: &Ctx, lock: &SeenLock) -> Result<Outcome, AppError> {
    let now = lock_files(ctx).inspect(&lock.path).map_err(AppError::files)?;
    Ok(match now.map(|lock| lock.holder) {
        None => Outcome::Released,
        Some(Holder::Lives { is_stopped: false, .. }) => Outcome::InUse,
        Some(_) => Outcome::Stays("another lock has taken its place meanwhile".to_owned()),
    })
}

/// Finds a reason not to move a lock: a process has it open, or may be at work here.
fn in_the_way(ctx: &Ctx, lock: &SeenLock) -> Option<String> {
    let named = |found: &[Running]| {
        let names: Vec<String> = found.iter().map(ToString::to_string).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    if let Some(openers) = named(&lock.openers()) {
        return Some(format!("{openers} has it open"));
    }
    let line = HelperDir::Waiters.below(ctx.repository.common_dir());
    let at_work = named(&processes::writing_in(&places(ctx), &line))?;
    Some(format!("{at_work} may be at work in this repository; end it, or let it end"))
}

fn seen(ctx: &Ctx) -> Result<Vec<SeenLock>, AppError> {
    let files = lock_files(ctx);
    let common = ctx.repository.common_dir();
    let names = ctx.repository.ref_storage().locks();
    let found = names.iter().map(|name| files.inspect(&common.join(name)).map_err(AppError::files));
    Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn lock_files(ctx: &Ctx) -> LockFiles {
    LockFiles::new(ctx.repository.common_dir(), ctx.files)
}

/// Lists the directories in which a git works that may lock refs of this repository: its git
/// directories and work trees.
fn places(ctx: &Ctx) -> Vec<PathBuf> {
    let common = ctx.repository.common_dir();
    let mut places = vec![common.to_owned()];
    places.extend(ctx.repository.work_tree().map(|tree| tree.top.clone()));
    if common.file_name().is_some_and(|name| name == ".git") {
        places.extend(common.parent().map(PathBuf::from));
    }
    let linked = common.join("worktrees");
    for name in ctx.files.list(&linked).unwrap_or_default() {
        let file = ctx.files.read_start(&linked.join(name).join("gitdir"), PATH_BYTES_MAX);
        let text = file.ok().flatten().unwrap_or_default();
        let path = PathBuf::from(String::from_utf8_lossy(&text).trim_end());
        places.extend(path.parent().map(PathBuf::from));
    }
    // The system reports the directory of a process without links.
    let spelled = |place: PathBuf| place.canonicalize().unwrap_or(place);
    places.into_iter().map(spelled).filter(|place| place.is_absolute()).collect()
}

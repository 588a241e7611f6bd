//! Lists the uncommitted changes of a work tree, each with its owners.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::view::{PathView, TurnView, turn_text};
use super::{Judged, Turns, judge_by, tidy};
use crate::app::answer::{Answer, Note as Remark};
use crate::app::error::AppError;
use crate::app::next::{command, from_top, in_shell};
use crate::app::problem::Problem;
use crate::app::{Ctx, rescue, specs};
use crate::core::ids::AgentName;
use crate::core::ownership::content::BlobId;
use crate::core::ownership::standing::Standing;
use crate::core::ownership::{Note, Via};
use crate::core::pattern::{self, Case, Reading};
use crate::core::text::{Line, shown};
use crate::core::time::Timestamp;
use crate::store::layout::MAIN_WORKTREE;
use crate::store::worktree::uncommitted::{ChangeKind, Uncommitted};

/// Changes to look for; all of them if nothing is named.
pub struct Request<'r> {
    /// Paths relative to the caller's directory, or patterns.
    pub paths: &'r [OsString],
    /// Only the caller's own, and those of its session and its subagents.
    pub mine: bool,
    /// Only those of this agent and its subagents.
    pub agent: Option<&'r AgentName>,
    /// Set if it is a no that a change of another is among them.
    pub check: bool,
    /// Set to find what has each change saved, which reads every changed file.
    pub finds_saved: bool,
}

impl Request<'_> {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        if self.mine && self.agent.is_some() {
            return Err(AppError::usage("--mine and --agent exclude each other"));
        }
        Ok(())
    }
}

/// The answer to `changes`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The uncommitted changes, by path.
    pub changes: Vec<ChangeView>,
    /// The changes that are in no commit, and not in their files any more.
    pub lost: Vec<LostView>,
}

/// An uncommitted change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UncommittedChange")]
pub struct ChangeView {
    pub path: PathView,
    pub status: ChangeKind,
    /// True if the index differs from the newest commit.
    pub staged: bool,
    /// The agents that made it; none if it is nobody's, as that of a person.
    pub owners: Vec<OwnerView>,
    /// The id of a snapshot that has the file as it is now, or 'edit': 'git coord rescue restore'
    /// brings it back. Absent if that is not saved, and for a deleted file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<String>,
}

/// An owner of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Owner")]
pub struct OwnerView {
    pub agent: AgentName,
    /// How it came to own the change.
    pub via: Via,
    pub turn: TurnView,
    /// The time of its first edit that is not settled.
    pub since: Timestamp,
    /// The branch that was checked out at its last edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Line>,
    /// How far the owner is, for people.
    #[serde(skip)]
    pub is: &'static str,
}

/// A change that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LostChange")]
pub struct LostView {
    pub path: PathView,
    pub agent: AgentName,
    /// The time of the agent's last edit.
    pub at: Timestamp,
    /// The id of what the agent left there; absent if it had deleted the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobId>,
    /// The id of a snapshot that has it, or 'edit': 'git coord rescue restore' brings it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<String>,
}

/// Lists the changes.
pub fn changes(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let wanted = specs::patterns(ctx.repository(), request.paths, Reading::Glob)?;
    let wanted: Vec<_> = wanted.iter().map(|pattern| pattern.matcher(Case::Sensitive)).collect();
    let is_there = |path: &[u8]| {
        let meets = |path: pattern::Pattern| {
            let path = path.matcher(Case::Sensitive);
            wanted.iter().any(|wanted| wanted.overlaps(&path))
        };
        wanted.is_empty() || pattern::for_path(path).is_some_and(meets)
    };
    let found = ctx.repository().uncommitted().map_err(AppError::from)?;
    let judged = judged(ctx, &found)?;
    tidy(ctx, &judged);
    let mut body = Body { changes: Vec::new(), lost: lost(ctx, &judged) };
    let mut owners = owners(ctx, judged);
    for (path, Uncommitted { kind, is_staged }) in found {
        let owners = owners.remove(&path).unwrap_or_default();
        let path = PathView(path);
        let saved = None;
        body.changes.push(ChangeView { path, status: kind, staged: is_staged, owners, saved });
    }
    let is_asked_for = |agent: &AgentName| {
        (!request.mine || agent.is_one_with(ctx.actor()))
            && request.agent.is_none_or(|asked| asked.covers(agent))
    };
    let asks_for_some = request.mine || request.agent.is_some();
    body.changes.retain(|change| {
        let is_theirs = change.owners.iter().any(|owner| is_asked_for(&owner.agent));
        is_there(&change.path.0) && (is_theirs || !asks_for_some)
    });
    body.lost.retain(|lost| is_there(&lost.path.0) && is_asked_for(&lost.agent));
    rescue::find_saved(ctx, &mut body, request.finds_saved)?;
    let refusal = request.check.then(|| of_others(ctx, &body)).flatten();
    let hint = body.lost.iter().find(|lost| lost.saved.is_some()).and_then(way_back);
    let answer = Answer::read(body, ctx.clock()).noting(hint);
    Ok(match refusal {
        Some(refusal) => answer.refused(refusal),
        None => answer,
    })
}

/// Judges all notes by the changes that git has listed already.
fn judged(ctx: &Ctx, found: &BTreeMap<Vec<u8>, Uncommitted>) -> Result<Vec<Judged>, AppError> {
    let mut notes = ctx.notes().all()?;
    notes.sort_by(|one, other| (&one.path, &one.agent).cmp(&(&other.path, &other.agent)));
    judge_by(ctx, notes, |in_doubt| {
        let in_doubt: BTreeSet<&[u8]> = in_doubt.iter().map(Vec::as_slice).collect();
        let is_below = |path: &[u8]| {
            let above = (0..path.len()).filter(|at| path[*at] == b'/');
            above.into_iter().any(|at| in_doubt.contains(&path[..at]))
        };
        let differs = |path: &&Vec<u8>| in_doubt.contains(path.as_slice()) || is_below(path);
        Ok(found.keys().filter(differs).cloned().collect())
    })
}

fn owners(ctx: &Ctx, judged: Vec<Judged>) -> BTreeMap<Vec<u8>, Vec<OwnerView>> {
    let mut turns = Turns::of(ctx);
    let mut owners: BTreeMap<Vec<u8>, Vec<OwnerView>> = BTreeMap::new();
    for Judged { note, standing } in judged {
        if standing == Standing::Owned {
            let turn = turns.turn(&note.agent);
            let path = note.path.literal_path().unwrap_or_default();
            let Note { agent, via, since, branch, .. } = note;
            let (turn, is) = (turn.into(), turn_text(turn));
            owners.entry(path).or_default().push(OwnerView { agent, via, turn, since, branch, is });
        }
    }
    owners
}

/// Lists the changes that are gone. One whose path a commit has changed since may be in there.
fn lost(ctx: &Ctx, judged: &[Judged]) -> Vec<LostView> {
    let path = |note: &Note| note.path.literal_path().unwrap_or_default();
    let lost = judged.iter().filter(|judged| judged.standing == Standing::Lost);
    let lost: Vec<&Note> = lost.map(|judged| &judged.note).collect();
    let Some(oldest) = lost.iter().map(|note| note.at.as_seconds()).min() else {
        return Vec::new();
    };
    let paths: Vec<Vec<u8>> = lost.iter().map(|note| path(note)).collect();
    // If git cannot tell, they are shown: to look in vain is better than not to look.
    let committed = ctx.repository().last_committed(&paths, oldest).unwrap_or_default();
    let mut found = Vec::new();
    for note in lost {
        let path = path(note);
        if committed.get(&path).is_some_and(|second| *second >= note.at.as_seconds()) {
            // The note is marked as lost by now.
            ctx.notes().settle(&Note { lost: true, ..note.clone() }).ok();
            continue;
        }
        found.push(LostView {
            path: PathView(path),
            agent: note.agent.clone(),
            at: note.at,
            blob: note.content.as_ref().and_then(|content| content.blob().cloned()),
            saved: None,
        });
    }
    found
}

/// Names the command that brings a lost change back.
fn way_back(lost: &LostView) -> Option<Remark> {
    let path = from_top(&pattern::for_path(&lost.path.0)?)?;
    let restore = in_shell(&command(&["rescue", "restore", "--", &path]));
    Some(Remark::plain_hint(format!("what is lost is saved; to bring it back: {restore}")))
}

/// Explains that changes of others are among those that were asked for.
fn of_others(ctx: &Ctx, body: &Body) -> Option<Problem> {
    let is_strange = |owner: &OwnerView| !owner.agent.is_one_with(ctx.actor());
    let theirs = |change: &&ChangeView| change.owners.iter().any(is_strange);
    let changes: Vec<&ChangeView> = body.changes.iter().filter(theirs).collect();
    let first = changes.first()?;
    let owner = first.owners.iter().find(|owner| is_strange(owner))?;
    let path = String::from_utf8_lossy(&first.path.0);
    let message = format!("'{}' was changed by '{}', {}", shown(&path), owner.agent, owner.is);
    let problem = Problem::refused("changes_of_others", message).with("changes", &changes);
    let agent = format!("--agent={}", owner.agent);
    Some(problem.with_next(command(&["changes", &agent])))
}

/// Finds the top directory of a worktree by its name; `-` is the main one.
pub fn worktree(ctx: &Ctx, name: &str) -> Result<PathBuf, AppError> {
    let listed = ctx.repository().worktrees()?;
    let is_it = |(found, _): &(Option<String>, PathBuf)| match found {
        Some(found) => found == name,
        None => name == MAIN_WORKTREE,
    };
    let top = listed.into_iter().find(is_it).map(|(_, top)| top);
    let message = format!("there is no worktree '{}'", shown(name));
    top.ok_or_else(|| AppError::nothing("no_worktree", message))
}

//! Tells who has to do with paths: who holds them, who has changed them without a commit, who waits
//! for them and who asks for them.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::negotiation::view::RequestView;
use crate::app::ownership::view::{PathView, TurnView, turn_text};
use crate::app::ownership::{self, Owned};
use crate::app::path_facts::path_facts;
use crate::app::presence::{HolderLiveness, LivenessProbe};
use crate::app::problem::Problem;
use crate::app::reservations::{self, Filter, Listed};
use crate::app::view::{ConflictView, HoldView};
use crate::app::{Ctx, specs, unmatched};
use crate::core::bounded::Limit;
use crate::core::damage::{Damage, Found};
use crate::core::ids::AgentName;
use crate::core::negotiation::thread_index;
use crate::core::negotiation::{Asked, Thread};
use crate::core::ownership::Via;
use crate::core::pattern::{Pattern, Reading};
use crate::core::refusal::Conflict;
use crate::core::reservation::Target;
use crate::core::reservation::target::targets;
use crate::core::reservation::tickets::Ticket;
use crate::core::room::Room;
use crate::core::time::Timestamp;

/// Paths to look at.
pub struct Request<'r> {
    /// Paths or patterns, relative to the caller's directory.
    pub paths: &'r [OsString],
    /// The largest number of reservations, changes, waiters and requests in the answer; fifty if
    /// absent.
    pub limit: Option<Limit>,
    /// Set to point out a path that matches no file.
    pub advise: bool,
}

/// The answer to `who`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    /// The paths in the order in which they were named.
    pub paths: Vec<Involved>,
    /// True if rows were left out because of the limit.
    pub more: bool,
    /// Documents that cannot be read, and are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<Damage>,
}

/// A path, and who has to do with it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Involved {
    /// The path or pattern, from the top of the repository.
    pub pattern: Pattern,
    /// The live reservations that overlap it, the soonest to end first.
    pub held: Vec<HoldView>,
    /// The uncommitted changes of agents in it, the newest first.
    pub changed: Vec<ChangedView>,
    /// The agents that wait for it, the first in line first.
    pub waiting: Vec<Ticket>,
    /// The open requests for it, the oldest first.
    pub requests: Vec<RequestView>,
}

/// An uncommitted change of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangeOfAgent")]
pub struct ChangedView {
    pub path: PathView,
    pub agent: AgentName,
    /// How the change came to belong to the agent.
    pub via: Via,
    pub turn: TurnView,
    /// The time of its last edit.
    pub at: Timestamp,
    /// The time of the first of its edits that are not committed.
    pub since: Timestamp,
    /// How far the agent is, for people.
    #[serde(skip)]
    pub is: &'static str,
}

/// Tells who has to do with the paths.
pub fn who(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let known = Known::of(ctx)?;
    let mut room = Room::of(request.limit.unwrap_or(Limit::FIFTY).rows());
    let mut body = Body { paths: Vec::new(), more: false, damaged: known.damaged.clone() };
    for pattern in specs::patterns(ctx.repository(), request.paths, Reading::Glob)? {
        body.paths.push(involved(ctx, &known, pattern, &mut room, &mut body.damaged)?);
    }
    body.more = room.has_more();
    body.damaged.dedup();
    let hint = request.advise.then(|| unmatched::hint(ctx, request.paths, Reading::Glob, None));
    let damage = Note::of_damage(&body.damaged);
    Ok(Answer::read(body, known.now).noting(hint.flatten()).noting(damage))
}

impl Involved {
    /// Returns the reservations in the form of conflicts, for sentences.
    pub fn holds(&self) -> impl Iterator<Item = ConflictView> {
        let target = Target::from(self.pattern.clone());
        self.held
            .iter()
            .map(move |held| ConflictView { target: target.clone(), held: held.clone() })
    }

    /// Tells whether nobody has to do with the path.
    pub fn is_nobodys(&self) -> bool {
        self.held.is_empty()
            && self.changed.is_empty()
            && self.waiting.is_empty()
            && self.requests.is_empty()
    }
}

/// Everything that is read once, for all paths.
struct Known {
    /// The uncommitted changes of agents, the newest first.
    changes: Vec<Owned>,
    /// The open requests, the oldest first.
    threads: Vec<Thread>,
    damaged: Vec<Damage>,
    now: Timestamp,
}

impl Known {
    fn of(ctx: &Ctx) -> Result<Known, AppError> {
        let mut changes = ownership::of_all(ctx)?;
        changes.sort_by(|one, other| {
            let (one, other) = (&one.note, &other.note);
            (other.at, &one.path, &one.agent).cmp(&(one.at, &other.path, &other.agent))
        });
        let reading = ctx.read()?;
        let (mut threads, mut damaged) = (Vec::new(), Vec::new());
        if ctx.settings().negotiation {
            for found in thread_index::open(&reading.base.snapshot)? {
                match found {
                    Found::Whole(thread) => threads.push(thread),
                    Found::Damaged(damage) => damaged.push(damage),
                }
            }
        }
        Ok(Known { changes, threads, damaged, now: reading.now })
    }
}

fn involved(
    ctx: &Ctx,
    known: &Known,
    pattern: Pattern,
    room: &mut Room,
    damaged: &mut Vec<Damage>,
) -> Result<Involved, AppError> {
    let names = specs::through_links(ctx.repository(), &pattern);
    let facts = path_facts(ctx.repository(), &names);
    let filter = Filter { targets: targets(&names, &[], &facts), ..Filter::default() };
    let Listed { holds, damaged: of_holds, now } = reservations::find(ctx, &filter)?;
    let (waiting, of_tickets) = reservations::waiting(ctx, &filter)?;
    damaged.extend(of_holds.into_iter().chain(of_tickets));
    let case = ctx.read()?.case;
    let matchers: Vec<_> = names.iter().map(|name| name.matcher(case)).collect();
    let is_in = |owned: &&Owned| {
        let path = owned.note.path.matcher(case);
        matchers.iter().any(|name| name.overlaps(&path))
    };
    let changed = known.changes.iter().filter(is_in).map(ChangedView::of).collect();
    let is_for = |thread: &&Thread| {
        let asked = thread.open().map(Asked::targets).unwrap_or_default();
        let meets = |asked: &Target| {
            filter.targets.iter().any(|target| target.reach(case).meets(&asked.reach(case)))
        };
        asked.iter().any(meets)
    };
    let threads: Vec<Thread> = known.threads.iter().filter(is_for).cloned().collect();
    // Only the rows that are shown are worth a look at processes.
    let conflict = |held| Conflict { target: pattern.clone().into(), held };
    let conflicts: Vec<Conflict> = room.keep(holds).into_iter().map(conflict).collect();
    let liveness = HolderLiveness::of(ctx, &conflicts);
    let held = ConflictView::all(&conflicts, now, &liveness);
    let (changed, waiting) = (room.keep(changed), room.keep(waiting));
    let probe = LivenessProbe::new(ctx);
    let requests = room.keep(threads).into_iter();
    Ok(Involved {
        held: held.into_iter().map(|conflict| conflict.held).collect(),
        changed,
        waiting,
        requests: requests.map(|thread| RequestView::of(&probe, thread, now)).collect(),
        pattern,
    })
}

impl ChangedView {
    fn of(owned: &Owned) -> ChangedView {
        let Owned { note, turn } = owned;
        ChangedView {
            path: PathView::of(&note.path),
            agent: note.agent.clone(),
            via: note.via,
            turn: (*turn).into(),
            at: note.at,
            since: note.since,
            is: turn_text(*turn),
        }
    }
}

//! Takes a reservation that the caller asked for, after the holder's time to answer is over.

use schemars::JsonSchema;
use serde::Serialize;

use super::What;
use super::view::RequestView;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::presence::LivenessProbe;
use crate::app::problem::Problem;
use crate::app::view::HoldView;
use crate::app::{Ctx, WriteMode, dead_holders};
use crate::core::ids::HoldId;
use crate::core::ledger::LedgerName;
use crate::core::negotiation::answer::pinned;
use crate::core::negotiation::find::Side;
use crate::core::negotiation::take::{Take, Taken};
use crate::core::reservation::narrow::{ended, kept};
use crate::core::text::Line;

/// A request to take something.
pub struct Request {
    /// The thread, or a path or a lock that the caller asked for.
    pub which: What,
    /// The reason, for the record and for the holder.
    pub reason: Line,
}

/// The answer to `take`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    #[serde(flatten)]
    pub request: RequestView,
    /// The ids of the reservations that were taken from the holder.
    pub taken: Vec<HoldId>,
    /// The ids of reservations that the holder keeps without the paths that were taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub narrowed: Vec<HoldId>,
    /// The reservations that the caller has now.
    pub granted: Vec<HoldView>,
}

/// Takes the reservations. The liveness of the holder, as this machine knows it, goes into the
/// record.
pub fn take(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let which = request.which.request(ctx, Side::Asker)?;
    let reading = ctx.read()?;
    let documents = &reading.base.snapshot;
    let found = which.request(documents, ctx.actor(), Side::Asker, reading.case).ok();
    let asked = found.map(|(_, asked)| asked);
    let evidence = asked.as_ref().and_then(|asked| LivenessProbe::new(ctx).evidence(&asked.holder));
    let holds = asked.map_or(Ok(Vec::new()), |asked| pinned(documents, &asked));
    let gone = dead_holders::among(ctx, &holds.map_err(AppError::from)?);
    let command = Take { which, reason: request.reason.clone(), evidence };
    let committed = ctx.transact(LedgerName::Reservations, command, WriteMode::without(gone))?;
    let now = committed.at;
    Ok(Answer::committed(committed, |Taken { thread, taken, granted, .. }| Body {
        request: RequestView::of(&LivenessProbe::new(ctx), thread, now),
        taken: ended(&taken),
        narrowed: kept(&taken),
        granted: HoldView::all(granted.into_iter().map(|grant| grant.hold), now),
    }))
}

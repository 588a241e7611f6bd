//! Answers a request.

use schemars::JsonSchema;
use serde::Serialize;

use super::What;
use super::view::RequestView;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::presence::{HolderLiveness, LivenessProbe};
use crate::app::problem::Problem;
use crate::app::view::{ConflictView, HoldView};
use crate::app::{Ctx, WriteMode};
use crate::core::ids::HoldId;
use crate::core::ledger::LedgerName;
use crate::core::limits::DEFER_SECONDS_MAX;
use crate::core::negotiation::answer::{self as decision, Answered, Verdict};
use crate::core::negotiation::find::Side;
use crate::core::reservation::narrow::{ended, kept};

/// The answer of a holder to a request.
pub struct Request {
    /// The thread, or a path or a lock that the asker wants.
    pub which: What,
    pub verdict: Verdict,
    /// Set to release a whole reservation if its rest cannot be kept.
    pub whole: bool,
}

impl Request {
    /// Checks that the request says what it means.
    pub fn check(&self) -> Result<(), AppError> {
        if let Verdict::Defer { seconds, .. } = &self.verdict {
            let_defer(*seconds).map_err(AppError::usage)?;
        }
        if self.whole && self.verdict != Verdict::Release {
            return Err(AppError::usage("--whole goes with --release"));
        }
        Ok(())
    }
}

/// Lets a holder defer a request by so many seconds.
pub fn let_defer(seconds: u64) -> Result<(), &'static str> {
    match seconds {
        0 => Err("must be at least 1s"),
        1..=DEFER_SECONDS_MAX => Ok(()),
        _ => Err("must be at most 60m"),
    }
}

/// The answer to `answer`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    #[serde(flatten)]
    pub request: RequestView,
    /// The number of reservations of the holder that ended.
    pub released: usize,
    /// The ids of these reservations.
    pub ids: Vec<HoldId>,
    /// The ids of reservations of the holder that go on without the paths that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub narrowed: Vec<HoldId>,
    /// The reservations that the asker has now.
    pub granted: Vec<HoldView>,
    /// Each target that the asker did not get, with each reservation that stands in its way.
    pub conflicts: Vec<ConflictView>,
}

/// Releases, defers or refuses.
pub fn answer(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    request.check()?;
    let which = request.which.request(ctx, Side::Holder)?;
    let command =
        decision::Answer { which, verdict: request.verdict.clone(), whole: request.whole };
    let committed = ctx.transact(LedgerName::Reservations, command, WriteMode::Plain)?;
    let now = committed.at;
    let liveness = HolderLiveness::of(ctx, &committed.answer.in_the_way);
    Ok(Answer::committed(committed, |answered| {
        let Answered { thread, released, granted, in_the_way, .. } = answered;
        Body {
            request: RequestView::of(&LivenessProbe::new(ctx), thread, now),
            released: ended(&released).len(),
            ids: ended(&released),
            narrowed: kept(&released),
            granted: HoldView::all(granted.into_iter().map(|grant| grant.hold), now),
            conflicts: ConflictView::all(&in_the_way, now, &liveness),
        }
    }))
}

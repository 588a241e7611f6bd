//! Rolls a run back to an earlier phase, or reports on the code of the phases that it gives up.

use schemars::JsonSchema;
use serde::Serialize;

use super::code::{self, CodeReport};
use super::{seen, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::{Kind, Problem};
use crate::core::ledger::LedgerName;
use crate::core::run::Run;
use crate::core::run::names::{ArtifactId, DispatchId, IdPrefix, MemberId, PhaseName, VerdictId};
use crate::core::run::rollback::{RollBackRun, RolledBackRun};
use crate::core::text::Line;

/// A request to roll a run back.
pub struct Request<'r> {
    pub run: &'r IdPrefix,
    pub to: &'r PhaseName,
    pub reason: &'r Line,
    pub layer: Layer,
    /// Only this phase, in a report on the code.
    pub phase: Option<&'r PhaseName>,
    pub dry_run: bool,
    /// Set if phases that are given up stay skipped.
    pub keep_skips: bool,
    /// Set to fail the agents of every phase.
    pub all_agents: bool,
    /// The phase that it must be at; the present one if absent.
    pub expect: Option<&'r PhaseName>,
}

/// The subject of a rollback if the caller names none.
pub const LAYER_DEFAULT: Layer = Layer::State;

/// The subject of a rollback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The run itself.
    State,
    /// The code of its phases: a report.
    Code,
}

/// The answer to `run rollback`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Body {
    State(Box<Back>),
    Code(Box<CodeReport>),
}

/// A run that was rolled back, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Back {
    /// The run as it is now: after the rollback, or before it if nothing was written.
    pub run: Run,
    pub from_phase: PhaseName,
    pub to_phase: PhaseName,
    /// The phases that were given up; none if the run was there already.
    pub rolled_back_phases: Vec<PhaseName>,
    pub cancelled_dispatches: Vec<DispatchId>,
    /// The ids of artifacts that no longer count.
    pub marked_artifacts: Vec<ArtifactId>,
    /// The ids of verdicts that no longer count.
    pub marked_verdicts: Vec<VerdictId>,
    pub failed_agents: Vec<MemberId>,
    /// The phases that are no longer skipped.
    pub cleared_skips: Vec<PhaseName>,
    pub reason: Line,
    /// True if nothing was written.
    pub dry_run: bool,
}

/// Rolls the run back, or tells what that would do.
pub fn rollback(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    if request.layer == Layer::Code {
        let report = code::report(ctx, request.run, request.to, request.phase)?;
        return Ok(Answer::read(Body::Code(Box::new(report)), ctx.clock()));
    }
    if request.phase.is_some() {
        return Err(Problem::new(Kind::Usage, "'--phase' is for '--layer code'"));
    }
    let (run, expect) = seen(ctx, request.run, request.expect)?;
    let command = RollBackRun {
        run,
        to: request.to.clone(),
        reason: request.reason.clone(),
        expect: Some(expect),
        keep_skips: request.keep_skips,
        all_agents: request.all_agents,
    };
    let body = |done| Body::State(Box::new(Back::new(done, request)));
    Ok(if request.dry_run {
        Answer::read(body(ctx.decide_only(LedgerName::Runs, command)?), ctx.clock())
    } else {
        Answer::committed(transact(ctx, command)?, body)
    })
}

impl Back {
    fn new(done: RolledBackRun, request: &Request<'_>) -> Back {
        Back {
            from_phase: done.before.phase.clone(),
            run: if request.dry_run { done.before } else { done.run },
            to_phase: request.to.clone(),
            rolled_back_phases: done.phases,
            cancelled_dispatches: done.cancelled_dispatches,
            marked_artifacts: done.marked_artifacts,
            marked_verdicts: done.marked_verdicts,
            failed_agents: done.failed_agents,
            cleared_skips: done.cleared_skips,
            reason: request.reason.clone(),
            dry_run: request.dry_run,
        }
    }
}

//! Records dispatches of work, their results and their costs.

use schemars::JsonSchema;
use serde::Serialize;

use super::{named, seen, transact};
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::problem::Problem;
use crate::core::ids::AgentName;
use crate::core::run::Run;
use crate::core::run::bounds::TokenCount;
use crate::core::run::dispatch::{AddDispatch, Dispatch, DispatchStatus, UpdateDispatch};
use crate::core::run::names::{CommitName, IdPrefix, PhaseName};

/// A dispatch to record.
pub struct Add<'r> {
    pub run: &'r IdPrefix,
    /// The agent that does the work.
    pub agent: Option<&'r AgentName>,
    /// The present phase if absent.
    pub phase: Option<&'r PhaseName>,
}

/// An update of a dispatch.
pub struct Update<'r> {
    pub run: &'r IdPrefix,
    pub dispatch: &'r IdPrefix,
    pub status: DispatchStatus,
    /// A commit of the dispatch.
    pub commit: Option<&'r CommitName>,
    /// The tokens that it has read in all.
    pub tokens_in: Option<TokenCount>,
    /// The tokens that it has written in all.
    pub tokens_out: Option<TokenCount>,
    /// The tokens that it has read from a cache in all, which do not count.
    pub tokens_cache: Option<TokenCount>,
}

/// The answer to `run dispatch add` and `run dispatch update`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Body {
    pub run: Run,
    pub dispatch: Dispatch,
}

/// Records a dispatch.
pub fn add(ctx: &Ctx, request: &Add<'_>) -> Result<Answer<Body>, Problem> {
    let (run, phase) = seen(ctx, request.run, request.phase)?;
    let command = AddDispatch { run, agent: request.agent.cloned(), phase: Some(phase) };
    Ok(Answer::committed(transact(ctx, command)?, Body::from))
}

/// Updates a dispatch.
pub fn update(ctx: &Ctx, request: &Update<'_>) -> Result<Answer<Body>, Problem> {
    let (run, dispatch) = named::dispatch(ctx, request.run, request.dispatch)?;
    let command = UpdateDispatch {
        run,
        dispatch,
        status: request.status,
        commit: request.commit.map(|commit| commit.entry().clone()),
        tokens_in: request.tokens_in.map(TokenCount::get),
        tokens_out: request.tokens_out.map(TokenCount::get),
        tokens_cache: request.tokens_cache.map(TokenCount::get),
    };
    Ok(Answer::committed(transact(ctx, command)?, Body::from))
}

impl From<(Run, Dispatch)> for Body {
    fn from((run, dispatch): (Run, Dispatch)) -> Body {
        Body { run, dispatch }
    }
}

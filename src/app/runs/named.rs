//! Finds what people mean by the beginning of an id, before it is recorded: so an entry means the
//! same on every state.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::runs::{find, read};
use crate::core::ids::AgentName;
use crate::core::refusal::Refusal;
use crate::core::run::agent::Member;
use crate::core::run::dispatch;
use crate::core::run::index;
use crate::core::run::names::{DispatchId, IdPrefix, MemberId, RunId};
use crate::core::text::Line;

/// Turns an id into what can be typed.
pub fn prefix(id: &impl ToString) -> IdPrefix {
    id.to_string().parse().expect("an id is the beginning of itself")
}

/// Finds the whole id of the run that is meant.
pub fn run(ctx: &Ctx, typed: &IdPrefix) -> Result<IdPrefix, AppError> {
    if typed.as_str().parse::<RunId>().is_ok() {
        return Ok(typed.clone());
    }
    Ok(prefix(&find(&read(ctx)?, typed)?.id))
}

/// Finds the whole ids of runs.
pub fn runs(ctx: &Ctx, typed: &[IdPrefix]) -> Result<Vec<IdPrefix>, AppError> {
    typed.iter().map(|one| run(ctx, one)).collect()
}

/// Finds the whole ids of a run and of a dispatch of it.
pub fn dispatch(
    ctx: &Ctx,
    of: &IdPrefix,
    typed: &IdPrefix,
) -> Result<(IdPrefix, IdPrefix), AppError> {
    let of = run(ctx, of)?;
    if typed.as_str().parse::<DispatchId>().is_ok() {
        return Ok((of, typed.clone()));
    }
    let reading = read(ctx)?;
    let run = find(&reading, &of)?;
    let found = dispatch::select(&reading.base.snapshot, &run, typed)?;
    Ok((of, prefix(&found.id)))
}

/// Finds the whole ids of a run and of an agent's work in it, where the beginning of its id names
/// that. A name that an agent has is that agent's, whatever begins like it.
pub fn agent(
    ctx: &Ctx,
    of: &IdPrefix,
    typed: &AgentName,
) -> Result<(IdPrefix, AgentName), AppError> {
    let reading = read(ctx)?;
    let run = find(&reading, of)?;
    let documents = &reading.base.snapshot;
    let of = prefix(&run.id);
    let Ok(start) = typed.as_str().parse::<IdPrefix>() else { return Ok((of, typed.clone())) };
    let members: Vec<Member> = index::all(documents, &index::agents(&run.id))?;
    if members.iter().any(|member| member.name == *typed) {
        return Ok((of, typed.clone()));
    }
    let ids: Vec<MemberId> = index::ids_starting(documents, &index::agents(&run.id), &start)?;
    match ids.as_slice() {
        [] => Ok((of, typed.clone())),
        [id] => Ok((of, id.as_str().parse().expect("an id is a name"))),
        several => Err(Refusal::from(index::ambiguous(&start, several)).into()),
    }
}

/// Tells what reservations and events call the run that is meant: its whole id, or the text itself
/// where no run or more than one begins so. Reservations can name runs that are kept elsewhere.
pub fn elsewhere(ctx: &Ctx, text: &Line) -> Result<Line, AppError> {
    let Ok(typed) = text.as_str().parse::<IdPrefix>() else { return Ok(text.clone()) };
    match find(&read(ctx)?, &typed) {
        Ok(run) => Ok(Line::new(run.id.as_str()).expect("an id is a line")),
        Err(AppError::Nothing(_) | AppError::Refused(_)) => Ok(text.clone()),
        Err(error) => Err(error),
    }
}

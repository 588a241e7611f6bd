//! Expands the beginnings of ids that people type, before they are recorded: an entry must mean the
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

/// Turns an id into a prefix.
pub fn prefix(id: &impl ToString) -> IdPrefix {
    id.to_string().parse().expect("an id is the beginning of itself")
}

/// Finds the full id of a run.
pub fn run(ctx: &Ctx, typed: &IdPrefix) -> Result<IdPrefix, AppError> {
    if typed.as_str().parse::<RunId>().is_ok() {
        return Ok(typed.clone());
    }
    Ok(prefix(&find(&read(ctx)?, typed)?.id))
}

/// Finds the full ids of runs.
pub fn runs(ctx: &Ctx, typed: &[IdPrefix]) -> Result<Vec<IdPrefix>, AppError> {
    typed.iter().map(|one| run(ctx, one)).collect()
}

/// Finds the full ids of a run and of a dispatch of it.
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

/// Finds the full ids of a run and of an agent's work in it. The name of an agent wins over an id
/// that begins like it.
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

/// Finds the name that reservations and events use for a run: its full id, or the text itself if it
/// fits no run or several. Reservations can name runs that are kept elsewhere.
pub fn elsewhere(ctx: &Ctx, text: &Line) -> Result<Line, AppError> {
    let Ok(typed) = text.as_str().parse::<IdPrefix>() else { return Ok(text.clone()) };
    match find(&read(ctx)?, &typed) {
        Ok(run) => Ok(Line::new(run.id.as_str()).expect("an id is a line")),
        Err(AppError::Nothing(_) | AppError::Absent(_) | AppError::Refused(_)) => Ok(text.clone()),
        Err(error) => Err(error),
    }
}

//! From a parsed command line to the [`Ctx`] that requests are answered with.

use std::time::Duration;

use super::dispatch::Context;
use crate::app::Ctx;
use crate::app::config::Settings;
use crate::app::error::AppError;
use crate::app::identity::{Identity, IdentityInputs, Login, identify};
use crate::app::open::Surroundings;
use crate::app::presence::{Doing, touch};
use crate::app::problem::Problem;
use crate::core::time::Timestamp;
use crate::store::git::repository::Repository;
use crate::store::machine::presence::Presences;
use crate::store::os::files::Files;
use crate::store::os::shared_mode::SharedMode;

/// Opens the repository that the command is about.
pub(crate) fn open(context: &Context<'_>) -> Result<Ctx, Problem> {
    open_with(context, Settings::read(context.config)?)
}

/// The same for a hook, which has less time than is configured.
pub(crate) fn open_hurried(context: &Context<'_>, wait_max: Duration) -> Result<Ctx, Problem> {
    let settings = Settings::read(context.config)?;
    let wait = settings.wait.min(wait_max);
    Ok(open_with(context, Settings { wait, ..settings })?.in_a_hook())
}

/// The same with settings that somebody else has read.
pub(crate) fn open_with(context: &Context<'_>, settings: Settings) -> Result<Ctx, Problem> {
    let surroundings = Surroundings { environment: context.environment, config: context.config };
    let clock = surroundings.clock()?;
    let identity = identity(context, &settings)?;
    let found = context.repository.take();
    let repository = found
        .unwrap_or_else(|| Repository::discover(context.environment))
        .map_err(AppError::from)?;
    let ctx = surroundings.open(repository, settings, identity, clock)?;
    touch(&ctx, Doing::Command);
    Ok(ctx)
}

/// The clock, for one who opens the repository later.
pub(crate) fn clock(context: &Context<'_>) -> Result<Timestamp, Problem> {
    let surroundings = Surroundings { environment: context.environment, config: context.config };
    Ok(surroundings.clock()?)
}

/// Who acts, for commands that need no repository.
pub(crate) fn identity(context: &Context<'_>, settings: &Settings) -> Result<Identity, Problem> {
    Ok(identify(&IdentityInputs {
        option: context.globals.acting_as.as_ref(),
        environment: context.environment,
        configured: settings.agent.as_ref(),
        login: &Login::of_process(context.environment),
    })?)
}

/// The same, as the repository knows it if there is one.
pub(crate) fn identity_here(
    context: &Context<'_>,
    settings: &Settings,
) -> Result<Identity, Problem> {
    let identity = identity(context, settings)?;
    let found = context.repository.borrow();
    let Some(Ok(repository)) = &*found else { return Ok(identity) };
    // Nothing is written.
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let presences = Presences::new(repository.common_dir(), files);
    Ok(identity.beside(|name| presences.sessions(name)))
}

//! From the process that was started to the [`Ctx`] that requests are answered with.

use std::time::SystemTime;

use super::dispatch::Context;
use super::error::{CliError, ErrorKind};
use super::term::Ui;
use crate::app::config::{Settings, parse_boolean};
use crate::app::error::AppError;
use crate::app::identity::{Identity, IdentityInputs, Login, identify};
use crate::app::{Ctx, Setup};
use crate::core::pattern::Case;
use crate::core::time::{NotATime, Timestamp};
use crate::store::entry::Committer;
use crate::store::repository::Repository;
use crate::store::shared_mode::{NotASharedMode, SharedMode};
use crate::store::transact::Committed;

/// Replaces the clock, for tests and replay.
pub(crate) const CLOCK_VARIABLE: &str = "GIT_COORD_NOW";

/// Opens the repository that the command is about.
pub(crate) fn open(context: &Context<'_>) -> Result<Ctx, CliError> {
    open_with(context, Settings::read(context.config)?)
}

/// The same with settings that somebody else has read.
pub(crate) fn open_with(context: &Context<'_>, settings: Settings) -> Result<Ctx, CliError> {
    let clock = clock(context)?;
    let identity = identity(context, &settings)?;
    let found = context.repository.take();
    let repository = found
        .unwrap_or_else(|| Repository::discover(context.environment))
        .map_err(AppError::from)?;
    let folds = (context.config)("core.ignorecase").as_deref().and_then(parse_boolean);
    let setup = Setup {
        repository,
        settings,
        identity,
        committer: committer(context),
        clock,
        host: Login::of_process(context.environment).host,
        shared: shared_mode(context)?,
        case: if folds == Some(true) { Case::Folded } else { Case::Sensitive },
    };
    Ok(Ctx::new(setup)?)
}

fn shared_mode(context: &Context<'_>) -> Result<SharedMode, CliError> {
    let Some(text) = (context.config)("core.sharedRepository") else {
        return Ok(SharedMode::Umask);
    };
    text.parse().map_err(|error| CliError::caused(ErrorKind::Failure, &error as &NotASharedMode))
}

/// Who acts, for commands that need no repository.
pub(crate) fn identity(context: &Context<'_>, settings: &Settings) -> Result<Identity, CliError> {
    Ok(identify(&IdentityInputs {
        option: context.globals.acting_as.as_ref(),
        environment: context.environment,
        configured: settings.agent.as_ref(),
        login: &Login::of_process(context.environment),
    })?)
}

fn clock(context: &Context<'_>) -> Result<Timestamp, CliError> {
    if let Some(text) = context.environment.non_empty(CLOCK_VARIABLE) {
        let usage =
            |why: String| CliError::new(ErrorKind::Usage, format!("{CLOCK_VARIABLE}: {why}"));
        let clock: Timestamp = text.parse().map_err(|error: NotATime| usage(error.to_string()))?;
        if clock.as_seconds() < 0 {
            // A commit cannot say so, and everything would have expired.
            return Err(usage(format!("{clock} is before 1970")));
        }
        return Ok(clock);
    }
    Ok(now())
}

/// The time of this machine.
pub(crate) fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

/// The user's own identity, looked for as git does.
fn committer(context: &Context<'_>) -> Option<Committer> {
    let find = |variable: &str, keys: [&str; 2]| {
        let set = context.environment.non_empty(variable).map(str::to_owned);
        set.or_else(|| keys.iter().find_map(|key| (context.config)(key)))
    };
    let name = find("GIT_COMMITTER_NAME", ["committer.name", "user.name"])?;
    let email = find("GIT_COMMITTER_EMAIL", ["committer.email", "user.email"])?;
    Some(Committer::new(&name, &email)).filter(|committer| !committer.name.is_empty())
}

/// Says what a write wants said besides its answer, and gives the answer.
pub(crate) fn told<A>(ui: &mut Ui, committed: Committed<A>) -> Result<A, CliError> {
    for notice in &committed.notices {
        ui.warn(notice)?;
    }
    Ok(committed.answer)
}

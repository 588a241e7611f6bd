//! From the process that was started to the [`Ctx`] that requests are answered with, whichever
//! door they come through.

use std::time::SystemTime;

use crate::app::config::{Settings, parse_boolean};
use crate::app::error::AppError;
use crate::app::identity::{Identity, Login};
use crate::app::{Ctx, Setup};
use crate::core::environment::Environment;
use crate::core::ids::HoldId;
use crate::core::pattern::Case;
use crate::core::text::Line;
use crate::core::time::{NotATime, Timestamp};
use crate::store::git::repository::Repository;
use crate::store::ledger::entry::Committer;
use crate::store::machine::presence::Presences;
use crate::store::os::files::Files;
use crate::store::os::shared_mode::{NotASharedMode, SharedMode};

/// Replaces the clock, for tests and replay.
pub const CLOCK_VARIABLE: &str = "GIT_COORD_NOW";

/// Tells what is run under `with` by which holds that is, for those who wait in there.
pub const WITHIN_VARIABLE: &str = "GIT_COORD_WITHIN";

/// What a door sees of the process that it runs in.
pub struct Surroundings<'a> {
    /// The variables of the process.
    pub environment: &'a Environment,
    /// Configured values by key.
    pub config: &'a dyn Fn(&str) -> Option<String>,
}

impl Surroundings<'_> {
    /// Everything that requests of this identity are answered with.
    pub fn open(
        &self,
        repository: Repository,
        settings: Settings,
        identity: Identity,
        clock: Timestamp,
    ) -> Result<Ctx, AppError> {
        let shared = self.shared_mode()?;
        let files = Files { fsync: settings.fsync, shared };
        let presences = Presences::new(repository.common_dir(), files);
        let identity = identity.beside(|name| presences.sessions(name));
        let folds = (self.config)("core.ignorecase").as_deref().and_then(parse_boolean);
        Ctx::new(Setup {
            repository,
            settings,
            identity,
            committer: self.committer(),
            clock,
            host: Login::of_process(self.environment).host,
            terminal: self.terminal(),
            within: self.within(),
            shared,
            case: if folds == Some(true) { Case::Folded } else { Case::Sensitive },
        })
    }

    fn shared_mode(&self) -> Result<SharedMode, AppError> {
        let Some(text) = (self.config)("core.sharedRepository") else {
            return Ok(SharedMode::Umask);
        };
        text.parse().map_err(|error: NotASharedMode| AppError::Failed(Box::new(error)))
    }

    /// The one clock reading of a request.
    pub fn clock(&self) -> Result<Timestamp, AppError> {
        let Some(text) = self.environment.non_empty(CLOCK_VARIABLE) else { return Ok(now()) };
        let usage = |why: String| AppError::Usage(format!("{CLOCK_VARIABLE}: {why}"));
        let clock: Timestamp = text.parse().map_err(|error: NotATime| usage(error.to_string()))?;
        if clock.as_seconds() < 0 {
            // A commit cannot say so, and everything would have expired.
            return Err(usage(format!("{clock} is before 1970")));
        }
        Ok(clock)
    }

    /// The terminal that the process runs in, as far as its variables tell.
    fn terminal(&self) -> Option<Line> {
        let variables = ["TMUX_PANE", "STY", "WT_SESSION", "TERM_SESSION_ID", "SSH_TTY", "GPG_TTY"];
        let told = variables.iter().find_map(|name| {
            self.environment.non_empty(name).map(|value| format!("{name}={value}"))
        });
        told.and_then(|terminal| Line::new(&terminal).ok())
    }

    /// The holds that `with` started the process under. What names none was set by somebody else.
    fn within(&self) -> Vec<HoldId> {
        let named = self.environment.non_empty(WITHIN_VARIABLE).unwrap_or_default();
        named.split(',').filter_map(|id| id.parse().ok()).collect()
    }

    /// The user's own identity, looked for as git does.
    fn committer(&self) -> Option<Committer> {
        let find = |variable: &str, keys: [&str; 2]| {
            let set = self.environment.non_empty(variable).map(str::to_owned);
            set.or_else(|| keys.iter().find_map(|key| (self.config)(key)))
        };
        let name = find("GIT_COMMITTER_NAME", ["committer.name", "user.name"])?;
        let email = find("GIT_COMMITTER_EMAIL", ["committer.email", "user.email"])?;
        Some(Committer::new(&name, &email)).filter(|committer| !committer.name.is_empty())
    }
}

/// The time of this machine.
pub fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

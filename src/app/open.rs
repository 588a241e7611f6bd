//! The way in, for every door: from a directory and its environment to the [`Ctx`] that a request
//! is answered with.
//!
//! A process may go this way several times, for several directories: nothing of it is kept in the
//! process.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::app::config::{SettingError, Settings, is_set_on};
use crate::app::error::AppError;
use crate::app::identity::{Identity, IdentityInputs, Login, identify};
use crate::app::install::plan::ENABLED;
use crate::app::presence::{Doing, touch};
use crate::app::{Ctx, ancestors};
use crate::core::boolean::parse_boolean;
use crate::core::environment::Environment;
use crate::core::ids::{AgentName, HoldId};
use crate::core::pattern::Case;
use crate::core::text::Line;
use crate::core::time::{NotATime, Timestamp};
use crate::store::error::StoreError;
use crate::store::git::Git;
use crate::store::git::config::{self, Config};
use crate::store::git::packs::Budget;
use crate::store::git::program::running;
use crate::store::git::repository::Repository;
use crate::store::git::unreadable_repository::UnreadableRepository;
use crate::store::ledger::entry::Committer;
use crate::store::machine::presence::Presences;
use crate::store::os::files::Files;
use crate::store::os::shared_mode::{NotASharedMode, SharedMode};

/// Replaces the clock, for tests and replay.
pub const CLOCK_VARIABLE: &str = "GIT_COORD_NOW";

/// Tells what is run under `with` by which holds that is, for those who wait in there.
pub const WITHIN_VARIABLE: &str = "GIT_COORD_WITHIN";

/// A hook waits that long for other writers.
const HOOK_WAIT_MAX: Duration = Duration::from_secs(1);

/// A place that requests come from: the repository there, if there is one, and the configuration
/// that counts there.
pub struct Door {
    environment: Environment,
    config: Config,
    /// As it was found, for the first request. A later one finds it again.
    repository: RefCell<Option<Result<Repository, StoreError>>>,
    /// Set where the repository cannot be opened, and agents have coordinated in it.
    may_be_enabled: bool,
}

/// The configuration of a place cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ConfigError(#[from] config::ConfigError);

/// How much time a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As much as is configured.
    Command,
    /// Little: another program waits for a hook, so it leaves long upkeep to commands.
    Hook,
}

impl Door {
    /// Finds the repository of the environment's directory, and reads its configuration.
    pub fn find(environment: &Environment) -> Result<Door, ConfigError> {
        Door::to(environment.clone(), Repository::discover(environment))
    }

    /// Finds the repository like [`find`](Door::find), for a caller that did not choose its
    /// directory: passes over a bare repository that nobody has named.
    pub fn find_around(environment: &Environment) -> Result<Door, ConfigError> {
        let (environment, found) = Repository::discover_around(environment);
        Door::to(environment, found)
    }

    /// Finds the repository that `GIT_DIR` names in the text of a command. Passes over one that
    /// only looks like a repository, because a clone may contain it.
    pub fn find_in_text(environment: &Environment) -> Result<Door, ConfigError> {
        Door::to(environment.clone(), Repository::discover_in_text(environment))
    }

    /// Reads what can be read of the configuration without opening a repository, which could keep
    /// the caller waiting.
    pub fn without_opening(environment: &Environment) -> Result<Door, ConfigError> {
        let unreadable = UnreadableRepository::find(environment);
        let config = match &unreadable {
            Some(found) => Config::of_unreadable(found, environment)?,
            None => Config::of_user(environment)?,
        };
        Ok(Door {
            environment: environment.clone(),
            config,
            repository: RefCell::new(None),
            may_be_enabled: unreadable.is_some_and(|found| found.is_in_use()),
        })
    }

    /// Makes a door for a command that needs neither repository nor configuration.
    pub fn nowhere(environment: &Environment) -> Door {
        Door {
            environment: environment.clone(),
            config: Config::default(),
            repository: RefCell::new(None),
            may_be_enabled: false,
        }
    }

    fn to(
        environment: Environment,
        found: Result<Repository, StoreError>,
    ) -> Result<Door, ConfigError> {
        let (config, may_be_enabled) = match &found {
            Ok(repository) => (Config::of_repository(repository, &environment)?, false),
            Err(StoreError::NotARepository(_)) => (Config::of_user(&environment)?, false),
            Err(_) => {
                let door = Door::without_opening(&environment)?;
                (door.config, door.may_be_enabled)
            }
        };
        let repository = RefCell::new(Some(found));
        Ok(Door { environment, config, repository, may_be_enabled })
    }

    /// Returns the environment, with the directory that the repository was found from.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the configured value of a key.
    pub fn get(&self, key: &str) -> Option<String> {
        self.config.get(key)
    }

    /// Tells whether a key is configured as true.
    pub fn is_on(&self, key: &str) -> bool {
        is_set_on(&|key: &str| self.get(key), key)
    }

    /// Lists the configured keys of a section.
    pub fn keys(&self, section: &str) -> Vec<String> {
        self.config.names_in_section(section).into_iter().collect()
    }

    /// Reads our settings.
    pub fn settings(&self) -> Result<Settings, SettingError> {
        Settings::read(&|key: &str| self.get(key))
    }

    /// Tells whether hooks act here. Where the repository cannot be opened, not all of the
    /// configuration can be read: there they act as well if agents have coordinated in it.
    pub fn is_enabled(&self) -> bool {
        self.is_on(ENABLED) || self.may_be_enabled && self.get(ENABLED).is_none()
    }

    /// Looks at the repository, as long as nobody has opened it.
    pub(in crate::app) fn repository<R>(&self, look: impl FnOnce(&Repository) -> R) -> Option<R> {
        match &*self.repository.borrow() {
            Some(Ok(repository)) => Some(look(repository)),
            _ => None,
        }
    }

    /// Returns the git directory of the work tree, as long as nobody has opened the repository.
    pub fn git_dir(&self) -> Option<PathBuf> {
        self.repository(|found| found.git_dir().to_owned())
    }

    /// Tells whether a repository was found here, be it one that cannot be opened.
    pub fn has_repository(&self) -> bool {
        !matches!(&*self.repository.borrow(), None | Some(Err(StoreError::NotARepository(_))))
    }

    /// Names the agent that acts here, as the repository knows it if there is one.
    pub fn identity(
        &self,
        acting_as: Option<&AgentName>,
        settings: &Settings,
    ) -> Result<Identity, AppError> {
        let identity = self.named(acting_as, settings)?;
        // Nothing is written.
        let files = Files { fsync: false, shared: SharedMode::Umask };
        let sessions = self.repository(|repository| Presences::new(repository.common_dir(), files));
        Ok(match sessions {
            Some(presences) => identity.among(&presences),
            None => identity,
        })
    }

    fn named(
        &self,
        acting_as: Option<&AgentName>,
        settings: &Settings,
    ) -> Result<Identity, AppError> {
        Ok(identify(&IdentityInputs {
            option: acting_as,
            environment: &self.environment,
            configured: settings.agent.as_ref(),
            login: &Login::of_process(&self.environment),
            look: &|| ancestors::of_command(&self.environment),
        })?)
    }

    /// Opens the repository for a request with its settings, of the agent that acts here, and
    /// leaves a sign of life.
    pub fn open(
        &self,
        acting_as: Option<&AgentName>,
        settings: Settings,
        pace: Pace,
    ) -> Result<Ctx, AppError> {
        let clock = self.clock()?;
        let identity = self.named(acting_as, &settings)?;
        let ctx = self.open_at(clock, identity, settings, pace)?;
        touch(&ctx, Doing::Command);
        Ok(ctx)
    }

    /// Opens the repository for the hook of an agent that has told its name.
    pub fn open_for(&self, identity: Identity) -> Result<Ctx, AppError> {
        let settings = self.settings()?;
        self.open_at(self.clock()?, identity, settings, Pace::Hook)
    }

    fn open_at(
        &self,
        clock: Timestamp,
        identity: Identity,
        mut settings: Settings,
        pace: Pace,
    ) -> Result<Ctx, AppError> {
        let found = self.repository.take();
        let repository = found.unwrap_or_else(|| Repository::discover(&self.environment))?;
        let upkeep = match pace {
            Pace::Command => Budget::COMMAND,
            Pace::Hook => {
                settings.wait = settings.wait.min(HOOK_WAIT_MAX);
                // The process ends with its answer.
                repository.stay_open();
                Budget::HOOK
            }
        };
        let files = Files { fsync: settings.fsync, shared: self.shared_mode()? };
        let presences = Presences::new(repository.common_dir(), files);
        let identity = identity.among(&presences);
        let backend = Box::new(Git::open(&repository, files)?);
        let host = Line::new(&Login::of_process(&self.environment).host)
            .unwrap_or_else(|_| Line::new("unknown").expect("a plain word is a line"));
        // Forges refuse made-up committers, so one is made up only where git has none.
        let committer = self
            .committer()
            .unwrap_or_else(|| Committer::new(identity.name.as_str(), &format!("coord@{host}")));
        let folds = self.get("core.ignorecase").as_deref().and_then(parse_boolean);
        Ok(Ctx {
            repository,
            backend,
            files,
            settings,
            identity,
            committer,
            clock,
            host,
            terminal: self.terminal(),
            within: self.within(),
            case: if folds == Some(true) { Case::Folded } else { Case::Sensitive },
            upkeep,
            environment: self.environment.clone(),
        })
    }

    fn shared_mode(&self) -> Result<SharedMode, AppError> {
        let Some(text) = self.get("core.sharedRepository") else {
            return Ok(SharedMode::Umask);
        };
        text.parse().map_err(|error: NotASharedMode| AppError::Failed(Box::new(error)))
    }

    /// Reads the clock, once for a request.
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

    /// Names the terminal that the process runs in, as far as its variables tell.
    fn terminal(&self) -> Option<Line> {
        let variables = ["TMUX_PANE", "STY", "WT_SESSION", "TERM_SESSION_ID", "SSH_TTY", "GPG_TTY"];
        let told = variables.iter().find_map(|name| {
            self.environment.non_empty(name).map(|value| format!("{name}={value}"))
        });
        told.and_then(|terminal| Line::new(&terminal).ok())
    }

    /// Lists the holds that `with` started the process under. Ignores words that name none: another
    /// program set those.
    fn within(&self) -> Vec<HoldId> {
        let named = self.environment.non_empty(WITHIN_VARIABLE).unwrap_or_default();
        named.split(',').filter_map(|id| id.parse().ok()).collect()
    }

    /// Finds the user's own identity as git does.
    fn committer(&self) -> Option<Committer> {
        let find = |variable: &str, keys: [&str; 2]| {
            let set = self.environment.non_empty(variable).map(str::to_owned);
            set.or_else(|| keys.iter().find_map(|key| self.get(key)))
        };
        let name = find("GIT_COMMITTER_NAME", ["committer.name", "user.name"])?;
        let email = find("GIT_COMMITTER_EMAIL", ["committer.email", "user.email"])?;
        Some(Committer::new(&name, &email)).filter(|committer| !committer.name.is_empty())
    }
}

/// Moves an environment to a directory, as `cd` would.
pub fn enter(environment: &Environment, directory: &Path) -> io::Result<Environment> {
    let directory = environment.resolve(directory).canonicalize()?;
    // Fails where nobody can go, as `cd` does.
    directory.join(".").metadata()?;
    Ok(environment.at(directory))
}

/// Names what keeps every program waiting that opens the repository: a file of git's that is a
/// named pipe. This is looked for after somebody has waited, so that all others need not look.
pub fn pipe_in_the_way(environment: &Environment) -> Option<PathBuf> {
    UnreadableRepository::find(environment)?.pipe_in_the_way()
}

/// Says why a hook is late: what is in its way, or no more than that the time is over.
pub fn late_because(environment: &Environment, limit: Duration) -> String {
    match pipe_in_the_way(environment) {
        Some(pipe) => StoreError::Pipe(pipe).to_string(),
        None => format!("no answer within {} seconds", limit.as_secs()),
    }
}

/// Ends every git that this process has started, for a process that ends before they do.
pub fn end_children() {
    running::end_all();
}

/// Reads the clock of this machine.
pub fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

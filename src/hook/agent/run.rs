//! A hook's call from stdin to answer: bounded in size and time, and never in the way of the
//! agent's work because of a fault of its own.

use std::cell::OnceCell;
use std::io::{self, Read as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;

use super::{Call, Dialect, Event, Unreadable, Verdict, rule, sender};
use crate::app::config::Settings;
use crate::app::error::{AppError, with_causes};
use crate::app::identity::{AGENT_VARIABLE, Identity};
use crate::app::open::Surroundings;
use crate::app::presence::touch;
use crate::core::environment::Environment;
use crate::core::ids::AgentName;
use crate::core::text::shown;
use crate::hook::acting::{Acting, fails_closed, late_because, pipe_in_the_way};
use crate::hook::deadline::Deadline;
use crate::store::error::StoreError;
use crate::store::git::repository::Repository;
use crate::store::os::files::Files;
use crate::store::os::shared_mode::SharedMode;

/// Edits write whole files; nobody writes one of this size.
pub(super) const INPUT_BYTES_MAX: u64 = 16 << 20;
/// How long an agent is kept waiting at most.
pub(super) const LIMIT: Duration = Duration::from_secs(2);
/// How much of that is spent waiting for other writers.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// What a warning after a shell command is worth.
const SHELL_LIMIT: Duration = Duration::from_millis(300);
/// The file that an agent's later shell commands take their variables from.
const ENV_FILE_VARIABLE: &str = "CLAUDE_ENV_FILE";
const ENV_FILE_BYTES_MAX: u64 = 1 << 20;
/// Where the session was begun, which need not be where its agent stands.
const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// How a hook's call ends.
#[derive(Debug, PartialEq)]
pub enum Reply {
    /// With nothing to say.
    Silence,
    /// With an answer for the agent.
    Answer(Value),
    /// With a failure, which is shown and blocks nothing.
    Failed(String),
}

/// What to do about a failure, and how long to wait for it.
#[derive(Clone)]
struct Stance {
    dialect: Dialect,
    event: Event,
    fails_closed: bool,
}

impl Stance {
    /// Whether the call is a kindness, which is worth no waiting and no word about its failure.
    fn is_kindness(&self) -> bool {
        matches!(self.event, Event::ShellRan(_) | Event::CallBegins | Event::CallEnds(_))
    }

    fn limit(&self) -> Duration {
        if self.is_kindness() { SHELL_LIMIT } else { LIMIT }
    }

    /// The reply to a call that took too long, with what has kept it if that can be seen.
    fn late(&self, environment: &Environment) -> Reply {
        if self.is_kindness() {
            return Reply::Silence;
        }
        self.failed(&one_line(&late_because(environment, LIMIT)))
    }

    /// The reply to a call that failed. An input that cannot be read, which is the one event here
    /// that is no matter of ours, may be an edit, and may be another agent's, which would take a
    /// word or an exit code amiss.
    fn failed(&self, why: &str) -> Reply {
        if matches!(self.event, Event::CallBegins | Event::CallEnds(_)) {
            return Reply::Silence;
        }
        let may_be_edit = matches!(self.event, Event::Edit(_) | Event::Other);
        let refusal = format!(
            "git coord: not edited, because the edit could not be checked and \
             coord.hook.failClosed is set: {why}"
        );
        let answer = || self.dialect.encode(&self.event, &Verdict::Deny(refusal));
        let closed = (self.fails_closed && may_be_edit).then(answer).flatten();
        match closed {
            Some(answer) => Reply::Answer(answer),
            None if self.event == Event::Other => Reply::Silence,
            None => Reply::Failed(why.to_owned()),
        }
    }
}

/// Answers a hook's call, whose payload is on stdin. If that takes too long, `late` shows a reply
/// in its place, and the process ends with what it returns.
pub fn run(dialect: Option<Dialect>, environment: &Environment, late: fn(&Reply) -> u8) -> Reply {
    let surroundings = Arc::new(environment.clone());
    let heard = Arc::new(OnceLock::new());
    let no_answer = {
        let (surroundings, heard) = (Arc::clone(&surroundings), Arc::clone(&heard));
        move || late(&not_begun(dialect, &surroundings, heard.get()))
    };
    let deadline = Deadline::start(LIMIT, no_answer);
    let stance = OnceCell::new();
    let work = Work {
        named: dialect,
        environment: &surroundings,
        deadline: &deadline,
        late,
        heard: &heard,
        stance: &stance,
    };
    // A fault of our own is told like any other.
    let reply = panic::catch_unwind(AssertUnwindSafe(|| work.reply())).unwrap_or_else(|_| {
        let why = "stopped in the middle";
        stance.get().map_or_else(|| Reply::Failed(why.to_owned()), |stance| stance.failed(why))
    });
    deadline.over();
    reply
}

/// One call, from stdin to reply.
struct Work<'a> {
    /// The agent that the hook was written down for, which need not be the one that runs it.
    named: Option<Dialect>,
    environment: &'a Arc<Environment>,
    deadline: &'a Deadline,
    late: fn(&Reply) -> u8,
    /// What the call is about, for whoever has to answer it before its repository is open.
    heard: &'a OnceLock<(Dialect, Event)>,
    /// Known once the call is understood.
    stance: &'a OnceCell<Stance>,
}

impl Work<'_> {
    fn reply(&self) -> Reply {
        let input = match read_input() {
            Ok(input) => input,
            Err(error) => return unread(self.named, self.environment, &error),
        };
        let Some(dialect) = sender::of_payload(&input, self.environment) else {
            return Reply::Silence;
        };
        match dialect.decode(&input) {
            Ok(Call { event: Event::Other, .. }) => Reply::Silence,
            Ok(mut call) => {
                self.heard.get_or_init(|| (dialect, call.event.clone()));
                call.follow();
                self.reply_where_it_happens(dialect, &call)
            }
            Err(error) => unread(Some(dialect), self.environment, &error),
        }
    }

    /// The reply of the repository that the call is about. What ends does so in each that the
    /// session is known to stand in.
    fn reply_where_it_happens(&self, dialect: Dialect, call: &Call) -> Reply {
        let answer = |repository| self.reply_about(dialect, call, repository);
        let mut answered: Vec<PathBuf> = Vec::new();
        let mut reply = None;
        for place in self.places(call) {
            // Where nobody can go, the question is asked from here.
            std::env::set_current_dir(place).ok();
            let repository = Repository::discover_around(self.environment);
            match &repository {
                Err(StoreError::NotARepository(_)) => continue,
                Ok(found) if answered.iter().any(|known| known == found.common_dir()) => continue,
                Ok(found) => answered.push(found.common_dir().to_owned()),
                Err(_) => {}
            }
            let said = answer(repository);
            if !call.event.is_end() {
                return said;
            }
            reply = reply.filter(|reply| *reply != Reply::Silence).or(Some(said));
        }
        reply.unwrap_or_else(|| answer(Repository::discover_around(self.environment)))
    }

    /// Where the call may be about, the likeliest first. An edit belongs to the repository that its
    /// file lies in, wherever the agent stands; an agent that has gone elsewhere still works in the
    /// directory of its session. Who has named a git directory means that one, and the directory
    /// that it is used from.
    fn places(&self, call: &Call) -> Vec<PathBuf> {
        if self.environment.non_empty("GIT_DIR").is_some() {
            return Vec::new();
        }
        match &call.event {
            Event::Edit(path) | Event::CallEnds(Some(path)) => {
                directory_of(path).into_iter().collect()
            }
            _ => {
                let project = self.environment.os(PROJECT_VARIABLE).map(PathBuf::from);
                let project = project.filter(|path| path.is_absolute());
                call.directory.clone().into_iter().chain(project).collect()
            }
        }
    }

    /// The reply of one repository, or of none.
    fn reply_about(
        &self,
        dialect: Dialect,
        call: &Call,
        repository: Result<Repository, StoreError>,
    ) -> Reply {
        let config = match Acting::of(&repository, self.environment) {
            Ok(Acting::On(config)) => config,
            Ok(Acting::Off) => return Reply::Silence,
            Err(error) => return Reply::Failed(one_line(&error.to_string())),
        };
        let lookup = |key: &str| config.get(key);
        let (event, fails_closed) = (call.event.clone(), fails_closed(&config));
        let stance = self.stance.get_or_init(|| Stance { dialect, event, fails_closed });
        let (too_late, late) = (stance.clone(), self.late);
        let surroundings = Arc::clone(self.environment);
        self.deadline.change(stance.limit(), move || late(&too_late.late(&surroundings)));
        match self.verdict(call, repository, &lookup) {
            Ok(verdict) => {
                let answer = dialect.encode(&stance.event, &verdict);
                answer.map_or(Reply::Silence, Reply::Answer)
            }
            Err(error) => stance.failed(&one_line(&with_causes(&error))),
        }
    }

    fn verdict(
        &self,
        call: &Call,
        repository: Result<Repository, StoreError>,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Verdict, AppError> {
        let repository = match repository {
            // Where there is none, there is nothing to coordinate.
            Err(StoreError::NotARepository(_)) => return Ok(Verdict::Silence),
            repository => repository?,
        };
        let mut settings = Settings::read(lookup)?;
        settings.wait = settings.wait.min(WAIT_MAX);
        let surroundings = Surroundings { environment: self.environment, config: lookup };
        let clock = surroundings.clock()?;
        let identity = Identity::of_hook(call.session.clone());
        // The process ends with its answer.
        repository.stay_open();
        let ctx = surroundings.open(repository, settings, identity, clock)?.in_a_hook();
        if call.event == Event::SessionStart {
            self.hand_on(ctx.actor())?;
        }
        let verdict = rule::apply(&ctx, &call.event);
        touch(&ctx, call.doing(matches!(verdict, Ok(Verdict::Deny(_)))));
        verdict
    }

    /// Lets the agent's later shell commands, and the git hooks that they run, know who acts.
    fn hand_on(&self, agent: &AgentName) -> Result<(), AppError> {
        let Some(path) = self.environment.os(ENV_FILE_VARIABLE).filter(|path| !path.is_empty())
        else {
            return Ok(());
        };
        let path = Path::new(path);
        let files = Files { fsync: false, shared: SharedMode::Umask };
        let before = files.read(path, ENV_FILE_BYTES_MAX).map_err(StoreError::from)?;
        let before = before.unwrap_or_default();
        // No name of an agent has a quote in it.
        let (assignment, value) = (format!("export {AGENT_VARIABLE}="), format!("'{agent}'"));
        let export = format!("{assignment}{value}");
        let is_ours = |line: &&[u8]| line.starts_with(assignment.as_bytes());
        let last = before.split(|byte| *byte == b'\n').rev().find(is_ours);
        if last == Some(export.as_bytes()) {
            return Ok(());
        }
        let gap = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
        let line = format!("{gap}{export}\n");
        Ok(files.append(path, line.as_bytes()).map_err(StoreError::from)?)
    }
}

/// The reply to a call that took too long before its repository was open. Whatever is in the way of
/// that, it is not opened again.
fn not_begun(
    named: Option<Dialect>,
    environment: &Environment,
    heard: Option<&(Dialect, Event)>,
) -> Reply {
    let Some((dialect, event)) = heard else {
        return unread(named, environment, &Unreadable::Late);
    };
    match Acting::without_opening(environment) {
        Ok(Acting::On(config)) => {
            let (event, fails_closed) = (event.clone(), fails_closed(&config));
            Stance { dialect: *dialect, event, fails_closed }.late(environment)
        }
        Ok(Acting::Off) | Err(_) => Reply::Silence,
    }
}

/// The reply to a payload that could not be read. It is refused where that is wanted and the agent
/// that is to understand the refusal is known; anything else would be in another agent's way.
fn unread(named: Option<Dialect>, environment: &Environment, error: &Unreadable) -> Reply {
    let Some(dialect) = sender::of_unread(named, environment) else { return Reply::Silence };
    let acting = match pipe_in_the_way(environment) {
        Some(_) => Acting::without_opening(environment),
        None => Acting::of(&Repository::discover(environment), environment),
    };
    match acting {
        Ok(Acting::On(config)) => {
            let fails_closed = fails_closed(&config);
            Stance { dialect, event: Event::Other, fails_closed }
                .failed(&one_line(&error.to_string()))
        }
        Ok(Acting::Off) | Err(_) => Reply::Silence,
    }
}

/// The payload, as far as it is not too long.
fn read_input() -> Result<Vec<u8>, Unreadable> {
    let mut input = Vec::new();
    let read = io::stdin().lock().take(INPUT_BYTES_MAX + 1).read_to_end(&mut input);
    read.map_err(Unreadable::Input)?;
    if input.len() as u64 > INPUT_BYTES_MAX { Err(Unreadable::TooLong) } else { Ok(input) }
}

/// The nearest directory that there is on the way to a file.
fn directory_of(file: &Path) -> Option<PathBuf> {
    file.ancestors().skip(1).find(|directory| directory.is_dir()).map(Path::to_owned)
}

fn one_line(message: &str) -> String {
    shown(&message.lines().map(str::trim).collect::<Vec<_>>().join(" ")).into_owned()
}

//! A hook's call from stdin to answer: bounded in size and time, and never in the way of the
//! agent's work because of a fault of its own.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::{Call, Dialect, Event, Unreadable, Verdict, rule, sender};
use crate::app::error::{AppError, with_causes};
use crate::app::identity::Identity;
use crate::app::open::{ConfigError, Door, enter, late_because, pipe_in_the_way};
use crate::app::presence::touch;
use crate::app::{env_file, session_places};
use crate::core::environment::Environment;
use crate::core::text::shown;
use crate::hook::deadline::{Deadline, LIMIT, in_time};
use crate::hook::policy::Policy;

/// Edits write whole files; nobody writes one of this size.
pub(super) const INPUT_BYTES_MAX: u64 = 16 << 20;
/// A look at a shell command before it runs is worth that much waiting.
const SHELL_LIMIT: Duration = Duration::from_millis(300);
/// Names the file that an agent's later shell commands take their variables from.
const ENV_FILE_VARIABLE: &str = "CLAUDE_ENV_FILE";

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

/// The rules for a call once its repository is found: how to fail, and how long to wait.
#[derive(Clone)]
struct Stance {
    dialect: Dialect,
    /// The name of the event.
    name: String,
    event: Event,
    policy: Policy,
}

impl Stance {
    /// Tells whether the call is a kindness, which is worth no waiting and no word about its
    /// failure.
    fn is_kindness(&self) -> bool {
        matches!(
            self.event,
            Event::ShellRan(_) | Event::CallBegins(_) | Event::CallEnds(_) | Event::ToolRan
        )
    }

    /// Returns the time that the call may take. The writes of a command are noted after it.
    fn limit(&self) -> Duration {
        let is_noted = matches!(self.event, Event::ShellRan(_));
        let may_be_short = self.is_kindness() && !is_noted && !self.refuses_command();
        if may_be_short { SHELL_LIMIT } else { LIMIT }
    }

    /// Replies to a call that took too long, with what has kept it if that can be seen.
    fn late(&self, environment: &Environment) -> Reply {
        if self.is_kindness() && !self.refuses_command() {
            return Reply::Silence;
        }
        self.failed(&one_line(&late_because(environment, LIMIT)))
    }

    /// Replies to a call that failed. An input that cannot be read counts as [`Event::Other`]. It
    /// may be an edit, and it may be of another agent, which would take a word or an exit code
    /// amiss.
    fn failed(&self, why: &str) -> Reply {
        let refused = match self.event {
            Event::CallBegins(_) if self.refuses_command() => Some(("run", "command")),
            Event::CallBegins(_) | Event::CallEnds(_) | Event::ToolRan => return Reply::Silence,
            _ if self.policy.refuses_unchecked(self.may_be_edit()) => Some(("edited", "edit")),
            _ => None,
        };
        let closed = refused.and_then(|(done, what)| {
            let refusal = format!(
                "git coord: not {done}, because the {what} could not be checked and \
                 coord.hook.failClosed is set: {why}"
            );
            self.dialect.encode(&self.name, &Verdict::Deny(refusal))
        });
        match closed {
            Some(answer) => Reply::Answer(answer),
            None if self.event == Event::Other => Reply::Silence,
            None => Reply::Failed(why.to_owned()),
        }
    }

    fn may_be_edit(&self) -> bool {
        matches!(self.event, Event::Edit(_) | Event::Other)
    }

    /// Tells whether the call begins a shell command that may not run unchecked.
    fn refuses_command(&self) -> bool {
        match &self.event {
            Event::CallBegins(Some(text)) => self.policy.refuses_unchecked_command(text),
            _ => false,
        }
    }
}

/// Answers a hook's call, whose payload is on stdin. If that takes too long, `late` shows a reply
/// in its place, and the process ends with what it returns.
pub fn run(dialect: Option<Dialect>, environment: &Environment, late: fn(&Reply) -> u8) -> Reply {
    let stance = OnceCell::new();
    let unheard = environment.clone();
    in_time(
        move || late(&unread(dialect, &unheard, &Unreadable::Late)),
        |deadline| Work { named: dialect, environment, deadline, late, stance: &stance }.reply(),
        |why| {
            let stance: Option<&Stance> = stance.get();
            stance.map_or_else(|| Reply::Failed(why.to_owned()), |stance| stance.failed(why))
        },
    )
}

/// One call, from stdin to reply.
struct Work<'a> {
    /// The agent that the hook was written down for, which need not be the one that runs it.
    named: Option<Dialect>,
    environment: &'a Environment,
    deadline: &'a Deadline,
    late: fn(&Reply) -> u8,
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
                call.follow();
                self.reply_where_it_happens(dialect, &call)
            }
            Err(error) => unread(Some(dialect), self.environment, &error),
        }
    }

    /// Replies for the repository that the call is about. An end counts in each work tree that the
    /// session stands in or has worked in.
    fn reply_where_it_happens(&self, dialect: Dialect, call: &Call) -> Reply {
        let mut answered: Vec<PathBuf> = Vec::new();
        let mut reply = None;
        let mut places: VecDeque<PathBuf> = self.places(call).into();
        while let Some(place) = places.pop_front() {
            // Where nobody can go, the question is asked from here.
            let place =
                enter(self.environment, &place).unwrap_or_else(|_| self.environment.clone());
            let door = self.find(dialect, call, &place);
            if let Ok(door) = &door {
                let git_dir = door.git_dir();
                let is_known = git_dir.as_ref().is_some_and(|known| answered.contains(known));
                if is_known || !door.has_repository() {
                    continue;
                }
                answered.extend(git_dir);
            }
            let (said, further) = self.reply_about(dialect, call, door);
            if !call.event.is_end() {
                return said;
            }
            places.extend(further);
            reply = reply.filter(|reply| *reply != Reply::Silence).or(Some(said));
        }
        reply.unwrap_or_else(|| {
            self.reply_about(dialect, call, self.find(dialect, call, self.environment)).0
        })
    }

    /// Finds the repository of a place. If that takes too long, it is not opened again.
    fn find(
        &self,
        dialect: Dialect,
        call: &Call,
        place: &Environment,
    ) -> Result<Door, ConfigError> {
        let (late, event, unopened) = (self.late, call.event.clone(), place.clone());
        let name = call.name.clone();
        self.deadline.change(LIMIT, move || {
            let policy = Door::without_opening(&unopened).ok().as_ref().and_then(Policy::of);
            let stance = policy.map(|policy| Stance { dialect, name, event, policy });
            late(&stance.map_or(Reply::Silence, |stance| stance.late(&unopened)))
        });
        Door::find_around(place)
    }

    /// Lists where the call may be about, the likeliest first. An edit belongs to the repository
    /// that its file lies in, wherever the agent stands; an agent that has gone elsewhere still
    /// works in the directory of its session. A caller that has named a git directory means that
    /// one, and the directory that it is used from.
    fn places(&self, call: &Call) -> Vec<PathBuf> {
        if self.environment.non_empty("GIT_DIR").is_some() {
            return Vec::new();
        }
        match &call.event {
            Event::Edit(path) | Event::CallEnds(Some(path)) => {
                directory_of(path).into_iter().collect()
            }
            _ => {
                let begun = session_places::begun_in(self.environment);
                call.directory.clone().into_iter().chain(begun).collect()
            }
        }
    }

    /// Replies for one repository, or for none, and lists where else the session works.
    fn reply_about(
        &self,
        dialect: Dialect,
        call: &Call,
        door: Result<Door, ConfigError>,
    ) -> (Reply, Vec<PathBuf>) {
        let alone = |reply: Reply| (reply, Vec::new());
        let door = match door {
            Ok(door) => door,
            Err(error) => return alone(Reply::Failed(one_line(&error.to_string()))),
        };
        let Some(policy) = Policy::of(&door) else { return alone(Reply::Silence) };
        let (name, event) = (call.name.clone(), call.event.clone());
        let stance = self.stance.get_or_init(|| Stance { dialect, name, event, policy });
        let (too_late, late, place) = (stance.clone(), self.late, door.environment().clone());
        self.deadline.change(stance.limit(), move || late(&too_late.late(&place)));
        let mut further = Vec::new();
        let reply = match self.verdict(call, &door, &mut further) {
            Ok(verdict) => {
                let answer = dialect.encode(&stance.name, &verdict);
                answer.map_or(Reply::Silence, Reply::Answer)
            }
            Err(error) => stance.failed(&one_line(&with_causes(&error))),
        };
        (reply, further)
    }

    /// Gives the call the time that an edit has.
    fn take_time(&self, door: &Door) {
        let (late, place) = (self.late, door.environment().clone());
        let too_late = self.stance.get().cloned();
        self.deadline.change(LIMIT, move || {
            late(&too_late.map_or(Reply::Silence, |stance| stance.late(&place)))
        });
    }

    /// Does what is to be done in one repository. `further` gets the other work trees of a session
    /// that ends something.
    fn verdict(
        &self,
        call: &Call,
        door: &Door,
        further: &mut Vec<PathBuf>,
    ) -> Result<Verdict, AppError> {
        // Where there is no repository, there is nothing to coordinate.
        if !door.has_repository() {
            return Ok(Verdict::Silence);
        }
        let ctx = door.open_for(Identity::of_hook(call.session.clone()))?;
        let env_file = self.environment.path(ENV_FILE_VARIABLE);
        if let (Event::SessionStart, Some(path)) = (&call.event, env_file) {
            env_file::export_name(&path, ctx.actor())?;
            if let Some(begun) = session_places::begun_in(self.environment) {
                env_file::export_directory(&path, &begun)?;
            }
        }
        if call.event.is_end() {
            further.extend(session_places::of(&ctx));
        }
        let before_saving = || self.take_time(door);
        let verdict = rule::apply(&ctx, door, call, &before_saving);
        let is_refused = matches!(verdict, Ok(Verdict::Deny(_)));
        match call.event {
            Event::Edit(_) if !is_refused => session_places::note(&ctx),
            Event::SessionEnd => session_places::forget(&ctx),
            _ => {}
        }
        touch(&ctx, call.doing(is_refused));
        verdict
    }
}

/// Replies to a payload that could not be read. It is refused where that is wanted and the agent
/// that is to understand the refusal is known; anything else would be in another agent's way.
fn unread(named: Option<Dialect>, environment: &Environment, error: &Unreadable) -> Reply {
    let Some(dialect) = sender::of_unread(named, environment) else { return Reply::Silence };
    let door = match pipe_in_the_way(environment) {
        Some(_) => Door::without_opening(environment),
        None => Door::find(environment),
    };
    let policy = door.ok().as_ref().and_then(Policy::of);
    let (name, event) = (dialect.gate().to_owned(), Event::Other);
    let stance = policy.map(|policy| Stance { dialect, name, event, policy });
    stance.map_or(Reply::Silence, |stance| stance.failed(&one_line(&error.to_string())))
}

/// Reads the payload, as far as it is not too long.
fn read_input() -> Result<Vec<u8>, Unreadable> {
    let mut input = Vec::new();
    let read = io::stdin().lock().take(INPUT_BYTES_MAX + 1).read_to_end(&mut input);
    read.map_err(Unreadable::Input)?;
    if input.len() as u64 > INPUT_BYTES_MAX { Err(Unreadable::TooLong) } else { Ok(input) }
}

/// Finds the nearest directory that exists on the way to a file.
fn directory_of(file: &Path) -> Option<PathBuf> {
    file.ancestors().skip(1).find(|directory| directory.is_dir()).map(Path::to_owned)
}

fn one_line(message: &str) -> String {
    shown(&message.lines().map(str::trim).collect::<Vec<_>>().join(" ")).into_owned()
}

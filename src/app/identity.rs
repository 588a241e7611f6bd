//! The identity of the agent or person that acts, and where it comes from.
//!
//! One agent has one name in every door. An agent's hook takes it from its payload. Elsewhere the
//! order is: `--as`, `GIT_COORD_AGENT`, the session that the agent's program exports,
//! `coord.agent`, the process of a program that tells no session, and at last `user@host`, which is
//! a person. In a shell the open tool calls of a session tell which of its subagents it is. Nothing
//! here is proof: agents of one user trust each other.

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::core::environment::Environment;
use crate::core::identity::ancestry::Ancestor;
use crate::core::identity::in_shell::{Running, acting};
pub use crate::core::identity::programs::{marks, session_variables};
use crate::core::identity::{DetectedAgent, Who, detect, id_of};
use crate::core::ids::{AgentName, BadId};
use crate::core::limits::AGENT_CHARS_MAX;
use crate::core::reservation::process::Process;
use crate::store::machine::presence::Presences;

/// Overrides every other source except `--as`.
pub const AGENT_VARIABLE: &str = "GIT_COORD_AGENT";

/// How much of a session id goes into a name: enough to tell sessions apart, short enough to say.
const SESSION_CHARACTERS: usize = 8;
/// An id that begins with the clock has that many, unless it is a UUID.
const ULID_CHARACTERS: usize = 26;

/// Program or person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActorKind {
    /// Somebody gave the actor a name of its own.
    Agent,
    /// Nobody did: it is whoever is logged in.
    Person,
}

/// Where a name came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentitySource {
    /// `--as`.
    Option,
    /// The session that a hook was called by.
    Hook,
    /// The named environment variable: ours, or that of an agent's program.
    Variable(&'static str),
    /// `coord.agent`.
    Config,
    /// User and host.
    Login,
}

impl ActorKind {
    /// Returns the word for it.
    pub fn name(self) -> &'static str {
        match self {
            ActorKind::Agent => "agent",
            ActorKind::Person => "person",
        }
    }
}

impl IdentitySource {
    /// Describes the source: the thing to change for another name.
    pub fn description(self) -> &'static str {
        match self {
            IdentitySource::Option => "--as",
            IdentitySource::Hook => "the hook's session",
            IdentitySource::Variable(name) => name,
            IdentitySource::Config => "coord.agent",
            IdentitySource::Login => "user and host",
        }
    }
}

/// The agent or person that acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name that everything is recorded under.
    pub name: AgentName,
    /// Program or person.
    pub kind: ActorKind,
    /// Why this name.
    pub source: IdentitySource,
    /// The session that the name is made of, if it is.
    pub session: Option<Session>,
    /// The process that stands for the session, where the agent's program tells none.
    pub process: Option<Process>,
}

/// The inputs of [`identify`].
pub struct IdentityInputs<'a> {
    /// `--as`.
    pub option: Option<&'a AgentName>,
    /// The environment of the command.
    pub environment: &'a Environment,
    /// `coord.agent`.
    pub configured: Option<&'a AgentName>,
    pub login: &'a Login,
    /// Reads the processes above the command, the nearest first.
    pub look: &'a dyn Fn() -> Vec<Ancestor>,
}

/// The user of this process and the machine that it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The user's name, or `uid<number>` where the environment does not tell it.
    pub user: String,
    /// The name of the machine.
    pub host: String,
}

impl Login {
    /// Reads the login of this process, which runs with the given environment.
    pub fn of_process(environment: &Environment) -> Login {
        let user = ["USER", "LOGNAME"]
            .into_iter()
            .find_map(|variable| environment.non_empty(variable))
            .map_or_else(|| format!("uid{}", rustix::process::getuid()), str::to_owned);
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Login { user, host }
    }
}

/// `GIT_COORD_AGENT` is set to something that is no name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad agent name '{}' in {AGENT_VARIABLE}", crate::core::text::shown(value))]
pub struct IdentityError {
    /// The value that was found.
    pub value: String,
    #[source]
    pub rule: BadId,
}

/// Decides who acts.
pub fn identify(inputs: &IdentityInputs<'_>) -> Result<Identity, IdentityError> {
    if let Some(name) = inputs.option {
        return Ok(Identity::named(name.clone(), IdentitySource::Option));
    }
    if let Some(value) = inputs.environment.non_empty(AGENT_VARIABLE) {
        let name = value.parse().map_err(|rule| IdentityError { value: value.to_owned(), rule })?;
        return Ok(Identity::named(name, IdentitySource::Variable(AGENT_VARIABLE)));
    }
    let detected = detect(inputs.environment, inputs.look);
    // A name that somebody chose counts more than one that is made up.
    let chosen =
        inputs.configured.filter(|_| !detected.as_ref().is_some_and(DetectedAgent::has_session));
    Ok(match (chosen, detected) {
        (Some(name), _) => Identity::named(name.clone(), IdentitySource::Config),
        (None, Some(agent)) => Identity::of_detected(agent),
        (None, None) => Identity {
            name: AgentName::cleaned(&format!("{}@{}", inputs.login.user, inputs.login.host)),
            kind: ActorKind::Person,
            source: IdentitySource::Login,
            session: None,
            process: None,
        },
    })
}

/// A session, or a subagent of one, and the names that it may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The kind of its program.
    pub kind: String,
    /// Its id, as far as it is needed to tell two of them apart.
    pub id: String,
    /// The names of the session, the one that it has unless another session has it first.
    names: Vec<AgentName>,
    subagent: Option<String>,
}

impl Session {
    /// Makes the session with that id, of a harness of that kind, or a subagent of it.
    pub fn new(kind: &str, id: &str, subagent: Option<&str>) -> Session {
        let names = session_names(kind, id);
        let (kind, subagent) = (kind.to_owned(), subagent.map(str::to_owned));
        Session { kind, id: session_id(id), names, subagent }
    }

    /// Returns the first choice of a name, which another session may have.
    pub fn name(&self) -> AgentName {
        self.named(&self.names[0])
    }

    /// Chooses the name, given the sessions that act under each: the name that this session is
    /// known by, or else the first that no other session is known by.
    pub fn name_beside(&self, known: impl Fn(&AgentName) -> Vec<String>) -> AgentName {
        let mut free = None;
        for name in &self.names {
            let sessions = known(name);
            if sessions.contains(&self.id) {
                return self.named(name);
            }
            free = free.or_else(|| sessions.is_empty().then_some(name));
        }
        self.named(free.unwrap_or(&self.names[0]))
    }

    /// Tells whether a name is one of a session of the same program, and not its own.
    fn is_of_its_kind(&self, name: &AgentName) -> bool {
        let kind = name.as_str().split_once(':').map(|(kind, _)| kind);
        kind == Some(self.kind.as_str()) && !self.names.contains(name)
    }

    fn named(&self, session: &AgentName) -> AgentName {
        let subagent = self.subagent.as_deref();
        subagent.map_or_else(|| session.clone(), |id| subagent_name(session, id))
    }
}

/// Lists the names of a session, each with the kind of its harness: 8 characters of the session id,
/// 16 characters, and a hash of the whole id.
///
/// Of an id with a word in front, such as `session_`, the rest counts. Ids that begin with the
/// clock share their first characters if they are made in the same minute, so that the last ones
/// are taken: of UUIDs of version 7, and of those with 26 characters, as ULIDs have.
fn session_names(kind: &str, session: &str) -> Vec<AgentName> {
    let characters: Vec<char> =
        without_word(session).chars().filter(char::is_ascii_alphanumeric).collect();
    let is_time_ordered = match characters.len() {
        32 => characters[12] == '7',
        count => count == ULID_CHARACTERS,
    };
    let part = |count: usize| -> String {
        let from = if is_time_ordered { characters.len().saturating_sub(count) } else { 0 };
        characters.iter().skip(from).take(count).collect()
    };
    let parts = [part(SESSION_CHARACTERS), part(2 * SESSION_CHARACTERS), hash_of(session)];
    let mut names = parts.map(|part| AgentName::cleaned(&format!("{kind}:{part}"))).to_vec();
    names.dedup();
    names
}

/// Removes the word in front of an id, if the rest is long enough to be an id.
fn without_word(session: &str) -> &str {
    let is_word = |word: &str| word.chars().all(|letter| letter.is_ascii_alphabetic());
    match session.split_once('_') {
        Some((word, rest)) if is_word(word) && rest.len() >= SESSION_CHARACTERS => rest,
        _ => session,
    }
}

/// Shortens the id of a session to the part that tells two of them apart.
fn session_id(session: &str) -> String {
    const CHARACTERS_MAX: usize = 64;
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
    session.chars().filter(is_plain).take(CHARACTERS_MAX).collect()
}

/// Builds the name of a subagent from the id that its harness gives it. A hash replaces the end of
/// an id that is too long for a name, so that two such ids stay different.
fn subagent_name(session: &AgentName, id: &str) -> AgentName {
    let plain = id.replace('/', "-");
    let room = AGENT_CHARS_MAX.saturating_sub(session.as_str().len() + 1);
    if plain.chars().count() <= room {
        return AgentName::cleaned(&format!("{session}/{plain}"));
    }
    let hash = format!("-{}", hash_of(id));
    let kept: String = plain.chars().take(room.saturating_sub(hash.len())).collect();
    AgentName::cleaned(&format!("{session}/{kept}{hash}"))
}

/// Hashes an id to 16 digits.
fn hash_of(id: &str) -> String {
    let digest = Sha256::digest(id);
    let start = u64::from_be_bytes(digest[..8].try_into().expect("a digest has 32 bytes"));
    format!("{start:016x}")
}

impl Identity {
    /// Identifies an agent by a name that somebody chose.
    fn named(name: AgentName, source: IdentitySource) -> Identity {
        Identity { name, kind: ActorKind::Agent, source, session: None, process: None }
    }

    /// Identifies an agent by what its program tells.
    fn of_detected(DetectedAgent { kind, variable, who }: DetectedAgent) -> Identity {
        let (session, process) = match who {
            Who::Session { id, subagent } => (Session::new(&kind, &id, subagent.as_deref()), None),
            Who::Process(process) => {
                let id = process.as_ref().map_or_else(|| "unknown".to_owned(), id_of);
                (Session::new(&kind, &id, None), process)
            }
        };
        let identity = Identity::named(session.name(), IdentitySource::Variable(variable));
        Identity { session: Some(session), process, ..identity }
    }

    /// Identifies the session or subagent that called a hook, by its payload.
    pub fn of_hook(session: Session) -> Identity {
        let (kind, source) = (ActorKind::Agent, IdentitySource::Hook);
        Identity { name: session.name(), kind, source, session: Some(session), process: None }
    }

    /// Chooses the name again, given the agents that were seen on this machine: a process whose
    /// session is known has the name of the session.
    #[must_use]
    pub fn among(self, presences: &Presences) -> Identity {
        let session =
            self.process.as_ref().zip(self.session.as_ref()).and_then(|(process, own)| {
                presences.session_of(process, |name| own.is_of_its_kind(name))
            });
        let identity = match session {
            Some(name) => Identity { name, session: None, ..self },
            None => self.beside(|name| presences.sessions(name)),
        };
        identity.in_shell(|session| presences.running(session))
    }

    /// Chooses the name of the subagent whose shell command this is. Its variables tell the session
    /// only.
    #[must_use]
    fn in_shell(self, running: impl Fn(&AgentName) -> Vec<Running>) -> Identity {
        let is_told = matches!(self.source, IdentitySource::Variable(_));
        if !is_told || self.name.session() != self.name {
            return self;
        }
        Identity { name: acting(&self.name, &running(&self.name)), ..self }
    }

    /// Chooses the name again, given the sessions that act under each.
    #[must_use]
    fn beside(self, known: impl Fn(&AgentName) -> Vec<String>) -> Identity {
        let name = self.session.as_ref().map(|session| session.name_beside(known));
        Identity { name: name.unwrap_or(self.name), ..self }
    }
}

#[cfg(test)]
mod tests;

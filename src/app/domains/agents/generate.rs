//! Generates the files of the agents that the domains of a project ask for.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Wanted, Workshop, recorded};
use crate::app::Ctx;
use crate::app::answer::{self, Answer, Note};
use crate::app::domains::profiles::left_out;
use crate::app::error::with_causes;
use crate::app::next::command;
use crate::app::problem::{Hint, Problem};
use crate::core::domain::agent_record::{AgentRecord, RecordAgents};
use crate::core::domain::generation::{Action, Mode, OnDisk, State, action};
use crate::core::domain::name::Name;
use crate::core::domain::tree_path::TreePath;

/// The treatment of files that exist if the caller names none.
pub const MODE_DEFAULT: Mode = Mode::Skip;

/// A request to generate agents.
pub struct Request {
    pub mode: Mode,
    /// Set if the answer is no when a file could not be made.
    pub strict: bool,
    pub dry_run: bool,
}

/// The answer to `domain agents generate`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GeneratedAgents")]
pub struct Body {
    pub domains: Vec<DomainView>,
    /// Files of a domain that the project no longer has.
    pub orphaned: Vec<TreePath>,
    pub dry_run: bool,
    /// The orphaned agents themselves, for people.
    #[serde(skip)]
    pub orphans: Vec<AgentRecord>,
}

/// The agents of one domain.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DomainAgents")]
pub struct DomainView {
    pub domain: Name,
    /// True if it has a profile.
    pub profile: bool,
    /// The number of its agents that exist now.
    pub succeeded: usize,
    /// The number of agents that its profile asks for.
    pub total: usize,
    pub agents: Vec<AgentView>,
}

/// The result for one agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GeneratedAgent")]
pub struct AgentView {
    /// The name in the profile.
    pub agent: String,
    /// The path of its file; absent if it cannot have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<TreePath>,
    /// The action on the file; absent after an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The reason why nothing could be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The result for one agent.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// The name in the profile.
    pub agent: String,
    /// The path of its file; absent if it cannot have one.
    pub path: Option<TreePath>,
    /// The action, or the reason why it failed.
    pub done: Result<Action, String>,
}

/// The results for the agents of one domain.
#[derive(Clone, Debug)]
pub(super) struct OfDomain {
    pub domain: Name,
    /// The reason why it has no profile, if it has none.
    pub lacks_profile: Option<String>,
    pub agents: Vec<Outcome>,
}

impl OfDomain {
    /// Counts the agents that exist, no matter who made them.
    fn succeeded(&self) -> usize {
        let is_there = |agent: &&Outcome| agent.done.as_ref().is_ok_and(|done| done.is_success());
        self.agents.iter().filter(is_there).count()
    }

    /// Tells whether the profile describes an agent that cannot be made.
    pub(super) fn has_bad_agents(&self) -> bool {
        self.agents.iter().any(|agent| agent.path.is_none() && agent.done.is_err())
    }

    /// Tells whether any agent failed.
    fn has_failures(&self) -> bool {
        self.lacks_profile.is_some() || self.succeeded() < self.agents.len()
    }

    /// Warns if it has no profile.
    fn warning(&self) -> Option<Note> {
        self.lacks_profile.as_ref().map(|why| left_out(&self.domain, why))
    }
}

/// Generates the agents of every domain of the project. A failure of one does not stop the others.
pub fn generate(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let workshop = Workshop::open(ctx)?;
    let notes: Vec<Note> = workshop.outcomes.iter().filter_map(OfDomain::warning).collect();
    if notes.len() == workshop.outcomes.len() {
        return Err(nothing_to_make(&workshop.outcomes).noting(notes));
    }
    let mut record = RecordAgents::default();
    let mut domains = workshop.outcomes.clone();
    for wanted in &workshop.wanted {
        let done = make(&workshop, wanted, request.mode, request.dry_run);
        if matches!(done, Ok(Action::Write | Action::Adopt)) {
            record.written.push(wanted.written());
        }
        let of = domains.iter_mut().find(|of| of.domain == wanted.domain);
        let outcome =
            Outcome { agent: wanted.agent.to_string(), path: Some(wanted.path.clone()), done };
        of.expect("what is wanted is wanted by a domain").agents.push(outcome);
    }
    let listed = workshop.inventory().listed.into_iter();
    let orphans: Vec<AgentRecord> =
        listed.filter(|of| of.state == State::Orphaned).filter_map(|of| of.made).collect();
    let (written, of_write) =
        if request.dry_run { (None, Vec::new()) } else { recorded(ctx, record)? };
    let has_failures = domains.iter().any(OfDomain::has_failures);
    let body = Body {
        domains: domains.into_iter().map(DomainView::from).collect(),
        orphaned: orphans.iter().map(|made| made.path.clone()).collect(),
        dry_run: request.dry_run,
        orphans,
    };
    let mut answer = Answer::read(body, ctx.clock()).noting(notes).noting(of_write);
    answer.written = written;
    if request.strict && has_failures {
        answer.outcome = answer::Outcome::No;
    }
    Ok(answer)
}

/// Explains that no domain has a profile, or that there is no domain.
fn nothing_to_make(domains: &[OfDomain]) -> Problem {
    let names: Vec<&str> = domains.iter().map(|of| of.domain.as_str()).collect();
    let (code, message) = if names.is_empty() {
        let message = "no domain of this project is known, so there is no agent to make";
        ("no_domain", message.to_owned())
    } else {
        ("no_profile", format!("none of these domains has a profile: {}", names.join(", ")))
    };
    Problem::refused(code, message)
        .with_hint(Hint::plain("nothing was written. To look at the project again:"))
        .suggesting(vec![command(&["domain", "detect", "--force"])], Hint::plain)
}

fn make(
    workshop: &Workshop<'_>,
    wanted: &Wanted,
    mode: Mode,
    dry_run: bool,
) -> Result<Action, String> {
    let disk = workshop.disk(&wanted.path);
    if let OnDisk::Unreadable(why) = disk {
        return Err(why);
    }
    let action = action(mode, &wanted.content, workshop.made_at(&wanted.path), &disk);
    if action == Action::Write && !dry_run {
        let written = workshop.files.write(&wanted.path, &wanted.bytes);
        written.map_err(|error| with_causes(&error))?;
    }
    Ok(action)
}

impl From<OfDomain> for DomainView {
    fn from(of: OfDomain) -> DomainView {
        DomainView {
            profile: of.lacks_profile.is_none(),
            succeeded: of.succeeded(),
            total: of.agents.len(),
            agents: of.agents.into_iter().map(AgentView::from).collect(),
            domain: of.domain,
        }
    }
}

impl From<Outcome> for AgentView {
    fn from(outcome: Outcome) -> AgentView {
        let Outcome { agent, path, done } = outcome;
        let (action, error) = match done {
            Ok(action) => (Some(action), None),
            Err(why) => (None, Some(why)),
        };
        AgentView { agent, path, action, error }
    }
}

//! Compares the recorded agents with the files. A file that cannot be read is reported, and does
//! not hide the others.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Asked, Workshop};
use crate::app::Ctx;
use crate::app::answer::{Answer, Note};
use crate::app::error::with_causes;
use crate::app::problem::Problem;
use crate::core::domain::agent_record::AgentRecord;
use crate::core::domain::generation::{OnDisk, State, file_state};
use crate::core::domain::name::Name;
use crate::core::domain::tree_path::TreePath;
use crate::core::time::Timestamp;

/// The answer to `domain agents list`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentFiles")]
pub struct Body {
    /// Every agent and file, by path.
    pub agents: Vec<FileView>,
}

/// An agent or a file, with its state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentFile")]
pub struct FileView {
    pub path: TreePath,
    pub state: State,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub made: Option<MadeView>,
    /// The state of the file alone; absent if it was not made here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<State>,
    /// The reason why the path has no usable file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// An agent that was made here.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MadeAgent")]
pub struct MadeView {
    pub agent: Name,
    pub domain: Name,
    pub made_at: Timestamp,
    /// True if its specification or the generator has changed since.
    pub outdated: bool,
    /// True if the file has an edit that was accepted.
    pub accepted: bool,
    /// True if a profile asks for it.
    pub asked_for: bool,
}

/// An agent or a file, with its state.
pub(super) struct Listed {
    pub path: TreePath,
    pub state: State,
    /// The state of its file; none if it was not made here.
    pub file: Option<State>,
    pub made: Option<AgentRecord>,
    /// True if its specification or the generator has changed since.
    pub is_outdated: bool,
    /// Set if the file has an edit that was accepted.
    pub is_accepted: bool,
    /// Set if it was made, and no profile of its domain asks for it here.
    pub is_unasked: bool,
    /// Set if it is certain that nothing asks for it, so that its record may go.
    pub may_be_forgotten: bool,
    /// The reason why the path has no usable file, if so.
    pub problem: Option<String>,
}

/// The recorded agents and the files.
#[derive(Default)]
pub(super) struct Inventory {
    /// Every agent and file, by path.
    pub listed: Vec<Listed>,
    /// Warnings about files that could not be read.
    pub notices: Vec<String>,
}

/// Lists the recorded agents and the files.
pub fn list(ctx: &Ctx) -> Result<Answer<Body>, Problem> {
    let Inventory { listed, notices } = Workshop::open(ctx)?.inventory();
    let body = Body { agents: listed.into_iter().map(FileView::from).collect() };
    Ok(Answer::read(body, ctx.clock()).noting(notices.into_iter().map(Note::warning)))
}

impl FileView {
    /// Tells whether it was made and no profile of its domain asks for it here.
    pub fn is_unasked(&self) -> bool {
        let is_asked_for = self.made.as_ref().is_none_or(|made| made.asked_for);
        !is_asked_for && self.state != State::Orphaned
    }
}

impl From<Listed> for FileView {
    fn from(listed: Listed) -> FileView {
        let asked_for = listed.state != State::Orphaned && !listed.is_unasked;
        let made = listed.made.map(|made| MadeView {
            agent: made.agent,
            domain: made.domain,
            made_at: made.made_at,
            outdated: listed.is_outdated,
            accepted: listed.is_accepted,
            asked_for,
        });
        let Listed { path, state, file, problem, .. } = listed;
        FileView { path, state, made, file, problem }
    }
}

impl Workshop<'_> {
    /// Compares the recorded agents with the files.
    pub(super) fn inventory(&self) -> Inventory {
        let mut inventory = Inventory::default();
        inventory.listed.extend(self.made.iter().filter_map(|made| self.of_made(made)));
        let directory = &self.ctx.settings().domains.agents;
        let names = self.files.names(directory).unwrap_or_else(|error| {
            inventory.notices.push(with_causes(&error));
            Vec::new()
        });
        let is_agent =
            |name: &&String| name.strip_suffix(".md").is_some_and(|stem| !stem.starts_with('.'));
        let files = names.iter().filter(is_agent).filter_map(|name| directory.join(name).ok());
        let wanted = self.wanted.iter().map(|wanted| wanted.path.clone());
        for path in files.chain(wanted) {
            let is_listed = inventory.listed.iter().any(|listed| listed.path == path);
            if !is_listed && self.made_at(&path).is_none() {
                inventory.listed.extend(self.of_other(path));
            }
        }
        inventory.listed.sort_by(|one, other| one.path.cmp(&other.path));
        inventory
    }

    /// Looks at the file of a recorded agent; none if this worktree neither has the file nor should
    /// have it.
    fn of_made(&self, made: &AgentRecord) -> Option<Listed> {
        let disk = self.disk(&made.path);
        let asked = self.asks(made);
        if disk == OnDisk::Nothing {
            let is_theirs = asked != Asked::For && self.is_elsewhere(&made.path);
            if made.forgotten || is_theirs {
                return None;
            }
        }
        let file = file_state(made, &disk);
        if file == State::Unknown {
            return self.of_other(made.path.clone());
        }
        let there = match &disk {
            OnDisk::File(content) => Some(content.as_str()),
            _ => None,
        };
        let is_outdated = self.wanted_at(&made.path).is_some_and(|wanted| {
            match there.filter(|there| made.wrote(there)) {
                Some(there) => there != wanted.content,
                None => !made.wrote(&wanted.content),
            }
        });
        Some(Listed {
            path: made.path.clone(),
            state: if asked == Asked::Orphaned { State::Orphaned } else { file },
            file: Some(file),
            is_outdated,
            is_accepted: there.is_some_and(|there| made.has_accepted(there)),
            is_unasked: matches!(asked, Asked::NotAnyMore | Asked::Unclear),
            may_be_forgotten: matches!(asked, Asked::NotAnyMore | Asked::Orphaned),
            made: Some(made.clone()),
            problem: problem(disk),
        })
    }

    /// Looks at a file that was not made here; none if there is no file.
    fn of_other(&self, path: TreePath) -> Option<Listed> {
        let disk = self.disk(&path);
        (disk != OnDisk::Nothing).then(|| Listed {
            path,
            state: State::Unknown,
            file: None,
            made: None,
            is_outdated: false,
            is_accepted: false,
            is_unasked: false,
            may_be_forgotten: false,
            problem: problem(disk),
        })
    }
}

fn problem(disk: OnDisk) -> Option<String> {
    match disk {
        OnDisk::NoFile => Some("what is there is no file".to_owned()),
        OnDisk::Unreadable(why) => Some(why),
        OnDisk::Nothing | OnDisk::File(_) => None,
    }
}

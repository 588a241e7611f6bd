//! `domain agents list`: what was made against what is there. One file that cannot be looked at is
//! told, and does not hide the others.

use super::{Asked, Workshop};
use crate::app::Ctx;
use crate::app::error::{AppError, with_causes};
use crate::core::domain::generation::{OnDisk, State, file_state};
use crate::core::domain::made::Made;
use crate::core::domain::tree_path::TreePath;

/// One agent or file, and how it stands with it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Where.
    pub path: TreePath,
    /// How it stands.
    pub state: State,
    /// How it stands with its file, if it was made here.
    pub file: Option<State>,
    /// What was made, if it was made here.
    pub made: Option<Made>,
    /// Whether its specification or the generator has changed since.
    pub is_outdated: bool,
    /// Whether what is there is somebody's edit that was accepted.
    pub is_accepted: bool,
    /// Whether it was made and no profile of its domain asks for it here.
    pub is_unasked: bool,
    /// Whether it is known that nothing asks for it, so that nobody has to miss it.
    pub(super) may_be_forgotten: bool,
    /// Why what is there cannot be its file, if it cannot.
    pub problem: Option<String>,
}

/// What was made against what is there.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Every agent and file, by path.
    pub listed: Vec<Listed>,
    /// What could not be looked at.
    pub notices: Vec<String>,
}

/// What was made against what is there.
pub fn list(ctx: &Ctx) -> Result<Inventory, AppError> {
    Ok(Workshop::open(ctx)?.inventory())
}

impl Workshop<'_> {
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

    /// Nothing if it is nothing to this worktree: it is neither here nor missed here.
    fn of_made(&self, made: &Made) -> Option<Listed> {
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

    /// What was not made here, if there is anything.
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

//! The helper files that a machine keeps beside the ledgers. None of them is state.

use super::Ctx;
use crate::core::place::{Place, Skew};
use crate::store::error::StoreError;
use crate::store::machine::commands::Commands;
use crate::store::machine::commit_authors::CommitAuthors;
use crate::store::machine::cursors::Cursors;
use crate::store::machine::losses::Losses;
use crate::store::machine::notes::Notes;
use crate::store::machine::place;
use crate::store::machine::presence::Presences;
use crate::store::machine::session_places::SessionPlaces;
use crate::store::machine::waiters::Waiters;

impl Ctx {
    /// Returns the id of this clone, if it has one yet.
    pub(in crate::app) fn known_place(&self) -> Option<Place> {
        place::read(self.repository.common_dir(), self.files)
    }

    /// Returns the judge of when holds of other places than this clone end.
    pub fn skew<'p>(&self, place: Option<&'p Place>) -> Skew<'p> {
        Skew { place, tolerance_seconds: self.settings().clock_skew.as_secs() }
    }

    /// Gives this clone an id before its first write.
    pub(in crate::app) fn make_place(&self) -> Result<(), StoreError> {
        place::make(self.repository.common_dir(), self.files)
    }

    /// Opens the files of the agents that wait on this machine.
    pub(in crate::app) fn waiters(&self) -> Waiters {
        Waiters::new(self.repository.common_dir(), self.files)
    }

    /// Opens the positions of the consumers of events.
    pub(in crate::app) fn cursors(&self) -> Cursors {
        Cursors::new(self.repository.common_dir(), self.files)
    }

    /// Opens the notes on edits in this worktree that are not committed yet.
    pub(in crate::app) fn notes(&self) -> Notes {
        Notes::new(self.repository.git_dir(), self.files)
    }

    /// Opens the record of changes in this worktree that are gone.
    pub(in crate::app) fn losses(&self) -> Losses {
        Losses::new(self.repository.git_dir(), self.files)
    }

    /// Opens the record of which agent made which commit on this machine.
    pub(in crate::app) fn commit_authors(&self) -> CommitAuthors {
        CommitAuthors::new(self.repository.common_dir(), self.files)
    }

    /// Opens the record of the commands that `with` runs on this machine.
    pub(in crate::app) fn commands(&self) -> Commands {
        Commands::new(self.repository.common_dir(), self.files)
    }

    /// Opens the record of the work trees of sessions that were begun here.
    pub(in crate::app) fn session_places(&self) -> SessionPlaces {
        SessionPlaces::new(self.repository.common_dir(), self.files)
    }

    /// Opens the presence of agents on this machine.
    pub(in crate::app) fn presences(&self) -> Presences {
        Presences::new(self.repository.common_dir(), self.files)
    }
}

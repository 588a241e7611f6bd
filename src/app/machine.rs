//! What a machine keeps beside the ledgers: helper files, none of which is state.

use super::Ctx;
use crate::store::machine::commands::Commands;
use crate::store::machine::commit_authors::CommitAuthors;
use crate::store::machine::cursors::Cursors;
use crate::store::machine::notes::Notes;
use crate::store::machine::presence::Presences;
use crate::store::machine::waiters::Waiters;

impl Ctx {
    /// Those of this machine who wait.
    pub fn waiters(&self) -> Waiters {
        Waiters::new(self.repository.common_dir(), self.files)
    }

    /// How far consumers have read.
    pub fn cursors(&self) -> Cursors {
        Cursors::new(self.repository.common_dir(), self.files)
    }

    /// What was edited in this worktree and not committed yet.
    pub fn notes(&self) -> Notes {
        Notes::new(self.repository.git_dir(), self.files)
    }

    /// Who has made which commits, as far as this machine was there.
    pub fn commit_authors(&self) -> CommitAuthors {
        CommitAuthors::new(self.repository.common_dir(), self.files)
    }

    /// What runs under `with` on this machine.
    pub fn commands(&self) -> Commands {
        Commands::new(self.repository.common_dir(), self.files)
    }

    /// When agents were last seen on this machine.
    pub fn presences(&self) -> Presences {
        Presences::new(self.repository.common_dir(), self.files)
    }
}

//! The kind of a project: one file a verb, each with its request, its answer and its function.
//! [`view`] has the form that several answers share; [`catalogue`] and [`profiles`] read the files
//! of the repository. This file has the queries that several verbs share.

pub mod agents;
pub mod catalogue;
pub mod check;
pub mod detect;
pub mod index;
mod kept;
pub mod profiles;
pub mod set;
pub mod show;
pub mod view;

use crate::app::answer::Written;
use crate::app::error::AppError;
use crate::app::{Ctx, Reading};
use crate::core::domain::cache::{self, Cache};
use crate::core::domain::catalogue::Catalogue;
use crate::core::domain::source_tree::{SourceTree, Which, Without};
use crate::core::domain::structure::{Basis, Structure};
use crate::core::domain::survey::{self, Purpose, Survey};
use crate::core::ledger::LedgerName;
use crate::core::time::Timestamp;

pub use kept::Damaged;

/// The number of looks at a tree, which is repeated if somebody else writes meanwhile.
const TRIES_MAX: usize = 5;

/// A tree with its catalogue.
struct Look<'c> {
    tree: Box<dyn SourceTree + 'c>,
    catalogue: Catalogue,
    basis: Basis,
}

impl<'c> Look<'c> {
    fn at(ctx: &'c Ctx, which: Which) -> Result<Look<'c>, AppError> {
        let tree = ctx.sources(which)?;
        let catalogue = catalogue::catalogue_in(ctx, &*tree)?;
        let basis = Basis::of(&catalogue);
        // Generated agents must not change the detected kind of the project.
        let directory = ctx.settings().domains.agents.to_string();
        Ok(Look { tree: Box::new(Without { tree, directory }), catalogue, basis })
    }

    fn survey(&self, purpose: Purpose) -> Result<(Survey, Structure), AppError> {
        let survey = survey::survey(&*self.tree, &self.catalogue, purpose)?;
        let structure = Structure::of(&survey, &*self.tree)?;
        Ok((survey, structure))
    }
}

/// The recorded kind of the project.
struct Known {
    cache: Cache,
    /// The newest entry of the ledger; none before the first.
    newest: Option<Written>,
    now: Timestamp,
}

/// Explains that nothing is recorded.
fn not_classified() -> AppError {
    let message = "nothing is known of this project yet; run: git coord domain detect";
    AppError::nothing("not_classified", message)
}

/// Reads the recorded kind of the project; fails if nothing is recorded.
fn known(ctx: &Ctx) -> Result<Known, AppError> {
    let look = Look::at(ctx, Which::Usual)?;
    let Reading { base, now, .. } = ctx.read_ledger(LedgerName::Domains)?;
    let structure = if cache::has_answers(&base.snapshot)? {
        look.survey(Purpose::Compare)?.1
    } else {
        Structure::default()
    };
    let cache = Cache::read(&base.snapshot, &look.basis, &structure)?;
    if cache.is_empty() {
        return Err(not_classified());
    }
    Ok(Known { cache, newest: Written::newest(&base.snapshot), now })
}

//! What kind of project this is, whether that still holds, what somebody else says, and the agents
//! that are made for it.

pub mod agents;
pub mod check;
pub mod detect;
pub mod index;
mod kept;
pub mod profiles;

use crate::app::error::AppError;
use crate::app::{Ctx, Reading};
use crate::core::domain::cache::Cache;
use crate::core::domain::classify::{Classify, Declassify};
use crate::core::domain::index::Index;
use crate::core::domain::structure::{Basis, Structure};
use crate::core::domain::survey::{self, Purpose, SourceTree, Survey};
use crate::store::layout::LedgerName;
use crate::store::object::ObjectId;
use crate::store::sources::Which;
use crate::store::transact::Committed;
pub use kept::{Damaged, KeptAside};

/// How often a look at a tree begins again because somebody else wrote meanwhile.
const TRIES_MAX: usize = 5;

/// A tree with the index that counts in it.
struct Look<'c> {
    tree: Box<dyn SourceTree + 'c>,
    index: Index,
    basis: Basis,
}

impl<'c> Look<'c> {
    fn at(ctx: &'c Ctx, which: Which) -> Result<Look<'c>, AppError> {
        let tree = ctx.sources(which)?;
        let index = index::index_in(ctx, &*tree)?;
        let basis = Basis::of(&index);
        Ok(Look { tree, index, basis })
    }

    fn survey(&self, purpose: Purpose) -> Result<(Survey, Structure), AppError> {
        let survey = survey::survey(&*self.tree, &self.index, purpose)?;
        let structure = Structure::of(&survey, &*self.tree)?;
        Ok((survey, structure))
    }
}

/// What the ledger says, and at which entry.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What it says.
    pub cache: Cache,
    /// The entry; none before the first.
    pub entry: Option<ObjectId>,
}

/// What the ledger says to a reader of that list, at its newest entry.
fn known(ctx: &Ctx, basis: &Basis) -> Result<Known, AppError> {
    let Reading { base, .. } = ctx.read_ledger(LedgerName::Domains)?;
    Ok(Known { cache: Cache::read(&base.snapshot, basis)?, entry: base.id() })
}

/// What is known of this project; says where nothing is.
pub fn show(ctx: &Ctx) -> Result<Known, AppError> {
    let index = index::index(ctx, Which::Usual)?;
    let known = known(ctx, &Basis::of(&index))?;
    if known.cache.is_empty() {
        let advice = "nothing is known of this project yet; run: git coord domain detect";
        return Err(AppError::Nothing(advice.to_owned()));
    }
    Ok(known)
}

/// Records what somebody else says that this project is.
pub fn classify(
    ctx: &Ctx,
    command: Classify,
) -> Result<Committed<crate::core::domain::cache::Classified>, AppError> {
    ctx.transact(LedgerName::Domains, command, None)
}

/// Takes that back.
pub fn declassify(ctx: &Ctx, command: Declassify) -> Result<Committed<()>, AppError> {
    ctx.transact(LedgerName::Domains, command, None)
}

//! `domain detect`: a look at the tree, recorded unless somebody has found out more meanwhile.

use super::kept::{self, KeptAside};
use super::{Look, TRIES_MAX};
use crate::app::error::AppError;
use crate::app::{Ctx, Reading};
use crate::core::domain;
use crate::core::domain::cache::{self, Cache};
use crate::core::domain::detection;
use crate::core::domain::record::{Detect, Recorded};
use crate::core::domain::survey::Purpose;
use crate::core::ledger::LedgerName;
use crate::core::refusal::Refusal;
use crate::core::text::Line;
use crate::store::git::object::ObjectId;
use crate::store::ledger::transact::Committed;
use crate::store::worktree::sources::Which;

/// What a detection came to.
#[derive(Clone, Debug)]
pub struct Detection {
    /// What is known now.
    pub cache: Cache,
    /// Whether something was recorded.
    pub is_new: bool,
    /// The entry that says so.
    pub entry: Option<ObjectId>,
    /// A damaged cache that was set aside.
    pub set_aside: Option<KeptAside>,
    /// What the caller should be told besides.
    pub notices: Vec<String>,
}

/// Finds out what kind of project a tree is. What is known and still holds is not looked for again
/// unless that is asked for.
pub fn detect(ctx: &Ctx, which: Which, force: bool) -> Result<Detection, AppError> {
    let mut set_aside = None;
    let mut outcome = Err(Refusal::from(domain::refusal::Refusal::OutOfDate).into());
    for _ in 0..TRIES_MAX {
        let look = Look::at(ctx, which)?;
        outcome = match kept::or_damaged(look_once(ctx, &look, force, Reader::Strict)) {
            Ok(Ok(detection)) => Ok(detection),
            Ok(Err(damaged)) => {
                set_aside = Some(kept::set_aside(ctx, damaged)?);
                look_once(ctx, &look, force, Reader::Lenient)
            }
            Err(error) => Err(error),
        };
        match &outcome {
            Err(AppError::Refused(Refusal::Domain(domain::refusal::Refusal::OutOfDate))) => {}
            _ => break,
        }
    }
    Ok(Detection { set_aside, ..outcome? })
}

/// How a look reads what is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// Damage is an error.
    Strict,
    /// What was damaged was set aside just now. What is left of it that cannot be read is not
    /// there, and is replaced, whether or not there is anything else to record.
    Lenient,
}

fn look_once(
    ctx: &Ctx,
    look: &Look<'_>,
    force: bool,
    reader: Reader,
) -> Result<Detection, AppError> {
    // What stands there is read before the tree: whoever writes between the two has seen a tree
    // that may be newer than the one that is looked at here.
    let Reading { base, .. } = ctx.read_ledger(LedgerName::Domains)?;
    let after = cache::newest(&base.snapshot, &look.basis)?;
    let (survey, structure) = look.survey(Purpose::Detect)?;
    let read = match reader {
        Reader::Strict => Cache::read,
        Reader::Lenient => Cache::read_legible,
    };
    let mut cache = read(&base.snapshot, &look.basis, &structure)?;
    if reader == Reader::Strict && !force && cache.own.is_some() {
        let (entry, notices) = (base.id(), Vec::new());
        return Ok(Detection { cache, is_new: false, entry, set_aside: None, notices });
    }
    let domains = detection::detect(&survey, &*look.tree, &look.catalogue)?;
    let head = ctx.repository().head_commit()?.and_then(|id| Line::new(&id).ok());
    let command = Detect {
        after,
        domains,
        fingerprint: structure.fingerprint_by(&look.catalogue),
        structure,
        cut_short: survey.is_cut_short(),
        head,
        force,
    };
    let Committed { answer, entry: written, notices, .. } =
        ctx.transact(LedgerName::Domains, command, None)?;
    let Recorded { detected, is_new } = answer;
    cache = Cache { own: Some(detected), near: None, other: None, ..cache };
    Ok(Detection { cache, is_new, entry: written.or(base.id()), set_aside: None, notices })
}

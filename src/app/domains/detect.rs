//! `domain detect`: a look at the tree, recorded unless somebody has found out more meanwhile.

use super::kept::{self, KeptAside};
use super::{Known, Look, TRIES_MAX};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::domain;
use crate::core::domain::cache::Cache;
use crate::core::domain::detection;
use crate::core::domain::freshness::{Verdict, judge};
use crate::core::domain::record::{Detect, Recorded};
use crate::core::domain::survey::Purpose;
use crate::core::refusal::Refusal;
use crate::core::text::Line;
use crate::store::layout::LedgerName;
use crate::store::object::ObjectId;
use crate::store::sources::Which;
use crate::store::transact::Committed;

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
        // What stands there is read before the tree: whoever writes between the two has seen a
        // tree that may be newer than the one that is looked at here.
        let known = match kept::known_or_damaged(ctx, &look.basis)? {
            Ok(known) => known,
            Err(damaged) => {
                set_aside = Some(kept::set_aside(ctx, damaged)?);
                Known::default()
            }
        };
        outcome = look_once(ctx, &look, known, force);
        match &outcome {
            Err(AppError::Refused(Refusal::Domain(domain::refusal::Refusal::OutOfDate))) => {}
            _ => break,
        }
    }
    Ok(Detection { set_aside, ..outcome? })
}

fn look_once(ctx: &Ctx, look: &Look<'_>, known: Known, force: bool) -> Result<Detection, AppError> {
    let Known { mut cache, entry } = known;
    let (survey, structure) = look.survey(Purpose::Detect)?;
    let detected_before = Cache { classified: None, ..cache.clone() };
    let holds = judge(&detected_before, &structure, &look.basis);
    if !force && matches!(holds, Verdict::Fresh | Verdict::NoDomain) {
        let notices = Vec::new();
        return Ok(Detection { cache, is_new: false, entry, set_aside: None, notices });
    }
    let domains = detection::detect(&survey, &*look.tree, &look.index)?;
    let head = ctx.repository().head_commit()?.and_then(|id| Line::new(&id).ok());
    let command = Detect {
        after: cache.own.as_ref().map(|own| own.op.clone()),
        domains,
        fingerprint: structure.fingerprint_by(&look.index),
        structure,
        cut_short: survey.is_cut_short,
        head,
        force,
    };
    let Committed { answer, entry: written, notices, .. } =
        ctx.transact(LedgerName::Domains, command, None)?;
    let Recorded { detected, is_new } = answer;
    cache.own = Some(detected);
    cache.other = None;
    Ok(Detection { cache, is_new, entry: written.or(entry), set_aside: None, notices })
}

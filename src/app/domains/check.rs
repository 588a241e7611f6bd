//! `domain check`: whether what is known still holds.

use super::kept::{self, Damaged};
use super::{Known, Look, TRIES_MAX};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::domain::cache::Cache;
use crate::core::domain::change::{Change, Weight};
use crate::core::domain::freshness::{Verdict, judge};
use crate::core::domain::structure::Structure;
use crate::core::domain::survey::Purpose;
use crate::store::layout::LedgerName;
use crate::store::object::ObjectId;
use crate::store::sources::Which;

/// Changes that an explanation lists.
pub const CHANGES_MAX: usize = 200;

/// How it stands with what is known.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Whether it holds.
    pub verdict: Verdict,
    /// What is known.
    pub cache: Cache,
    /// The entry that was compared.
    pub entry: Option<ObjectId>,
    /// What is wrong with the cache, if it is damaged.
    pub damaged: Option<Damaged>,
}

/// Compares what is known with the tree of now. Whoever writes meanwhile makes it begin again, so
/// that the answer is about an entry that was compared, and the newest one.
pub fn check(ctx: &Ctx, which: Which) -> Result<Standing, AppError> {
    for _ in 0..TRIES_MAX {
        let look = Look::at(ctx, which)?;
        let Known { cache, entry } = match kept::known_or_damaged(ctx, &look.basis)? {
            Ok(known) => known,
            Err(damaged) => {
                let (verdict, cache) = (Verdict::None, Cache::default());
                return Ok(Standing { verdict, cache, entry: None, damaged: Some(damaged) });
            }
        };
        let needs_no_look = cache.classified.is_some() || cache.own.is_none();
        let structure =
            if needs_no_look { Structure::default() } else { look.survey(Purpose::Compare)?.1 };
        let verdict = judge(&cache, &structure, &look.basis);
        if ctx.ledger(LedgerName::Domains)?.now()?.id() == entry {
            return Ok(Standing { verdict, cache, entry, damaged: None });
        }
    }
    Err(AppError::Busy("others recorded detections all the time".to_owned()))
}

/// The changes since a detection, as far as they are listed.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Each with its weight.
    pub listed: Vec<(Change, Weight)>,
    /// How many more there are.
    pub more: usize,
    /// The commit that they are counted from; none where it is not known any more.
    pub since: Option<String>,
}

/// Every change since the commit that was checked out when the project was looked at, with
/// whether it counts. Those that count come first.
pub fn changes(ctx: &Ctx, which: Which, cache: &Cache) -> Result<Changes, AppError> {
    let head = cache.detected().and_then(|detected| detected.head.as_ref());
    let Some(since) = head.map(ToString::to_string) else { return Ok(Changes::default()) };
    let index = super::index::index(ctx, which)?;
    let Some(found) = ctx.repository().changes_since(&since, which)? else {
        return Ok(Changes::default());
    };
    let mut listed: Vec<(Change, Weight)> = found
        .into_iter()
        .map(|change| {
            let weight = change.weigh(&index);
            (change, weight)
        })
        .collect();
    listed.sort_by_key(|(_, weight)| !weight.is_structural);
    let more = listed.len().saturating_sub(CHANGES_MAX);
    listed.truncate(CHANGES_MAX);
    Ok(Changes { listed, more, since: Some(since) })
}

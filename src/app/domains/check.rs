//! `domain check`: whether what is known still holds.

use super::kept::{self, Damaged};
use super::{Look, TRIES_MAX};
use crate::app::error::AppError;
use crate::app::{Ctx, Reading};
use crate::core::domain::cache::{self, Cache};
use crate::core::domain::change::{Change, Scale, Weight};
use crate::core::domain::freshness::{Verdict, judge};
use crate::core::domain::structure::Structure;
use crate::core::domain::survey::Purpose;
use crate::core::ledger::LedgerName;
use crate::store::git::object::ObjectId;
use crate::store::worktree::sources::Which;

/// Changes that an explanation lists.
pub const CHANGES_MAX: usize = 200;

/// How it stands with what is known.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Whether it holds.
    pub verdict: Verdict,
    /// What is known.
    pub cache: Cache,
    /// What is there now; none where nothing is known that it could be compared with.
    pub now: Option<Structure>,
    /// Whether there are directories that were not looked into.
    pub is_tired: bool,
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
        let standing = match kept::or_damaged(compare(ctx, &look))? {
            Ok(standing) => standing,
            Err(damaged) => {
                return Ok(Standing {
                    verdict: Verdict::None,
                    cache: Cache::default(),
                    now: None,
                    is_tired: false,
                    entry: None,
                    damaged: Some(damaged),
                });
            }
        };
        if ctx.ledger(LedgerName::Domains)?.now()?.id() == standing.entry {
            return Ok(standing);
        }
    }
    Err(AppError::Busy("others recorded detections all the time".to_owned()))
}

fn compare(ctx: &Ctx, look: &Look<'_>) -> Result<Standing, AppError> {
    let Reading { base, .. } = ctx.read_ledger(LedgerName::Domains)?;
    let (mut now, mut is_tired) = (None, false);
    if cache::has_answers(&base.snapshot)? {
        let (survey, structure) = look.survey(Purpose::Compare)?;
        (now, is_tired) = (Some(structure), survey.is_tired);
    }
    let structure = now.clone().unwrap_or_default();
    let cache = Cache::read(&base.snapshot, &look.basis, &structure)?;
    let verdict = judge(&cache, &structure, &look.basis);
    Ok(Standing { verdict, cache, now, is_tired, entry: base.id(), damaged: None })
}

/// The changes since a detection, as far as they are listed.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Each with its weight.
    pub listed: Vec<(Change, Weight)>,
    /// How many more there are.
    pub more: usize,
    /// What they are counted from.
    pub since: Since,
}

/// What changes are counted from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// Nothing was ever looked at.
    #[default]
    Nothing,
    /// The commit that was checked out then.
    Commit(String),
    /// There was no commit yet.
    NoCommit,
    /// That commit is not there any more.
    Gone(String),
}

/// Every change since the commit that was checked out when the project was looked at, with
/// whether it counts. Those that count come first.
pub fn changes(ctx: &Ctx, which: Which, standing: &Standing) -> Result<Changes, AppError> {
    let (Some(detected), Some(now)) = (standing.cache.detected(), &standing.now) else {
        return Ok(Changes::default());
    };
    let nothing_listed = |since: Since| Changes { since, ..Changes::default() };
    let Some(commit) = detected.head.as_ref().map(ToString::to_string) else {
        return Ok(nothing_listed(Since::NoCommit));
    };
    let Some(found) = ctx.repository().changes_since(&commit, which)? else {
        return Ok(nothing_listed(Since::Gone(commit)));
    };
    let catalogue = super::catalogue::catalogue(ctx, which)?;
    let scale = Scale::new(&catalogue, &detected.structure, now);
    let weighed = |change: Change| {
        let weight = scale.weigh(&change);
        (change, weight)
    };
    let mut listed: Vec<(Change, Weight)> = found.into_iter().map(weighed).collect();
    listed.sort_by_key(|(_, weight)| !weight.is_structural);
    let more = listed.len().saturating_sub(CHANGES_MAX);
    listed.truncate(CHANGES_MAX);
    Ok(Changes { listed, more, since: Since::Commit(commit) })
}

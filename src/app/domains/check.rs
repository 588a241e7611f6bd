//! Tells whether the recorded kind of the project still holds.

use schemars::JsonSchema;
use serde::Serialize;

use super::kept::{self, Damaged};
use super::view::ProjectView;
use super::{Look, TRIES_MAX, not_classified};
use crate::app::answer::{Answer, Note, Outcome, Written};
use crate::app::error::AppError;
use crate::app::next::command;
use crate::app::problem::Problem;
use crate::app::{Ctx, Reading};
use crate::core::domain::cache::{self, Cache};
use crate::core::domain::change::{Assessment, Change, Comparison};
use crate::core::domain::freshness::{Reason, Verdict, judge};
use crate::core::domain::source_tree::Which;
use crate::core::domain::structure::Structure;
use crate::core::domain::survey::Purpose;
use crate::core::ledger::LedgerName;

/// The largest number of changes that an explanation lists.
const CHANGES_MAX: usize = 200;

/// A request to check a tree.
pub struct Request {
    pub which: Which,
    /// Set to list every change since the detection.
    pub explain: bool,
}

/// The answer to `domain check`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedProject")]
pub struct Body {
    pub verdict: Word,
    /// The reasons why it is stale; empty otherwise.
    pub reasons: Vec<Reason>,
    #[serde(flatten)]
    pub project: ProjectView,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Written>,
    /// The damage of the cache, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// The freshness of the recorded kind of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Freshness")]
pub enum Word {
    Fresh,
    /// It is fresh, and no domain of the index fits.
    NoDomain,
    Stale,
    /// Nothing is recorded.
    None,
}

/// The changes since the detection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanation {
    /// The changes; those that count come first.
    pub changes: Vec<ChangeView>,
    /// The number of changes that are not listed.
    pub changes_not_listed: usize,
    /// The commit that was checked out at the detection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes_since: Option<String>,
    /// The exit code of `git coord domain check`.
    pub exit_code: u8,
    /// The starting point of the changes, for people.
    #[serde(skip)]
    pub since: Since,
}

/// A change of one file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedChange")]
pub struct ChangeView {
    #[serde(flatten)]
    pub change: Change,
    /// True if it makes the recorded kind stale.
    pub structural: bool,
    pub why: &'static str,
}

/// Tells whether the recorded kind still holds, with the changes since the detection if they are
/// wanted.
pub fn answer(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let standing = check(ctx, request.which)?;
    let (verdict, outcome, exit_code) = match &standing.verdict {
        Verdict::Fresh => (Word::Fresh, Outcome::Done, 0),
        Verdict::NoDomain => (Word::NoDomain, Outcome::No, 1),
        Verdict::Stale(_) => (Word::Stale, Outcome::Stale, 3),
        Verdict::None => (Word::None, Outcome::NothingThere, 4),
    };
    let explanation = if request.explain {
        Some(Explanation::of(changes(ctx, request.which, &standing)?, exit_code))
    } else {
        None
    };
    let mut project = ProjectView::from(&standing.cache);
    project.cut_short |= standing.is_tired;
    let mut notes = Vec::new();
    if let Some(Damaged { why }) = &standing.damaged {
        notes.push(Note::warning(format!("the cache is damaged: {why}")));
        let hint = "to set it aside and look again: git coord domain detect";
        notes.push(Note::plain_hint(hint));
    }
    if standing.is_tired {
        let warning =
            "there are more directories here than are looked into; the rest is not compared";
        notes.push(Note::warning(warning));
    }
    let reasons = match standing.verdict {
        Verdict::Stale(reasons) => reasons,
        Verdict::Fresh | Verdict::NoDomain | Verdict::None => Vec::new(),
    };
    let body = Body {
        verdict,
        reasons,
        project,
        compared: standing.compared,
        damaged: standing.damaged.map(|damaged| damaged.why),
        explanation,
    };
    let refusal = (outcome == Outcome::NothingThere)
        .then(|| Problem::from(not_classified()).with_next(command(&["domain", "detect"])));
    Ok(Answer { outcome, refusal, ..Answer::read(body, ctx.clock()) }.noting(notes))
}

impl Explanation {
    fn of(changes: Changes, exit_code: u8) -> Explanation {
        let view = |(change, Assessment { is_structural, why })| ChangeView {
            change,
            structural: is_structural,
            why,
        };
        let commit = match &changes.since {
            Since::Commit(commit) => Some(commit.clone()),
            Since::Nothing | Since::NoCommit | Since::Gone(_) => None,
        };
        Explanation {
            changes: changes.listed.into_iter().map(view).collect(),
            changes_not_listed: changes.more,
            changes_since: commit,
            exit_code,
            since: changes.since,
        }
    }
}

/// The state of the recorded kind of the project.
#[derive(Clone, Debug)]
pub struct Standing {
    pub verdict: Verdict,
    pub cache: Cache,
    /// The structure of the tree now; none if nothing is recorded to compare it with.
    pub now: Option<Structure>,
    /// Set if there were too many directories to look into all.
    pub is_tired: bool,
    /// The entry that was compared.
    pub compared: Option<Written>,
    /// The damage of the cache, if any.
    pub damaged: Option<Damaged>,
}

/// Compares the record with the present tree. If somebody writes meanwhile, it begins again, so
/// that the answer is about the newest entry, and that entry was compared.
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
                    compared: None,
                    damaged: Some(damaged),
                });
            }
        };
        let compared = standing.compared.as_ref().map(|it| it.entry);
        if ctx.ledger(LedgerName::Domains).now()?.id() == compared {
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
        (now, is_tired) = (Some(structure), survey.hit_directory_limit);
    }
    let structure = now.clone().unwrap_or_default();
    let cache = Cache::read(&base.snapshot, &look.basis, &structure)?;
    let verdict = judge(&cache, &structure, &look.basis);
    let compared = Written::newest(&base.snapshot);
    Ok(Standing { verdict, cache, now, is_tired, compared, damaged: None })
}

/// The changes since a detection, as far as they are listed.
#[derive(Clone, Debug, Default)]
struct Changes {
    /// The changes, each with its assessment.
    listed: Vec<(Change, Assessment)>,
    /// The number of changes that are not listed.
    more: usize,
    since: Since,
}

/// The starting point of changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// The project was never looked at.
    #[default]
    Nothing,
    /// The commit that was checked out at the detection.
    Commit(String),
    /// There was no commit yet.
    NoCommit,
    /// That commit no longer exists.
    Gone(String),
}

/// Finds every change since the commit that was checked out at the detection, with its weight.
/// Changes that count come first.
fn changes(ctx: &Ctx, which: Which, standing: &Standing) -> Result<Changes, AppError> {
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
    let comparison = Comparison::new(&catalogue, &detected.structure, now);
    let assessed = |change: Change| {
        let assessment = comparison.assess(&change);
        (change, assessment)
    };
    let mut listed: Vec<(Change, Assessment)> = found.into_iter().map(assessed).collect();
    listed.sort_by_key(|(_, assessment)| !assessment.is_structural);
    let more = listed.len().saturating_sub(CHANGES_MAX);
    listed.truncate(CHANGES_MAX);
    Ok(Changes { listed, more, since: Since::Commit(commit) })
}

//! Detects the kind of the project from its tree, and records it unless somebody recorded a newer
//! detection meanwhile.

use schemars::JsonSchema;
use serde::Serialize;

use super::kept::{self, KeptAside};
use super::view::ProjectView;
use super::{Look, TRIES_MAX};
use crate::app::answer::{Answer, Note, Outcome, Written};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, Reading, WriteMode};
use crate::core::domain;
use crate::core::domain::cache::{self, Cache};
use crate::core::domain::detection;
use crate::core::domain::record::{Detect, Recorded};
use crate::core::domain::source_tree::Which;
use crate::core::domain::survey::Purpose;
use crate::core::ledger::LedgerName;
use crate::core::refusal::Refusal;
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// A request to detect.
pub struct Request {
    pub which: Which,
    /// Set to detect again although the record still holds.
    pub force: bool,
}

/// The answer to `domain detect`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DetectedProject")]
pub struct Body {
    #[serde(flatten)]
    pub project: ProjectView,
    /// True if something was recorded.
    pub recorded: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub before: Option<Written>,
    /// The ref or the file that keeps a damaged cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
}

/// The result of a detection.
struct Detection {
    cache: Cache,
    is_new: bool,
    /// The entry that was read.
    before: Option<Written>,
    written: Option<Written>,
    notes: Vec<Note>,
    at: Timestamp,
}

/// Detects the kind of a project. The answer is no if no domain fits. A record that still holds is
/// not replaced unless the request says so.
pub fn detect(ctx: &Ctx, request: &Request) -> Result<Answer<Body>, Problem> {
    let (detection, aside) = try_detect(ctx, request)?;
    let Detection { cache, is_new, before, written, notes, at } = detection;
    let body = Body {
        project: ProjectView::from(&cache),
        recorded: is_new,
        before: before.filter(|_| written.is_none()),
        set_aside: aside.as_ref().map(|aside| aside.kept_at.clone()),
    };
    let warning = aside.map(|KeptAside { why, kept_at }| {
        Note::warning(format!("the cache was damaged and is kept at '{kept_at}': {why}"))
    });
    let more = body.project.warning();
    let mut answer = Answer::read(body, at).noting(warning).noting(notes).noting(more);
    answer.written = written;
    if answer.body.project.domains.is_empty() {
        answer.outcome = Outcome::No;
    }
    Ok(answer)
}

/// Detects again until nobody else has recorded a newer detection meanwhile.
fn try_detect(ctx: &Ctx, request: &Request) -> Result<(Detection, Option<KeptAside>), AppError> {
    let mut set_aside = None;
    let mut outcome = Err(Refusal::from(domain::refusal::Refusal::OutOfDate).into());
    for _ in 0..TRIES_MAX {
        let look = Look::at(ctx, request.which)?;
        outcome = match kept::or_damaged(look_once(ctx, &look, request.force, Reader::Strict)) {
            Ok(Ok(detection)) => Ok(detection),
            Ok(Err(damaged)) => {
                set_aside = Some(kept::set_aside(ctx, damaged)?);
                look_once(ctx, &look, request.force, Reader::Lenient)
            }
            Err(error) => Err(error),
        };
        match &outcome {
            Err(AppError::Refused(Refusal::Domain(domain::refusal::Refusal::OutOfDate))) => {}
            _ => break,
        }
    }
    Ok((outcome?, set_aside))
}

/// The treatment of damaged documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// Damage is an error.
    Strict,
    /// The damaged state was just set aside. Documents that still cannot be read count as absent,
    /// and are replaced even if there is nothing else to record.
    Lenient,
}

fn look_once(
    ctx: &Ctx,
    look: &Look<'_>,
    force: bool,
    reader: Reader,
) -> Result<Detection, AppError> {
    // The record is read before the tree: somebody who writes between the two has seen a tree that
    // may be newer than the one here.
    let Reading { base, now, .. } = ctx.read_ledger(LedgerName::Domains)?;
    let before = Written::newest(&base.snapshot);
    let after = cache::newest(&base.snapshot, &look.basis)?;
    let (survey, structure) = look.survey(Purpose::Detect)?;
    let read = match reader {
        Reader::Strict => Cache::read,
        Reader::Lenient => Cache::read_legible,
    };
    let mut cache = read(&base.snapshot, &look.basis, &structure)?;
    if reader == Reader::Strict && !force && cache.exact.is_some() {
        let (written, notes) = (None, Vec::new());
        return Ok(Detection { cache, is_new: false, before, written, notes, at: now });
    }
    let domains = detection::detect(&survey, &*look.tree, &look.catalogue)?;
    let head = ctx.repository().head_commit()?.and_then(|id| Line::new(&id.to_string()).ok());
    let command = Detect {
        after,
        domains,
        fingerprint: structure.fingerprint_by(&look.catalogue),
        structure,
        cut_short: survey.is_cut_short(),
        head,
        force,
    };
    let answer = match ctx.transact(LedgerName::Domains, command.clone(), WriteMode::Plain) {
        Ok(committed) => Answer::committed(committed, |recorded| recorded),
        Err(error) => match kept::in_the_way(ctx).filter(|_| error.is_failure()) {
            Some(reference) => unrecorded(ctx, command, &reference)?,
            None => return Err(error),
        },
    };
    let Answer { body, written, notes, at, .. } = answer;
    let Recorded { detected, is_new } = body;
    cache = Cache { exact: Some(detected), nearest: None, other: None, ..cache };
    Ok(Detection { cache, is_new, before, written, notes, at })
}

/// Answers from a detection that cannot be recorded: it holds all the same.
fn unrecorded(ctx: &Ctx, command: Detect, reference: &str) -> Result<Answer<Recorded>, AppError> {
    let decided = ctx.decide_only(LedgerName::Domains, command)?;
    let text = format!("nothing is recorded: '{reference}' is in the way of the ledger");
    let mut warning = Note::warning(text);
    warning.details = vec!["'git coord doctor' says how to remove it".to_owned()];
    Ok(Answer::read(Recorded { is_new: false, ..decided }, ctx.clock()).noting([warning]))
}

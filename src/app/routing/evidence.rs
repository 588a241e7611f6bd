//! Records and lists evidence: what became of agents' findings.

use schemars::JsonSchema;
use serde::Serialize;

use super::change::each_once;
use super::{agent_name, some_agent};
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, WriteMode};
use crate::core::bounded::Limit;
use crate::core::ledger::LedgerName;
use crate::core::routing::evidence::{AddEvidence, Evidence, Findings, SourceKind, recent};
use crate::core::routing::names::{EvidenceRef, Word};
use crate::core::routing::text::{Context, Note};
use crate::core::routing::thresholds::Thresholds;
use crate::core::text::Line;

/// The kind of source that a row is about, if the caller names none.
pub const KIND_DEFAULT: SourceKind = SourceKind::Agent;
/// The number of rows if the caller gives no limit.
pub const LIMIT_DEFAULT: Limit = Limit::HUNDRED;

/// A row of evidence to record.
pub struct AddRequest<'r> {
    pub agent: &'r str,
    pub kind: SourceKind,
    pub event: &'r Word,
    pub reason: Option<&'r Word>,
    /// The caller's name if absent.
    pub session: Option<&'r Note>,
    /// The name of the repository's directory if absent.
    pub project: Option<&'r Note>,
    pub context: Option<&'r Context>,
    pub findings: Option<Findings>,
    /// The evidence that the row follows from.
    pub lineage: &'r [EvidenceRef],
}

/// The answer to `override evidence add`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AddedEvidence")]
pub struct AddBody {
    pub evidence: Evidence,
}

/// A choice of rows.
pub struct ListRequest<'r> {
    /// Only about this agent.
    pub agent: Option<&'r str>,
    /// At most this many rows.
    pub limit: Limit,
}

/// The answer to `override evidence list`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EvidenceList")]
pub struct ListBody {
    /// The rows, newest first.
    pub evidence: Vec<Evidence>,
    /// The number of rows without the limit.
    pub total: usize,
}

/// Records one row.
pub fn add(ctx: &Ctx, request: &AddRequest<'_>) -> Result<Answer<AddBody>, Problem> {
    let session = note(request.session, || ctx.actor().to_string())?;
    let project = note(request.project, || project(ctx))?;
    let command = AddEvidence {
        agent: agent_name(ctx, request.agent)?,
        source_kind: request.kind,
        source_version: ctx.repository().head().and_then(|head| Line::new(&head).ok()),
        event: request.event.clone(),
        reason: request.reason.cloned(),
        session,
        project,
        context: request.context.cloned(),
        findings: request.findings.map(Findings::get),
        lineage: each_once(request.lineage),
    };
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, |evidence| AddBody { evidence }))
}

/// Lists the rows of the days that count.
pub fn list(ctx: &Ctx, request: &ListRequest<'_>) -> Result<Answer<ListBody>, Problem> {
    let agent = some_agent(ctx, request.agent)?;
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let thresholds = Thresholds::read(documents).map_err(AppError::from)?;
    let mut rows = recent(documents, now, &thresholds).map_err(AppError::from)?;
    rows.retain(|row| agent.as_ref().is_none_or(|agent| row.source == *agent));
    rows.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
    let total = rows.len();
    rows.truncate(request.limit.rows());
    Ok(Answer::read(ListBody { evidence: rows, total }, now))
}

/// Returns the given text, or else the usual one.
fn note(said: Option<&Note>, usual: impl FnOnce() -> String) -> Result<Note, AppError> {
    match said {
        Some(note) => Ok(note.clone()),
        None => Ok(Note::new(&usual())?),
    }
}

/// Names this project after its directory.
fn project(ctx: &Ctx) -> String {
    let common = ctx.repository().common_dir();
    let common = common.canonicalize().unwrap_or_else(|_| common.to_owned());
    let is_inside = common.file_name().is_some_and(|name| name == ".git");
    let named = if is_inside { common.parent().unwrap_or(&common) } else { &common };
    let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.strip_suffix(".git").unwrap_or(&name).to_owned()
}

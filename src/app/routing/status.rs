//! Shows every override with its trial, its evidence, its author and the command to run next.

use schemars::JsonSchema;
use serde::Serialize;

use super::view::{EvidenceCount, OverrideView, TrialView, trial};
use crate::app::Ctx;
use crate::app::answer::{Answer, Note};
use crate::app::error::AppError;
use crate::app::next::command;
use crate::app::problem::Problem;
use crate::app::routing::put_by;
use crate::app::routing::roster::Roster;
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::core::routing::autonomy::Reverts;
use crate::core::routing::canary::{self, Status};
use crate::core::routing::classify::Tally;
use crate::core::routing::evidence::{self, Evidence};
use crate::core::routing::overlay::{self, Overlay};
use crate::core::routing::thresholds::Thresholds;
use crate::core::routing::{Block, Modification, Override, index, revert};
use crate::core::time::Timestamp;

/// From this number of exclusions on a person is warned: a router needs agents.
const EXCLUSIONS_WARNED: usize = 3;

/// The answer to `override status`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OverrideStatus")]
pub struct Body {
    pub overrides: Vec<OverrideView>,
    /// The agents whose overrides are blocked.
    pub blocked: Vec<Block>,
    /// The instructions that agents get in addition.
    pub overlays: Vec<Overlay>,
    /// The tokens that the active overlays cost.
    pub overlay_tokens: u64,
    /// The number of sessions with evidence.
    pub sessions: u64,
    /// The number of rows of evidence in the days that count.
    pub evidence: u64,
    /// The number of these rows that are in quarantine, and do not count yet.
    pub quarantined: u64,
    /// True if programs may exclude agents by themselves.
    pub autonomy: bool,
    /// Warnings; `notes` has them as well.
    pub warnings: Vec<String>,
}

/// Shows all overrides. The environment names the home directory and the user's configuration,
/// which define the roster.
pub fn status(ctx: &Ctx, environment: &Environment) -> Result<Answer<Body>, Problem> {
    let (body, now) = look(ctx, environment)?;
    let notes: Vec<Note> = body.warnings.iter().map(Note::warning).collect();
    Ok(Answer::read(body, now).noting(notes))
}

/// Reads all overrides, and returns the time of the reading.
pub(super) fn look(ctx: &Ctx, environment: &Environment) -> Result<(Body, Timestamp), AppError> {
    let roster = Roster::read(ctx, environment);
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let thresholds = Thresholds::read(documents)?;
    let rows = evidence::recent(documents, now, &thresholds)?;
    let records = index::modifications(documents)?;
    let reverts = Reverts::of(&records, now, &thresholds);
    let in_force: Vec<_> = records.into_iter().filter(Modification::is_applied).collect();
    let mut named = put_by(ctx, reading.base.id(), &in_force);
    let mut found = Vec::new();
    for entry in index::overrides(documents)? {
        let record = revert::applied(documents, &entry.agent)?;
        let trial = match canary::of_override(documents, &entry)? {
            None => None,
            Some(canary) => Some(trial(documents, canary, now, &thresholds)?),
        };
        let orphaned = roster.lacks(&entry.agent);
        found.push(OverrideView {
            put_by: record.as_ref().and_then(|record| named.remove(&record.id)),
            evidence: count(&rows, &entry, now, &thresholds),
            orphaned,
            mismatch: entry.is_in_force() != record.is_some(),
            tripped: reverts.has_tripped_for(&entry.agent),
            next: next(&entry, trial.as_ref(), orphaned).into_iter().collect(),
            entry,
            record,
            trial,
        });
    }
    let overlays = index::overlays(documents)?;
    let is_held = |row: &&Evidence| !row.counts(now, &thresholds);
    let body = Body {
        warnings: warnings(roster.warnings, &found, &reverts),
        blocked: index::blocks(documents)?,
        overlay_tokens: overlay::tokens(&overlays),
        overlays,
        sessions: index::sessions(documents)?.len() as u64,
        evidence: rows.len() as u64,
        quarantined: rows.iter().filter(is_held).count() as u64,
        autonomy: thresholds.autonomy(),
        overrides: found,
    };
    Ok((body, now))
}

/// Counts the evidence about the agent of an override.
fn count(
    rows: &[Evidence],
    entry: &Override,
    now: Timestamp,
    thresholds: &Thresholds,
) -> EvidenceCount {
    let own = rows.iter().filter(|row| row.source == entry.agent).cloned();
    let (counting, quarantined): (Vec<_>, Vec<_>) =
        own.partition(|row| row.counts(now, thresholds));
    EvidenceCount {
        rows: counting.len() as u64,
        quarantined: quarantined.len() as u64,
        tally: Tally::of(&counting),
    }
}

fn warnings(of_roster: Vec<String>, found: &[OverrideView], reverts: &Reverts) -> Vec<String> {
    let mut warnings = of_roster;
    let exclusions = found.iter().filter(|row| row.entry.is_in_force()).count();
    if exclusions >= EXCLUSIONS_WARNED {
        warnings.push(format!("{exclusions} agents are left out; who reviews what they did?"));
    }
    if reverts.has_tripped() {
        warnings.push("too many agents were taken back too often; programs act no more".to_owned());
    }
    warnings
}

/// Finds the command that a person would run now.
fn next(entry: &Override, trial: Option<&TrialView>, orphaned: bool) -> Option<Vec<String>> {
    let agent = entry.agent.as_str();
    let of = |words: &[&str]| Some(command(&[&["override"], words].concat()));
    if orphaned {
        return of(&["revert", agent]);
    }
    if !entry.is_in_force() {
        return of(&["approve", agent]);
    }
    let trial = trial?;
    match trial.canary.status {
        _ if trial.due.is_some() => of(&["canary", "check", agent]),
        Status::Alert => of(&["revert", agent]),
        Status::Active | Status::Monitoring => of(&["canary", "check", agent]),
        Status::Passed | Status::ExpiredUnused | Status::Unjudged | Status::Reverted => None,
    }
}

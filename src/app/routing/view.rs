//! The screen that a person decides from: every override with its trial, what it rests on, who did
//! it and what to type next.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::next::command;
use crate::app::routing::roster::Roster;
use crate::app::routing::{PutBy, put_by};
use crate::core::documents::Documents;
use crate::core::ids::AgentName;
use crate::core::ledger::LedgerName;
use crate::core::routing::autonomy::Reverts;
use crate::core::routing::canary::{self, Canary, Sample, Status, Verdict};
use crate::core::routing::classify::Tally;
use crate::core::routing::evidence::{self, Evidence};
use crate::core::routing::overlay::Overlay;
use crate::core::routing::thresholds::Thresholds;
use crate::core::routing::{Block, Modification, Override, index, revert};
use crate::core::time::Timestamp;

/// From so many exclusions on a person is warned: a router with nobody left is no router.
pub const EXCLUSIONS_WARNED: usize = 3;

/// A trial with what was measured.
#[derive(Clone, Debug)]
pub struct TrialView {
    /// The trial.
    pub canary: Canary,
    /// Its samples, in order.
    pub samples: Vec<Sample>,
    /// What it comes to, if its time is over and nobody has asked yet.
    pub due: Option<(Status, Verdict)>,
}

/// An override with everything around it.
#[derive(Clone, Debug)]
pub struct Row {
    /// The override.
    pub entry: Override,
    /// Its record.
    pub record: Option<Modification>,
    /// What put it in force.
    pub put_by: Option<PutBy>,
    /// Its trial.
    pub trial: Option<TrialView>,
    /// Rows of evidence about the agent that count.
    pub evidence: u64,
    /// Rows that are in quarantine.
    pub quarantined: u64,
    /// How often it was overridden, and why.
    pub tally: Tally,
    /// Whether the roster does not have the agent.
    pub orphaned: bool,
    /// Whether override and record do not fit together.
    pub mismatch: bool,
    /// Whether it was taken back too often for programs to apply it again.
    pub tripped: bool,
    /// What to type next.
    pub next: Option<Vec<String>>,
}

impl Row {
    /// Who put it in force, or proposed it.
    pub fn by(&self) -> Option<&AgentName> {
        self.record.as_ref().map(|record| &record.by).or(self.entry.by.as_ref())
    }
}

/// Everything about overrides.
#[derive(Clone, Debug)]
pub struct View {
    /// The time that counts.
    pub now: Timestamp,
    /// The overrides.
    pub rows: Vec<Row>,
    /// Who is not to be left out.
    pub blocks: Vec<Block>,
    /// What agents are told besides.
    pub overlays: Vec<Overlay>,
    /// Sessions that evidence came from.
    pub sessions: u64,
    /// Rows of evidence of the days that count.
    pub evidence: u64,
    /// Those of them that are in quarantine.
    pub quarantined: u64,
    /// The numbers that decisions go by.
    pub thresholds: Thresholds,
    /// What a person should be told besides.
    pub warnings: Vec<String>,
}

/// Looks at all overrides.
pub fn view(ctx: &Ctx, roster: &Roster) -> Result<View, AppError> {
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
        let trial = match canary::present(documents, &entry)? {
            None => None,
            Some(canary) => Some(trial(documents, canary, now, &thresholds)?),
        };
        let own: Vec<Evidence> =
            rows.iter().filter(|row| row.source == entry.agent).cloned().collect();
        let (counting, quarantined): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|row| row.counts(now, &thresholds));
        let orphaned = roster.lacks(&entry.agent);
        found.push(Row {
            put_by: record.as_ref().and_then(|record| named.remove(&record.id)),
            evidence: counting.len() as u64,
            quarantined: quarantined.len() as u64,
            tally: Tally::of(&counting),
            orphaned,
            mismatch: entry.is_in_force() != record.is_some(),
            tripped: reverts.has_tripped_for(&entry.agent),
            next: next(&entry, trial.as_ref(), orphaned),
            entry,
            record,
            trial,
        });
    }
    let mut warnings = roster.warnings.clone();
    let exclusions = found.iter().filter(|row| row.entry.is_in_force()).count();
    if exclusions >= EXCLUSIONS_WARNED {
        warnings.push(format!("{exclusions} agents are left out; who reviews what they did?"));
    }
    if reverts.has_tripped() {
        warnings.push("too many agents were taken back too often; programs act no more".to_owned());
    }
    let is_held = |row: &&Evidence| !row.counts(now, &thresholds);
    Ok(View {
        now,
        blocks: index::blocks(documents)?,
        overlays: index::overlays(documents)?,
        sessions: index::sessions(documents)?.len() as u64,
        evidence: rows.len() as u64,
        quarantined: rows.iter().filter(is_held).count() as u64,
        rows: found,
        thresholds,
        warnings,
    })
}

/// The trials that go on.
pub fn trials(ctx: &Ctx) -> Result<Vec<TrialView>, AppError> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let (documents, now) = (&reading.base.snapshot, reading.now);
    let thresholds = Thresholds::read(documents)?;
    let mut found = Vec::new();
    for canary in index::canaries(documents)?.into_iter().filter(|c| c.status.is_open()) {
        found.push(trial(documents, canary, now, &thresholds)?);
    }
    Ok(found)
}

fn trial(
    documents: &dyn Documents,
    canary: Canary,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Result<TrialView, AppError> {
    let samples = index::samples(documents, &canary.agent, &canary.id)?;
    let is_due = canary.is_due(samples.len(), now);
    let due = is_due.then(|| canary.judged(&samples, now, thresholds));
    Ok(TrialView { canary, samples, due })
}

/// What a person would do now, as a command that can be run.
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

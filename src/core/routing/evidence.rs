//! Evidence: rows that say what became of an agent's findings, and `override evidence add`.
//!
//! Rows are append-only. A new one is in quarantine for a while: it is shown, but nothing is
//! decided by it. Each has a number within its session, given inside the decision, so that no two
//! rows of a session share one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, Key, ReadError};
use crate::core::ids::AgentName;
use crate::core::routing::events::EventBuilder;
use crate::core::routing::index::{self, Document as _};
use crate::core::routing::names::{EvidenceRef, RecordId, RoutedName, Word};
use crate::core::routing::text::{Context, Note};
use crate::core::routing::thresholds::{self, Thresholds};
use crate::core::text::Line;
use crate::core::time::Timestamp;

/// The length of an hour.
pub const HOUR_SECONDS: u64 = 60 * 60;
/// The length of a day.
pub const DAY_SECONDS: u64 = 24 * HOUR_SECONDS;

/// Events that say that a finding was overridden.
const OVERRIDDEN: [&str; 2] = ["override", "disagreement_override"];
/// The event that says that an agent was used.
const USED: &str = "agent_dispatch";
/// The reason that says that it was wrong.
const WRONG: &str = "agent_wrong";

/// What the row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// A review agent.
    Agent,
    /// A tool and its advice.
    Tool,
    /// A pattern that is looked for.
    Pattern,
    /// A skill's text.
    Skill,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Its name.
    pub id: RecordId,
    /// When it was recorded.
    pub at: Timestamp,
    /// The session it came from.
    pub session: Note,
    /// Its number there, from 1.
    pub seq: u64,
    /// Whom it is about.
    pub source: RoutedName,
    /// What that is.
    pub source_kind: SourceKind,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source_version: Option<Line>,
    /// What happened: `override`, `disagreement_override`, `agent_dispatch`, ...
    pub event: Word,
    /// Why: `agent_wrong`, `severity_miscalibrated`, `deprioritized`, `already_fixed`, ...
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub override_reason: Option<Word>,
    /// What surrounds it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context: Option<Context>,
    /// The project.
    pub project: Note,
    /// How many findings a use of the agent had.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub findings: Option<u32>,
    /// Nothing is decided by it before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub quarantined_until: Option<Timestamp>,
    /// What it follows from.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lineage: Vec<EvidenceRef>,
    /// Who recorded it.
    pub by: AgentName,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Evidence {
    /// Whether decisions may go by it.
    pub fn counts(&self, now: Timestamp, thresholds: &Thresholds) -> bool {
        self.quarantined_until.is_none_or(|until| now >= until)
            && now.seconds_since(self.at) <= window_seconds(thresholds)
    }

    /// Whether a finding was overridden.
    pub fn is_overridden(&self) -> bool {
        OVERRIDDEN.contains(&self.event.as_str())
    }

    /// Whether a finding was overridden because it was wrong.
    pub fn is_wrong(&self) -> bool {
        self.is_overridden() && self.override_reason.as_ref().is_some_and(|r| r.as_str() == WRONG)
    }

    /// Whether the agent was used.
    pub fn is_use(&self) -> bool {
        self.event.as_str() == USED
    }
}

fn window_seconds(thresholds: &Thresholds) -> u64 {
    thresholds.number(thresholds::EVIDENCE_DAYS) * DAY_SECONDS
}

/// The session that rows came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// Its name, as its harness has it.
    pub session: Note,
    /// The last number given to a row of it.
    pub seq: u64,
    /// When its first row came.
    pub first_at: Timestamp,
    /// When its last row came.
    pub last_at: Timestamp,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// The days whose evidence may count.
fn days(
    documents: &dyn Documents,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Result<Vec<Key>, ReadError> {
    let seconds = i64::try_from(window_seconds(thresholds)).unwrap_or(i64::MAX);
    let first = index::day(Timestamp::from_millis(
        now.as_millis().saturating_sub(seconds.saturating_mul(1_000)),
    ));
    let root = Key::of([index::EVIDENCE]);
    let days = index::directories(documents, &root)?.into_iter();
    Ok(days.filter(|day| *day >= first).map(|day| root.join(&day)).collect())
}

/// The rows about one agent that decisions may go by.
pub fn counting_of(
    documents: &dyn Documents,
    agent: &RoutedName,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Result<Vec<Evidence>, ReadError> {
    let mut rows = Vec::new();
    for day in days(documents, now, thresholds)? {
        rows.extend(index::evidence_in(documents, &day.join(agent.as_str()))?);
    }
    rows.retain(|row| row.counts(now, thresholds));
    Ok(rows)
}

/// All rows that decisions may go by.
pub fn counting(
    documents: &dyn Documents,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Result<Vec<Evidence>, ReadError> {
    let mut rows = recent(documents, now, thresholds)?;
    rows.retain(|row| row.counts(now, thresholds));
    Ok(rows)
}

/// All rows of the days that may count, those in quarantine too.
pub fn recent(
    documents: &dyn Documents,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Result<Vec<Evidence>, ReadError> {
    let mut rows = Vec::new();
    for day in days(documents, now, thresholds)? {
        for agent in index::directories(documents, &day)? {
            rows.extend(index::evidence_in(documents, &day.join(&agent))?);
        }
    }
    Ok(rows)
}

/// `override evidence add`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddEvidence {
    /// Whom it is about.
    pub agent: RoutedName,
    /// What that is.
    pub source_kind: SourceKind,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source_version: Option<Line>,
    /// What happened.
    pub event: Word,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Word>,
    /// The session it came from.
    pub session: Note,
    /// The project.
    pub project: Note,
    /// What surrounds it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context: Option<Context>,
    /// How many findings a use of the agent had.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub findings: Option<u32>,
    /// What it follows from.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lineage: Vec<EvidenceRef>,
}

impl Decide for AddEvidence {
    type Answer = Evidence;

    fn decide(&self, act: &mut Act<'_>) -> Result<Evidence, No> {
        let now = act.env.now;
        let hours = Thresholds::read(act)?.number(thresholds::QUARANTINE_HOURS);
        let before: Option<Session> = index::at(act, &index::session_key(&self.session))?;
        let mut session = before.unwrap_or_else(|| Session {
            session: self.session.clone(),
            seq: 0,
            first_at: now,
            last_at: now,
            unknown: Map::new(),
        });
        session.seq += 1;
        session.last_at = now;
        let dir = index::day_dir(now).join(self.agent.as_str());
        let id = act.new_id(|draft, id: &RecordId| {
            Ok(draft.get(&dir.join(&format!("{id}.json")))?.is_some())
        })?;
        let row = Evidence {
            id,
            at: now,
            session: self.session.clone(),
            seq: session.seq,
            source: self.agent.clone(),
            source_kind: self.source_kind,
            source_version: self.source_version.clone(),
            event: self.event.clone(),
            override_reason: self.reason.clone(),
            context: self.context.clone(),
            project: self.project.clone(),
            findings: self.findings,
            quarantined_until: (hours > 0).then(|| now.plus_seconds(hours * HOUR_SECONDS)),
            lineage: self.lineage.clone(),
            by: act.env.actor.clone(),
            unknown: Map::new(),
        };
        debug_assert_eq!(row.key().split_last().0, dir);
        EventBuilder::new("evidence_added", &self.agent)
            .put(act, &row)
            .put(act, &session)
            .record(act);
        Ok(row)
    }

    fn summary(&self, _: &Evidence, env: &Env<'_>) -> String {
        let reason = self.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
        format!("evidence {}{reason} about {} by {}", self.event, self.agent, env.actor)
    }
}

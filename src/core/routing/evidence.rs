//! Evidence: rows about the fate of an agent's findings, and `override evidence add`.
//!
//! Rows are append-only. A new row is in quarantine for some time: it is shown, but no decision
//! depends on it. Each row has a number within its session, which the decision assigns, so that no
//! two rows of a session share one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::bounded::bounded;
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
use crate::core::words::words;

pub const HOUR_SECONDS: u64 = 60 * 60;
pub const DAY_SECONDS: u64 = 24 * HOUR_SECONDS;

/// Events of a finding that was overridden.
const OVERRIDDEN: [&str; 2] = ["override", "disagreement_override"];
/// The event of an agent that was used.
const USED: &str = "agent_dispatch";
/// The reason of a finding that was wrong.
const WRONG: &str = "agent_wrong";

bounded! {
    /// The number of findings of one use of an agent.
    Findings: u32, 0, 100_000
}

words! {
    /// The kind of source that a row is about.
    pub enum SourceKind {
        /// A review agent.
        Agent = "agent",
        /// A tool and its advice.
        Tool = "tool",
        /// A pattern that reviews look for.
        Pattern = "pattern",
        /// The text of a skill.
        Skill = "skill",
    }
}

/// A row of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The id of the row.
    pub id: RecordId,
    /// The time at which it was recorded.
    pub at: Timestamp,
    /// The session that it came from.
    pub session: Note,
    /// The number of the row in its session, from 1.
    pub seq: u64,
    /// The source that the row is about.
    pub source: RoutedName,
    /// The kind of the source.
    pub source_kind: SourceKind,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source_version: Option<Line>,
    /// The event: `override`, `disagreement_override`, `agent_dispatch`, ...
    pub event: Word,
    /// The reason: `agent_wrong`, `severity_miscalibrated`, `deprioritized`, `already_fixed`, ...
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub override_reason: Option<Word>,
    /// The circumstances, as free text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context: Option<Context>,
    /// The project that it came from.
    pub project: Note,
    /// The number of findings, where the event is a use of the agent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub findings: Option<u32>,
    /// No decision depends on the row before this time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub quarantined_until: Option<Timestamp>,
    /// The evidence that this row follows from.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lineage: Vec<EvidenceRef>,
    /// The agent that recorded it.
    pub by: AgentName,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

impl Evidence {
    /// Tells whether decisions may depend on the row.
    pub fn counts(&self, now: Timestamp, thresholds: &Thresholds) -> bool {
        self.quarantined_until.is_none_or(|until| now >= until)
            && now.seconds_since(self.at) <= window_seconds(thresholds)
    }

    /// Tells whether the row is about a finding that was overridden.
    pub fn is_overridden(&self) -> bool {
        OVERRIDDEN.contains(&self.event.as_str())
    }

    /// Tells whether the row is about a finding that was overridden because it was wrong.
    pub fn is_wrong(&self) -> bool {
        self.is_overridden() && self.override_reason.as_ref().is_some_and(|r| r.as_str() == WRONG)
    }

    /// Tells whether the row is about a use of the agent.
    pub fn is_use(&self) -> bool {
        self.event.as_str() == USED
    }
}

fn window_seconds(thresholds: &Thresholds) -> u64 {
    thresholds.number(thresholds::EVIDENCE_DAYS) * DAY_SECONDS
}

/// A session that rows came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// The name of the session, as its harness has it.
    pub session: Note,
    /// The last number that a row of it got.
    pub seq: u64,
    /// The time of its first row.
    pub first_at: Timestamp,
    /// The time of its last row.
    pub last_at: Timestamp,
    /// Fields of a later version, preserved as they are.
    #[serde(flatten)]
    #[schemars(skip)]
    pub unknown: Map<String, Value>,
}

/// Lists the directories of the days whose evidence may count.
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

/// Reads the rows about one agent that decisions may depend on.
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

/// Reads all rows that decisions may depend on.
pub fn counting(
    documents: &dyn Documents,
    now: Timestamp,
    thresholds: &Thresholds,
) -> Result<Vec<Evidence>, ReadError> {
    let mut rows = recent(documents, now, thresholds)?;
    rows.retain(|row| row.counts(now, thresholds));
    Ok(rows)
}

/// Reads all rows of the days that may count, also those in quarantine.
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
    pub agent: RoutedName,
    pub source_kind: SourceKind,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source_version: Option<Line>,
    pub event: Word,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Word>,
    pub session: Note,
    pub project: Note,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context: Option<Context>,
    /// The number of findings, where the event is a use of the agent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub findings: Option<u32>,
    /// The evidence that this row follows from.
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

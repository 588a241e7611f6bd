//! Evaluation of evidence: the maturity of its patterns, and the eligibility of an agent to be left
//! out.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::documents::{Documents, ReadError};
use crate::core::routing::evidence::{self, Evidence};
use crate::core::routing::index;
use crate::core::routing::names::{RoutedName, Word};
use crate::core::routing::thresholds::{self, Thresholds};
use crate::core::time::Timestamp;
use crate::core::words::words;

/// The least number of rows that make a pattern.
const ROWS_MIN: u64 = 2;
/// From this percentage of wrong findings on, and below the percentage that leaves an agent out,
/// the wording of the agent may be at fault.
const OVERLAY_PERCENT_MIN: u64 = 40;

words! {
    /// The maturity of a pattern.
    pub enum Class {
        /// Neither sessions nor projects nor events are enough.
        Emerging = "emerging",
        /// One or two of sessions, projects and events are enough.
        Growing = "growing",
        /// Sessions, projects and events are enough.
        Ready = "ready",
    }
}

/// Rows about one agent with the same event and reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EvidencePattern")]
pub struct Pattern {
    #[serde(skip)]
    pub source: RoutedName,
    /// The event of the rows.
    pub event: Word,
    /// The reason of the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Word>,
    /// The number of rows.
    pub events: u64,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of projects.
    pub projects: u64,
    /// The maturity of the pattern.
    pub class: Class,
}

/// Finds the patterns among rows.
pub fn patterns(rows: &[Evidence], numbers: &Thresholds) -> Vec<Pattern> {
    let mut groups: BTreeMap<_, Vec<&Evidence>> = BTreeMap::new();
    for row in rows {
        let group = (&row.source, &row.event, &row.override_reason);
        groups.entry(group).or_default().push(row);
    }
    let mut found = Vec::new();
    for ((source, event, reason), rows) in groups {
        let events = rows.len() as u64;
        if events < ROWS_MIN {
            continue;
        }
        let sessions = distinct(rows.iter().map(|row| row.session.as_str()));
        let projects = distinct(rows.iter().map(|row| row.project.as_str()));
        let enough = [
            sessions >= numbers.number(thresholds::MIN_SESSIONS),
            projects >= numbers.number(thresholds::MIN_PROJECTS),
            events >= numbers.number(thresholds::MIN_EVENTS),
        ];
        let class = match enough.iter().filter(|is| **is).count() {
            0 => Class::Emerging,
            1 | 2 => Class::Growing,
            _ => Class::Ready,
        };
        found.push(Pattern {
            source: source.clone(),
            event: event.clone(),
            reason: reason.clone(),
            events,
            sessions,
            projects,
            class,
        });
    }
    found
}

/// Counts different texts.
pub fn distinct<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    texts.into_iter().collect::<BTreeSet<_>>().len() as u64
}

/// The number of an agent's findings that were overridden, and that were wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    /// Findings that were overridden.
    pub overridden: u64,
    /// Overridden findings that were wrong.
    pub wrong: u64,
}

impl Tally {
    /// Counts the overridden findings among rows.
    pub fn of(rows: &[Evidence]) -> Tally {
        let count = |is: fn(&Evidence) -> bool| rows.iter().filter(|row| is(row)).count() as u64;
        Tally { overridden: count(Evidence::is_overridden), wrong: count(Evidence::is_wrong) }
    }

    /// Returns the percentage of overridden findings that were wrong, rounded down; `None` if none
    /// was overridden.
    pub fn percent(self) -> Option<u64> {
        (self.wrong * 100).checked_div(self.overridden)
    }
}

/// The eligibility of an agent to be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Eligibility {
    /// The agent may be left out.
    Eligible,
    /// The agent is blocked.
    Blacklisted,
    /// None of its findings was ever overridden.
    NoOverrides,
    /// Too few of its overridden findings were wrong.
    TooFewWrong {
        /// The percentage that was wrong.
        percent: u64,
        /// The percentage that is needed.
        needed: u64,
    },
}

impl Eligibility {
    /// Formats the eligibility as `eligible` or `not_eligible:<why>`.
    pub fn word(&self) -> String {
        match self {
            Eligibility::Eligible => "eligible".to_owned(),
            Eligibility::Blacklisted => "not_eligible:blacklisted".to_owned(),
            Eligibility::NoOverrides => "not_eligible:no_override_events".to_owned(),
            Eligibility::TooFewWrong { percent, needed } => {
                format!("not_eligible:{percent}_percent_wrong_of_{needed}")
            }
        }
    }
}

/// The evidence about an agent, and the conclusions from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    pub agent: RoutedName,
    pub eligibility: Eligibility,
    /// Set if its wording may be at fault instead.
    pub overlay: bool,
    /// Set if it may become eligible.
    pub approaching: bool,
    pub tally: Tally,
    /// The number of sessions with evidence that counts.
    pub sessions: u64,
    pub patterns: Vec<Pattern>,
    /// The rows that count.
    pub rows: Vec<Evidence>,
}

/// Assesses an agent.
pub fn assess(
    documents: &dyn Documents,
    agent: &RoutedName,
    now: Timestamp,
) -> Result<Assessment, ReadError> {
    let numbers = Thresholds::read(documents)?;
    let rows = evidence::counting_of(documents, agent, now, &numbers)?;
    let tally = Tally::of(&rows);
    let needed = numbers.number(thresholds::WRONG_PERCENT);
    let eligibility = match tally.percent() {
        _ if index::block_of(documents, agent)?.is_some() => Eligibility::Blacklisted,
        None => Eligibility::NoOverrides,
        Some(percent) if percent < needed => Eligibility::TooFewWrong { percent, needed },
        Some(_) => Eligibility::Eligible,
    };
    let patterns = patterns(&rows, &numbers);
    let is_ready = patterns.iter().any(|pattern| pattern.class == Class::Ready);
    let has_override = index::override_of(documents, agent)?.is_some();
    let percent = tally.percent().unwrap_or(0);
    let is_open = matches!(eligibility, Eligibility::TooFewWrong { .. });
    Ok(Assessment {
        agent: agent.clone(),
        overlay: is_open && is_ready && percent >= OVERLAY_PERCENT_MIN && !has_override,
        approaching: is_open && patterns.iter().any(|pattern| pattern.class > Class::Emerging),
        eligibility,
        tally,
        sessions: distinct(rows.iter().map(|row| row.session.as_str())),
        patterns,
        rows,
    })
}

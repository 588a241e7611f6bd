//! What evidence adds up to: how ripe a pattern is, and whether an agent may be left out.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::core::documents::{Documents, ReadError};
use crate::core::routing::evidence::{self, Evidence};
use crate::core::routing::index;
use crate::core::routing::names::{RoutedName, Word};
use crate::core::routing::thresholds::{self, Thresholds};
use crate::core::time::Timestamp;

/// A pattern needs so many rows to be one.
const ROWS_MIN: u64 = 2;
/// From this on, and below the percentage that leaves an agent out, its wording may be at fault.
const OVERLAY_PERCENT_MIN: u64 = 40;

/// How ripe a pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Neither sessions nor projects nor events are enough.
    Emerging,
    /// One or two of them are.
    Growing,
    /// All three are.
    Ready,
}

impl Class {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Emerging => "emerging",
            Class::Growing => "growing",
            Class::Ready => "ready",
        }
    }
}

/// Rows about one agent with the same event and reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EvidencePattern")]
pub struct Pattern {
    /// The agent.
    #[serde(skip)]
    pub source: RoutedName,
    /// What happened.
    pub event: Word,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Word>,
    /// How many rows.
    pub events: u64,
    /// Of how many sessions.
    pub sessions: u64,
    /// In how many projects.
    pub projects: u64,
    /// How ripe it is.
    pub class: Class,
}

/// The patterns among rows.
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

/// How many different texts there are.
pub fn distinct<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    texts.into_iter().collect::<BTreeSet<_>>().len() as u64
}

/// How often an agent was overridden, and how often for being wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    /// Findings that were overridden.
    pub overridden: u64,
    /// Those that were wrong.
    pub wrong: u64,
}

impl Tally {
    /// Counts rows.
    pub fn of(rows: &[Evidence]) -> Tally {
        let count = |is: fn(&Evidence) -> bool| rows.iter().filter(|row| is(row)).count() as u64;
        Tally { overridden: count(Evidence::is_overridden), wrong: count(Evidence::is_wrong) }
    }

    /// The percentage that was wrong, cut; none where nothing was overridden.
    pub fn percent(self) -> Option<u64> {
        (self.wrong * 100).checked_div(self.overridden)
    }
}

/// Whether an agent may be left out, or why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Eligibility {
    /// It may.
    Eligible,
    /// Somebody said that it is not to be.
    Blacklisted,
    /// Nobody ever overrode it.
    NoOverrides,
    /// It was right too often.
    TooFewWrong {
        /// The percentage that was wrong.
        percent: u64,
        /// What is needed.
        needed: u64,
    },
}

impl Eligibility {
    /// `eligible` or `not_eligible:<why>`.
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

/// What is known about an agent, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// The agent.
    pub agent: RoutedName,
    /// Whether it may be left out.
    pub eligibility: Eligibility,
    /// Whether its wording may be at fault instead.
    pub overlay: bool,
    /// Whether it is on its way to being eligible.
    pub approaching: bool,
    /// How often it was overridden.
    pub tally: Tally,
    /// Sessions with evidence about it that counts.
    pub sessions: u64,
    /// Its patterns.
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

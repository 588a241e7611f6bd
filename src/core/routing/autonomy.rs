//! Limits on the acts of programs without a person. Autonomy is off unless somebody switches it on,
//! and switches itself off when too many changes were reverted.

use std::collections::BTreeMap;

use crate::core::decision::{Act, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::routing::classify::{self, Eligibility};
use crate::core::routing::evidence::{DAY_SECONDS, HOUR_SECONDS};
use crate::core::routing::names::RoutedName;
use crate::core::routing::refusal::{AutonomyLimit, Refusal};
use crate::core::routing::thresholds::{self, Thresholds};
use crate::core::routing::{Modification, index};
use crate::core::time::Timestamp;

/// The least number of agents that the system's circuit breaker needs to trip.
const AGENTS_MIN: usize = 3;

/// Refuses to leave out an agent if a program may not do so by itself.
pub fn ensure_allowed(act: &Act<'_>, agent: &RoutedName, cross_cutting: bool) -> Result<(), No> {
    let limit = limit(act, agent, cross_cutting, act.env.now)?;
    let refusal = |why| Refusal::NotAutomatic { by: act.env.actor.clone(), why };
    limit.map_or(Ok(()), |why| Err(refusal(why).into()))
}

/// Finds the first limit that keeps a program from leaving out an agent.
pub fn limit(
    documents: &dyn Documents,
    agent: &RoutedName,
    cross_cutting: bool,
    now: Timestamp,
) -> Result<Option<AutonomyLimit>, ReadError> {
    let numbers = Thresholds::read(documents)?;
    if !numbers.autonomy() {
        return Ok(Some(AutonomyLimit::Off));
    }
    if cross_cutting {
        return Ok(Some(AutonomyLimit::CrossCutting));
    }
    let records = index::modifications(documents)?;
    let reverts = Reverts::of(&records, now, &numbers);
    if reverts.has_tripped() {
        let (tripped, all) = (reverts.tripped(), reverts.by_agent.len());
        return Ok(Some(AutonomyLimit::SystemBreaker { tripped, all }));
    }
    let own = reverts.by_agent.get(agent).copied().unwrap_or(0);
    if own >= reverts.most {
        return Ok(Some(AutonomyLimit::Breaker { reverts: own, days: reverts.days }));
    }
    let changes: u64 = records.iter().map(|record| changes(record, now, &numbers)).sum();
    if changes >= numbers.number(thresholds::RATE_CHANGES) {
        let hours = numbers.number(thresholds::RATE_HOURS);
        return Ok(Some(AutonomyLimit::Rate { changes, hours }));
    }
    let assessed = classify::assess(documents, agent, now)?;
    let needed = numbers.number(thresholds::MIN_BASELINE);
    if assessed.sessions < needed {
        return Ok(Some(AutonomyLimit::Sessions { found: assessed.sessions, needed }));
    }
    Ok(match assessed.eligibility {
        Eligibility::Eligible => None,
        other => Some(AutonomyLimit::NotEligible(other.word())),
    })
}

fn is_within_rate(at: Timestamp, now: Timestamp, numbers: &Thresholds) -> bool {
    now.seconds_since(at) < numbers.number(thresholds::RATE_HOURS) * HOUR_SECONDS
}

/// Counts the changes that programs made to one record, within the window of the rate limit.
fn changes(record: &Modification, now: Timestamp, numbers: &Thresholds) -> u64 {
    let made = record.is_automatic() && is_within_rate(record.at, now, numbers);
    u64::from(made) + updates(record, now, numbers)
}

/// Counts the updates among these changes.
pub(super) fn updates(record: &Modification, now: Timestamp, numbers: &Thresholds) -> u64 {
    let last = record.updated.as_ref().filter(|last| is_within_rate(last.at, now, numbers));
    last.map_or(0, |last| last.automatic)
}

/// The recent reverts of each agent that has a record.
pub struct Reverts {
    by_agent: BTreeMap<RoutedName, u64>,
    /// The number of reverts from which on an agent's breaker has tripped.
    most: u64,
    /// The number of days in which these reverts count.
    days: u64,
}

impl Reverts {
    /// Counts the recent reverts among records.
    pub fn of(records: &[Modification], now: Timestamp, numbers: &Thresholds) -> Reverts {
        let days = numbers.number(thresholds::BREAKER_DAYS);
        let is_recent = |at: Timestamp| now.seconds_since(at) < days * DAY_SECONDS;
        let mut by_agent = BTreeMap::new();
        for record in
            records.iter().filter(|record| record.target.as_str().starts_with("overrides/"))
        {
            let count: &mut u64 = by_agent.entry(record.agent.clone()).or_default();
            *count += u64::from(record.reverted_at.is_some_and(is_recent));
        }
        Reverts { by_agent, most: numbers.number(thresholds::BREAKER_REVERTS), days }
    }

    /// Counts the breakers that have tripped.
    pub fn tripped(&self) -> usize {
        self.by_agent.values().filter(|count| **count >= self.most).count()
    }

    /// Tells whether the breaker of this agent has tripped.
    pub fn has_tripped_for(&self, agent: &RoutedName) -> bool {
        self.by_agent.get(agent).is_some_and(|count| *count >= self.most)
    }

    /// Tells whether half of the agents have tripped their breakers, which trips the system's.
    pub fn has_tripped(&self) -> bool {
        let all = self.by_agent.len();
        all >= AGENTS_MIN && self.tripped() * 2 >= all
    }
}

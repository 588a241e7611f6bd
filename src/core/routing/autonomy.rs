//! What a program may do by itself. Off unless somebody switches it on, and off again by itself
//! when too much of it had to be taken back.

use std::collections::BTreeMap;

use crate::core::decision::{Act, No};
use crate::core::documents::{Documents, ReadError};
use crate::core::routing::classify::{self, Eligibility};
use crate::core::routing::evidence::{DAY_SECONDS, HOUR_SECONDS};
use crate::core::routing::names::RoutedName;
use crate::core::routing::refusal::{Bar, Refusal};
use crate::core::routing::thresholds::{self, Thresholds};
use crate::core::routing::{Modification, index};
use crate::core::time::Timestamp;

/// The system's breaker looks at so many agents at least.
const AGENTS_MIN: usize = 3;

/// Refuses what a program may not do by itself.
pub fn keep(act: &Act<'_>, agent: &RoutedName, cross_cutting: bool) -> Result<(), No> {
    let bar = bar(act, agent, cross_cutting, act.env.now)?;
    let refusal = |why| Refusal::NotAutomatic { by: act.env.actor.clone(), why };
    bar.map_or(Ok(()), |why| Err(refusal(why).into()))
}

/// What keeps a program from leaving out an agent.
pub fn bar(
    documents: &dyn Documents,
    agent: &RoutedName,
    cross_cutting: bool,
    now: Timestamp,
) -> Result<Option<Bar>, ReadError> {
    let numbers = Thresholds::read(documents)?;
    if !numbers.autonomy() {
        return Ok(Some(Bar::Off));
    }
    if cross_cutting {
        return Ok(Some(Bar::CrossCutting));
    }
    let records = index::modifications(documents)?;
    let reverts = Reverts::of(&records, now, &numbers);
    if reverts.has_tripped() {
        let (tripped, all) = (reverts.tripped(), reverts.by_agent.len());
        return Ok(Some(Bar::SystemBreaker { tripped, all }));
    }
    let own = reverts.by_agent.get(agent).copied().unwrap_or(0);
    if own >= reverts.most {
        return Ok(Some(Bar::Breaker { reverts: own, days: reverts.days }));
    }
    let changes: u64 = records.iter().map(|record| changes(record, now, &numbers)).sum();
    if changes >= numbers.number(thresholds::RATE_CHANGES) {
        let hours = numbers.number(thresholds::RATE_HOURS);
        return Ok(Some(Bar::Rate { changes, hours }));
    }
    let assessed = classify::assess(documents, agent, now)?;
    let needed = numbers.number(thresholds::MIN_BASELINE);
    if assessed.sessions < needed {
        return Ok(Some(Bar::Sessions { found: assessed.sessions, needed }));
    }
    Ok(match assessed.eligibility {
        Eligibility::Eligible => None,
        other => Some(Bar::NotEligible(other.word())),
    })
}

fn is_within_rate(at: Timestamp, now: Timestamp, numbers: &Thresholds) -> bool {
    now.seconds_since(at) < numbers.number(thresholds::RATE_HOURS) * HOUR_SECONDS
}

/// How many changes that the rate limit counts programs made to one thing.
fn changes(record: &Modification, now: Timestamp, numbers: &Thresholds) -> u64 {
    let made = record.is_automatic() && is_within_rate(record.at, now, numbers);
    u64::from(made) + updates(record, now, numbers)
}

/// How many of these are updates.
pub(super) fn updates(record: &Modification, now: Timestamp, numbers: &Thresholds) -> u64 {
    let last = record.updated.as_ref().filter(|last| is_within_rate(last.at, now, numbers));
    last.map_or(0, |last| last.automatic)
}

/// How often each agent with a record was taken back lately.
pub struct Reverts {
    by_agent: BTreeMap<RoutedName, u64>,
    /// From so many on an agent's breaker has tripped.
    most: u64,
    /// In so many days.
    days: u64,
}

impl Reverts {
    /// Counts records.
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

    /// How many breakers have tripped.
    pub fn tripped(&self) -> usize {
        self.by_agent.values().filter(|count| **count >= self.most).count()
    }

    /// Whether the breaker of this agent has tripped.
    pub fn has_tripped_for(&self, agent: &RoutedName) -> bool {
        self.by_agent.get(agent).is_some_and(|count| *count >= self.most)
    }

    /// Whether half of the agents have tripped theirs, which trips the system's.
    pub fn has_tripped(&self) -> bool {
        let all = self.by_agent.len();
        all >= AGENTS_MIN && self.tripped() * 2 >= all
    }
}

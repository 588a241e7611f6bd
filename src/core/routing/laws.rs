//! The laws of overrides, which hold in every state.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::documents::{Documents, Key, ReadError, walk};
use crate::core::laws::Fault;
use crate::core::routing::canary::{Canary, Status};
use crate::core::routing::index::{self, Document};
use crate::core::routing::names::{RecordId, RoutedName};
use crate::core::routing::overlay::{self, Overlay};
use crate::core::routing::{Kind, Modification};

/// Returns every law that the state breaks.
pub fn faults(documents: &dyn Documents) -> Result<Vec<Fault>, ReadError> {
    let mut faults = Vec::new();
    let records = index::modifications(documents)?;
    let canaries = index::canaries(documents)?;
    check_overrides(documents, &records, &canaries, &mut faults)?;
    check_trials(documents, &records, &canaries, &mut faults)?;
    let overlays = index::overlays(documents)?;
    check_overlays(&overlays, &records, &mut faults);
    index::blocks(documents)?;
    check_row_numbers(documents, &mut faults)?;
    Ok(faults)
}

fn fault(key: Key, what: impl Into<String>) -> Fault {
    Fault { key, what: what.into() }
}

/// Checks that an override is in force exactly if one record says so.
fn check_overrides(
    documents: &dyn Documents,
    records: &[Modification],
    canaries: &[Canary],
    faults: &mut Vec<Fault>,
) -> Result<(), ReadError> {
    let mut applied: BTreeMap<&RoutedName, Vec<&Modification>> = BTreeMap::new();
    let in_force = |record: &&Modification| record.is_applied() && record.kind == Kind::Routing;
    for record in records.iter().filter(in_force) {
        applied.entry(&record.agent).or_default().push(record);
    }
    for entry in index::overrides(documents)? {
        let own = applied.remove(&entry.agent).unwrap_or_default();
        match (entry.is_in_force(), own.as_slice()) {
            (true, [record]) => {
                let trial = canaries.iter().find(|canary| canary.id == record.id);
                let stated = entry.canary.as_ref().map(|trial| trial.status);
                if trial.is_some_and(|canary| Some(canary.status) != stated) {
                    faults.push(fault(entry.key(), "says something else than its trial"));
                }
                if trial.is_none() && stated.is_some_and(Status::is_open) {
                    faults.push(fault(entry.key(), "is on a trial that is not there"));
                }
            }
            (false, []) => {}
            (true, []) => faults.push(fault(entry.key(), "is in force without a record")),
            (true, _) => faults.push(fault(entry.key(), "has several records")),
            (false, _) => faults.push(fault(entry.key(), "is a proposal with a record")),
        }
    }
    let orphans = applied.into_values().flatten();
    faults.extend(orphans.map(|record| fault(record.key(), "is in force without an override")));
    Ok(())
}

/// Checks that a trial belongs to a record, that an agent has at most one open trial, and that a
/// trial has no more samples than it takes.
fn check_trials(
    documents: &dyn Documents,
    records: &[Modification],
    canaries: &[Canary],
    faults: &mut Vec<Fault>,
) -> Result<(), ReadError> {
    let mut open = BTreeSet::new();
    let mut trials: BTreeMap<(&RoutedName, &RecordId), u64> = BTreeMap::new();
    for canary in canaries {
        let record =
            records.iter().find(|record| record.id == canary.id && record.agent == canary.agent);
        match record {
            None => faults.push(fault(canary.key(), "belongs to no record")),
            Some(record) if canary.status.is_open() && !record.is_applied() => {
                faults.push(fault(canary.key(), "goes on without an override"));
            }
            Some(_) => {}
        }
        if canary.status.is_open() && !open.insert(&canary.agent) {
            faults.push(fault(canary.key(), "is a second trial that goes on"));
        }
        if canary.expires_at < canary.opened_at {
            faults.push(fault(canary.key(), "ends before it begins"));
        }
        trials.insert((&canary.agent, &canary.id), canary.window_uses);
    }
    let mut expected = BTreeSet::new();
    for ((agent, id), window) in trials {
        let samples = index::samples(documents, agent, id)?;
        if samples.len() as u64 > window {
            faults.push(fault(index::samples_dir(agent, id), "has more samples than it takes"));
        }
        expected.extend(samples.iter().map(Document::key));
    }
    let found = walk(documents, &Key::of([index::SAMPLES]))?;
    let strays = found.into_iter().filter(|key| !expected.contains(key));
    faults.extend(strays.map(|key| fault(key, "belongs to no trial")));
    Ok(())
}

/// Checks that overlays stay within the budget, and that an active overlay has its record.
fn check_overlays(overlays: &[Overlay], records: &[Modification], faults: &mut Vec<Fault>) {
    let mut by_agent: BTreeMap<&RoutedName, Vec<Overlay>> = BTreeMap::new();
    for overlay in overlays {
        by_agent.entry(&overlay.agent).or_default().push(overlay.clone());
        let own = records
            .iter()
            .filter(|record| record.is_applied() && record.group_id.as_str() == overlay.group());
        if own.count() != usize::from(overlay.active) {
            faults.push(fault(overlay.key(), "is active without a record, or the reverse"));
        }
    }
    for own in by_agent.into_values() {
        if let (true, Some(first)) = (overlay::tokens(&own) > overlay::TOKENS_MAX, own.first()) {
            faults.push(fault(first.key(), "costs more than the budget, with the others"));
        }
    }
}

/// Checks that no two rows of a session share a number, and that no number is above the last one
/// given.
fn check_row_numbers(documents: &dyn Documents, faults: &mut Vec<Fault>) -> Result<(), ReadError> {
    let sessions = index::sessions(documents)?;
    let last: BTreeMap<&str, u64> =
        sessions.iter().map(|session| (session.session.as_str(), session.seq)).collect();
    let mut seen = BTreeSet::new();
    let root = Key::of([index::EVIDENCE]);
    for day in index::directories(documents, &root)? {
        let day = root.join(&day);
        for agent in index::directories(documents, &day)? {
            for row in index::evidence_in(documents, &day.join(&agent))? {
                let known = last.get(row.session.as_str()).copied().unwrap_or(0);
                if row.seq > known {
                    faults.push(fault(row.key(), "has a number that its session never gave"));
                }
                if !seen.insert((row.session.to_string(), row.seq)) {
                    faults.push(fault(row.key(), "has the number of another row"));
                }
            }
        }
    }
    Ok(())
}

//! The record of a change: made when the change comes into force, and ended when it is reverted.

use serde_json::Map;

use crate::core::decision::{Act, No};
use crate::core::documents::{Documents, Key, ReadError};
use crate::core::routing::events::EventBuilder;
use crate::core::routing::index::{self, Document as _};
use crate::core::routing::names::{RecordId, RoutedName, Word};
use crate::core::routing::overlay::Overlay;
use crate::core::routing::propose::source_line;
use crate::core::routing::thresholds::Thresholds;
use crate::core::routing::{Kind, Modification, ModificationStatus, Override, Update, autonomy};
use crate::core::text::Line;

/// A change that comes into force.
pub(super) struct Change {
    agent: RoutedName,
    kind: Kind,
    group: String,
    target: Key,
    source: Line,
}

impl Change {
    /// Describes an agent that is left out.
    pub(super) fn of_routing(entry: &Override, source: Line) -> Change {
        let (agent, target) = (entry.agent.clone(), entry.key());
        Change { group: agent.to_string(), agent, kind: Kind::Routing, target, source }
    }

    /// Describes an overlay that is added.
    pub(super) fn of_overlay(overlay: &Overlay, source: Line) -> Change {
        let (group, target) = (overlay.group(), overlay.key());
        Change { group, agent: overlay.agent.clone(), kind: Kind::Overlay, target, source }
    }

    /// Makes the record, which names the act that it is part of.
    pub(super) fn into_record(self, act: &mut Act<'_>) -> Result<Modification, No> {
        let known = index::modifications_of(act, &self.agent)?;
        let id = act.new_id(|_, id: &RecordId| Ok(known.iter().any(|record| record.id == *id)))?;
        let line = |text: &str| Line::new(text).expect("names are lines");
        Ok(Modification {
            id,
            group_id: line(&self.group),
            agent: self.agent,
            tier: line("persistent"),
            kind: self.kind,
            target: line(self.target.as_str()),
            op: act.env.op.clone(),
            confidence: None,
            summary: None,
            status: ModificationStatus::Applied,
            created_by: self.source,
            by: act.env.actor.clone(),
            at: act.env.now,
            updated: None,
            reverted_at: None,
            reverted_by: None,
            unknown: Map::new(),
        })
    }
}

/// Updates the record of an override that has changed.
pub(super) fn updated(
    act: &Act<'_>,
    mut record: Modification,
    entry: &Override,
    source: &Word,
) -> Result<Modification, ReadError> {
    let now = act.env.now;
    let before = autonomy::updates(&record, now, &Thresholds::read(act)?);
    record.confidence = entry.confidence;
    record.summary.clone_from(&entry.reason);
    record.updated = Some(Update {
        source: source_line(source),
        by: act.env.actor.clone(),
        at: now,
        automatic: before + u64::from(!source.is_human()),
        unknown: record.updated.map(|update| update.unknown).unwrap_or_default(),
    });
    Ok(record)
}

/// Marks a record as reverted now.
pub(super) fn marked_reverted(act: &Act<'_>, mut record: Modification) -> Modification {
    record.status = ModificationStatus::Reverted;
    record.reverted_at = Some(act.env.now);
    record.reverted_by = Some(act.env.actor.clone());
    record
}

/// Removes a record with its trial and samples.
pub(super) fn forget(
    act: &mut Act<'_>,
    event: EventBuilder,
    record: &Modification,
) -> Result<EventBuilder, ReadError> {
    let mut event = event.gone(act, record.key());
    let trial = index::canary_key(&record.agent, &record.id);
    if act.get(&trial)?.is_some() {
        event = event.gone(act, trial);
        event = event.gone_below(act, &index::samples_dir(&record.agent, &record.id))?;
    }
    Ok(event)
}

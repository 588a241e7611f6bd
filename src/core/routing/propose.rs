//! `override propose`: somebody wants an agent left out. Only the proposal is recorded.

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::Documents;
use crate::core::refusal::{self, within};
use crate::core::routing::events::EventBuilder;
use crate::core::routing::index;
use crate::core::routing::names::{EvidenceRef, RoutedName, Word};
use crate::core::routing::refusal::Refusal;
use crate::core::routing::text::Note;
use crate::core::routing::{Action, LIST_MAX, OVERRIDES_MAX, Override, Scope};
use crate::core::text::Line;

/// Proposes to leave an agent out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Propose {
    pub agent: RoutedName,
    pub reason: Note,
    /// The evidence that the proposal rests on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub evidence: Vec<EvidenceRef>,
    /// The reviews that it is to apply to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<Scope>,
    /// The decider: `human`, or the name of a program.
    pub source: Word,
}

/// The result of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// The override in the ledger.
    pub entry: Override,
    /// Set if it was there before, proposed or in force, and stays as it was.
    pub was_there: bool,
}

impl Decide for Propose {
    type Answer = Proposed;

    fn decide(&self, act: &mut Act<'_>) -> Result<Proposed, No> {
        if let Some(entry) = index::override_of(act, &self.agent)? {
            return Ok(Proposed { entry, was_there: true });
        }
        ensure_unblocked(act, &self.agent)?;
        ensure_within_limits(act, &self.evidence, self.scope.as_ref())?;
        let entry = Override {
            agent: self.agent.clone(),
            action: Action::Propose,
            reason: Some(line(&self.reason)),
            evidence_ids: self.evidence.clone(),
            created: Some(act.env.now),
            created_by: Some(source_line(&self.source)),
            approved: None,
            confidence: None,
            scope: self.scope.clone(),
            canary: None,
            by: Some(act.env.actor.clone()),
            unknown: Map::new(),
        };
        EventBuilder::new("proposed", &self.agent).put(act, &entry).record(act);
        Ok(Proposed { entry, was_there: false })
    }

    fn summary(&self, _: &Proposed, env: &Env<'_>) -> String {
        format!("propose to leave out {} by {}: {}", self.agent, env.actor, self.reason)
    }
}

/// Converts a note into a line of a document.
pub(super) fn line(note: &Note) -> Line {
    Line::new(note.as_str()).expect("a note is a line")
}

/// Converts the decider into a line of a document.
pub(super) fn source_line(source: &Word) -> Line {
    Line::new(source.as_str()).expect("a word is a line")
}

/// Refuses to leave out a blocked agent.
pub(super) fn ensure_unblocked(documents: &dyn Documents, agent: &RoutedName) -> Result<(), No> {
    match index::block_of(documents, agent)? {
        None => Ok(()),
        Some(block) => Err(Refusal::Blocked(Box::new(block)).into()),
    }
}

/// Refuses one more override than readers accept, or longer lists.
pub(super) fn ensure_within_limits(
    documents: &dyn Documents,
    evidence: &[EvidenceRef],
    scope: Option<&Scope>,
) -> Result<(), No> {
    ensure_lists_within_limits(evidence, scope)?;
    let count = index::overrides(documents)?.len() + 1;
    within("overrides", count, OVERRIDES_MAX)?;
    Ok(())
}

/// Refuses longer lists in one override than readers accept.
pub(super) fn ensure_lists_within_limits(
    evidence: &[EvidenceRef],
    scope: Option<&Scope>,
) -> Result<(), No> {
    within("evidence of one override", evidence.len(), LIST_MAX)?;
    if let Some(scope) = scope {
        within("domains of one override", scope.domains.len(), LIST_MAX)?;
        within("patterns of one override", scope.file_patterns.len(), LIST_MAX)?;
    }
    Ok(())
}

impl From<Refusal> for No {
    fn from(refusal: Refusal) -> No {
        No::Refused(refusal::Refusal::Routing(refusal))
    }
}

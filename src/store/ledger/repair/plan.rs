//! Plans a repair and lists what it would lose, without writing anything.

use std::collections::HashSet;

use super::Damage;
use super::choice::{Candidate, Choice, choose};
use crate::store::error::StoreError;
use crate::store::git::object::{Object, ObjectId, ObjectKind};
use crate::store::git::program::ProgramError;
use crate::store::git::retry::RETRY_TIME_OF_REPAIRS;
use crate::store::ledger::Ledger;
use crate::store::ledger::entry::EntryHead;
use crate::store::ledger::history::History;
use crate::store::ledger::snapshot::{read_entry, read_object};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub damage: Damage,
    /// The entry to continue from; `None` if no entry is whole.
    pub whole: Option<ObjectId>,
    /// Set if the entry is known to have been published. Otherwise it is the latest by time.
    pub is_known: bool,
    /// Published entries after it, newest first.
    pub lost: Vec<DroppedEntry>,
    /// Entries that compete with it and may have been published, newest first.
    pub doubtful: Vec<DroppedEntry>,
}

/// An entry that a repair drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedEntry {
    pub id: ObjectId,
    /// `None` if the entry is unreadable.
    pub summary: Option<String>,
}

impl Candidate<ObjectId> {
    /// Parses an object; `None` if it does not have the form of an entry.
    pub(super) fn of(id: ObjectId, object: &Object) -> Option<Candidate<ObjectId>> {
        let EntryHead { parent, counters, .. } = EntryHead::parse(&object.bytes).ok()?;
        Some(Candidate { id, parent, seq: counters.seq, at: counters.at, is_archived: false })
    }
}

impl Ledger<'_> {
    /// Plans a repair. Returns `None` if nothing is damaged.
    pub fn plan_repair(&self) -> Result<Option<Plan>, StoreError> {
        self.backend.set_retry_time(RETRY_TIME_OF_REPAIRS);
        let Some(damage) = self.damage()? else { return Ok(None) };
        if let Some(plan) = self.plan_along_the_chain(&damage) {
            return Ok(Some(plan));
        }
        let Some(choice) = self.choose_among_all()? else {
            let (lost, doubtful) = (Vec::new(), Vec::new());
            return Ok(Some(Plan { damage, whole: None, is_known: false, lost, doubtful }));
        };
        let Choice { whole, is_known, lost, doubtful } = choice;
        // The entry that the ref points at was published, unless it is readable and no entry.
        let is_lost = |tip: &ObjectId| {
            let is_known = *tip == whole || lost.contains(tip);
            !is_known && (self.dropped(*tip).summary.is_some() || !self.is_here(tip))
        };
        let tip = damage.tip.filter(is_lost);
        let lost = tip.into_iter().chain(lost).map(|id| self.dropped(id)).collect();
        let is_of_this = |id: &ObjectId| self.at(Some(*id)).is_ok() && Some(*id) != tip;
        let doubtful = doubtful.into_iter().filter(is_of_this).map(|id| self.dropped(id)).collect();
        Ok(Some(Plan { damage, whole: Some(whole), is_known, lost, doubtful }))
    }

    /// Plans to continue from the newest whole ancestor of the damaged entry, if it has one.
    fn plan_along_the_chain(&self, damage: &Damage) -> Option<Plan> {
        let mut lost = Vec::new();
        for (id, entry) in History::from(self, damage.tip).map_while(Result::ok) {
            if self.check_whole(id).is_ok() {
                let (damage, whole) = (damage.clone(), Some(id));
                return Some(Plan { damage, whole, is_known: true, lost, doubtful: Vec::new() });
            }
            lost.push(DroppedEntry { id, summary: Some(entry.message.summary) });
        }
        None
    }

    fn choose_among_all(&self) -> Result<Option<Choice<ObjectId>>, StoreError> {
        // If the log is unreadable, the latest entry is chosen.
        let published = self.backend.published(self.name).unwrap_or_default();
        let mut candidates: Vec<Candidate<ObjectId>> = match self.backend.all_commits() {
            Ok(every) => every.into_iter().filter_map(|id| self.candidate(id)).collect(),
            // Damage may keep git from listing commits.
            Err(StoreError::Program(ProgramError::Failed { .. })) => self.ancestors_of(&published),
            Err(error) => return Err(error),
        };
        candidates.sort_by_key(|one| one.id);
        self.mark_archived(&mut candidates)?;
        Ok(choose(&candidates, &published, |id| self.check_whole(*id).is_ok()))
    }

    /// Reads a commit; `None` if it is unreadable or does not have the form of an entry.
    pub(super) fn candidate(&self, id: ObjectId) -> Option<Candidate<ObjectId>> {
        Candidate::of(id, &read_object(self.backend, &id, ObjectKind::Commit).ok()?)
    }

    /// Lists these entries and their readable ancestors, each once.
    fn ancestors_of(&self, ids: &[ObjectId]) -> Vec<Candidate<ObjectId>> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        for id in ids {
            let mut next = Some(*id);
            while let Some(id) = next.filter(|id| seen.insert(*id)) {
                let candidate = self.candidate(id);
                next = candidate.as_ref().and_then(|one| one.parent);
                found.extend(candidate);
            }
        }
        found
    }

    /// Marks the entries of chains that compactions have set aside.
    fn mark_archived(&self, by_id: &mut [Candidate<ObjectId>]) -> Result<(), StoreError> {
        let mut seen = HashSet::new();
        for reference in self.backend.refs_below(&self.name.archives())? {
            let mut next = self.backend.tip(&reference)?;
            while let Some(id) = next.filter(|id| seen.insert(*id)) {
                let found = by_id.binary_search_by_key(&id, |one| one.id).ok();
                next = found.and_then(|at| {
                    by_id[at].is_archived = true;
                    by_id[at].parent
                });
            }
        }
        Ok(())
    }

    fn is_here(&self, id: &ObjectId) -> bool {
        matches!(self.backend.look(id), Ok(Some(_)))
    }

    fn dropped(&self, id: ObjectId) -> DroppedEntry {
        let entry = read_entry(self.backend, &self.name.reference(), &id);
        DroppedEntry { id, summary: entry.ok().map(|entry| entry.message.summary) }
    }
}

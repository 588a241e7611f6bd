//! What a repair would do, and what would be lost by it: found out without writing anything.

use std::collections::HashSet;

use super::Damage;
use super::choice::{Candidate, Choice, choose};
use crate::store::entry::EntryHead;
use crate::store::error::StoreError;
use crate::store::history::History;
use crate::store::ledger::Ledger;
use crate::store::object::{ObjectId, ObjectKind};
use crate::store::proof::PATIENCE_OF_REPAIRS;
use crate::store::snapshot::{read_entry, read_object};

/// What a repair would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What is wrong.
    pub damage: Damage,
    /// The entry that it goes on from; none if there is no whole one.
    pub whole: Option<ObjectId>,
    /// Whether that one is known to have been the newest once. If not, it is the latest.
    pub is_known: bool,
    /// Entries that were published and come after it, the newest first.
    pub lost: Vec<Left>,
    /// Entries beside it that may have been published, the newest first.
    pub doubtful: Vec<Left>,
}

/// An entry that a repair leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its name.
    pub id: ObjectId,
    /// What it says of itself; none if it cannot be read.
    pub summary: Option<String>,
}

impl Ledger<'_> {
    /// What a repair would do; none if nothing is wrong.
    pub fn plan_repair(&self) -> Result<Option<Plan>, StoreError> {
        self.backend.be_patient(PATIENCE_OF_REPAIRS);
        let Some(damage) = self.damage()? else { return Ok(None) };
        if let Some(plan) = self.plan_along_the_chain(&damage) {
            return Ok(Some(plan));
        }
        let Some(choice) = self.choose_among_all()? else {
            let (lost, doubtful) = (Vec::new(), Vec::new());
            return Ok(Some(Plan { damage, whole: None, is_known: false, lost, doubtful }));
        };
        let Choice { whole, is_known, lost, doubtful } = choice;
        // What the ref names was published, unless it can be seen to be something else.
        let is_lost = |tip: &ObjectId| {
            let is_known = *tip == whole || lost.contains(tip);
            !is_known && (self.left(*tip).summary.is_some() || !self.is_here(tip))
        };
        let tip = damage.tip.filter(is_lost);
        let lost = tip.into_iter().chain(lost).map(|id| self.left(id)).collect();
        let is_of_this = |id: &ObjectId| self.at(Some(*id)).is_ok() && Some(*id) != tip;
        let doubtful = doubtful.into_iter().filter(is_of_this).map(|id| self.left(id)).collect();
        Ok(Some(Plan { damage, whole: Some(whole), is_known, lost, doubtful }))
    }

    /// The newest whole entry on the way back from the damaged one, if there is such a way.
    fn plan_along_the_chain(&self, damage: &Damage) -> Option<Plan> {
        let mut lost = Vec::new();
        for (id, entry) in History::from(self, damage.tip).map_while(Result::ok) {
            if self.check_whole(id).is_ok() {
                let (damage, whole) = (damage.clone(), Some(id));
                return Some(Plan { damage, whole, is_known: true, lost, doubtful: Vec::new() });
            }
            lost.push(Left { id, summary: Some(entry.message.summary) });
        }
        None
    }

    fn choose_among_all(&self) -> Result<Option<Choice<ObjectId>>, StoreError> {
        let mut candidates = Vec::new();
        for id in self.backend.every_commit()? {
            let Ok(commit) = read_object(self.backend, &id, ObjectKind::Commit) else { continue };
            let Ok(EntryHead { parent, counters, .. }) = EntryHead::parse(&commit.bytes) else {
                continue;
            };
            let (seq, at) = (counters.seq, counters.at);
            candidates.push(Candidate { id, parent, seq, at, is_archived: false });
        }
        candidates.sort_by_key(|one| one.id);
        self.mark_archived(&mut candidates)?;
        // What cannot be had of it leaves the latest to be chosen.
        let published = self.backend.published(self.name).unwrap_or_default();
        Ok(choose(&candidates, &published, |id| self.check_whole(*id).is_ok()))
    }

    /// Marks the entries of the chains that compactions have set aside.
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

    fn left(&self, id: ObjectId) -> Left {
        let entry = read_entry(self.backend, &self.name.reference(), &id);
        Left { id, summary: entry.ok().map(|entry| entry.message.summary) }
    }
}

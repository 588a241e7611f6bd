//! Iterators over the entries of a ledger, newest first, and searches along them.

use std::time::Duration;

use crate::core::ids::OpId;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::Ledger;
use crate::store::ledger::entry::Entry;
use crate::store::ledger::snapshot::read_entry;

/// Walks back from an entry to the first, or to where a shallow clone ends.
pub struct History<'l, 'b> {
    ledger: &'l Ledger<'b>,
    next: Option<ObjectId>,
}

impl<'l, 'b> History<'l, 'b> {
    /// Begins with the entry `id`.
    pub fn from(ledger: &'l Ledger<'b>, id: Option<ObjectId>) -> History<'l, 'b> {
        History { ledger, next: id }
    }

    /// Begins with the entry `id`, or is empty if this clone does not have that entry.
    pub fn if_here(ledger: &'l Ledger<'b>, id: ObjectId) -> History<'l, 'b> {
        let is_here = matches!(ledger.backend().look(&id), Ok(Some(_)));
        History { ledger, next: is_here.then_some(id) }
    }
}

impl Iterator for History<'_, '_> {
    type Item = Result<(ObjectId, Entry), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.next.take()?;
        let reference = self.ledger.name().reference();
        let backend = self.ledger.backend();
        let entry = match read_entry(backend, &reference, &id) {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error)),
        };
        match backend.is_shallow_boundary(&id) {
            Ok(is_cut_off) => self.next = entry.parent.filter(|_| !is_cut_off),
            Err(error) => return Some(Err(error)),
        }
        Some(Ok((id, entry)))
    }
}

/// An entry of a ledger's chain, or of a chain that a compaction replaced.
pub struct PastEntry {
    pub id: ObjectId,
    pub entry: Entry,
    /// The ref that keeps the entry, if a compaction has set it aside.
    pub archive: Option<String>,
}

/// Walks back through the current chain, and then through the chains that compactions replaced. An
/// unreadable entry of the current chain is an error. An older chain ends at its first unreadable
/// entry.
pub struct Past<'l, 'b> {
    chain: History<'l, 'b>,
    archive: Option<String>,
    /// The chain that the last entry replaced. It is opened only if the caller continues.
    replaced: Option<Replaced>,
}

struct Replaced {
    tip: ObjectId,
    archive: String,
}

impl<'l, 'b> Past<'l, 'b> {
    /// Begins with the entry `tip`.
    pub fn from(ledger: &'l Ledger<'b>, tip: Option<ObjectId>) -> Past<'l, 'b> {
        Past { chain: History::from(ledger, tip), archive: None, replaced: None }
    }
}

impl Iterator for Past<'_, '_> {
    type Item = Result<PastEntry, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(Replaced { tip, archive }) = self.replaced.take() {
            self.chain = History::if_here(self.chain.ledger, tip);
            self.archive = Some(archive);
        }
        match self.chain.next()? {
            Ok((id, entry)) => {
                self.replaced = replaced_by(&entry).filter(|_| self.chain.next.is_none());
                Some(Ok(PastEntry { id, entry, archive: self.archive.clone() }))
            }
            Err(_) if self.archive.is_some() => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Returns the chain that an entry replaced, if it is a checkpoint.
fn replaced_by(entry: &Entry) -> Option<Replaced> {
    let tip = entry.message.checkpoint.as_ref()?.replaces;
    let event = entry.message.events.first();
    let archive = event.and_then(|event| event.text("archive")).unwrap_or_default().to_owned();
    Some(Replaced { tip, archive })
}

/// The state on which a search begins: an entry, or `None` before the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Since(pub(super) Option<ObjectId>);

impl Ledger<'_> {
    /// Finds the entry of an act between two states. Fails if a compaction came in between and its
    /// archive does not lead back to the older state: then the entry may exist without being found.
    pub(super) fn act_since(
        &self,
        since: Since,
        tip: Option<ObjectId>,
        act: &OpId,
    ) -> Result<Option<(ObjectId, Entry)>, StoreError> {
        let mut is_compacted = false;
        for item in Past::from(self, tip) {
            let PastEntry { id, entry, archive } = item?;
            if Some(id) == since.0 {
                return Ok(None);
            }
            if entry.message.counters.op == *act {
                return Ok(Some((id, entry)));
            }
            if archive.is_none() {
                is_compacted = entry.message.checkpoint.is_some();
            }
        }
        let is_cut = since.0.is_some() && is_compacted;
        if is_cut { Err(self.outcome_unknown(Duration::ZERO)) } else { Ok(None) }
    }
}

/// The result of looking up an entry by its name or a prefix of it.
pub enum Found {
    One(ObjectId),
    None,
    Several,
    /// A compaction has set the entry aside, and this ref keeps it.
    SetAside(String),
}

/// The minimum length of an id's prefix. Shorter names can only be numbers.
const ID_PREFIX_MIN: usize = 4;

/// Finds an entry by its id, by a prefix of the id, or by the number of one of its events. A name
/// from before a compaction is valid if no entry of the current chain has it.
pub fn find(ledger: &Ledger<'_>, tip: Option<ObjectId>, name: &str) -> Result<Found, StoreError> {
    let number: Option<u64> = name.parse().ok();
    let whole = ledger.backend().hash_kind().len() * 2;
    let is_named = |id: &ObjectId| name.len() >= ID_PREFIX_MIN && id.to_string().starts_with(name);
    let (mut by_id, mut by_number, mut root) = (Vec::new(), None, None);
    for item in Past::from(ledger, tip) {
        let is_found = !by_id.is_empty() || by_number.is_some();
        let PastEntry { id, entry, archive } = match item {
            // Older chains count only if the current chain has no match. Below an unreadable entry
            // nothing can be told apart.
            Ok(PastEntry { archive: Some(_), .. }) | Err(_) if is_found => break,
            Ok(past) => past,
            Err(error) => return Err(error),
        };
        let is_numbered = number.is_some_and(|number| has_number(&entry, number));
        if let Some(archive) = archive {
            if is_named(&id) || is_numbered {
                let now = successor_of(ledger, tip, root.as_ref(), (id, &entry))?;
                return Ok(now.map_or(Found::SetAside(archive), Found::One));
            }
            continue;
        }
        if is_named(&id) {
            by_id.push(id);
            if name.len() == whole {
                break;
            }
        }
        if is_numbered {
            by_number = Some(id);
        }
        root = Some((id, entry));
    }
    Ok(match (by_id.as_slice(), by_number) {
        ([one], _) => Found::One(*one),
        ([_, _, ..], _) => Found::Several,
        ([], Some(id)) => Found::One(id),
        ([], None) => Found::None,
    })
}

/// Tells whether one of the entry's events has this number.
fn has_number(entry: &Entry, number: u64) -> bool {
    let last = entry.message.counters.seq;
    let first = last.saturating_sub(entry.message.events.len() as u64) + 1;
    (first..=last).contains(&number)
}

/// Finds the entry of the current chain that replaced one of an older chain: the entry of the same
/// act, or the checkpoint.
fn successor_of(
    ledger: &Ledger<'_>,
    tip: Option<ObjectId>,
    root: Option<&(ObjectId, Entry)>,
    (old, entry): (ObjectId, &Entry),
) -> Result<Option<ObjectId>, StoreError> {
    if let Some((id, Entry { message, .. })) = root
        && message.checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.stands_for == old)
    {
        return Ok(Some(*id));
    }
    for item in History::from(ledger, tip) {
        let (id, of_chain) = item?;
        if of_chain.message.counters.op == entry.message.counters.op {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Tells whether an entry may be missing because the clone is shallow: the chain ends at the
/// boundary and does not contain it.
pub fn may_be_beyond_shallow(
    ledger: &Ledger<'_>,
    tip: Option<ObjectId>,
    to: ObjectId,
) -> Result<bool, StoreError> {
    let mut last = None;
    for item in History::from(ledger, tip) {
        let (id, _) = item?;
        if id == to {
            return Ok(false);
        }
        last = Some(id);
    }
    last.map_or(Ok(false), |id| ledger.backend().is_shallow_boundary(&id))
}

/// Counts the entries between `tip` and `to`. Returns `None` if `to` is not an ancestor.
pub fn distance(
    ledger: &Ledger<'_>,
    tip: Option<ObjectId>,
    to: ObjectId,
) -> Result<Option<u64>, StoreError> {
    for (count, item) in (0..).zip(History::from(ledger, tip)) {
        if item?.0 == to {
            return Ok(Some(count));
        }
    }
    Ok(None)
}

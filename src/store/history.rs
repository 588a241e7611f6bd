//! The entries of a ledger, newest first.

use crate::store::entry::Entry;
use crate::store::error::StoreError;
use crate::store::ledger::Ledger;
use crate::store::object::ObjectId;
use crate::store::snapshot::read_entry;

/// Walks back from an entry to the first.
pub struct History<'l, 'b> {
    ledger: &'l Ledger<'b>,
    next: Option<ObjectId>,
}

impl<'l, 'b> History<'l, 'b> {
    /// From that entry on back.
    pub fn from(ledger: &'l Ledger<'b>, id: Option<ObjectId>) -> History<'l, 'b> {
        History { ledger, next: id }
    }
}

impl Iterator for History<'_, '_> {
    type Item = Result<(ObjectId, Entry), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.next.take()?;
        let reference = self.ledger.name().reference();
        let entry = read_entry(self.ledger.backend(), &reference, &id);
        if let Ok(entry) = &entry {
            self.next = entry.parent;
        }
        Some(entry.map(|entry| (id, entry)))
    }
}

/// What an entry's name, or the beginning of one, stands for in a ledger.
pub enum Found {
    /// One entry.
    One(ObjectId),
    /// None.
    None,
    /// Several.
    Several,
}

/// Shorter names are numbers only: three digits of an id are no name.
const ID_PREFIX_MIN: usize = 4;

/// The entry of the ledger that is named so: by its id, by the beginning of that, or by the number
/// of one of its events.
pub fn find(ledger: &Ledger<'_>, tip: Option<ObjectId>, name: &str) -> Result<Found, StoreError> {
    let number: Option<u64> = name.parse().ok();
    let whole = ledger.backend().hash_kind().len() * 2;
    let mut by_id = Vec::new();
    let mut by_number = None;
    for item in History::from(ledger, tip) {
        let (id, entry) = match item {
            Ok(found) => found,
            // What lies below the gap cannot be told apart any more.
            Err(_) if !by_id.is_empty() || by_number.is_some() => break,
            Err(error) => return Err(error),
        };
        if name.len() >= ID_PREFIX_MIN && id.to_string().starts_with(name) {
            by_id.push(id);
            if name.len() == whole {
                break;
            }
        }
        let last = entry.message.counters.seq;
        let first = last.saturating_sub(entry.message.events.len() as u64) + 1;
        if number.is_some_and(|number| (first..=last).contains(&number)) {
            by_number = Some(id);
        }
    }
    Ok(match (by_id.as_slice(), by_number) {
        ([one], _) => Found::One(*one),
        ([_, _, ..], _) => Found::Several,
        ([], Some(id)) => Found::One(id),
        ([], None) => Found::None,
    })
}

/// How many entries lie above one of them; `None` if it is not among them.
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

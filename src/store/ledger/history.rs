//! The entries of a ledger, newest first.

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
    /// From that entry on back.
    pub fn from(ledger: &'l Ledger<'b>, id: Option<ObjectId>) -> History<'l, 'b> {
        History { ledger, next: id }
    }

    /// From that entry on back, if it is in this clone; it may well not be.
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
        match backend.is_cut_off_at(&id) {
            Ok(is_cut_off) => self.next = entry.parent.filter(|_| !is_cut_off),
            Err(error) => return Some(Err(error)),
        }
        Some(Ok((id, entry)))
    }
}

/// An entry that is not in the chain any more.
pub struct SetAside {
    /// Its name.
    pub id: ObjectId,
    /// What it says.
    pub entry: Entry,
    /// The ref that keeps it.
    pub archive: String,
}

/// Goes on where a [`History`] ends: through the chains that compactions replaced, newest first, as
/// far as they can be read.
pub struct Archived<'l, 'b> {
    chain: History<'l, 'b>,
    archive: String,
}

impl<'l, 'b> Archived<'l, 'b> {
    /// What the chain with that first entry has replaced; nothing if it is no checkpoint.
    pub fn behind(ledger: &'l Ledger<'b>, root: Option<&Entry>) -> Archived<'l, 'b> {
        let mut archived =
            Archived { chain: History::from(ledger, None), archive: String::default() };
        if let Some(root) = root {
            archived.go_behind(root);
        }
        archived
    }

    fn go_behind(&mut self, root: &Entry) {
        let Some(checkpoint) = &root.message.checkpoint else { return };
        let event = root.message.events.first();
        let named = event.and_then(|event| event.text("archive"));
        named.unwrap_or_default().clone_into(&mut self.archive);
        self.chain = History::if_here(self.chain.ledger, checkpoint.replaces);
    }
}

impl Iterator for Archived<'_, '_> {
    type Item = SetAside;

    fn next(&mut self) -> Option<SetAside> {
        let (id, entry) = self.chain.next()?.ok()?;
        let archive = self.archive.clone();
        self.go_behind(&entry);
        Some(SetAside { id, entry, archive })
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
    /// One that a compaction has set aside; this ref has it.
    SetAside(String),
}

/// Shorter names are numbers only: three digits of an id are no name.
const ID_PREFIX_MIN: usize = 4;

/// The entry of the ledger that is named so: by its id, by the beginning of that, or by the number
/// of one of its events. The name that an entry had before a compaction is good still.
pub fn find(ledger: &Ledger<'_>, tip: Option<ObjectId>, name: &str) -> Result<Found, StoreError> {
    let number: Option<u64> = name.parse().ok();
    let whole = ledger.backend().hash_kind().len() * 2;
    let is_named = |id: &ObjectId| name.len() >= ID_PREFIX_MIN && id.to_string().starts_with(name);
    let mut by_id = Vec::new();
    let mut by_number = None;
    let mut root = None;
    for item in History::from(ledger, tip) {
        let (id, entry) = match item {
            Ok(found) => found,
            // What lies below the gap cannot be told apart any more.
            Err(_) if !by_id.is_empty() || by_number.is_some() => break,
            Err(error) => return Err(error),
        };
        if is_named(&id) {
            by_id.push(id);
            if name.len() == whole {
                break;
            }
        }
        if number.is_some_and(|number| has_number(&entry, number)) {
            by_number = Some(id);
        }
        root = Some((id, entry));
    }
    Ok(match (by_id.as_slice(), by_number) {
        ([one], _) => Found::One(*one),
        ([_, _, ..], _) => Found::Several,
        ([], Some(id)) => Found::One(id),
        ([], None) => {
            let is_meant = |old: &SetAside| {
                is_named(&old.id) || number.is_some_and(|number| has_number(&old.entry, number))
            };
            let root_entry = root.as_ref().map(|(_, entry)| entry);
            match Archived::behind(ledger, root_entry).find(is_meant) {
                None => Found::None,
                Some(old) => match now_named(ledger, tip, root.as_ref(), &old)? {
                    Some(id) => Found::One(id),
                    None => Found::SetAside(old.archive),
                },
            }
        }
    })
}

/// Whether one of the entry's events has that number.
fn has_number(entry: &Entry, number: u64) -> bool {
    let last = entry.message.counters.seq;
    let first = last.saturating_sub(entry.message.events.len() as u64) + 1;
    (first..=last).contains(&number)
}

/// The entry of the chain that is the same act as one of an earlier chain, or its checkpoint.
fn now_named(
    ledger: &Ledger<'_>,
    tip: Option<ObjectId>,
    root: Option<&(ObjectId, Entry)>,
    old: &SetAside,
) -> Result<Option<ObjectId>, StoreError> {
    if let Some((id, Entry { message, .. })) = root
        && message.checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.stands_for == old.id)
    {
        return Ok(Some(*id));
    }
    for item in History::from(ledger, tip) {
        let (id, entry) = item?;
        if entry.message.counters.op == old.entry.message.counters.op {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Whether an entry may lie behind the end of a shallow clone: the chain ends there, and does not
/// have it.
pub fn is_cut_off_from(
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
    last.map_or(Ok(false), |id| ledger.backend().is_cut_off_at(&id))
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

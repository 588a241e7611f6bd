//! Decides a command on a state: computes the answer, and the entry that would record it.
//!
//! One function serves all callers: [`transact`] writes the proposed entry, a dry run shows its
//! answer, and [`verify`] compares it with the stored entry.
//!
//! [`transact`]: crate::store::ledger::transact
//! [`verify`]: crate::store::ledger::verify

use std::collections::btree_map;

use crate::core::command::{Command, Decided, Request, decide};
use crate::core::decision::{Changes, Decide, Env, No};
use crate::core::documents::{Documents as _, Edits, Key, ReadError, encode, walk};
use crate::core::event::Event;
use crate::core::ids::OpId;
use crate::core::limits::{
    DOCUMENT_BYTES_MAX, INLINE_COMMAND_BYTES_MAX, MESSAGE_BYTES_MAX, NODE_ENTRIES_MAX,
};
use crate::core::refusal::{Refusal, within};
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::object::{HashKind, NewObjects, Object, ObjectId, ObjectKind};
use crate::store::ledger::entry::{
    COMMAND_DOCUMENT, Committer, Counters, EVENTS_DOCUMENT, Entry, Message, Recorded, Undoes,
    encode_events,
};
use crate::store::ledger::history;
use crate::store::ledger::layout::Layout;
use crate::store::ledger::rewrite::rewrite;
use crate::store::ledger::snapshot::{Format, Snapshot};
use crate::store::ledger::transact::TransactError;
use crate::store::ledger::{Base, Ledger};

/// The outcome of a decision.
pub struct Proposal<A> {
    /// The answer for the caller.
    pub answer: A,
    /// The time of the decision. It is later than the request's clock if the ledger is ahead of it.
    pub at: Timestamp,
    /// The entry to write; `None` if nothing changes.
    pub entry: Option<ProposedEntry>,
}

/// An entry, with the documents and trees that it adds.
pub struct ProposedEntry {
    pub entry: Entry,
    /// The new objects, without the commit.
    pub objects: NewObjects,
    /// The ref that keeps the entry before, if this one changes the format of the ledger.
    pub archive: Option<String>,
}

/// An entry as a commit that is ready to be stored.
pub struct Sealed {
    pub id: ObjectId,
    /// The new objects, with the commit.
    pub objects: NewObjects,
    /// The committer and the time, as git writes them.
    pub signature: String,
    /// The first line of the message.
    pub summary: String,
}

impl ProposedEntry {
    /// Builds the commit of the entry.
    pub fn seal(self, committer: &Committer, at: Timestamp) -> Sealed {
        let ProposedEntry { entry, mut objects, .. } = self;
        let signature = committer.signature(at);
        let id = objects.add(entry.to_object(&signature));
        Sealed { id, objects, signature, summary: entry.message.summary }
    }
}

/// A decision that changes something, as input for its entry.
struct DecidedChange {
    counters: Counters,
    summary: String,
    changes: Changes,
    /// The entry that a rollback restores.
    earlier: Option<ObjectId>,
}

impl Ledger<'_> {
    /// Takes the decision on a state and builds the entry, without writing anything.
    pub fn propose<C>(
        &self,
        base: &Base<'_>,
        request: &Request<C>,
        op: &OpId,
    ) -> Result<Proposal<C::Answer>, TransactError>
    where
        C: Decide + Clone + Into<Command>,
    {
        let recorded = request.recorded();
        let earlier = self.earlier(&recorded.command)?;
        let (Decided { answer, changes, summary }, counters) =
            self.decide(base, request, op, earlier.as_ref())?;
        let at = counters.at;
        let entry = changes.map(|changes| {
            let earlier = earlier.as_ref().and_then(Base::id);
            self.make_entry(base, &recorded, DecidedChange { counters, summary, changes, earlier })
        });
        Ok(Proposal { answer, at, entry: entry.transpose()? })
    }

    /// Repeats the decision of an existing entry, for its answer and time. Only for a command that
    /// reads nothing but the state.
    pub(super) fn repeat_decision<C>(
        &self,
        base: &Base<'_>,
        request: &Request<C>,
        op: &OpId,
    ) -> Result<(C::Answer, Timestamp), TransactError>
    where
        C: Decide,
    {
        let (decided, counters) = self.decide(base, request, op, None)?;
        Ok((decided.answer, counters.at))
    }

    fn decide<C: Decide>(
        &self,
        base: &Base<'_>,
        request: &Request<C>,
        op: &OpId,
        earlier: Option<&Base<'_>>,
    ) -> Result<(Decided<C::Answer>, Counters), No> {
        let counters = base.next_counters(request, op);
        let env = Env {
            ledger: self.name(),
            rules: request.rules,
            actor: &request.actor,
            host: &request.host,
            place: request.place.as_ref(),
            now: counters.at,
            asked_at: request.asked_at,
            before: base.counters().map(|last| last.at),
            leap: counters.leap,
            skew: request.skew(),
            before_by: base.snapshot.tip().and_then(|tip| tip.head.actor.as_ref()),
            last: base.counters().map(|last| &last.op),
            op,
            fence: counters.fence,
            case: self.case(base),
            gone: &request.gone,
            earlier: earlier.map(|base| &base.snapshot as _),
        };
        Ok((decide(&request.command, &base.snapshot, env)?, counters))
    }

    fn make_entry(
        &self,
        base: &Base<'_>,
        recorded: &Request<Command>,
        change: DecidedChange,
    ) -> Result<ProposedEntry, TransactError> {
        let DecidedChange { mut counters, summary, changes, earlier } = change;
        counters.count(&changes);
        if let Some(why) = counters.are_too_high().then(|| base.exhausted()).flatten() {
            return Err(StoreError::Damaged { reference: self.name().reference(), why }.into());
        }
        let hash = self.backend().hash_kind();
        let version = recorded.command.upgrades_to().unwrap_or(0).max(self.format(base));
        let layout = Layout::of_format(version);
        let (command, mut edits) = place(recorded, hash);
        check_document_size(&changes.edits)?;
        edits.extend(changes.edits);
        let events_at = match layout {
            // Format 1 has all events in the message.
            Layout::Shards => None,
            Layout::Buckets => place_events(&changes.events, hash, &mut edits),
        };
        let (mut root, mut archive) = (base.snapshot.root(), None);
        if base.format.as_ref().is_none_or(|format| format.version != version) {
            let new = || Format::new(self.name(), version, self.case(base));
            let format = Format { version, ..base.format.clone().unwrap_or_else(new) };
            edits.insert(Format::key(), Some(encode(&format)));
            add_all_documents(&base.snapshot, &mut edits)?;
            root = None;
            archive = base.id().map(|before| self.name().archive(counters.at, &before));
        }
        let tree = rewrite(&base.snapshot, root, &edits, layout)?;
        within("documents in one directory", tree.widest, NODE_ENTRIES_MAX)?;
        let undoes = match earlier {
            Some(to) => Some(Undoes { to, count: self.entries_above(base, to)? }),
            None => None,
        };
        let message = Message {
            summary,
            events: changes.events,
            events_at,
            command,
            counters,
            undoes,
            checkpoint: None,
        };
        let entry = Entry { tree: tree.root, parent: base.id(), message };
        check_message(&entry)?;
        Ok(ProposedEntry { entry, objects: tree.objects, archive })
    }

    fn entries_above(&self, base: &Base<'_>, to: ObjectId) -> Result<u64, StoreError> {
        history::distance(self, base.id(), to)?.ok_or_else(|| {
            StoreError::Malformed(format!("entry {} is not in this ledger's chain", to.short()))
        })
    }
}

/// Chooses where the command is recorded, and returns the edits for that. A large command becomes a
/// document of this entry. The document of the previous entry is removed.
fn place(request: &Request<Command>, hash: HashKind) -> (Recorded, Edits) {
    let value = serde_json::to_value(request).expect("a request is plain data");
    let key = Key::of([COMMAND_DOCUMENT]);
    if value.to_string().len() <= INLINE_COMMAND_BYTES_MAX {
        return (Recorded::Inline(value), Edits::from([(key, None)]));
    }
    let bytes = encode(&value);
    let id = Object { kind: ObjectKind::Blob, bytes: bytes.clone() }.id(hash);
    (Recorded::Document(id), Edits::from([(key, Some(bytes))]))
}

/// Adds the document for events that are too large for the message, and returns its id. The
/// document of the previous entry is removed.
fn place_events(events: &[Event], hash: HashKind, edits: &mut Edits) -> Option<ObjectId> {
    let lines = encode_events(events).into_bytes();
    let is_inline = lines.len() <= INLINE_COMMAND_BYTES_MAX;
    let object = Object { kind: ObjectKind::Blob, bytes: lines };
    let id = object.id(hash);
    let key = Key::of([EVENTS_DOCUMENT]);
    edits.insert(key, (!is_inline).then_some(object.bytes));
    (!is_inline).then_some(id)
}

/// Adds every document of a state that the edits do not change, so that a tree can be built of them
/// from scratch.
fn add_all_documents(state: &Snapshot<'_>, edits: &mut Edits) -> Result<(), ReadError> {
    for key in walk(state, &Key::root())? {
        if let btree_map::Entry::Vacant(vacant) = edits.entry(key) {
            let document = state.get(vacant.key())?;
            vacant.insert(document);
        }
    }
    Ok(())
}

/// Refuses a document that no reader would accept.
fn check_document_size(edits: &Edits) -> Result<(), Refusal> {
    let largest = edits.values().flatten().map(Vec::len).max().unwrap_or(0);
    within("bytes in one document", largest, DOCUMENT_BYTES_MAX)
}

fn check_message(entry: &Entry) -> Result<(), TransactError> {
    let commit = entry.to_object("nobody <nobody> 0 +0000");
    within("bytes in one entry", commit.bytes.len(), MESSAGE_BYTES_MAX / 2)?;
    let read = Entry::parse(&commit.bytes).and_then(|read| match read.message.events_at {
        Some(_) => read.with_events(encode_events(&entry.message.events).as_bytes()),
        None => Ok(read),
    });
    if read.is_ok_and(|read| read == *entry) {
        return Ok(());
    }
    let why = "the entry would not read back as it was meant: a document holds something that JSON \
               does not keep, such as a number of many digits";
    Err(StoreError::Malformed(why.to_owned()).into())
}

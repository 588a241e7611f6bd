//! Checks a ledger: decodes, counts and decides every entry again.
//!
//! An entry is right if its recorded command, taken again on the entry before, gives the same tree
//! and the same message. That covers the layout of the tree as well, so only the newest state is
//! held against the laws.

use std::collections::HashMap;

use crate::core::decision::RULES;
use crate::core::documents::Key;
use crate::core::laws;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::entry::{Checkpoint, Counters, Entry, Undoes};
use crate::store::ledger::history::{History, is_cut_off_from};
use crate::store::ledger::proposal::ProposedEntry;
use crate::store::ledger::{Base, Ledger, decode_request, recorded_command};

/// Something in a ledger that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The entry it was found in.
    pub entry: Option<ObjectId>,
    /// The document, where it is about one.
    pub key: Option<Key>,
    /// The fault, for people.
    pub what: String,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Entries looked at.
    pub entries: u64,
    /// Entries made under other rules, which were decoded but not decided again.
    pub other_rules: u64,
    /// Checkpoints of compactions, which stand for an earlier entry.
    pub checkpoints: u64,
    /// Entries that could not be decided again, because a shallow clone ends at them, or before
    /// what they go back to.
    pub cut_off: u64,
    /// The faults that were found.
    pub faults: Vec<Fault>,
}

/// Looks at the whole ledger as it is at that moment.
pub fn verify(ledger: &Ledger<'_>, now: Timestamp) -> Result<Report, StoreError> {
    let mut report = Report::default();
    let tip = match ledger.now() {
        Ok(base) => base.id(),
        Err(error) => {
            report.fault(None, error.to_string());
            return Ok(report);
        }
    };
    // Newest first, as they are found, so that the chain is never in memory as a whole: of each
    // entry two numbers stay. The state before an entry is the one after the next.
    let mut later_with_op = HashMap::new();
    let mut next = None;
    for item in History::from(ledger, tip) {
        let (id, entry) = match item {
            Ok(found) => found,
            Err(error) => {
                report.fault(None, error.to_string());
                continue;
            }
        };
        report.entries += 1;
        let is_cut_off = ledger.backend().is_cut_off_at(&id)?;
        let before = (!is_cut_off).then(|| ledger.at(entry.parent));
        let made = next.take().unwrap_or_else(|| ledger.at(Some(id)));
        match check_entry(ledger, &entry, before.as_ref(), &made) {
            Ok(Checked::AsDecided) => {}
            Ok(Checked::OtherRules) => report.other_rules += 1,
            Ok(Checked::Checkpoint) => report.checkpoints += 1,
            Ok(Checked::CutOff) => report.cut_off += 1,
            Ok(Checked::Wrong(what)) => report.fault(Some(id), what),
            Err(error) => report.fault(Some(id), error.to_string()),
        }
        let op = entry.message.counters.op;
        next = before;
        if let Some(later) = later_with_op.insert(op.to_bits(), id) {
            report.fault(Some(later), format!("op {op} stands twice"));
        }
    }
    // Told from the first entry on: one fault often follows from another before it.
    report.faults.reverse();
    if let Some(id) = tip {
        check_laws(ledger, id, now, &mut report);
    }
    Ok(report)
}

impl Report {
    fn fault(&mut self, entry: Option<ObjectId>, what: String) {
        self.faults.push(Fault { entry, key: None, what });
    }
}

fn check_laws(ledger: &Ledger<'_>, id: ObjectId, now: Timestamp, report: &mut Report) {
    let found = ledger.at(Some(id)).map_err(|error| error.to_string()).and_then(|base| {
        let now = base.counters().map_or(now, |counters| counters.at.max(now));
        laws::faults(ledger.name(), &base.snapshot, now, ledger.case(&base))
            .map_err(|error| error.to_string())
    });
    match found {
        Ok(faults) => report.faults.extend(faults.into_iter().map(|fault| Fault {
            entry: Some(id),
            key: Some(fault.key),
            what: fault.what,
        })),
        Err(error) => report.fault(Some(id), error),
    }
}

enum Checked {
    AsDecided,
    OtherRules,
    Checkpoint,
    CutOff,
    Wrong(String),
}

/// A state, or why it cannot be read.
type State<'b> = Result<Base<'b>, StoreError>;

/// Takes the entry's decision again on the state before it and compares. Where a shallow clone
/// ends, there is none.
fn check_entry(
    ledger: &Ledger<'_>,
    entry: &Entry,
    before: Option<&State<'_>>,
    made: &State<'_>,
) -> Result<Checked, Box<dyn std::error::Error>> {
    if let Some(checkpoint) = &entry.message.checkpoint {
        return Ok(check_checkpoint(ledger, entry, checkpoint));
    }
    let Some(before) = before else { return Ok(Checked::CutOff) };
    let [base, made] = [before, made].map(|state| state.as_ref().map_err(StoreError::to_string));
    let (base, made) = (base?, made?);
    let recorded = recorded_command(entry, made)?;
    if recorded["rules"] != RULES {
        return Ok(Checked::OtherRules);
    }
    let request = decode_request(recorded)?;
    if let Some(Undoes { to, .. }) = entry.message.undoes
        && is_cut_off_from(ledger, base.id(), to)?
    {
        return Ok(Checked::CutOff);
    }
    let ledger = ledger.for_reading(ledger.case(made));
    let proposal = ledger.propose(base, &request, &entry.message.counters.op)?;
    let wrong = |what: &str| Ok(Checked::Wrong(format!("its {what} not that of its command")));
    let Some(ProposedEntry { entry: expected, .. }) = proposal.entry else {
        return Ok(Checked::Wrong("its command changes nothing".to_owned()));
    };
    let (found, expected) = (entry, &expected);
    if found.message.counters != expected.message.counters {
        wrong("sequence, time or fence is")
    } else if found.message.events != expected.message.events {
        wrong("list of events is")
    } else if found.tree != expected.tree {
        wrong("tree of documents is")
    } else if found.message.summary != expected.message.summary {
        wrong("first line is")
    } else if found != expected {
        wrong("record is")
    } else {
        Ok(Checked::AsDecided)
    }
}

/// A checkpoint is held against the entry that it stands for, where that can still be read: what
/// was set aside is kept, but not sent to other clones.
fn check_checkpoint(ledger: &Ledger<'_>, entry: &Entry, checkpoint: &Checkpoint) -> Checked {
    let wrong = |what: &str| Checked::Wrong(format!("a checkpoint, but {what}"));
    if entry.parent.is_some() {
        return wrong("it is not the first entry");
    }
    let mut replaced = History::if_here(ledger, checkpoint.stands_for);
    let Some(Ok((_, old))) = replaced.next() else { return Checked::Checkpoint };
    let Counters { op: _, seq, at, fence } = &old.message.counters;
    let own = &entry.message.counters;
    if (seq, at, fence) != (&own.seq, &own.at, &own.fence) {
        wrong("its sequence, time or fence is not that of the entry it stands for")
    } else if old.tree != entry.tree {
        wrong("its tree of documents is not that of the entry it stands for")
    } else {
        Checked::Checkpoint
    }
}

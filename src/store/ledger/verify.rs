//! Verifies a ledger: decodes every entry, checks its counters and repeats its decision.
//!
//! An entry is valid if its recorded command, decided again on the previous entry, gives the same
//! tree and the same message. That covers the layout of the tree as well, so only the newest state
//! is checked against the laws.

use std::collections::HashMap;

use crate::core::decision::RULES;
use crate::core::documents::Key;
use crate::core::laws;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::object::ObjectId;
use crate::store::ledger::entry::{Checkpoint, Counters, Entry, Undoes};
use crate::store::ledger::history::{History, may_be_beyond_shallow};
use crate::store::ledger::proposal::ProposedEntry;
use crate::store::ledger::{Base, Ledger, decode_request, recorded_command};

/// A violation that was found in a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub entry: Option<ObjectId>,
    /// The document, if the fault is about one.
    pub key: Option<Key>,
    /// The description for people.
    pub what: String,
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of entries that were checked.
    pub entries: u64,
    /// The number of entries that were decided under later rules. They were decoded, but not
    /// decided again.
    pub later_rules: u64,
    /// The number of checkpoints, each of which stands for an earlier entry.
    pub checkpoints: u64,
    /// The number of entries that could not be decided again, because a shallow clone ends at them
    /// or before the entry that they restore.
    pub cut_off: u64,
    pub faults: Vec<Fault>,
}

/// Verifies the whole ledger in its current state.
pub fn verify(ledger: &Ledger<'_>, now: Timestamp) -> Result<Report, StoreError> {
    let mut report = Report::default();
    let tip = match ledger.now() {
        Ok(base) => base.id(),
        Err(error) => {
            report.fault(None, error.to_string());
            return Ok(report);
        }
    };
    // Walks newest first and keeps two numbers for each entry, so that the chain is never in memory
    // as a whole. The state before an entry is the state after the next one of the walk.
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
        let is_cut_off = ledger.backend().is_shallow_boundary(&id)?;
        let before = (!is_cut_off).then(|| ledger.at(entry.parent));
        let made = next.take().unwrap_or_else(|| ledger.at(Some(id)));
        match check_entry(ledger, &entry, before.as_ref(), &made) {
            Ok(Checked::AsDecided) => {}
            Ok(Checked::LaterRules) => report.later_rules += 1,
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
    // Reported oldest first: a fault often causes others after it.
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
        let now = ledger.time_at(&base, now);
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
    LaterRules,
    Checkpoint,
    CutOff,
    Wrong(String),
}

/// A state, or the error of reading it.
type State<'b> = Result<Base<'b>, StoreError>;

/// Repeats the entry's decision on the state before it and compares. `before` is `None` at the
/// boundary of a shallow clone.
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
    if recorded["rules"].as_u64().is_none_or(|rules| rules > u64::from(RULES)) {
        return Ok(Checked::LaterRules);
    }
    let request = decode_request(recorded)?;
    if let Some(Undoes { to, .. }) = entry.message.undoes
        && may_be_beyond_shallow(ledger, base.id(), to)?
    {
        return Ok(Checked::CutOff);
    }
    let ledger = ledger.for_reading(ledger.case(made), ledger.format(made));
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

/// Compares a checkpoint with the entry that it stands for, if that is readable. The old chain is
/// kept, but not sent to other clones.
fn check_checkpoint(ledger: &Ledger<'_>, entry: &Entry, checkpoint: &Checkpoint) -> Checked {
    let wrong = |what: &str| Checked::Wrong(format!("a checkpoint, but {what}"));
    if entry.parent.is_some() {
        return wrong("it is not the first entry");
    }
    let mut replaced = History::if_here(ledger, checkpoint.stands_for);
    let Some(Ok((_, old))) = replaced.next() else { return Checked::Checkpoint };
    let Counters { op: _, seq, at, fence, leap } = &old.message.counters;
    let own = &entry.message.counters;
    if (seq, at, fence, leap) != (&own.seq, &own.at, &own.fence, &own.leap) {
        wrong("its sequence, time or fence is not that of the entry it stands for")
    } else if old.tree != entry.tree {
        wrong("its tree of documents is not that of the entry it stands for")
    } else {
        Checked::Checkpoint
    }
}

//! Shortens a ledger's chain: a checkpoint replaces the old entries.
//!
//! The checkpoint is a commit without a parent. It has the tree and the counters of the entry that
//! it stands for. The entries after that one are rewritten on top of the checkpoint. Each keeps its
//! op, counters, events, tree and committer, so no document, later event, fence or number changes.
//!
//! A ref of its own keeps the old chain. That ref is created first: a process that is killed
//! between the two refs has lost nothing and can start over.

use std::collections::HashMap;
use std::mem;

use serde_json::{Map, json};

use crate::core::compaction::{Link, Plan, Planner};
use crate::core::decision::RULES;
use crate::core::event::Event;
use crate::core::ids::{AgentName, OpId};
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::backend::{Stored, Update};
use crate::store::git::object::{NewObjects, Object, ObjectId, ObjectKind};
use crate::store::git::refs::LogNote;
use crate::store::ledger::Ledger;
use crate::store::ledger::entry::{Checkpoint, Counters, Entry, Message, Recorded, rebase};
use crate::store::ledger::history::History;
use crate::store::ledger::snapshot::{read_entry, read_object};
use crate::store::ledger::transact::TransactError;
use crate::store::ledger::writer::Writer;

/// The number of bytes of rewritten commits in one pack: some 50,000 entries. Later writers merge
/// only packs that are smaller than this.
const BYTES_AT_ONCE: usize = 40 << 20;

/// A request to shorten a ledger.
#[derive(Clone, Debug)]
pub struct Compaction {
    /// The agent that asks.
    pub actor: AgentName,
    /// The host that it asks from.
    pub host: Line,
    /// The time of the request.
    pub clock: Timestamp,
    /// The age in seconds up to which entries are kept.
    pub keep_seconds: u64,
}

/// The outcome of a compaction, or of a dry run.
#[derive(Clone, Debug)]
pub struct Compacted {
    pub plan: Plan<ObjectId>,
    /// The refs that were written; `None` after a dry run.
    pub written: Option<Written>,
    /// The disk space of the entries that are set aside; `None` unless it was asked for.
    pub bytes: Option<u64>,
    /// Warnings for the caller.
    pub notices: Vec<String>,
}

/// The refs that a compaction wrote.
#[derive(Clone, Debug)]
pub struct Written {
    /// The newest entry of the shortened chain.
    pub tip: ObjectId,
    /// The ref that keeps the old chain.
    pub archive: String,
}

impl Ledger<'_> {
    /// Plans a compaction of the current chain. Returns `None` if the chain would not become
    /// shorter.
    pub fn plan_compaction(
        &self,
        wanted: &Compaction,
    ) -> Result<Option<Plan<ObjectId>>, StoreError> {
        let base = self.now()?;
        let mut planner = Planner::new(self.time_at(&base, wanted.clock), wanted.keep_seconds);
        for item in History::from(self, base.id()) {
            let (id, Entry { message, parent, .. }) = item?;
            if parent.is_some() && self.backend.is_shallow_boundary(&id)? {
                return Err(StoreError::CutOff { reference: self.name.reference(), at: id });
            }
            let goes_back_to = message.undoes.map(|undoes| undoes.to);
            planner.meet(Link { id, at: message.counters.at, goes_back_to });
        }
        Ok(planner.plan())
    }

    /// Plans a compaction and measures the disk space of the entries that it would set aside.
    pub fn dry_run(&self, wanted: &Compaction) -> Result<Option<Compacted>, StoreError> {
        let Some(plan) = self.plan_compaction(wanted)? else { return Ok(None) };
        let bytes = Some(self.backend.history_disk_usage(&plan.stands_for)?);
        Ok(Some(Compacted { plan, written: None, bytes, notices: Vec::new() }))
    }

    /// Replaces the old entries by a checkpoint. Returns `None` if there is nothing to set aside.
    pub fn compact(
        &self,
        wanted: &Compaction,
        op: &OpId,
    ) -> Result<Option<Compacted>, TransactError> {
        let mut writer = Writer::begin(self)?;
        loop {
            let Some(plan) = self.plan_compaction(wanted)? else { return Ok(None) };
            let replaces = *plan.kept.first().unwrap_or(&plan.stands_for);
            let archive = self.name.archive(wanted.clock, &replaces);
            let checkpoint = self.checkpoint(wanted, op, &plan, &archive)?;
            let why = checkpoint.message.summary.clone();
            let committer = self.writing.committer.signature(checkpoint.message.counters.at);
            let RebasedChain { tip, objects, stored } =
                self.rebase_kept(&plan, checkpoint.to_object(&committer), BYTES_AT_ONCE)?;
            let reference = self.name.reference();
            let note = LogNote { committer: &committer, message: &why };
            let keep = Update::new(&archive, None, replaces, note);
            let swap = Update::new(&reference, Some(replaces), tip, note);
            // A process may have been killed after it wrote the first of the two refs.
            let is_archived = self.backend.tip(&archive)? == Some(replaces);
            let keep = (!is_archived).then_some(keep);
            let is_published = writer.publish(&objects, keep, swap)?;
            // Until here no ref led to these packs, and only this value protected them.
            drop(stored);
            if is_published {
                let written = Some(Written { tip, archive });
                let notices = writer.finish();
                return Ok(Some(Compacted { plan, written, bytes: None, notices }));
            }
        }
    }

    fn checkpoint(
        &self,
        wanted: &Compaction,
        op: &OpId,
        plan: &Plan<ObjectId>,
        archive: &str,
    ) -> Result<Entry, StoreError> {
        let Compaction { actor, host, clock, keep_seconds } = wanted;
        let old = read_entry(self.backend, &self.name.reference(), &plan.stands_for)?;
        let checkpoint = Checkpoint {
            stands_for: plan.stands_for,
            replaces: *plan.kept.first().unwrap_or(&plan.stands_for),
            set_aside: plan.set_aside,
        };
        let data = [
            ("stands_for", json!(checkpoint.stands_for.to_string())),
            ("replaces", json!(checkpoint.replaces.to_string())),
            ("set_aside", json!(checkpoint.set_aside)),
            ("archive", json!(archive)),
        ];
        let data: Map<_, _> =
            data.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        let event = Event { kind: COMPACTED.to_owned(), actor: actor.clone(), subject: None, data };
        let input = json!({ "keep_seconds": keep_seconds });
        let command = json!({
            "command": "compact", "input": input, "actor": actor, "host": host, "clock": clock,
            "rules": RULES,
        });
        let short = plan.stands_for.short();
        let message = Message {
            summary: format!("compact {} entries up to {short} by {actor}", plan.set_aside),
            events: vec![event],
            events_at: None,
            command: Recorded::Inline(command),
            counters: Counters { op: op.clone(), ..old.message.counters },
            undoes: None,
            checkpoint: Some(checkpoint),
        };
        Ok(Entry { tree: old.tree, parent: None, message })
    }

    /// Rewrites the kept entries on top of the checkpoint. They may be most of a long history, so
    /// they are stored in several packs, and only the last one is in memory.
    pub(super) fn rebase_kept(
        &self,
        plan: &Plan<ObjectId>,
        checkpoint: Object,
        bytes_at_once: usize,
    ) -> Result<RebasedChain, StoreError> {
        let hash = self.backend.hash_kind();
        let (mut objects, mut bytes, mut stored) = (NewObjects::new(hash), 0, Vec::new());
        let mut parent = objects.add(checkpoint);
        let mut renamed = HashMap::from([(plan.stands_for, parent)]);
        for id in plan.kept.iter().rev() {
            if bytes > bytes_at_once {
                let full = mem::replace(&mut objects, NewObjects::new(hash));
                stored.extend(self.backend.store(&full, parent, &|| true)?);
                bytes = 0;
            }
            let old = read_object(self.backend, id, ObjectKind::Commit)?;
            let new = rebase(&old.bytes, parent, |to| renamed.get(to).copied());
            let new = new.map_err(|error| StoreError::Damaged {
                reference: self.name.reference(),
                why: format!("commit {}: {error}", id.short()),
            })?;
            bytes += new.bytes.len();
            parent = objects.add(new);
            renamed.insert(*id, parent);
        }
        Ok(RebasedChain { tip: parent, objects, stored })
    }
}

/// A chain that was rewritten on top of a checkpoint.
#[derive(Debug)]
pub(super) struct RebasedChain {
    pub(super) tip: ObjectId,
    /// The last entries, which are not stored yet.
    pub(super) objects: NewObjects,
    /// Protects the packs of the entries before those.
    pub(super) stored: Vec<Stored>,
}

/// The type of the only event in a checkpoint.
pub const COMPACTED: &str = "compacted";

//! Repair: finds the damage of a ledger and continues the ledger from its newest whole entry.
//!
//! A ledger is damaged if its ref does not point at an entry, or if an object that the newest
//! entry's tree refers to is missing or unreadable. A repair is an entry like any other, on top of
//! the newest whole one, and the ref moves by one swap from the damaged value. Nothing is deleted.
//!
//! A repair must find the same damage twice, some time apart: during a repack, existing objects can
//! seem to be missing for a moment.

mod backup;
mod choice;
mod plan;
mod rewound;

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use crate::core::command::Request;
use crate::core::ids::{AgentName, OpId};
use crate::core::limits::{DIRECTORIES_MAX, TREE_DEPTH_MAX};
use crate::core::repair::Repair;
use crate::core::text::Line;
use crate::core::time::Timestamp;
use crate::store::error::StoreError;
use crate::store::git::backend::Update;
use crate::store::git::object::{NewObjects, ObjectId, ObjectKind};
use crate::store::git::refs::LogNote;
use crate::store::ledger::Ledger;
use crate::store::ledger::buckets::Place;
use crate::store::ledger::layout::Layout;
use crate::store::ledger::proposal::ProposedEntry;
use crate::store::ledger::snapshot::{read_entry, read_object};
use crate::store::ledger::transact::TransactError;
use crate::store::ledger::tree::{EntryKind, Tree};
use crate::store::ledger::writer::Writer;
use backup::line;
pub use plan::{DroppedEntry, Plan};
pub use rewound::RewoundRef;

/// The time between two checks for the same damage.
const BETWEEN_CHECKS: Duration = Duration::from_secs(2);
/// The number of checks before a repair gives up.
const CHECKS_MAX: usize = 5;

/// The damage of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The entry that the ref points at; `None` if it points at none.
    pub tip: Option<ObjectId>,
    /// The content of a ref that does not point at an entry.
    raw: Vec<u8>,
    /// The description for people.
    pub why: String,
}

/// The size of a tree with everything below it. A subtree counts once for each path to it.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    directories: usize,
    height: usize,
}

/// The extents of the objects that were read.
struct Known {
    layout: Layout,
    extents: HashMap<ObjectId, Extent>,
}

impl Extent {
    fn add(&mut self, child: Extent) {
        self.directories = self.directories.saturating_add(child.directories);
        self.height = self.height.max(child.height + 1);
    }
}

/// The behaviour of a repair if no entry of the ledger is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IfUnrecoverable {
    /// For a ledger whose content cannot be reconstructed.
    Refuse,
    /// For a ledger whose content can be gathered again.
    StartOver,
}

/// The author of a repair.
#[derive(Clone, Debug)]
pub struct Repairer {
    pub actor: AgentName,
    pub host: Line,
    pub clock: Timestamp,
}

/// The outcome of a repair.
#[derive(Clone, Debug)]
pub struct Repaired {
    pub plan: Plan,
    /// The entry that records the repair.
    pub entry: ObjectId,
    /// The ref or file that keeps the damaged state.
    pub kept_at: String,
    /// Warnings for the caller.
    pub notices: Vec<String>,
}

impl Damage {
    /// Describes the content of the ref, for people.
    fn lost(&self) -> String {
        match self.tip {
            Some(id) => id.to_string(),
            None if self.raw.is_empty() => "nothing".to_owned(),
            None => String::from_utf8_lossy(&self.raw).trim_end().to_owned(),
        }
    }
}

impl Ledger<'_> {
    /// Finds the damage of the ledger, if there is any. An object that cannot be fetched is not
    /// damage, and neither is a newer format.
    pub fn damage(&self) -> Result<Option<Damage>, StoreError> {
        let reference = self.name.reference();
        let (tip, error) = match self.backend.tip(&reference) {
            Ok(None) => return Ok(None),
            Ok(Some(id)) => match self.check_whole(id) {
                Ok(()) => return Ok(None),
                Err(error) => (Some(id), error),
            },
            Err(error) => (None, error),
        };
        if !error.is_damage() {
            return Err(error);
        }
        let raw = match tip {
            Some(_) => Vec::new(),
            None => self.backend.raw(&reference)?.unwrap_or_default(),
        };
        Ok(Some(Damage { tip, raw, why: error.to_string() }))
    }

    /// Checks that an entry belongs to this ledger and that every object of its tree is readable.
    fn check_whole(&self, id: ObjectId) -> Result<(), StoreError> {
        let reference = self.name.reference();
        let tree = read_entry(self.backend, &reference, &id)?.tree;
        let base = self.at(Some(id))?;
        if let Some(why) = base.exhausted() {
            return Err(StoreError::Damaged { reference, why });
        }
        self.read_below(tree, base.snapshot.layout()).map_err(|error| match error {
            error if error.is_damage() => {
                StoreError::Damaged { reference, why: format!("entry {}: {error}", id.short()) }
            }
            error => error,
        })
    }

    /// Reads every object below a tree once, and limits the number of paths to them.
    fn read_below(&self, root: ObjectId, layout: Layout) -> Result<(), StoreError> {
        let mut known = Known { layout, extents: HashMap::new() };
        self.extent(root, (0, &Place::default()), &mut known).map(drop)
    }

    fn extent(
        &self,
        id: ObjectId,
        (depth, place): (usize, &Place),
        known: &mut Known,
    ) -> Result<Extent, StoreError> {
        let damaged = |why: &str| StoreError::DamagedObject { id, why: why.to_owned() };
        if depth > TREE_DEPTH_MAX {
            return Err(damaged("its directories are deeper than this program reads"));
        }
        let object = read_object(self.backend, &id, ObjectKind::Tree)?;
        let tree = Tree::parse(object.bytes, self.backend.hash_kind())
            .map_err(|error| damaged(&error.to_string()))?;
        let mut all = Extent { directories: 1, height: 0 };
        let names = match known.layout {
            Layout::Shards => tree.entries().map(|entry| (entry, None)).collect(),
            Layout::Buckets => place.read(&tree).map_err(|why| damaged(&why))?,
        };
        for (entry, bucket) in names {
            if let Some((class, digit)) = bucket {
                // A bucket is no directory, and none is like another.
                let bucket = place.bucket(class, digit);
                let extent = self.extent(entry.id, (depth, &bucket), known)?;
                all.directories = all.directories.saturating_add(extent.directories);
                all.height = all.height.max(extent.height);
                continue;
            }
            match (entry.kind, known.extents.get(&entry.id)) {
                (EntryKind::Directory, Some(extent)) => all.add(*extent),
                (EntryKind::Directory, None) => {
                    let extent = self.extent(entry.id, (depth + 1, &Place::default()), known)?;
                    all.add(extent);
                }
                (EntryKind::Document, None) => {
                    read_object(self.backend, &entry.id, ObjectKind::Blob)?;
                    known.extents.insert(entry.id, Extent::default());
                }
                (EntryKind::Document, Some(_)) | (EntryKind::Other, _) => {}
            }
        }
        if all.directories > DIRECTORIES_MAX || depth + all.height > TREE_DEPTH_MAX {
            return Err(damaged("it has more directories than this program reads"));
        }
        known.extents.insert(id, all);
        Ok(all)
    }

    /// Continues a damaged ledger from its newest whole entry. Returns `None` if the ledger is not
    /// damaged.
    pub fn repair(&self, who: &Repairer, op: &OpId) -> Result<Option<Repaired>, TransactError> {
        self.repair_or(who, op, IfUnrecoverable::Refuse)
    }

    /// Backs the current state up: under a ref if it is readable, otherwise as a file. A damaged
    /// ledger continues from its newest whole entry, or starts over. Returns the ref or the path of
    /// the backup.
    pub fn set_aside(&self, who: &Repairer, op: &OpId) -> Result<String, TransactError> {
        if let Some(repaired) = self.repair_or(who, op, IfUnrecoverable::StartOver)? {
            return Ok(repaired.kept_at);
        }
        let reference = self.name.reference();
        let Some(tip) = self.backend.tip(&reference)? else { return Ok(reference) };
        let name = self.name.damaged(who.clock, &tip);
        if self.backend.tip(&name)? != Some(tip) {
            let mut writer = Writer::begin(self)?;
            let committer = self.writing.committer.signature(who.clock);
            let note = LogNote { committer: &committer, message: "set aside" };
            let nothing = NewObjects::new(self.backend.hash_kind());
            writer.publish(&nothing, None, Update::new(&name, None, tip, note))?;
        }
        Ok(name)
    }

    fn repair_or(
        &self,
        who: &Repairer,
        op: &OpId,
        otherwise: IfUnrecoverable,
    ) -> Result<Option<Repaired>, TransactError> {
        // First without the writer's turn: others wait for it, and there may be nothing to repair.
        let Some(mut seen) = self.plan_repair()? else { return Ok(None) };
        thread::sleep(BETWEEN_CHECKS);
        let mut writer = Writer::begin(self)?;
        let reference = self.name.reference();
        for _ in 0..CHECKS_MAX {
            let Some(plan) = self.plan_repair()? else { return Ok(None) };
            if plan != seen {
                seen = plan;
                thread::sleep(BETWEEN_CHECKS);
                continue;
            }
            let Plan { damage, whole, .. } = &plan;
            if whole.is_none() && otherwise == IfUnrecoverable::Refuse {
                let why = damage.why.clone();
                return Err(StoreError::NothingWhole { reference, why }.into());
            }
            let backup = self.backup_ref(damage, who.clock)?;
            let kept_at = match &backup {
                Some((name, _)) => name.clone(),
                None => self.back_up_to_file(damage, who.clock)?,
            };
            let command = Repair {
                lost: line(&damage.lost()),
                why: line(&damage.why),
                kept_at: line(&kept_at),
                takes_out: false,
            };
            let request = Request::new(command, who.actor.clone(), who.host.clone(), who.clock)
                .expect("because a line without its secrets is a line")
                .tolerating(self.writing.clock_skew.as_secs());
            let base = self.at(*whole)?;
            let proposal = self.propose(&base, &request, op)?;
            let ProposedEntry { entry, mut objects, .. } =
                proposal.entry.expect("a repair leaves an event");
            let committer = self.writing.committer.signature(proposal.at);
            let new = objects.add(entry.to_object(&committer));
            let note = LogNote { committer: &committer, message: &entry.message.summary };
            let keep = match &backup {
                // A process may have been killed after it wrote the first of the two refs.
                Some((name, tip)) if self.backend.tip(name)? == Some(*tip) => None,
                Some((name, tip)) => Some(Update::new(name, None, *tip, note)),
                None => None,
            };
            let over = damage.tip.is_none().then_some(damage.raw.as_slice());
            let swap = Update { over, ..Update::new(&reference, damage.tip, new, note) };
            if writer.publish(&objects, keep, swap)? {
                let notices = writer.finish();
                return Ok(Some(Repaired { plan, entry: new, kept_at, notices }));
            }
        }
        Err(StoreError::Unsteady { reference }.into())
    }
}

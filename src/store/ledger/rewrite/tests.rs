//! The tree against the documents, for any edits in any order.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::core::documents::{Child, Documents as _, FORMAT_VERSION, apply, encode};
use crate::core::ids::OpId;
use crate::core::ledger::LedgerName;
use crate::core::pattern::Case;
use crate::store::error::StoreError;
use crate::store::git::backend::Objects;
use crate::store::ledger::diff::changed;
use crate::store::ledger::entry::{Counters, Entry as LedgerEntry, Message, Recorded};
use crate::store::ledger::snapshot::{Format, Snapshot};

const HASH: HashKind = HashKind::Sha1;
const LEDGER: LedgerName = LedgerName::Reservations;

type Memory = BTreeMap<Key, Vec<u8>>;

/// Objects in memory.
#[derive(Default)]
struct Heap(HashMap<ObjectId, Object>);

impl Objects for Heap {
    fn hash_kind(&self) -> HashKind {
        HASH
    }

    fn read(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        Ok(self.0.get(id).cloned())
    }

    fn look(&self, id: &ObjectId) -> Result<Option<Object>, StoreError> {
        self.read(id)
    }
}

impl Heap {
    fn add(&mut self, object: Object) -> ObjectId {
        let id = object.id(HASH);
        self.0.insert(id, object);
        id
    }

    fn snapshot(&self, tip: Option<ObjectId>) -> Snapshot<'_> {
        Snapshot::at(self, LEDGER, tip).unwrap().0
    }

    /// Returns an entry with this tree.
    fn entry(&mut self, tree: ObjectId) -> ObjectId {
        let at = "2026-01-31T08:30:00.123Z".parse().unwrap();
        let message = Message {
            summary: "an entry".to_owned(),
            events: Vec::new(),
            events_at: None,
            command: Recorded::Inline(json!({ "command": "reserve" })),
            counters: Counters { op: OpId::from_bits(1), seq: 1, at, fence: 1, leap: None },
            undoes: None,
            checkpoint: None,
        };
        let entry = LedgerEntry { tree, parent: None, message };
        self.add(entry.to_object("nobody <nobody> 0 +0000"))
    }

    /// Returns the entry that follows by these edits.
    fn after(&mut self, tip: Option<ObjectId>, edits: &Edits, layout: Layout) -> ObjectId {
        let snapshot = self.snapshot(tip);
        let Rewritten { root, objects, .. } =
            rewrite(&snapshot, snapshot.root(), edits, layout).unwrap();
        self.0.extend(objects.iter().map(|(id, object)| (*id, object.clone())));
        self.entry(root)
    }

    fn tree_of(&self, tip: ObjectId) -> ObjectId {
        self.snapshot(Some(tip)).root().unwrap()
    }
}

fn key(text: &str) -> Key {
    Key::of(text.split('/').filter(|part| !part.is_empty()))
}

fn format_document(version: u64) -> Edits {
    let format = Format::new(LEDGER, version, Case::Sensitive);
    Edits::from([(Format::key(), Some(encode(&format)))])
}

/// Names of every class. `ids` and `holders` have shards in format 1.
fn any_key() -> impl Strategy<Value = Key> {
    let name = (0_u32..90).prop_map(|n| format!("{:02}x{n}", n * 37 % 100));
    (0_usize..8, name).prop_map(|(place, name)| match place {
        0 => key(&format!("ids/{name}")),
        1 => key(&format!("holders/+one/{name}")),
        2 => key(&format!("holders/+one/+{name}/{name}")),
        3 => key(&format!("paths/@{name}")),
        4 => key(&format!("paths/+{name}/@{name}")),
        5 => key(&format!("paths/~{name}/@1")),
        6 => key(&format!("paths/{name}")),
        _ => key(&format!("runs/{name}/run")),
    })
}

/// Edits that mostly add, and edits that mostly remove.
fn any_edits() -> impl Strategy<Value = Vec<Edits>> {
    let edits = (any::<bool>(), prop::collection::vec((any_key(), 0_u8..8), 1..250));
    let edits = edits.prop_map(|(adds, edits)| {
        let value = |n: u8| ((n > 1) == adds).then(|| vec![b'0' + n % 2]);
        edits.into_iter().map(|(key, n)| (key, value(n))).collect()
    });
    prop::collection::vec(edits, 1..7)
}

fn check_listings(snapshot: &Snapshot<'_>, documents: &Memory) {
    for dir in ["", "ids", "paths", "holders/+one", "runs"].map(key) {
        for start in ["", "@", "+", "~", "@3", "+3", "3", "37x1", "@37x1"] {
            let expected = documents.list_starting(&dir, start).unwrap();
            assert_eq!(snapshot.list_starting(&dir, start).unwrap(), expected, "{dir:?} {start}");
        }
        let all = documents.list(&dir).unwrap();
        assert!(snapshot.may_have(&dir, all.len().min(60)).unwrap());
        if snapshot.layout() == Layout::Buckets || dir == key("ids") {
            let turns = if snapshot.layout() == Layout::Buckets { 64 } else { 1296 };
            let shares = (0..turns).flat_map(|turn| snapshot.list_share(&dir, turn).unwrap());
            assert_eq!(shares.collect::<BTreeSet<Child>>(), all.into_iter().collect(), "{dir:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// For any documents and any order of edits, the tree is the one that is built from scratch,
    /// and every reader finds in it what the documents are (8/WIDE).
    #[test]
    fn the_tree_is_a_function_of_the_documents(
        batches in any_edits(),
        version in 1..=FORMAT_VERSION,
    ) {
        let layout = Layout::of_format(version);
        let (mut heap, mut documents) = (Heap::default(), Memory::new());
        let mut tip = None;
        for edits in [format_document(version)].into_iter().chain(batches) {
            let before = documents.clone();
            apply(&mut documents, &edits);
            let next = heap.after(tip, &edits, layout);
            let whole = documents.iter().map(|(key, bytes)| (key.clone(), Some(bytes.clone())));
            let scratch = heap.after(None, &whole.collect(), layout);
            prop_assert_eq!(heap.tree_of(next), heap.tree_of(scratch));

            let snapshot = heap.snapshot(Some(next));
            check_listings(&snapshot, &documents);
            for key in before.keys().chain(documents.keys()) {
                prop_assert_eq!(snapshot.get(key).unwrap(), documents.get(key).cloned());
            }
            let keys: BTreeSet<&Key> = before.keys().chain(documents.keys()).collect();
            let differ = keys.into_iter().filter(|key| before.get(key) != documents.get(key));
            prop_assert_eq!(
                changed(&heap.snapshot(tip), &snapshot).unwrap(),
                differ.cloned().collect::<Vec<_>>()
            );
            tip = Some(next);
        }
    }
}

/// Returns the entry of a ledger with so many holds at one node, by number.
fn wide(heap: &mut Heap, holds: u32) -> ObjectId {
    let mut edits = format_document(FORMAT_VERSION);
    edits.extend((0..holds).map(|n| (key(&format!("paths/@{n}")), Some(b"{}".to_vec()))));
    heap.after(None, &edits, Layout::Buckets)
}

#[test]
fn no_tree_of_a_wide_directory_is_wide() {
    let mut heap = Heap::default();
    wide(&mut heap, 5_000);
    let trees = heap.0.values().filter(|object| object.kind == ObjectKind::Tree);
    let widest = trees.map(|tree| Tree::parse(tree.bytes.clone(), HASH).unwrap().entries().len());
    assert_eq!(widest.max(), Some(NAMES_MAX));
}

/// A directory with a thousand names or more is never taken for a small one.
#[test]
fn a_directory_of_many_random_names_is_not_read_to_be_known() {
    let mut heap = Heap::default();
    for (holds, may_have) in [(0, false), (100, false), (1_000, true), (4_000, true)] {
        let mut edits = format_document(FORMAT_VERSION);
        edits.extend((0..holds).map(|n| (key(&format!("ids/{n}x")), Some(b"{}".to_vec()))));
        edits.extend((0..2_000).map(|n| (key(&format!("ids/+{n}/x")), Some(b"{}".to_vec()))));
        let tip = heap.after(None, &edits, Layout::Buckets);
        let snapshot = heap.snapshot(Some(tip));
        assert_eq!(snapshot.may_have(&key("ids"), 1_000).unwrap(), may_have, "{holds}");
    }
}

/// Changes the tree of `paths`, or of its first bucket, and returns what a listing says.
fn listed_after(change: impl Fn(&mut Draft), in_bucket: bool) -> String {
    let mut heap = Heap::default();
    let tip = wide(&mut heap, 40);
    let tree_at = |heap: &Heap, id: &ObjectId| {
        Draft::of(&Tree::parse(heap.0[id].bytes.clone(), HASH).unwrap())
    };
    let mut root = tree_at(&heap, &heap.tree_of(tip));
    let mut paths = tree_at(&heap, &root.entries[&b"paths"[..]].1);
    if in_bucket {
        let mut bucket = tree_at(&heap, &paths.entries[&b"=@0"[..]].1);
        change(&mut bucket);
        paths.set("=@0", MODE_DIRECTORY, heap.add(bucket.to_object()));
    } else {
        change(&mut paths);
    }
    root.set("paths", MODE_DIRECTORY, heap.add(paths.to_object()));
    let root = heap.add(root.to_object());
    let tip = heap.entry(root);
    match heap.snapshot(Some(tip)).list(&key("paths")) {
        Ok(children) => format!("{} names", children.len()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_forged_bucket_hides_nothing_and_repeats_nothing() {
    let id = HASH.digest(&[b"x"]);
    assert_eq!(listed_after(|_| {}, false), "40 names");
    let beside = listed_after(|paths| paths.set("@x", MODE_DOCUMENT, id), false);
    assert!(beside.contains("'@x' is beside the buckets"), "{beside}");
    let copy = |paths: &mut Draft| paths.set("=@1", MODE_DIRECTORY, paths.entries[&b"=@0"[..]].1);
    let twice = listed_after(copy, false);
    assert!(twice.contains("is in another's bucket"), "{twice}");
    let empty = listed_after(|bucket| bucket.entries.clear(), true);
    assert!(empty.contains("a bucket is empty"), "{empty}");
    for name in ["=@4", "=x0", "=", "=+1", "=@00"] {
        let bad = listed_after(|bucket| bucket.set(name, MODE_DIRECTORY, id), true);
        assert!(bad.contains(&format!("'{name}' is a bucket where none may be")), "{bad}");
    }
    let document = listed_after(|paths| paths.set("=+0", MODE_DOCUMENT, id), false);
    assert!(document.contains("is a bucket where none may be"), "{document}");
}

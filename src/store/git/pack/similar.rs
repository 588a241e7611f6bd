//! Finds similar objects among those that are merged for the first time, and stores deltas.
//!
//! An entry changes the trees on the path to one document, each in one place, so most of its
//! objects are nearly those of the previous entry. Each object is examined once: entries of a pack
//! that already has deltas are copied.

use std::collections::HashMap;
use std::io::Read as _;

use flate2::Compression;

use super::{Content, HashKind, ObjectId, PackEntry, Packer, delta, stored};
use crate::store::git::object::{Object, ObjectKind};

/// The maximum length of a delta chain. Readers pay for each delta.
const DEPTH_MAX: u32 = 16;
/// The number of recent objects that a commit or blob is compared with.
const RECENT: usize = 4;
/// The number of children by which similar trees are found.
const CHILDREN: usize = 64;
/// The maximum length of a tree that is examined. Two trees that share children differ in few
/// places.
const TREE_LENGTH_MAX: usize = 4 << 20;
/// The maximum length of other objects, where a long search may be in vain.
const LENGTH_MAX: usize = 64 << 10;

/// A possible delta base.
struct Candidate {
    id: ObjectId,
    object: Object,
    depth: u32,
}

/// Replaces whole objects by deltas if those are shorter. The search ends after it has examined
/// `bytes_max` bytes, which bounds its time and its memory.
pub fn find_similar(entries: Vec<PackEntry>, hash: HashKind, bytes_max: u64) -> Vec<PackEntry> {
    let mut search = Search {
        hash,
        bytes_left: usize::try_from(bytes_max).unwrap_or(usize::MAX),
        packer: Packer::new(Compression::best()),
        candidates: Vec::new(),
        newest_with_child: HashMap::new(),
    };
    entries.into_iter().map(|entry| search.as_delta(entry)).collect()
}

struct Search {
    hash: HashKind,
    /// The number of bytes that may still be examined.
    bytes_left: usize,
    packer: Packer,
    candidates: Vec<Candidate>,
    /// The newest candidate that has this child.
    newest_with_child: HashMap<ObjectId, usize>,
}

impl Search {
    fn as_delta(&mut self, entry: PackEntry) -> PackEntry {
        let Some(object) = inflated(&entry, self.bytes_left) else { return entry };
        self.bytes_left -= object.bytes.len();
        let (mut best, mut depth) = (entry, 0);
        for place in self.similar_candidates(&object) {
            let base = &self.candidates[place];
            let difference = delta::encode(&base.object.bytes, &object.bytes);
            let data = self.packer.shortest(&difference);
            let is_shorter = data.len() + 4 < best.stored_length();
            // An incorrect delta would damage the repository.
            let is_right =
                || delta::apply(&base.object.bytes, &difference).as_ref() == Some(&object.bytes);
            if is_shorter && is_right() {
                depth = base.depth + 1;
                let content = Content::Delta { base: base.id, length: difference.len(), data };
                best = PackEntry { id: best.id, content };
            }
        }
        self.add_candidate(best.id, object, depth);
        best
    }

    /// Finds the candidates that are probably similar to an object.
    fn similar_candidates(&self, object: &Object) -> Vec<usize> {
        let is_useful = |place: &usize| {
            let candidate = &self.candidates[*place];
            candidate.object.kind == object.kind && candidate.depth < DEPTH_MAX
        };
        if object.kind != ObjectKind::Tree {
            return (0..self.candidates.len()).rev().filter(is_useful).take(RECENT).collect();
        }
        let mut votes: HashMap<usize, usize> = HashMap::new();
        for child in sample_children(&object.bytes, self.hash) {
            if let Some(place) = self.newest_with_child.get(&child) {
                *votes.entry(*place).or_default() += 1;
            }
        }
        let most = votes.into_iter().filter(|(place, _)| is_useful(place));
        most.max_by_key(|(place, count)| (*count, *place))
            .map(|(place, _)| place)
            .into_iter()
            .collect()
    }

    fn add_candidate(&mut self, id: ObjectId, object: Object, depth: u32) {
        let place = self.candidates.len();
        if object.kind == ObjectKind::Tree {
            let children = sample_children(&object.bytes, self.hash);
            self.newest_with_child.extend(children.into_iter().map(|child| (child, place)));
        }
        self.candidates.push(Candidate { id, object, depth });
    }
}

/// Inflates the object of an entry; `None` if it is longer than the limits or not worth examining.
fn inflated(entry: &PackEntry, bytes_max: usize) -> Option<Object> {
    let Content::Whole { kind, length, data } = &entry.content else { return None };
    let length_max = match kind {
        ObjectKind::Tree => TREE_LENGTH_MAX,
        ObjectKind::Blob | ObjectKind::Commit => LENGTH_MAX,
        ObjectKind::Tag => return None,
    };
    if *length > length_max.min(bytes_max) {
        return None;
    }
    let mut bytes = Vec::with_capacity(*length);
    let decoder = flate2::read::ZlibDecoder::new(data.as_slice());
    decoder.take(*length as u64 + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() == *length).then_some(Object { kind: *kind, bytes })
}

/// Samples the children of a tree by their ids alone, so that trees that share most children share
/// most samples.
fn sample_children(tree: &[u8], hash: HashKind) -> Vec<ObjectId> {
    let mut children = Vec::new();
    let mut rest = tree;
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let Some(id) = rest.get(end + 1..end + 1 + hash.len()) else { break };
        children.extend(ObjectId::from_bytes(id));
        rest = &rest[end + 1 + hash.len()..];
    }
    if children.len() > CHILDREN {
        let limit = CHILDREN * 0x1_0000 / children.len();
        let number =
            |id: &ObjectId| usize::from(u16::from_be_bytes([id.as_bytes()[0], id.as_bytes()[1]]));
        children.retain(|child| number(child) < limit);
    }
    children
}

impl Packer {
    /// Compresses bytes, or stores them if that is shorter.
    fn shortest(&mut self, bytes: &[u8]) -> Vec<u8> {
        let (mut deflated, mut plain) = (Vec::new(), Vec::new());
        self.deflate(bytes, &mut deflated);
        stored::encode(bytes, &mut plain);
        if plain.len() < deflated.len() { plain } else { deflated }
    }
}

//! Finds similar objects among those that are merged, and stores deltas.
//!
//! An entry changes the trees on the path to one document, each in one place, so most of its
//! objects are nearly those of the previous entry. Deltas are kept once they are made: what a merge
//! examines are objects that are still stored whole, beside all others of packs that are small.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::Read as _;

use flate2::Compression;

use super::{Content, HashKind, ObjectId, PackEntry, Packer, delta, stored};
use crate::store::git::object::{Object, ObjectKind};

/// The maximum length of a chain of deltas between trees. Readers pay for each delta, and a whole
/// tree at the start of each chain takes room.
const TREE_DEPTH_MAX: u32 = 32;
/// The maximum length of other chains: one entry's commit differs from any other's by as much.
const TEXT_DEPTH_MAX: u32 = 16;
/// The number of recent objects that a commit or document is compared with.
const RECENT: usize = 4;
/// The number of trees with the same children that a tree is compared with.
const RELATED: usize = 3;
/// The number of children by which similar trees are found.
const CHILDREN: usize = 64;
/// The maximum length of a tree that is examined. Two trees that share children differ in few
/// places.
const TREE_LENGTH_MAX: usize = 4 << 20;
/// The maximum length of other objects, where a long search may be in vain.
const LENGTH_MAX: usize = 64 << 10;
/// The maximum length of the packs with deltas that are examined, all together. Few of their
/// objects are whole, and to find bases for those, all of a pack has to be inflated.
const JOINED_LENGTH: usize = 512 << 10;

/// A possible delta base.
struct Candidate {
    id: ObjectId,
    object: Object,
    depth: u32,
}

/// Joins the entries of packs, which are in the order of writing, each object once. Replaces whole
/// objects by deltas if those are shorter. The search ends after it has examined `bytes_max` bytes,
/// which bounds its time and its memory. Packs that are new come first: nobody looks for bases of
/// their objects again once they are in a large pack.
///
/// The base of a delta is before it in the result: in its own pack it was before, and the search
/// looks for bases before an object alone. So the deltas of several packs make no cycle.
pub fn find_similar(packs: Vec<Vec<PackEntry>>, hash: HashKind, bytes_max: u64) -> Vec<PackEntry> {
    let treatments = treatments(&packs);
    let mut search = Search {
        hash,
        bytes_left: BytesLeft::of(&packs, &treatments, bytes_max),
        packer: Packer::new(Compression::best()),
        candidates: Vec::new(),
        places: HashMap::new(),
        commits: Vec::new(),
        documents: Vec::new(),
        newest_with_child: HashMap::new(),
        newest_with_names: HashMap::new(),
    };
    let mut joined = Vec::with_capacity(packs.iter().map(Vec::len).sum());
    let mut seen = HashSet::new();
    for (mut entries, treatment) in packs.into_iter().zip(treatments) {
        entries.retain(|entry| seen.insert(entry.id));
        if treatment == Treatment::Copy {
            joined.extend(entries);
            continue;
        }
        if treatment == Treatment::Search {
            // A tree that repeats a part of another one is the shorter of the two.
            entries.sort_by_key(|entry| Reverse(entry.length()));
        }
        let heights = heights(&entries);
        for entry in entries {
            let height = heights.get(&entry.id).copied().unwrap_or_default();
            joined.push(search.examine(entry, height, treatment));
        }
    }
    joined
}

/// The way in which a pack's entries are joined to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// None has been searched for similar objects yet.
    Search,
    /// Those that are whole get bases in packs before it.
    Join,
    /// They stay as they are.
    Copy,
}

/// Chooses which packs are joined: the newest that have deltas, because new packs follow on them.
fn treatments(packs: &[Vec<PackEntry>]) -> Vec<Treatment> {
    let mut length = 0;
    let mut treatments: Vec<Treatment> = Vec::with_capacity(packs.len());
    for entries in packs.iter().rev() {
        let treatment = if entries.iter().any(PackEntry::is_delta) {
            length += entries.iter().map(PackEntry::stored_length).sum::<usize>();
            if length <= JOINED_LENGTH { Treatment::Join } else { Treatment::Copy }
        } else {
            Treatment::Search
        };
        treatments.push(treatment);
    }
    treatments.reverse();
    treatments
}

/// The number of bytes that may still be examined.
struct BytesLeft {
    searched: usize,
    joined: usize,
}

impl BytesLeft {
    fn of(packs: &[Vec<PackEntry>], treatments: &[Treatment], bytes_max: u64) -> BytesLeft {
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        let new = packs.iter().zip(treatments).filter(|(_, it)| **it == Treatment::Search);
        let lengths = new.flat_map(|(entries, _)| entries).map(PackEntry::length);
        let searched = lengths.fold(0, usize::saturating_add).min(bytes_max);
        BytesLeft { searched, joined: bytes_max - searched }
    }

    fn of_treatment(&mut self, treatment: Treatment) -> &mut usize {
        match treatment {
            Treatment::Search => &mut self.searched,
            Treatment::Join | Treatment::Copy => &mut self.joined,
        }
    }
}

/// Returns the length of the longest chain of deltas that each object is the base of.
fn heights(entries: &[PackEntry]) -> HashMap<ObjectId, u32> {
    let mut heights: HashMap<ObjectId, u32> = HashMap::new();
    for entry in entries.iter().rev() {
        if let Content::Delta { base, .. } = &entry.content {
            let height = 1 + heights.get(&entry.id).copied().unwrap_or_default();
            let highest = heights.entry(*base).or_default();
            *highest = height.max(*highest);
        }
    }
    heights
}

struct Search {
    hash: HashKind,
    bytes_left: BytesLeft,
    packer: Packer,
    candidates: Vec<Candidate>,
    /// The places of the candidates.
    places: HashMap<ObjectId, usize>,
    /// The places of commits that can be a base.
    commits: Vec<usize>,
    /// The places of blobs that can be a base.
    documents: Vec<usize>,
    /// The newest candidate that has this child.
    newest_with_child: HashMap<ObjectId, usize>,
    /// The newest candidate whose children have these names.
    newest_with_names: HashMap<u32, usize>,
}

impl Search {
    /// Makes a delta of an object that is stored whole, if that is shorter. `height` is the length
    /// of the longest chain of deltas that depends on it.
    fn examine(&mut self, entry: PackEntry, height: u32, treatment: Treatment) -> PackEntry {
        let bytes_left = *self.bytes_left.of_treatment(treatment);
        let Some((object, mut depth)) = self.object_of(&entry, bytes_left) else { return entry };
        *self.bytes_left.of_treatment(treatment) -= object.bytes.len();
        let traits = Traits::of(&object, self.hash);
        let mut best = entry;
        if !best.is_delta() {
            let similar = self.similar_candidates(&object, &traits, height);
            if let Some((place, content)) = self.shortest_delta(&object, &similar)
                && content.data().len() + 4 < best.stored_length()
            {
                depth = self.candidates[place].depth + 1;
                best = PackEntry { id: best.id, content };
            } else if treatment == Treatment::Search {
                let data = self.packer.shortest(&object.bytes);
                if data.len() < best.stored_length() {
                    let (kind, length) = (object.kind, object.bytes.len());
                    best.content = Content::Whole { kind, length, data };
                }
            }
        }
        self.add_candidate(Candidate { id: best.id, object, depth }, traits);
        best
    }

    /// Inflates the object of an entry and finds its depth; `None` if it is longer than the limits,
    /// not worth examining, or a delta of an object that was not examined.
    fn object_of(&self, entry: &PackEntry, bytes_left: usize) -> Option<(Object, u32)> {
        match &entry.content {
            Content::Whole { kind, length, data } => {
                let length_max = length_max(*kind)?.min(bytes_left);
                let bytes = inflated(data, *length, length_max)?;
                Some((Object { kind: *kind, bytes }, 0))
            }
            Content::Delta { base, length, data } => {
                let base = &self.candidates[*self.places.get(base)?];
                let length_max = length_max(base.object.kind)?.min(bytes_left);
                let difference = inflated(data, *length, length_max)?;
                delta::target_length(&difference).filter(|length| *length <= length_max)?;
                let bytes = delta::apply(&base.object.bytes, &difference)?;
                Some((Object { kind: base.object.kind, bytes }, base.depth + 1))
            }
        }
    }

    /// Encodes an object by each of some candidates, and returns the shortest encoding with the
    /// place of its base. Nearly the same length is not worth a longer chain.
    fn shortest_delta(&mut self, object: &Object, places: &[usize]) -> Option<(usize, Content)> {
        let encode = |place: &usize| {
            let base = &self.candidates[*place].object.bytes;
            (*place, delta::encode(base, &object.bytes))
        };
        let cost = |(place, difference): &(usize, Vec<u8>)| {
            difference.len() + self.candidates[*place].depth as usize
        };
        let (place, difference) = places.iter().map(encode).min_by_key(cost)?;
        let base = &self.candidates[place];
        // An incorrect delta would damage the repository.
        if delta::apply(&base.object.bytes, &difference).as_ref() != Some(&object.bytes) {
            return None;
        }
        let data = self.packer.shortest(&difference);
        Some((place, Content::Delta { base: base.id, length: difference.len(), data }))
    }

    /// Finds the candidates that are probably similar to an object.
    fn similar_candidates(&self, object: &Object, traits: &Traits, height: u32) -> Vec<usize> {
        let is_useful = |place: &usize| {
            let candidate = &self.candidates[*place];
            candidate.depth + height < depth_max(object.kind)
        };
        let recent = |places: &[usize]| {
            places.iter().rev().copied().filter(is_useful).take(RECENT).collect()
        };
        match object.kind {
            ObjectKind::Tree => {}
            ObjectKind::Commit => return recent(&self.commits),
            ObjectKind::Blob | ObjectKind::Tag => return recent(&self.documents),
        }
        let mut votes: HashMap<usize, usize> = HashMap::new();
        for child in &traits.children {
            if let Some(place) = self.newest_with_child.get(child) {
                *votes.entry(*place).or_default() += 1;
            }
        }
        let mut related: Vec<(usize, usize)> = votes
            .into_iter()
            .filter(|(place, _)| is_useful(place))
            .map(|(place, count)| (count, place))
            .collect();
        related.sort_unstable_by_key(|related| Reverse(*related));
        let mut places: Vec<usize> =
            related.into_iter().map(|(_, place)| place).take(RELATED).collect();
        let named = self.newest_with_names.get(&traits.names).copied();
        places.extend(named.filter(is_useful).filter(|place| !places.contains(place)));
        places
    }

    fn add_candidate(&mut self, candidate: Candidate, traits: Traits) {
        let place = self.candidates.len();
        let is_useful = candidate.depth < depth_max(candidate.object.kind);
        self.places.insert(candidate.id, place);
        match candidate.object.kind {
            ObjectKind::Tree => {
                let children = traits.children.into_iter();
                self.newest_with_child.extend(children.map(|child| (child, place)));
                self.newest_with_names.insert(traits.names, place);
            }
            ObjectKind::Commit if is_useful => self.commits.push(place),
            ObjectKind::Blob if is_useful => self.documents.push(place),
            ObjectKind::Commit | ObjectKind::Blob | ObjectKind::Tag => {}
        }
        self.candidates.push(candidate);
    }
}

fn depth_max(kind: ObjectKind) -> u32 {
    if kind == ObjectKind::Tree { TREE_DEPTH_MAX } else { TEXT_DEPTH_MAX }
}

/// Returns the maximum length of an object that is examined; `None` if none is.
fn length_max(kind: ObjectKind) -> Option<usize> {
    match kind {
        ObjectKind::Tree => Some(TREE_LENGTH_MAX),
        ObjectKind::Blob | ObjectKind::Commit => Some(LENGTH_MAX),
        ObjectKind::Tag => None,
    }
}

/// Inflates a stream of known length; `None` if it is longer than the limit.
fn inflated(data: &[u8], length: usize, length_max: usize) -> Option<Vec<u8>> {
    if length > length_max {
        return None;
    }
    let mut bytes = Vec::with_capacity(length);
    let decoder = flate2::read::ZlibDecoder::new(data);
    decoder.take(length as u64 + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}

/// The properties by which similar trees are found.
#[derive(Default)]
struct Traits {
    /// Some of the children, chosen by their ids alone, so that trees that share most children
    /// share most of these.
    children: Vec<ObjectId>,
    /// A checksum of the names of all children.
    names: u32,
}

impl Traits {
    fn of(object: &Object, hash: HashKind) -> Traits {
        if object.kind != ObjectKind::Tree {
            return Traits::default();
        }
        let (mut children, mut names) = (Vec::new(), crc32fast::Hasher::new());
        let mut rest = object.bytes.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let Some(id) = rest.get(end + 1..end + 1 + hash.len()) else { break };
            children.extend(ObjectId::from_bytes(id));
            names.update(&rest[..=end]);
            rest = &rest[end + 1 + hash.len()..];
        }
        if children.len() > CHILDREN {
            let limit = CHILDREN * 0x1_0000 / children.len();
            let number = |id: &ObjectId| {
                usize::from(u16::from_be_bytes([id.as_bytes()[0], id.as_bytes()[1]]))
            };
            children.retain(|child| number(child) < limit);
        }
        Traits { children, names: names.finalize() }
    }
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

//! Pack files (version 2) and their indexes, as bytes.
//!
//! This is our own code because our packs are simple: everything is in memory, new objects are
//! stored whole, and deltas are only made when packs are merged (`similar`). `packs` stores the
//! bytes in files. git and libgit2 read the packs of others.

mod delta;
mod index;
mod indexing;
mod reader;
mod similar;
mod stored;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use flate2::{Compress, Compression, FlushCompress, Status};

use crate::store::git::object::{HashKind, NewObjects, Object, ObjectId, ObjectKind};
pub use indexing::index_of;
pub use reader::{UnreadablePack, read_entries};
pub use similar::find_similar;

const SIGNATURE: &[u8; 4] = b"PACK";
const VERSION: u32 = 2;
/// The length of the header: signature, version and number of objects.
const HEADER_LENGTH: usize = 12;

/// Git's type number of a delta against an earlier object of the same pack.
const OFFSET_DELTA: u8 = 6;

/// An object as it is encoded in a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackEntry {
    id: ObjectId,
    content: Content,
}

/// The encoding of an object. `data` is compressed, and `length` is its length without compression.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    /// A whole object.
    Whole { kind: ObjectKind, length: usize, data: Vec<u8> },
    /// A delta against another object of the pack.
    Delta { base: ObjectId, length: usize, data: Vec<u8> },
}

impl PackEntry {
    pub fn id(&self) -> ObjectId {
        self.id
    }

    pub fn is_delta(&self) -> bool {
        matches!(self.content, Content::Delta { .. })
    }

    /// Returns the length of what was compressed.
    fn length(&self) -> usize {
        let (Content::Whole { length, .. } | Content::Delta { length, .. }) = &self.content;
        *length
    }

    fn stored_length(&self) -> usize {
        self.content.data().len()
    }
}

impl Content {
    fn data(&self) -> &[u8] {
        let (Content::Whole { data, .. } | Content::Delta { data, .. }) = self;
        data
    }
}

/// A pack and its index, ready to be written to two files.
#[derive(Clone, Debug)]
pub struct Pack {
    /// The hash of the pack, which is also its last bytes.
    pub checksum: ObjectId,
    /// The content of the `.pack` file.
    pub pack: Vec<u8>,
    /// The content of the `.idx` file.
    pub index: Vec<u8>,
}

impl Pack {
    /// Packs objects that are not stored yet.
    pub fn of_new(objects: &NewObjects) -> Pack {
        let mut packer = Packer::new(Compression::fast());
        let entries = objects.iter().map(|(id, object)| packer.entry(*id, object));
        Pack::from_entries(entries, objects.hash_kind())
    }

    /// Packs encoded objects in the given order, so that what was written together is near. Of
    /// several encodings of an object, the first is used: another pack may have the delta between
    /// two objects in the other direction, and using both would make a cycle.
    pub fn from_entries(entries: impl IntoIterator<Item = PackEntry>, hash: HashKind) -> Pack {
        let (mut order, mut by_id) = (Vec::new(), HashMap::new());
        for PackEntry { id, content } in entries {
            if let Entry::Vacant(vacant) = by_id.entry(id) {
                vacant.insert(content);
                order.push(id);
            }
        }
        let mut pack = SIGNATURE.to_vec();
        pack.extend_from_slice(&VERSION.to_be_bytes());
        pack.extend_from_slice(&count_u32(by_id.len()).to_be_bytes());
        let mut rows = HashMap::with_capacity(by_id.len());
        for id in order {
            place(&mut pack, &by_id, &mut rows, id);
        }
        let mut rows: Vec<index::Row> = rows.into_values().collect();
        rows.sort_unstable_by_key(|row| row.id);
        let checksum = hash.checksum(&pack);
        pack.extend_from_slice(checksum.as_bytes());
        let index = index::encode(&rows, checksum);
        Pack { checksum, pack, index }
    }
}

/// Writes an object after its delta bases, unless it is written already.
fn place(
    pack: &mut Vec<u8>,
    by_id: &HashMap<ObjectId, Content>,
    rows: &mut HashMap<ObjectId, index::Row>,
    id: ObjectId,
) {
    let mut chain = Vec::new();
    let mut next = Some(id);
    while let Some(id) = next.filter(|id| !rows.contains_key(id)) {
        let content = by_id.get(&id).expect("because a pack has what its objects are told by");
        chain.push((id, content));
        next = match content {
            Content::Whole { .. } => None,
            Content::Delta { base, .. } => Some(*base),
        };
    }
    for (id, content) in chain.into_iter().rev() {
        let offset = pack.len() as u64;
        match content {
            Content::Whole { kind, length, data } => {
                pack.extend(entry_header(number(*kind), *length));
                pack.extend_from_slice(data);
            }
            Content::Delta { base, length, data } => {
                let distance =
                    offset - rows.get(base).expect("because it was written before").offset;
                pack.extend(entry_header(OFFSET_DELTA, *length));
                pack.extend(distance_back(distance));
                pack.extend_from_slice(data);
            }
        }
        let start = usize::try_from(offset).expect("because it is in memory");
        rows.insert(id, index::Row { id, crc32: crc32fast::hash(&pack[start..]), offset });
    }
}

/// Encodes the distance to a delta base: seven bits a byte, highest first, and one less for each
/// byte that follows.
fn distance_back(distance: u64) -> Vec<u8> {
    let mut bytes = vec![distance.to_le_bytes()[0] & 0x7f];
    let mut rest = distance >> 7;
    while rest > 0 {
        rest -= 1;
        bytes.push(rest.to_le_bytes()[0] & 0x7f | 0x80);
        rest >>= 7;
    }
    bytes.reverse();
    bytes
}

/// Encodes objects one after another. A compressor has a quarter of a megabyte of tables, which
/// cost more to set up than a small object costs to compress.
struct Packer {
    compressor: Compress,
}

impl Packer {
    fn new(effort: Compression) -> Packer {
        Packer { compressor: Compress::new(effort, true) }
    }

    fn entry(&mut self, id: ObjectId, object: &Object) -> PackEntry {
        let Object { kind, bytes } = object;
        let mut data = Vec::new();
        match kind {
            // Trees consist mostly of hashes, which do not shrink, and outnumber all other objects.
            ObjectKind::Tree => stored::encode(bytes, &mut data),
            ObjectKind::Blob | ObjectKind::Commit | ObjectKind::Tag => {
                self.deflate(bytes, &mut data);
            }
        }
        PackEntry { id, content: Content::Whole { kind: *kind, length: bytes.len(), data } }
    }

    fn deflate(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.compressor.reset();
        loop {
            let taken = usize::try_from(self.compressor.total_in()).unwrap_or(usize::MAX);
            let rest = bytes.get(taken..).unwrap_or_default();
            // Room for incompressible data, so that one call suffices nearly always.
            out.reserve(rest.len() + 64);
            let status = self.compressor.compress_vec(rest, out, FlushCompress::Finish);
            match status.expect("because a stream that was just reset takes any bytes") {
                Status::StreamEnd => return,
                Status::Ok | Status::BufError => {}
            }
        }
    }
}

/// Converts a count of objects, which is 32 bits in the format.
fn count_u32(count: usize) -> u32 {
    u32::try_from(count).expect("because so many objects do not fit into memory")
}

/// Returns git's type number of a whole object.
fn number(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
        ObjectKind::Tag => 4,
    }
}

/// Encodes type and length: three bits and four in the first byte, then seven bits a byte, lowest
/// first.
fn entry_header(kind: u8, length: usize) -> Vec<u8> {
    let mut header = vec![kind << 4 | low_bits(length, 4)];
    let mut rest = length >> 4;
    while rest > 0 {
        if let Some(last) = header.last_mut() {
            *last |= 0x80;
        }
        header.push(low_bits(rest, 7));
        rest >>= 7;
    }
    header
}

fn low_bits(number: usize, bits: u32) -> u8 {
    debug_assert!(bits <= 8);
    number.to_le_bytes()[0] & (0xff >> (8 - bits))
}

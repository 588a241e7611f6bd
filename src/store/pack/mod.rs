//! Pack files (version 2) and their indexes, as bytes.
//!
//! Written by hand because ours are simple: whole objects, no deltas, everything in memory. Where
//! the bytes go is the business of `packs`; packs of others are read by git and libgit2.

mod index;
mod reader;
mod stored;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use flate2::{Compress, Compression, FlushCompress, Status};

use super::object::{HashKind, NewObjects, Object, ObjectId, ObjectKind};
pub use reader::{UnreadablePack, object_count, read_entries};

const SIGNATURE: &[u8; 4] = b"PACK";
const VERSION: u32 = 2;
/// Signature, version and number of objects.
const HEADER_LENGTH: usize = 12;

/// A whole object as it stands in a pack: header and compressed content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackEntry {
    id: ObjectId,
    encoded: Vec<u8>,
}

impl PackEntry {
    /// The object's name.
    pub fn id(&self) -> ObjectId {
        self.id
    }
}

/// A pack and its index, ready to be written to two files.
#[derive(Clone, Debug)]
pub struct Pack {
    /// Hash over the pack, which is also its last bytes.
    pub checksum: ObjectId,
    /// Content of the `.pack` file.
    pub pack: Vec<u8>,
    /// Content of the `.idx` file.
    pub index: Vec<u8>,
}

impl Pack {
    /// Packs objects that are not stored yet.
    pub fn of_new(objects: &NewObjects) -> Pack {
        let mut packer = Packer::new();
        let entries = objects.iter().map(|(id, object)| packer.entry(*id, object));
        Pack::from_entries(entries, objects.hash_kind())
    }

    /// Packs what is already compressed, each object once.
    pub fn from_entries(entries: impl IntoIterator<Item = PackEntry>, hash: HashKind) -> Pack {
        let entries: BTreeMap<ObjectId, Vec<u8>> =
            entries.into_iter().map(|entry| (entry.id, entry.encoded)).collect();
        let mut pack = SIGNATURE.to_vec();
        pack.extend_from_slice(&VERSION.to_be_bytes());
        pack.extend_from_slice(&count_u32(entries.len()).to_be_bytes());
        let mut rows = Vec::with_capacity(entries.len());
        for (id, encoded) in entries {
            let offset = pack.len() as u64;
            rows.push(index::Row { id, crc32: crc32fast::hash(&encoded), offset });
            pack.extend_from_slice(&encoded);
        }
        let checksum = hash.digest(&[&pack]);
        pack.extend_from_slice(checksum.as_bytes());
        let index = index::encode(&rows, checksum);
        Pack { checksum, pack, index }
    }
}

/// Encodes objects one after another. A compressor has a quarter of a megabyte of tables, which
/// cost more to set up than a small object costs to compress.
struct Packer {
    compressor: Compress,
}

impl Packer {
    fn new() -> Packer {
        Packer { compressor: Compress::new(Compression::fast(), true) }
    }

    fn entry(&mut self, id: ObjectId, object: &Object) -> PackEntry {
        let mut encoded = entry_header(object.kind, object.bytes.len());
        match object.kind {
            // Mostly hashes, which do not shrink, and there are more trees than anything else.
            ObjectKind::Tree => stored::encode(&object.bytes, &mut encoded),
            ObjectKind::Blob | ObjectKind::Commit | ObjectKind::Tag => {
                self.deflate(&object.bytes, &mut encoded);
            }
        }
        PackEntry { id, encoded }
    }

    fn deflate(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.compressor.reset();
        loop {
            let taken = usize::try_from(self.compressor.total_in()).unwrap_or(usize::MAX);
            let rest = bytes.get(taken..).unwrap_or_default();
            // Room for what does not shrink, so that once is enough for nearly everything.
            out.reserve(rest.len() + 64);
            let status = self.compressor.compress_vec(rest, out, FlushCompress::Finish);
            match status.expect("because a stream that was just reset takes any bytes") {
                Status::StreamEnd => return,
                Status::Ok | Status::BufError => {}
            }
        }
    }
}

/// The format counts objects in 32 bits.
fn count_u32(count: usize) -> u32 {
    u32::try_from(count).expect("because so many objects do not fit into memory")
}

/// Kind and length: three bits and four in the first byte, then seven bits a byte, lowest first.
fn entry_header(kind: ObjectKind, length: usize) -> Vec<u8> {
    let kind: u8 = match kind {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
        ObjectKind::Tag => 4,
    };
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

//! Takes packs apart into entries that can be copied into another pack without inflating them.
//!
//! Good enough for our own packs. A pack that holds a delta, or anything unexpected, is an error
//! and not an attempt: whoever merges leaves such a pack alone.

use super::{HEADER_LENGTH, HashKind, PackEntry, SIGNATURE, VERSION, index};

/// Why a pack cannot be taken apart here.
#[derive(Debug, thiserror::Error)]
pub enum UnreadablePack {
    /// Somebody packed it again, with deltas.
    #[error("the pack holds deltas")]
    HasDeltas,
    /// Not what an intact pack and its index look like.
    #[error("{0}")]
    Malformed(&'static str),
}

/// How many objects the pack with this index holds; the first 1,032 bytes are enough.
pub fn object_count(index: &[u8]) -> Result<usize, UnreadablePack> {
    index::object_count(index)
}

/// The entries of a pack, each checked against the index.
pub fn read_entries(
    pack: &[u8],
    index: &[u8],
    hash: HashKind,
) -> Result<Vec<PackEntry>, UnreadablePack> {
    let index = index::decode(index, hash)?;
    let body = body(pack, &index, hash)?;
    let mut rows = index.rows;
    rows.sort_unstable_by_key(|row| row.offset);
    let ends = rows.iter().skip(1).map(|row| row.offset).chain([body.len() as u64]);
    let ends: Vec<u64> = ends.collect();
    let mut entries = Vec::with_capacity(rows.len());
    for (row, end) in rows.iter().zip(ends) {
        let range = position(row.offset)?..position(end)?;
        let encoded = body.get(range).filter(|encoded| !encoded.is_empty());
        let encoded = encoded.ok_or(UnreadablePack::Malformed("an offset is out of place"))?;
        if crc32fast::hash(encoded) != row.crc32 {
            return Err(UnreadablePack::Malformed("an object does not match its checksum"));
        }
        match encoded[0] >> 4 & 0b111 {
            1..=4 => entries.push(PackEntry { id: row.id, encoded: encoded.to_vec() }),
            6 | 7 => return Err(UnreadablePack::HasDeltas),
            _ => return Err(UnreadablePack::Malformed("an object is of no known kind")),
        }
    }
    Ok(entries)
}

/// The pack without its trailer, once header and trailer agree with the index.
fn body<'a>(
    pack: &'a [u8],
    index: &index::Index,
    hash: HashKind,
) -> Result<&'a [u8], UnreadablePack> {
    let mut header = SIGNATURE.to_vec();
    header.extend_from_slice(&VERSION.to_be_bytes());
    header.extend_from_slice(&super::count_u32(index.rows.len()).to_be_bytes());
    if pack.len() < HEADER_LENGTH + hash.len() || !pack.starts_with(&header) {
        return Err(UnreadablePack::Malformed("the pack's header does not match its index"));
    }
    let (body, checksum) = pack.split_at(pack.len() - hash.len());
    if checksum != index.pack_checksum.as_bytes() {
        return Err(UnreadablePack::Malformed("the index belongs to another pack"));
    }
    Ok(body)
}

fn position(offset: u64) -> Result<usize, UnreadablePack> {
    let position = usize::try_from(offset).ok().filter(|position| *position >= HEADER_LENGTH);
    position.ok_or(UnreadablePack::Malformed("an offset is out of place"))
}

//! Splits packs into entries that can be copied into another pack without inflating them.
//!
//! This suffices for our own packs. Anything else, such as a delta against an object of another
//! pack, is an error, and a merge skips such a pack.

use std::collections::HashMap;

use super::{
    Content, HEADER_LENGTH, HashKind, OFFSET_DELTA, ObjectId, ObjectKind, PackEntry, SIGNATURE,
    VERSION, index, number,
};

/// The reason that a pack cannot be split.
#[derive(Debug, thiserror::Error)]
pub enum UnreadablePack {
    /// Another program repacked it, with deltas that ours do not have.
    #[error("the pack tells objects by others in a way of git's own")]
    HasForeignDeltas,
    /// It is truncated or damaged.
    #[error("the pack does not match its checksum")]
    NotIntact,
    /// The pack or its index is not valid.
    #[error("{0}")]
    Malformed(&'static str),
}

/// Reads the entries of a pack and checks each against the index.
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
    let by_offset: HashMap<u64, ObjectId> = rows.iter().map(|row| (row.offset, row.id)).collect();
    let mut entries = Vec::with_capacity(rows.len());
    for (row, end) in rows.iter().zip(ends) {
        let range = position(row.offset)?..position(end)?;
        let encoded = body.get(range).filter(|encoded| !encoded.is_empty());
        let encoded = encoded.ok_or(UnreadablePack::Malformed("an offset is out of place"))?;
        if crc32fast::hash(encoded) != row.crc32 {
            return Err(UnreadablePack::Malformed("an object does not match its checksum"));
        }
        let base_at = |distance: u64| {
            row.offset.checked_sub(distance).and_then(|offset| by_offset.get(&offset)).copied()
        };
        entries.push(PackEntry { id: row.id, content: content(encoded, base_at)? });
    }
    Ok(entries)
}

/// Decodes an entry. `base_at` finds the object that begins at a distance before it.
fn content(
    encoded: &[u8],
    base_at: impl Fn(u64) -> Option<ObjectId>,
) -> Result<Content, UnreadablePack> {
    let Header { kind, length, distance, start } = header(encoded)?;
    let data = encoded[start..].to_vec();
    if let Some(kind) = ObjectKind::ALL.into_iter().find(|known| number(*known) == kind) {
        return Ok(Content::Whole { kind, length, data });
    }
    match distance {
        Some(distance) => {
            let base = base_at(distance).filter(|_| distance > 0);
            let base = base.ok_or(UnreadablePack::Malformed("an offset is out of place"))?;
            Ok(Content::Delta { base, length, data })
        }
        None if kind == 7 => Err(UnreadablePack::HasForeignDeltas),
        None => Err(UnreadablePack::Malformed("an object is of no known kind")),
    }
}

/// The header of an encoded object.
pub(super) struct Header {
    /// Git's type number.
    pub(super) kind: u8,
    /// The length without compression.
    pub(super) length: usize,
    /// The distance to the delta base.
    pub(super) distance: Option<u64>,
    /// The start of the data.
    pub(super) start: usize,
}

/// Parses the header of an encoded object.
pub(super) fn header(encoded: &[u8]) -> Result<Header, UnreadablePack> {
    const SHORT: UnreadablePack = UnreadablePack::Malformed("an object ends too early");
    let mut bytes = encoded.iter();
    let first = *bytes.next().ok_or(SHORT)?;
    let (mut length, mut shift, mut last) = (usize::from(first & 0x0f), 4, first);
    while last & 0x80 != 0 {
        last = *bytes.next().filter(|_| shift < 53).ok_or(SHORT)?;
        length |= usize::from(last & 0x7f) << shift;
        shift += 7;
    }
    let kind = first >> 4 & 0b111;
    let mut distance = None;
    if kind == OFFSET_DELTA {
        let mut last = *bytes.next().ok_or(SHORT)?;
        let mut back = u64::from(last & 0x7f);
        while last & 0x80 != 0 {
            last = *bytes.next().filter(|_| back < 1 << 50).ok_or(SHORT)?;
            back = (back + 1) << 7 | u64::from(last & 0x7f);
        }
        distance = Some(back);
    }
    let start = encoded.len() - bytes.as_slice().len();
    Ok(Header { kind, length, distance, start })
}

/// Returns the pack without its trailer, after comparing header and trailer with the index.
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

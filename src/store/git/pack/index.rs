//! Pack indexes, version 2: sorted ids, checksums and offsets of the objects of one pack.

use super::reader::UnreadablePack;
use super::{HashKind, ObjectId, count_u32};

const SIGNATURE_AND_VERSION: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
/// The length of the fanout table: for each first byte, the number of ids that begin with it or a
/// smaller one.
const FANOUT_LENGTH: usize = 256 * 4;
const TABLES_START: usize = SIGNATURE_AND_VERSION.len() + FANOUT_LENGTH;
/// Offsets from here on are in a table of their own, and the first table has this bit set.
const LARGE_OFFSET: u64 = 1 << 31;

/// The row of one object in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: ObjectId,
    /// The checksum of the object's encoded bytes.
    pub(super) crc32: u32,
    /// The position of these bytes in the pack.
    pub(super) offset: u64,
}

/// Encodes an index. The rows must be sorted by id.
pub(super) fn encode(rows: &[Row], pack_checksum: ObjectId) -> Vec<u8> {
    debug_assert!(rows.is_sorted_by(|left, right| left.id < right.id));
    let hash = pack_checksum.hash_kind();
    let mut bytes = SIGNATURE_AND_VERSION.to_vec();
    for first_byte in 0..=u8::MAX {
        let up_to = rows.partition_point(|row| row.id.as_bytes()[0] <= first_byte);
        bytes.extend_from_slice(&count_u32(up_to).to_be_bytes());
    }
    for row in rows {
        bytes.extend_from_slice(row.id.as_bytes());
    }
    for row in rows {
        bytes.extend_from_slice(&row.crc32.to_be_bytes());
    }
    let mut large_offsets = Vec::new();
    for row in rows {
        let offset = match u32::try_from(row.offset) {
            Ok(offset) if row.offset < LARGE_OFFSET => offset,
            _ => {
                let place = count_u32(large_offsets.len() / 8);
                large_offsets.extend_from_slice(&row.offset.to_be_bytes());
                0x8000_0000 | place
            }
        };
        bytes.extend_from_slice(&offset.to_be_bytes());
    }
    bytes.extend_from_slice(&large_offsets);
    bytes.extend_from_slice(pack_checksum.as_bytes());
    let checksum = hash.checksum(&bytes);
    bytes.extend_from_slice(checksum.as_bytes());
    bytes
}

/// A parsed index.
pub(super) struct Index {
    pub(super) rows: Vec<Row>,
    pub(super) pack_checksum: ObjectId,
}

/// Reads the number of objects from the first bytes of an index.
pub(super) fn object_count(index: &[u8]) -> Result<usize, UnreadablePack> {
    if !index.starts_with(&SIGNATURE_AND_VERSION) {
        return Err(UnreadablePack::Malformed("the index is not of version 2"));
    }
    Ok(number_u32(index, TABLES_START - 4)? as usize)
}

/// Parses an index and checks its checksum.
pub(super) fn decode(bytes: &[u8], hash: HashKind) -> Result<Index, UnreadablePack> {
    let count = object_count(bytes)?;
    let body_length = bytes.len().checked_sub(hash.len()).ok_or(TRUNCATED)?;
    let (body, checksum) = bytes.split_at(body_length);
    if hash.digest(&[body]).as_bytes() != checksum {
        return Err(UnreadablePack::Malformed("the index does not match its checksum"));
    }
    // A valid checksum does not prove that the offsets are valid, so every access is checked.
    let ids_end = count
        .checked_mul(hash.len())
        .and_then(|length| length.checked_add(TABLES_START))
        .ok_or(TRUNCATED)?;
    let offsets_start = ids_end + count * 4;
    let large_start = offsets_start + count * 4;
    let mut rows = Vec::with_capacity(count.min(body.len()));
    for place in 0..count {
        let id = slice(body, TABLES_START + place * hash.len(), hash.len())?;
        let offset = match u64::from(number_u32(body, offsets_start + place * 4)?) {
            offset if offset < LARGE_OFFSET => offset,
            offset => {
                let place = usize::try_from(offset - LARGE_OFFSET).map_err(|_| TRUNCATED)?;
                number_u64(body, large_start + place * 8)?
            }
        };
        let crc32 = number_u32(body, ids_end + place * 4)?;
        rows.push(Row { id: ObjectId::from_bytes(id).ok_or(TRUNCATED)?, crc32, offset });
    }
    let pack_checksum = &body[body.len().saturating_sub(hash.len())..];
    let pack_checksum = ObjectId::from_bytes(pack_checksum).ok_or(TRUNCATED)?;
    Ok(Index { rows, pack_checksum })
}

const TRUNCATED: UnreadablePack = UnreadablePack::Malformed("the index ends too early");

fn slice(bytes: &[u8], start: usize, length: usize) -> Result<&[u8], UnreadablePack> {
    bytes.get(start..start.saturating_add(length)).ok_or(TRUNCATED)
}

fn number_u32(bytes: &[u8], start: usize) -> Result<u32, UnreadablePack> {
    let bytes = slice(bytes, start, 4)?.try_into().map_err(|_| TRUNCATED)?;
    Ok(u32::from_be_bytes(bytes))
}

fn number_u64(bytes: &[u8], start: usize) -> Result<u64, UnreadablePack> {
    let bytes = slice(bytes, start, 8)?.try_into().map_err(|_| TRUNCATED)?;
    Ok(u64::from_be_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::HASHES;

    fn rows(hash: HashKind, offsets: &[u64]) -> Vec<Row> {
        let row = |offset: &u64| Row {
            id: hash.digest(&[&offset.to_be_bytes()]),
            crc32: u32::try_from(offset % 1000).unwrap(),
            offset: *offset,
        };
        let mut rows: Vec<Row> = offsets.iter().map(row).collect();
        rows.sort_by_key(|row| row.id);
        rows
    }

    #[test]
    fn offsets_beyond_two_gigabytes_read_back() {
        for hash in HASHES {
            let rows = rows(hash, &[12, (1 << 31) - 1, 1 << 31, u64::from(u32::MAX), 1 << 40]);
            let bytes = encode(&rows, hash.digest(&[]));
            assert_eq!(object_count(&bytes).unwrap(), 5);
            let index = decode(&bytes, hash).unwrap();
            assert_eq!(index.rows, rows);
            assert_eq!(index.pack_checksum, hash.digest(&[]));
        }
    }

    #[test]
    fn damage_is_found_and_never_panics() {
        let hash = HashKind::Sha1;
        let bytes = encode(&rows(hash, &[12, 1 << 33]), hash.digest(&[]));
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], hash).is_err(), "{length}");
        }
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(decode(&damaged, hash).is_err(), "{place}");
        }
        // A wrong count under a right checksum: what a hostile writer would leave.
        let mut hostile = bytes[..bytes.len() - hash.len()].to_vec();
        hostile[TABLES_START - 4..TABLES_START].copy_from_slice(&u32::MAX.to_be_bytes());
        let checksum = hash.digest(&[&hostile]);
        hostile.extend_from_slice(checksum.as_bytes());
        assert!(decode(&hostile, hash).is_err());
    }
}

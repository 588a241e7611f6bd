//! Rebuilds the index of a pack.

use std::collections::HashMap;

use flate2::{Decompress, FlushDecompress, Status};

use super::reader::UnreadablePack::{self, Malformed};
use super::reader::{Header, header};
use super::{HEADER_LENGTH, HashKind, OFFSET_DELTA, SIGNATURE, VERSION, delta, index, number};
use crate::store::git::object::{Object, ObjectKind};

/// The maximum length of an object. Ours are shorter.
const LENGTH_MAX: usize = 64 << 20;

/// Rebuilds the index of one of our packs. The result is byte for byte the original.
pub fn index_of(pack: &[u8], hash: HashKind) -> Result<Vec<u8>, UnreadablePack> {
    let body_length = pack.len().checked_sub(hash.len()).filter(|length| *length >= HEADER_LENGTH);
    let (body, trailer) = pack.split_at(body_length.ok_or(UnreadablePack::NotIntact)?);
    let checksum = hash.checksum(body);
    let start = [&SIGNATURE[..], &VERSION.to_be_bytes()].concat();
    if checksum.as_bytes() != trailer || !body.starts_with(&start) {
        return Err(UnreadablePack::NotIntact);
    }
    let (mut rows, mut objects) = (Vec::new(), HashMap::new());
    let mut offset = HEADER_LENGTH;
    while offset < body.len() {
        let (object, length) = object_at(body, offset, &objects)?;
        let encoded = &body[offset..offset + length];
        let (id, crc32) = (object.id(hash), crc32fast::hash(encoded));
        rows.push(index::Row { id, crc32, offset: offset as u64 });
        objects.insert(offset, object);
        offset += length;
    }
    rows.sort_unstable_by_key(|row| row.id);
    if !rows.is_sorted_by(|left, right| left.id < right.id) {
        return Err(Malformed("the pack has an object twice"));
    }
    Ok(index::encode(&rows, checksum))
}

/// Decodes the object at an offset, given the objects before it. Also returns its length in the
/// pack.
fn object_at(
    body: &[u8],
    offset: usize,
    before: &HashMap<usize, Object>,
) -> Result<(Object, usize), UnreadablePack> {
    let encoded = &body[offset..];
    let Header { kind, length, distance, start } = header(encoded)?;
    let (bytes, taken) = inflate(&encoded[start..], length)?;
    let object = if kind == OFFSET_DELTA {
        let back = distance.and_then(|distance| usize::try_from(distance).ok());
        let base = back.and_then(|back| before.get(&offset.checked_sub(back)?));
        let base = base.ok_or(Malformed("an offset is out of place"))?;
        let bytes = delta::apply(&base.bytes, &bytes);
        Object { kind: base.kind, bytes: bytes.ok_or(Malformed("a difference is damaged"))? }
    } else {
        let known = ObjectKind::ALL.into_iter().find(|known| number(*known) == kind);
        Object { kind: known.ok_or(Malformed("an object is of no known kind"))?, bytes }
    };
    Ok((object, start + taken))
}

/// Inflates a stream of known length. Also returns its compressed length.
fn inflate(data: &[u8], length: usize) -> Result<(Vec<u8>, usize), UnreadablePack> {
    if length > LENGTH_MAX {
        return Err(Malformed("an object is too long"));
    }
    let mut stream = Decompress::new(true);
    // One byte more than needed shows a stream that does not end there.
    let mut bytes = Vec::with_capacity(length + 1);
    let status = stream.decompress_vec(data, &mut bytes, FlushDecompress::Finish);
    let is_whole = matches!(status, Ok(Status::StreamEnd)) && bytes.len() == length;
    let taken = usize::try_from(stream.total_in()).ok().filter(|_| is_whole);
    Ok((bytes, taken.ok_or(Malformed("an object is not what it says"))?))
}

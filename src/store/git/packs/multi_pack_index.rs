//! Reads the names of packs in the repository's multi-pack-index.
//!
//! The file belongs to the user: `git fsck` fails if a pack is gone that it names, so such a pack
//! must not be merged any more. Only the names are read, of the single file and of a chain.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::PackName;
use crate::store::os::files::{FileError, Files};

/// The number of bytes to read: enough for the names of 20,000 packs. The objects after them are
/// not needed.
const READ_LENGTH: u64 = 1 << 20;
const HEADER_LENGTH: usize = 12;
const CHUNK_ROW_LENGTH: usize = 12;

/// Reads the packs that multi-pack-indexes name; `None` if one of those is not understood.
pub(super) fn named_packs(
    packs: &Path,
    files: &Files,
) -> Result<Option<BTreeSet<PackName>>, FileError> {
    let chain = packs.join("multi-pack-index.d");
    let layers = files.list(&chain)?.into_iter().map(|name| chain.join(name));
    let layers = layers.filter(|path| path.extension().is_some_and(|end| end == "midx"));
    let paths: Vec<PathBuf> = layers.chain([packs.join("multi-pack-index")]).collect();
    let mut named = BTreeSet::new();
    for path in paths {
        let Some(content) = files.read_start(&path, READ_LENGTH)? else {
            continue;
        };
        match names(&content) {
            Some(found) => named.extend(found),
            None => return Ok(None),
        }
    }
    Ok(Some(named))
}

/// Parses the names in the `PNAM` chunk. A zero byte terminates each, and padding follows the last.
pub fn names(content: &[u8]) -> Option<Vec<PackName>> {
    if !content.starts_with(b"MIDX") {
        return None;
    }
    let chunks = usize::from(*content.get(6)?);
    let row = |place: usize| content.get(HEADER_LENGTH + place * CHUNK_ROW_LENGTH..);
    let place =
        (0..chunks).find(|place| row(*place).is_some_and(|row| row.starts_with(b"PNAM")))?;
    let offset = |place: usize| {
        let bytes = row(place)?.get(4..CHUNK_ROW_LENGTH)?.try_into().ok()?;
        usize::try_from(u64::from_be_bytes(bytes)).ok()
    };
    let chunk = content.get(offset(place)?..offset(place + 1)?)?;
    let names = chunk.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
    Some(names.filter_map(|name| name.strip_suffix(".idx")?.parse().ok()).collect())
}

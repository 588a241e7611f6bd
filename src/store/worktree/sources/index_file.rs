//! Parses git's index file, as far as the tracked paths. A check that must be faster than `git
//! status` can neither start git nor compute the checksum of the whole file.
//!
//! Versions 2 to 4 are supported, with extensions that may be skipped. Everything else is left to
//! git: a split or a sparse index, and a file that is not valid.

use super::tracked::Tracked;
use crate::store::git::object::{HashKind, ObjectId};

const SIGNATURE: &[u8; 4] = b"DIRC";
/// The length of the fields before the id: times, device, inode, mode, owner and size.
const STAT_LENGTH: usize = 40;
const MODE_AT: usize = 24;
const HAS_MORE_FLAGS: u16 = 0x4000;

/// Parses the tracked paths; `None` if git has to be asked.
pub(super) fn parse(bytes: &[u8], hash: HashKind) -> Option<Tracked> {
    let content = bytes.get(..bytes.len().checked_sub(hash.len())?)?;
    let mut rest = Bytes(content.strip_prefix(SIGNATURE)?);
    let version = rest.number()?;
    let count = usize::try_from(rest.number()?).ok()?;
    if !(2..=4).contains(&version) || count > content.len() / STAT_LENGTH {
        return None;
    }
    let mut tracked = Tracked::with_capacity(count);
    let mut path = Vec::new();
    for _ in 0..count {
        let before = rest.0.len();
        let stat = rest.take(STAT_LENGTH)?;
        let mode = u32::from_be_bytes(stat[MODE_AT..MODE_AT + 4].try_into().ok()?);
        let id = ObjectId::from_bytes(rest.take(hash.len())?)?;
        let flags = rest.short()?;
        if flags & HAS_MORE_FLAGS != 0 {
            rest.short()?;
        }
        if version == 4 {
            let dropped = rest.offset()?;
            path.truncate(path.len().checked_sub(dropped)?);
            path.extend_from_slice(rest.until_nul()?);
        } else {
            path.clear();
            path.extend_from_slice(rest.until_nul()?);
            // Entries are padded with 1 to 8 NULs to a multiple of 8. One of them was consumed.
            let length = before - rest.0.len();
            rest.take(length.next_multiple_of(8) - length)?;
        }
        // Several stages of one path are adjacent.
        if tracked.last() != path {
            if tracked.last() > path.as_slice() {
                return None;
            }
            tracked.push(&path, mode, id);
        }
    }
    while !rest.0.is_empty() {
        let name = rest.take(4)?;
        // An extension whose name begins with a capital letter may be skipped.
        if !name[0].is_ascii_uppercase() {
            return None;
        }
        let length = usize::try_from(rest.number()?).ok()?;
        rest.take(length)?;
    }
    Some(tracked)
}

/// The bytes that are left to be parsed.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn until_nul(&mut self) -> Option<&'b [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let taken = self.take(end)?;
        self.take(1)?;
        Some(taken)
    }

    /// Parses a number in groups of seven bits, encoded like the offsets in packs.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut number = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            number = number.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::store::testing::{HASHES, git_in};

    /// Builds an index of every version with git, and lists the paths in it.
    fn index(hash: HashKind, version: &str) -> (Vec<u8>, Vec<u8>) {
        let home = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let output = git_in(home.path()).args(arguments).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            output.stdout
        };
        let format = format!("--object-format={}", hash.name());
        git(&["init", "-q", &format]);
        fs::create_dir_all(home.path().join("src/deep/er")).unwrap();
        for name in ["a", "src/ab", "src/abc", "src/deep/er/x y", "src/deep/z", "zz", "later"] {
            fs::write(home.path().join(name), name).unwrap();
        }
        git(&["add", "a", "src", "zz"]);
        // `--intent-to-add` sets the one flag that needs an entry of version 3.
        git(&["add", "--intent-to-add", "later"]);
        git(&["update-index", "--index-version", version]);
        (fs::read(home.path().join(".git/index")).unwrap(), git(&["ls-files", "--stage", "-z"]))
    }

    #[test]
    fn every_version_is_read_as_git_reads_it() {
        for hash in HASHES {
            for version in ["2", "3", "4"] {
                let (bytes, listed) = index(hash, version);
                let read = parse(&bytes, hash).unwrap_or_else(|| panic!("version {version}"));
                let expected = Tracked::of_listing(&listed);
                let all =
                    |tracked: &Tracked| format!("{:?}", tracked.below(b"").collect::<Vec<_>>());
                assert_eq!(all(&read), all(&expected), "version {version}");
                for length in 0..bytes.len() - hash.len() {
                    // A truncated index is left to git; if only extensions are cut off, no path is
                    // missing.
                    if let Some(cut) = parse(&bytes[..length], hash) {
                        assert_eq!(all(&cut), all(&expected));
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut all = b"DIRC\0\0\0\x02\0\0\0\x02".to_vec();
            all.extend(&bytes);
            parse(&all, HashKind::Sha1);
            parse(&bytes, HashKind::Sha256);
        }
    }
}

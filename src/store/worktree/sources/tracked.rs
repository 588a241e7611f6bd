//! The tracked paths in git's order, with mode and id.

use crate::store::git::object::ObjectId;

/// The mode of a submodule.
const SUBMODULE: u32 = 0o160_000;
const REGULAR: u32 = 0o100_000;
const KIND: u32 = 0o170_000;

/// Every tracked path, sorted by bytes.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    /// All paths, concatenated.
    paths: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    end: usize,
    mode: u32,
    id: ObjectId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrackedPath<'t> {
    pub(super) path: &'t [u8],
    /// The id of the content.
    pub(super) id: ObjectId,
    mode: u32,
}

impl TrackedPath<'_> {
    /// Tells whether the path is a regular file, and neither a link nor a submodule.
    pub(super) fn is_file(&self) -> bool {
        self.mode & KIND == REGULAR
    }
}

impl Tracked {
    pub(super) fn with_capacity(count: usize) -> Tracked {
        Tracked { paths: Vec::with_capacity(count * 48), entries: Vec::with_capacity(count) }
    }

    /// Adds a path, which must sort after all others.
    pub(super) fn push(&mut self, path: &[u8], mode: u32, id: ObjectId) {
        let start = self.paths.len();
        self.paths.extend_from_slice(path);
        self.entries.push(Entry { start, end: self.paths.len(), mode, id });
    }

    /// Returns the path that was added last.
    pub(super) fn last(&self) -> &[u8] {
        self.entries.last().map_or(b"", |entry| &self.paths[entry.start..entry.end])
    }

    /// Parses the output of `git ls-files --stage -z`: mode, id and stage, a tab, the path.
    pub(super) fn of_listing(listed: &[u8]) -> Tracked {
        let mut tracked = Tracked::default();
        for line in listed.split(|byte| *byte == 0) {
            let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
            let Ok(facts) = std::str::from_utf8(&line[..tab]) else { continue };
            let mut facts = facts.split(' ');
            let mode = facts.next().and_then(|mode| u32::from_str_radix(mode, 8).ok());
            let id = facts.next().and_then(|id| id.parse().ok());
            if let (Some(mode), Some(id)) = (mode, id) {
                tracked.push(&line[tab + 1..], mode, id);
            }
        }
        tracked
    }

    fn at(&self, place: usize) -> Option<TrackedPath<'_>> {
        let Entry { start, end, mode, id } = *self.entries.get(place)?;
        Some(TrackedPath { path: &self.paths[start..end], id, mode })
    }

    fn first_from(&self, path: &[u8]) -> usize {
        self.entries.partition_point(|entry| &self.paths[entry.start..entry.end] < path)
    }

    /// Finds the tracked file, link or submodule at exactly this path.
    pub(super) fn get(&self, path: &[u8]) -> Option<TrackedPath<'_>> {
        self.at(self.first_from(path)).filter(|found| found.path == path)
    }

    /// Tells whether the path is a submodule.
    pub(super) fn is_submodule(&self, path: &[u8]) -> bool {
        self.get(path).is_some_and(|found| found.mode & KIND == SUBMODULE)
    }

    /// Tells whether any path below a directory is tracked.
    pub(super) fn has_below(&self, directory: &[u8]) -> bool {
        self.below(directory).next().is_some()
    }

    /// Lists the tracked paths below a directory in order. The top is the empty path.
    pub(super) fn below<'t>(
        &'t self,
        directory: &[u8],
    ) -> impl Iterator<Item = TrackedPath<'t>> + use<'t> {
        let mut prefix = directory.to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let first = self.first_from(&prefix);
        let all = (first..self.entries.len()).map_while(|place| self.at(place));
        all.take_while(move |found| found.path.starts_with(&prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_told_from_names_that_begin_alike() {
        let id: ObjectId = "1".repeat(40).parse().unwrap();
        let mut tracked = Tracked::default();
        for path in ["a", "a-b/x", "a.c", "b/c/d", "b/c/e", "z"] {
            tracked.push(path.as_bytes(), 0o100_644, id);
        }
        assert!(tracked.get(b"a").is_some() && tracked.get(b"b").is_none());
        assert!(!tracked.has_below(b"a") && tracked.has_below(b"a-b") && tracked.has_below(b"b"));
        assert_eq!(tracked.below(b"b/c").count(), 2);
        assert_eq!(tracked.below(b"").count(), 6);
        assert!(!Tracked::default().has_below(b""));
    }

    #[test]
    fn a_listing_is_read() {
        let id = "2".repeat(40);
        let listed = format!("100644 {id} 0\ta b\x00160000 {id} 0\tsub\x00garbage\x00");
        let tracked = Tracked::of_listing(listed.as_bytes());
        assert!(tracked.get(b"a b").unwrap().is_file());
        assert!(tracked.is_submodule(b"sub"));
        assert_eq!(tracked.below(b"").count(), 2);
    }
}

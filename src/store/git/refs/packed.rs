//! `packed-refs`: one line for each ref, sorted by name, searched without parsing the other lines.
//!
//! ```text
//! # pack-refs with: peeled fully-peeled sorted
//! <id> refs/heads/main
//! <id> refs/tags/v1
//! ^<id of the object that the tag above points at>
//! ```

use std::cmp::Ordering;

use super::{HashKind, ObjectId, RefError, RefName};

/// The content of `packed-refs`; empty if there is no such file.
pub(super) struct PackedRefs {
    content: Vec<u8>,
    /// The offset of the first ref's line.
    start: usize,
    sorted: bool,
}

/// Parses the id at the start of a loose ref or of a line in `packed-refs`. White space or the end
/// must follow it.
pub(super) fn leading_id(bytes: &[u8], hash: HashKind) -> Option<ObjectId> {
    let (id, rest) = bytes.split_at_checked(hash.len() * 2)?;
    let ended = rest.first().is_none_or(u8::is_ascii_whitespace);
    std::str::from_utf8(id).ok().filter(|_| ended)?.parse().ok()
}

impl PackedRefs {
    pub(super) fn new(content: Vec<u8>) -> PackedRefs {
        let header = if content.first() == Some(&b'#') { line_at(&content, 0) } else { b"" };
        let start = if header.is_empty() { 0 } else { header.len() + 1 };
        let sorted = header.split(|byte| *byte == b' ').any(|word| word == b"sorted");
        PackedRefs { start: start.min(content.len()), sorted, content }
    }

    pub(super) fn find(
        &self,
        name: &RefName,
        hash: HashKind,
    ) -> Result<Option<ObjectId>, RefError> {
        let line = line_at(&self.content, self.first_not_before(name.as_str().as_bytes()));
        if name_in(line) != name.as_str().as_bytes() {
            return Ok(None);
        }
        let id = leading_id(line, hash);
        id.map(Some).ok_or_else(|| RefError::BrokenPacked(name.clone()))
    }

    /// Finds a ref that cannot exist beside `name`: one that is a directory of its path, or one
    /// below it.
    pub(super) fn conflicting(&self, name: &RefName) -> Option<String> {
        let named_by = |wanted: &[u8], fits: &dyn Fn(&[u8]) -> bool| {
            let found = name_in(line_at(&self.content, self.first_not_before(wanted)));
            fits(found).then(|| String::from_utf8_lossy(found).into_owned())
        };
        let below = format!("{name}/");
        named_by(below.as_bytes(), &|found| found.starts_with(below.as_bytes())).or_else(|| {
            let parents = name.parents().map(str::as_bytes);
            parents.into_iter().find_map(|parent| named_by(parent, &|found| found == parent))
        })
    }

    /// Lists the names that begin with `directory`, which ends with `/`.
    pub(super) fn below<'p>(&'p self, directory: &'p str) -> impl Iterator<Item = String> + 'p {
        let start = self.first_not_before(directory.as_bytes());
        let lines = self.content[start..].split(|byte| *byte == b'\n');
        let names = lines.filter(|line| !is_peeled(line)).map(name_in);
        let is_below = |name: &&[u8]| name.starts_with(directory.as_bytes());
        let is_past = move |name: &&[u8]| self.sorted && !is_below(name);
        let found = names.take_while(move |name| !is_past(name)).filter(move |name| is_below(name));
        found.map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// Finds the offset of the first line whose ref is `name` or comes after it. An unsorted file,
    /// which only very old programs wrote, is searched for `name` itself, or for a ref below it if
    /// it ends with `/`.
    fn first_not_before(&self, name: &[u8]) -> usize {
        if self.sorted { self.search(name) } else { self.scan(name) }
    }

    fn scan(&self, name: &[u8]) -> usize {
        let mut at = self.start;
        while at < self.content.len() {
            let line = line_at(&self.content, at);
            let found = name_in(line);
            // Looking for `a` must not stop at `ab`; looking for `a/` stops at `a/b`.
            if found == name || name.ends_with(b"/") && found.starts_with(name) {
                break;
            }
            at += line.len() + 1;
        }
        at
    }

    /// Bisects over byte offsets. The start of a line is never far from any byte.
    fn search(&self, name: &[u8]) -> usize {
        let (mut low, mut high) = (self.start, self.content.len());
        while low < high {
            let middle = self.ref_line_start(low, low + (high - low) / 2);
            let line = line_at(&self.content, middle);
            match name_in(line).cmp(name) {
                Ordering::Less => low = self.next_ref_line(middle).min(high),
                Ordering::Equal | Ordering::Greater => high = middle,
            }
        }
        low
    }

    /// Finds the start of the ref's line that contains `at`. `low` must be such a start, and is the
    /// lower bound.
    fn ref_line_start(&self, low: usize, at: usize) -> usize {
        let mut at = at;
        loop {
            let newline = self.content[low..at].iter().rposition(|byte| *byte == b'\n');
            let start = newline.map_or(low, |newline| low + newline + 1);
            if start == low || !is_peeled(&self.content[start..]) {
                return start;
            }
            at = start - 1;
        }
    }

    fn next_ref_line(&self, start: usize) -> usize {
        let mut at = start;
        loop {
            at += line_at(&self.content, at).len() + 1;
            if at >= self.content.len() || !is_peeled(&self.content[at..]) {
                return at.min(self.content.len());
            }
        }
    }
}

fn line_at(content: &[u8], start: usize) -> &[u8] {
    let rest = content.get(start..).unwrap_or_default();
    rest.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

fn is_peeled(line: &[u8]) -> bool {
    line.first() == Some(&b'^')
}

fn name_in(line: &[u8]) -> &[u8] {
    let space = line.iter().position(|byte| *byte == b' ');
    space.map_or(&[], |space| line[space + 1..].trim_ascii_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    const HEADER: &str = "# pack-refs with: peeled fully-peeled sorted \n";

    fn id(number: usize) -> ObjectId {
        HashKind::Sha1.digest(&[&number.to_be_bytes()])
    }

    fn name(text: &str) -> RefName {
        text.parse().unwrap()
    }

    fn find(packed: &PackedRefs, text: &str) -> Option<ObjectId> {
        packed.find(&name(text), HashKind::Sha1).unwrap()
    }

    #[test]
    fn each_of_many_is_found_and_nothing_else() {
        let refs: BTreeMap<String, usize> =
            (0..100_000).map(|number| (format!("refs/tags/v{}", number * 2), number)).collect();
        let mut content = HEADER.to_owned();
        for (name, number) in &refs {
            writeln!(content, "{} {name}", id(*number)).unwrap();
            if number % 3 == 0 {
                writeln!(content, "^{}", id(number + 7)).unwrap();
            }
        }
        let packed = PackedRefs::new(content.into_bytes());
        assert!(packed.sorted);
        for (name, number) in refs.iter().step_by(97).chain(refs.iter().next_back()) {
            assert_eq!(find(&packed, name), Some(id(*number)), "{name}");
        }
        for absent in ["refs/a", "refs/tags/v1", "refs/tags/v", "refs/tags/v10x", "refs/zzz"] {
            assert_eq!(find(&packed, absent), None, "{absent}");
        }
    }

    #[test]
    fn every_ref_is_found_in_files_of_every_size() {
        for count in 0..40 {
            let mut content = HEADER.to_owned();
            for number in 0..count {
                writeln!(content, "{} refs/t/{number:02}", id(number)).unwrap();
                for _ in 0..number % 2 {
                    writeln!(content, "^{}", id(1)).unwrap();
                }
            }
            let unsorted = content.replace(" sorted", "");
            for content in [content, unsorted] {
                let packed = PackedRefs::new(content.into_bytes());
                for number in 0..40 {
                    let expected = (number < count).then(|| id(number));
                    assert_eq!(find(&packed, &format!("refs/t/{number:02}")), expected);
                }
            }
        }
    }

    #[test]
    fn a_file_without_header_or_order_is_read() {
        let content = format!("{} refs/z\n{} refs/ab\n{} refs/a\n", id(1), id(2), id(3));
        let packed = PackedRefs::new(content.into_bytes());
        assert!(!packed.sorted);
        assert_eq!(find(&packed, "refs/a"), Some(id(3)));
        assert_eq!(find(&packed, "refs/b"), None);
        assert_eq!(find(&PackedRefs::new(Vec::new()), "refs/a"), None);
    }

    #[test]
    fn names_that_exclude_each_other_are_found() {
        let refs = format!("{} refs/a-b\n{} refs/a/b\n{} refs/c\n", id(1), id(2), id(3));
        for content in [HEADER.to_owned() + &refs, refs.clone()] {
            let packed = PackedRefs::new(content.into_bytes());
            assert_eq!(packed.conflicting(&name("refs/a")).as_deref(), Some("refs/a/b"));
            assert_eq!(packed.conflicting(&name("refs/c/d/e")).as_deref(), Some("refs/c"));
            assert_eq!(packed.conflicting(&name("refs/a/c")), None);
            assert_eq!(packed.conflicting(&name("refs/cc")), None);
        }
    }

    #[test]
    fn garbage_is_an_error_that_names_the_ref() {
        let packed = PackedRefs::new(b"not-an-id refs/a\n".to_vec());
        let error = packed.find(&name("refs/a"), HashKind::Sha1).unwrap_err();
        assert!(error.to_string().contains("'refs/a'"), "{error}");
    }
}

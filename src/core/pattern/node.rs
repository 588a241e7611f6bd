//! Names of the tree nodes under which ledgers store documents that belong to a path.
//!
//! The names of the path itself will not do: git and its servers refuse trees with `.git`, `..`, or
//! a name that some file system takes for one of them. Each name gets a prefix and is escaped, so
//! that no two names share a node and any tool can print it.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::case::Case;

/// Longest escaped name. File systems allow 255 bytes, which leaves room for an extension.
const ESCAPED_MAX: usize = 200;

/// Returns the name of the node for one segment of a path.
///
/// A name that is too long becomes a hash; [`node_segment`] cannot undo that.
pub fn node_name(segment: &[u8], case: Case) -> String {
    let folded = case.fold(segment);
    let escaped = escape(&folded);
    if escaped.len() <= ESCAPED_MAX {
        return escaped;
    }
    let mut hashed = String::from("~");
    for byte in Sha256::digest(&folded) {
        push_hex(&mut hashed, byte);
    }
    hashed.make_ascii_lowercase();
    hashed
}

/// Returns the segment that a node was named for, folded as it was. Returns `None` if the name is a
/// hash or no name that [`node_name`] gives.
pub fn node_segment(name: &str) -> Option<Vec<u8>> {
    let mut segment = Vec::with_capacity(name.len());
    let mut rest = name.strip_prefix('+')?.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            segment.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            segment.push(first);
            rest = after;
        }
    }
    // A segment has one name: another spelling of the same bytes is not ours.
    (node_name(&segment, Case::Sensitive) == name).then_some(segment)
}

fn escape(segment: &[u8]) -> String {
    let mut name = String::with_capacity(segment.len() + 1);
    name.push('+');
    for chunk in segment.utf8_chunks() {
        for character in chunk.valid().chars() {
            match u8::try_from(character) {
                Ok(byte) if byte.is_ascii_control() || b"%\\/".contains(&byte) => {
                    push_escaped(&mut name, byte);
                }
                _ => name.push(character),
            }
        }
        for &byte in chunk.invalid() {
            push_escaped(&mut name, byte);
        }
    }
    name
}

fn push_escaped(name: &mut String, byte: u8) {
    name.push('%');
    push_hex(name, byte);
}

fn push_hex(name: &mut String, byte: u8) {
    write!(name, "{byte:02X}").expect("because writing to a string never fails");
}

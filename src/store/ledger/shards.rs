//! The layout of format 1: directories of ids are split into shards, by the first characters of the
//! names in them.
//!
//! ```text
//! ids/k3v9x0ab                      is    ids/k/3/k3v9x0ab
//! holders/+claude:7f3a91c2/k3v9x0ab is    holders/+claude:7f3a91c2/k/k3v9x0ab
//! ```
//!
//! Decisions name documents without shards. No new ledger has them.

use crate::core::documents::Key;
use crate::core::ids::ID_ALPHABET;

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Returns the number of levels of shards in a directory.
pub fn depth(dir: &[&str]) -> usize {
    match dir {
        ["ids" | "requests" | "threads" | "pins" | "runs"]
        | ["runs", _, "dispatches" | "agents"]
        | ["runs", _, "phases", _, "artifacts" | "verdicts"] => 2,
        ["active" | "sessions"]
        | ["holders" | "parties", _, ..]
        | ["runs", _, "children"]
        | ["runs", _, "phases", _, "open" | "working"] => 1,
        _ => 0,
    }
}

/// Tells whether a name in a directory of shards is that of a shard. A subagent's directory beside
/// them begins with `+` or `~`.
pub fn is_shard(name: &[u8]) -> bool {
    matches!(name, [byte] if byte.is_ascii_alphanumeric())
}

/// Returns the shards that lead to a name in a directory.
pub fn way<'n>(dir: &[&str], name: &'n str) -> impl Iterator<Item = &'n str> + use<'n> {
    let depth = if name.starts_with(['+', '~']) { 0 } else { depth(dir) };
    (0..depth).map_while(|level| name.get(level..=level))
}

/// Returns the shards of a turn. Turns count through all shards of a directory and begin again.
pub fn of_turn(dir: &[&str], turn: u64) -> Vec<String> {
    let digits: &[u8] = if dir == ["requests"] { HEX_DIGITS } else { ID_ALPHABET };
    let base = digits.len() as u64;
    let digit = |turn: u64| {
        let at = usize::try_from(turn % base).expect("less than 36");
        char::from(digits[at]).to_string()
    };
    let mut shards = vec![digit(turn); depth(dir)];
    if let [first, _] = shards.as_mut_slice() {
        *first = digit(turn / base);
    }
    shards
}

/// Returns the path of a document in the tree.
pub fn path(key: &Key) -> Key {
    let parts: Vec<&str> = key.parts().collect();
    let mut path = Key::root();
    for (at, name) in parts.iter().enumerate() {
        path = way(&parts[..at], name).chain([*name]).fold(path, |path, part| path.join(part));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_directory_of_ids_has_its_shards() {
        for (key, expected) in [
            ("format", "format"),
            ("ids/k3v9x0ab", "ids/k/3/k3v9x0ab"),
            ("holders/+claude/k3v9x0ab", "holders/+claude/k/k3v9x0ab"),
            ("holders/+claude/+one/k3v9x0ab", "holders/+claude/+one/k/k3v9x0ab"),
            ("paths/+ids/@k3v9x0ab", "paths/+ids/@k3v9x0ab"),
            ("requests/4fa1/grant-000", "requests/4/f/4fa1/grant-000"),
            ("threads/mfq4/thread", "threads/m/f/mfq4/thread"),
            ("parties/+claude/mfq4", "parties/+claude/m/mfq4"),
            ("inbox/+claude/mk5/mk5x03c2", "inbox/+claude/mk5/mk5x03c2"),
            ("active/k3v9x0ab", "active/k/k3v9x0ab"),
            ("runs/k3v9/agents/mx12", "runs/k/3/k3v9/agents/m/x/mx12"),
            ("runs/k3v9/phases/03-x/open/da1", "runs/k/3/k3v9/phases/03-x/open/d/da1"),
            ("runs/k3v9/phases/03-x/verdicts/v12", "runs/k/3/k3v9/phases/03-x/verdicts/v/1/v12"),
            ("sessions/9f86.json", "sessions/9/9f86.json"),
        ] {
            assert_eq!(path(&Key::of(key.split('/'))).as_str(), expected);
        }
    }

    #[test]
    fn turns_count_through_all_shards() {
        let all: std::collections::BTreeSet<_> = (0..1296).map(|n| of_turn(&["ids"], n)).collect();
        assert_eq!(all.len(), 1296);
        assert_eq!(of_turn(&["ids"], 1296), of_turn(&["ids"], 0));
        assert_eq!(of_turn(&["ids"], 37), ["b", "b"]);
        assert_eq!(of_turn(&["requests"], 0x4f), ["4", "f"]);
    }
}

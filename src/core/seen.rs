//! The documents that an actor saw before it acted on them.
//!
//! An act on what somebody else wrote is about what its actor saw. Decided again on another state,
//! it changes that or nothing.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The mark of a document, or of its absence, as an actor saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seen(String);

impl Seen {
    /// Marks a document, or its absence.
    pub fn of(document: Option<&impl Serialize>) -> Seen {
        const DIGITS: usize = 16;
        let bytes = serde_json::to_vec(&document).expect("a document is plain data");
        Seen(format!("{:x}", Sha256::digest(bytes))[..DIGITS].to_owned())
    }
}

/// Tells whether a document is not the one that was seen. Entries of rules 1 do not record what was
/// seen, and mean whatever is there.
pub fn is_another(seen: Option<&Seen>, document: Option<&impl Serialize>) -> bool {
    seen.is_some_and(|seen| *seen != Seen::of(document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_again_and_told_from_others() {
        let mark = Seen::of(Some(&"one"));
        assert!(!is_another(Some(&mark), Some(&"one")));
        assert!(is_another(Some(&mark), Some(&"other")));
        assert!(is_another(Some(&mark), None::<&str>.as_ref()));
        assert!(!is_another(Some(&Seen::of(None::<&str>.as_ref())), None::<&str>.as_ref()));
        assert!(!is_another(None, Some(&"any")), "as in rules 1");
    }
}

//! Case: decides whether names that differ in case alone are one name.

/// The way in which a ledger compares names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Case {
    /// Byte by byte.
    #[default]
    Sensitive,
    /// By Unicode's simple lower case, as far as the bytes are UTF-8.
    ///
    /// Patterns read the lowered path, so `?` is one byte of that. Wildcards that single out one
    /// byte of a character outside ASCII may overlap although no path belongs to both, which errs
    /// on the safe side.
    Folded,
}

impl Case {
    /// Folds `bytes` into the form in which they are compared.
    pub(super) fn fold(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Case::Sensitive => bytes.to_vec(),
            Case::Folded if bytes.is_ascii() => bytes.to_ascii_lowercase(),
            Case::Folded => lowered(bytes),
        }
    }
}

fn lowered(bytes: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            // The first character is the simple mapping: Unicode has one character whose full
            // mapping is longer, and its simple mapping is the first of the two.
            let lower = character.to_lowercase().next().unwrap_or(character);
            folded.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
        }
        folded.extend_from_slice(chunk.invalid());
    }
    folded
}

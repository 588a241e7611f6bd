//! A set of bytes: the bytes that a class lists, or that one position of a name accepts.

/// A set of bytes, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(|&byte| self.contains(byte))
    }

    /// Returns every byte that a name can have: all but the separator and NUL.
    pub(super) fn of_names() -> ByteSet {
        ByteSet::default().complement()
    }

    /// Returns the bytes that a name can have and that are not in this set.
    pub(super) fn complement(&self) -> ByteSet {
        ByteSet(self.0.map(|word| !word)).within_names()
    }

    /// Removes the bytes that a name cannot have.
    pub(super) fn within_names(mut self) -> ByteSet {
        for byte in [0, b'/'] {
            self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
        }
        self
    }

    /// Adds the other case of each ASCII letter in the set.
    pub(super) fn with_both_cases(&self) -> ByteSet {
        let mut both = *self;
        for byte in self.iter() {
            both.insert(byte.to_ascii_lowercase());
            both.insert(byte.to_ascii_uppercase());
        }
        both
    }
}

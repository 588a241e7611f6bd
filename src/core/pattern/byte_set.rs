//! A set of bytes: what a class lists, and what one position of a name accepts.

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

    /// Every byte that a name can have: all but the separator and NUL.
    pub(super) fn of_names() -> ByteSet {
        ByteSet::default().complement()
    }

    /// The bytes that a name can have and that are not in this set.
    pub(super) fn complement(&self) -> ByteSet {
        ByteSet(self.0.map(|word| !word)).within_names()
    }

    /// The bytes of this set that a name can have.
    pub(super) fn within_names(mut self) -> ByteSet {
        for byte in [0, b'/'] {
            self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
        }
        self
    }

    /// This set with the other case of each of its ASCII letters.
    pub(super) fn with_both_cases(&self) -> ByteSet {
        let mut both = *self;
        for byte in self.iter() {
            both.insert(byte.to_ascii_lowercase());
            both.insert(byte.to_ascii_uppercase());
        }
        both
    }
}

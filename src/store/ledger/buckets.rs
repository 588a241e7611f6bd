//! The layout of format 2: a directory with many names has them in buckets.
//!
//! ```text
//! paths/+src/+a.rs            is    paths/+src/=+2/=+0/+a.rs    if `+src` has many such names
//! ```
//!
//! The names of a directory fall into classes by their first character, so that a reader of one
//! class reads nothing of the others. A class of more than [`NAMES_MAX`] names is split into
//! [`FAN_OUT`] buckets, by a digit of the hash of each name. A bucket is split again, by the next
//! digit, for as long as it has too many names, down to [`DEPTH_MAX`]. With so few buckets in a
//! directory and so few names in a bucket, an entry that changes one name writes few bytes.
//!
//! The tree is a function of the documents: a class is joined again once it fits.

use sha2::{Digest as _, Sha256};

use crate::store::ledger::tree::{EntryKind, Tree, TreeEntry};

/// The number of names that a class or a bucket may have before it is split.
pub const NAMES_MAX: usize = 16;
/// The number of buckets that a class or a bucket is split into.
pub const FAN_OUT: usize = 4;
/// The bits of the hash that choose one of them.
const DIGIT_BITS: usize = 2;
/// The number of times that names are split. Names whose hashes begin alike down to there stay
/// together, however many they are.
pub const DEPTH_MAX: usize = 16;
/// The average number of names with which, not once in a billion times, a bucket would be whole.
const SURELY_SPLIT: usize = 62;

/// The character that names of buckets begin with. No document and no directory of a ledger does.
pub const MARK: char = '=';

/// The names that begin with one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// `@`: holds at their node.
    Hold,
    /// `+`: nodes of a path, agents and locks.
    Node,
    /// `~`: nodes with long names.
    LongNode,
    /// Every other name.
    Other,
}

impl Class {
    pub const ALL: [Class; 4] = [Class::Hold, Class::Node, Class::LongNode, Class::Other];

    pub fn of(name: &[u8]) -> Class {
        match name.first() {
            Some(b'@') => Class::Hold,
            Some(b'+') => Class::Node,
            Some(b'~') => Class::LongNode,
            _ => Class::Other,
        }
    }

    fn letter(self) -> char {
        match self {
            Class::Hold => '@',
            Class::Node => '+',
            Class::LongNode => '~',
            Class::Other => '.',
        }
    }

    /// Returns the beginning of the names of this class's buckets.
    pub fn start_of_buckets(self) -> String {
        format!("{MARK}{}", self.letter())
    }

    /// Returns the name of one of this class's buckets.
    pub fn bucket(self, digit: usize) -> String {
        format!("{MARK}{}{digit}", self.letter())
    }

    /// Returns the class and the digit of a bucket.
    fn of_bucket(name: &[u8]) -> Option<(Class, usize)> {
        let [_, letter, digit] = name else { return None };
        let class = Class::ALL.into_iter().find(|class| class.letter() == char::from(*letter))?;
        let digit = digit.checked_sub(b'0').map(usize::from)?;
        (digit < FAN_OUT).then_some((class, digit))
    }

    /// Tells whether the names of this class are in buckets of this tree.
    pub fn is_split_in(self, tree: &Tree) -> bool {
        tree.entries_starting(&self.start_of_buckets()).next().is_some()
    }
}

/// The hash of a name, which chooses its buckets. It costs a lot to find names that share many of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameHash(u64);

impl NameHash {
    pub fn of(name: &[u8]) -> NameHash {
        let hash = Sha256::digest(name);
        NameHash(hash.iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
    }

    /// Returns the hash of the names that have their turn.
    pub fn of_turn(turn: u64) -> NameHash {
        NameHash(turn.reverse_bits())
    }

    /// Returns the bucket of the name at a level of splitting.
    pub fn digit(self, level: usize) -> usize {
        let bits = self.0 >> (u64::BITS as usize - DIGIT_BITS * (level + 1));
        usize::try_from(bits).unwrap_or(usize::MAX) & (FAN_OUT - 1)
    }
}

/// Tells whether every bucket at a level would be split if the directory had so many names, which
/// are as good as random.
pub fn is_surely_split(names: usize, level: usize) -> bool {
    names >> (DIGIT_BITS * level) >= SURELY_SPLIT
}

/// Tells whether a name in a tree of format 2 is that of a bucket.
pub fn is_bucket(name: &[u8]) -> bool {
    name.first() == Some(&(MARK as u8))
}

/// A name in a tree, with its class and digit if it is a bucket.
pub type Named<'t> = (TreeEntry<'t>, Option<(Class, usize)>);

/// A place in the tree: a directory, or a bucket of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The class whose bucket this is; `None` for a directory.
    class: Option<Class>,
    digits: Vec<usize>,
}

impl Place {
    /// Returns how many times the names here were split.
    pub fn level(&self) -> usize {
        self.digits.len()
    }

    /// Returns the place of a bucket here.
    #[must_use]
    pub fn bucket(&self, class: Class, digit: usize) -> Place {
        let digits = self.digits.iter().copied().chain([digit]).collect();
        Place { class: Some(class), digits }
    }

    /// Reads a tree at this place: its names, each with its class and digit if it is a bucket, or
    /// why no writer left it so. An empty bucket is refused, and so is a name in another's bucket.
    /// So in a tree that was forged, a reader meets no name twice, and no more buckets than names.
    pub fn read<'t>(&self, tree: &'t Tree) -> Result<Vec<Named<'t>>, String> {
        if self.class.is_some() && tree.entries().len() == 0 {
            return Err("a bucket is empty".to_owned());
        }
        let is_split = Class::ALL.map(|class| class.is_split_in(tree));
        let named = |entry: TreeEntry<'t>| match self.bucket_of(&entry, is_split) {
            Ok(bucket) => Ok((entry, bucket)),
            Err(why) => {
                Err(format!("'{}' {why}", String::from_utf8_lossy(entry.name).escape_debug()))
            }
        };
        tree.entries().map(named).collect()
    }

    fn bucket_of(
        &self,
        entry: &TreeEntry<'_>,
        is_split: [bool; 4],
    ) -> Result<Option<(Class, usize)>, &'static str> {
        if is_bucket(entry.name) {
            let bucket = Class::of_bucket(entry.name);
            let bucket = bucket.filter(|(class, _)| self.class.is_none_or(|own| own == *class));
            let may_be = entry.kind == EntryKind::Directory && self.level() < DEPTH_MAX;
            return bucket.filter(|_| may_be).ok_or("is a bucket where none may be").map(Some);
        }
        let class = Class::of(entry.name);
        if is_split[class as usize] {
            return Err("is beside the buckets of names like it");
        }
        let is_here = self.class.is_none_or(|own| {
            let hash = NameHash::of(entry.name);
            let mut digits = self.digits.iter().enumerate();
            own == class && digits.all(|(level, digit)| hash.digit(level) == *digit)
        });
        if is_here { Ok(None) } else { Err("is in another's bucket") }
    }
}

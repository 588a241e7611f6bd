//! The ids of threads and messages.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::ids::{BadId, OpId, text_conversions};

/// The characters of thread ids: 5 bits each.
const THREAD_ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The number of characters that 128 bits take.
const THREAD_LENGTH: usize = 26;
/// The number of characters that people need to tell one thread from another.
const THREAD_SHORT: usize = 8;
/// Shorter beginnings are words that people use for other things.
const THREAD_PREFIX_MIN: usize = 4;

/// The id of a thread: 128 random bits, so that nobody comes by it by accident.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct ThreadId(String);

text_conversions!(ThreadId);

impl ThreadId {
    /// Derives the id of the thread that is number `counter` of the things that the act `op` makes.
    pub fn derive(op: &OpId, counter: u64) -> ThreadId {
        let digest = Sha256::new()
            .chain_update(b"thread")
            .chain_update(op.as_str())
            .chain_update(counter.to_le_bytes())
            .finalize();
        let mut bits = u128::from_le_bytes(digest[..16].try_into().expect("a digest has 32 bytes"));
        let mut text = String::with_capacity(THREAD_LENGTH);
        for _ in 0..THREAD_LENGTH {
            let at = usize::try_from(bits % 32).expect("below 32");
            text.push(char::from(THREAD_ALPHABET[at]));
            bits /= 32;
        }
        ThreadId(text)
    }

    /// Returns the beginning of the id, for people.
    pub fn short(&self) -> &str {
        &self.0[..THREAD_SHORT]
    }
}

impl FromStr for ThreadId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let prefix: ThreadPrefix = text.parse()?;
        if prefix.0.len() == THREAD_LENGTH {
            Ok(ThreadId(prefix.0))
        } else {
            Err(BadId::Thread(prefix.0))
        }
    }
}

/// The beginning of a [`ThreadId`], as people type it.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct ThreadPrefix(String);

text_conversions!(ThreadPrefix);

impl FromStr for ThreadPrefix {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let length_fits = (THREAD_PREFIX_MIN..=THREAD_LENGTH).contains(&text.len());
        if length_fits && text.bytes().all(|byte| THREAD_ALPHABET.contains(&byte)) {
            Ok(ThreadPrefix(text.to_owned()))
        } else {
            Err(BadId::Thread(text.to_owned()))
        }
    }
}

/// The digits, in the order in which ids sort.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Milliseconds since 1970 take 8 digits until the year 2059, and a `u64` takes 13 at most.
const MESSAGE_LENGTHS: std::ops::RangeInclusive<usize> = 8..=13;

/// The id of a message, which is also its place in time: a later message has a greater id. It is
/// made of a fence, and no fence is given out twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct MessageId(String);

text_conversions!(MessageId);

impl MessageId {
    pub fn from_number(mut number: u64) -> MessageId {
        let mut digits = Vec::new();
        while number > 0 || digits.len() < *MESSAGE_LENGTHS.start() {
            let at = usize::try_from(number % 36).expect("below 36");
            digits.push(char::from(DIGITS[at]));
            number /= 36;
        }
        MessageId(digits.iter().rev().collect())
    }

    /// Returns the part of the id that messages of the same half day share.
    pub fn shard(&self) -> &str {
        &self.0[..self.0.len() - 5]
    }
}

impl PartialOrd for MessageId {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Orders by number: an id with more digits is greater.
impl Ord for MessageId {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.len(), &self.0).cmp(&(other.0.len(), &other.0))
    }
}

impl FromStr for MessageId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if MESSAGE_LENGTHS.contains(&text.len()) && text.bytes().all(|byte| DIGITS.contains(&byte))
        {
            Ok(MessageId(text.to_owned()))
        } else {
            Err(BadId::Message(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// 3/THREAD-ID: 128 bits of the act's own randomness, and another name for each thread of it.
    #[test]
    fn threads_have_names_of_their_own() {
        let names: BTreeSet<ThreadId> = (0..100)
            .flat_map(|op| (0..10).map(move |n| ThreadId::derive(&OpId::from_bits(op), n)))
            .collect();
        assert_eq!(names.len(), 1_000);
        assert!(names.iter().all(|name| name.as_str().parse::<ThreadId>().as_ref() == Ok(name)));
        for bad in ["", "abc", "ABCD", "abc1", &"a".repeat(27)] {
            assert!(bad.parse::<ThreadPrefix>().is_err(), "{bad}");
        }
    }

    #[test]
    fn messages_sort_by_their_number() {
        let numbers = [0, 1, 35, 36, 1_769_848_200_124, 36_u64.pow(8) - 1, 36_u64.pow(8), u64::MAX];
        let names = numbers.map(MessageId::from_number);
        assert!(names.is_sorted(), "{names:?}");
        for name in &names {
            assert_eq!(name.as_str().parse::<MessageId>().as_ref(), Ok(name));
        }
    }
}

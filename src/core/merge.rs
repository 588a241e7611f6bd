//! One sequence of several that each are in order, newest first, without reading ahead.

use std::iter::Peekable;

/// Merges sequences by a key, the greatest first. Each keeps its own order, whatever its keys say;
/// of equal keys, that of the earlier sequence comes first. No more than one item of each is held.
pub struct Merged<I: Iterator, K> {
    sequences: Vec<Peekable<I>>,
    key: fn(&I::Item) -> K,
}

impl<I: Iterator, K: Ord> Merged<I, K> {
    pub fn of(sequences: impl IntoIterator<Item = I>, key: fn(&I::Item) -> K) -> Merged<I, K> {
        Merged { sequences: sequences.into_iter().map(Iterator::peekable).collect(), key }
    }
}

impl<I: Iterator, K: Ord> Iterator for Merged<I, K> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let mut greatest: Option<(usize, K)> = None;
        for (at, sequence) in self.sequences.iter_mut().enumerate() {
            let Some(key) = sequence.peek().map(self.key) else { continue };
            if greatest.as_ref().is_none_or(|(_, other)| key > *other) {
                greatest = Some((at, key));
            }
        }
        self.sequences[greatest?.0].next()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::cmp::Reverse;

    use proptest::prelude::*;

    use super::*;

    /// An item: the sequence that it belongs to, its place there, and its key.
    type Item = (usize, usize, u8);

    fn sequences(keys: &[Vec<u8>]) -> Vec<Vec<Item>> {
        let numbered = |(of, keys): (usize, &Vec<u8>)| {
            keys.iter().enumerate().map(|(at, key)| (of, at, *key)).collect()
        };
        keys.iter().enumerate().map(numbered).collect()
    }

    fn merged(keys: &[Vec<u8>]) -> Vec<Item> {
        Merged::of(sequences(keys).into_iter().map(Vec::into_iter), |item| item.2).collect()
    }

    fn keys() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop::collection::vec(prop::collection::vec(0_u8..20, 0..8), 0..5)
    }

    proptest! {
        /// 1/LOG: sequences that are in order give one that is, and equal times keep the order of
        /// the ledgers.
        #[test]
        fn what_is_in_order_stays_in_order(mut keys in keys()) {
            for keys in &mut keys {
                keys.sort_by_key(|key| Reverse(*key));
            }
            let mut sorted = sequences(&keys).concat();
            sorted.sort_by_key(|(_, _, key)| Reverse(*key));
            prop_assert_eq!(merged(&keys), sorted);
        }

        /// 1/LOG: whatever a clock said, nothing is lost, and each ledger keeps its own order.
        #[test]
        fn each_sequence_keeps_its_order(keys in keys()) {
            let merged = merged(&keys);
            for (of, sequence) in sequences(&keys).into_iter().enumerate() {
                let own: Vec<Item> = merged.iter().filter(|item| item.0 == of).copied().collect();
                prop_assert_eq!(own, sequence);
            }
            prop_assert_eq!(merged.len(), keys.concat().len());
        }

        /// 1/LOG: memory does not grow with the history: one item of each sequence is held.
        #[test]
        fn nothing_is_read_ahead(keys in keys(), take in 0_usize..10) {
            let read = Cell::new(0);
            let counted = |keys: Vec<u8>| keys.into_iter().inspect(|_| read.set(read.get() + 1));
            let sequences = keys.len();
            let taken = Merged::of(keys.into_iter().map(counted), |key| *key).take(take).count();
            prop_assert!(read.get() <= taken + sequences);
        }
    }
}

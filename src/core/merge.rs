//! One sequence of several that each are in order, without reading ahead, and pages of it.

use std::cmp::Reverse;
use std::iter::Peekable;

use crate::core::time::Timestamp;

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

/// Something with a time that counts for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dated<T> {
    pub at: Timestamp,
    pub count: usize,
    pub item: T,
}

/// The end of the sequences that a page is cut from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Oldest,
    Newest,
}

/// Cuts a page from one end of sequences that each are in order, oldest first: as many items as
/// count for no more than the limit together, and one in any case. The page is in order of time,
/// oldest first; of equal times, that of the earlier sequence comes first. Each sequence keeps its
/// own order, and what is left of it comes after its part of the page, or before it if the page
/// has the newest.
pub fn cut<T>(mut sequences: Vec<Vec<Dated<T>>>, limit: usize, end: End) -> Vec<T> {
    let mut count = 0;
    let fits = |dated: &Dated<T>| {
        let is_first = count == 0;
        count += dated.count;
        is_first || count <= limit
    };
    let page: Vec<Dated<T>> = match end {
        End::Oldest => {
            let sequences = sequences.into_iter().map(Vec::into_iter);
            Merged::of(sequences, |dated| Reverse(dated.at)).take_while(fits).collect()
        }
        End::Newest => {
            // Backwards, so that of equal times the later sequence comes first.
            sequences.reverse();
            let sequences = sequences.into_iter().map(|sequence| sequence.into_iter().rev());
            let newest = Merged::of(sequences, |dated| dated.at).take_while(fits);
            let mut page: Vec<Dated<T>> = newest.collect();
            page.reverse();
            page
        }
    };
    page.into_iter().map(|dated| dated.item).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

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

        /// 1/EVENTS-TIME: a page keeps the limit unless it is one item, each sequence gives a part
        /// from its end, in its own order, and the page is as full as it can be.
        #[test]
        fn a_page_is_cut_from_one_end(
            keys in keys(), counts in prop::collection::vec(1_usize..4, 40), limit in 1_usize..12,
            newest: bool,
        ) {
            let end = if newest { End::Newest } else { End::Oldest };
            let count = |of: usize, at: usize| counts[of * 8 + at];
            let dated = |(of, at, key): Item| Dated {
                at: Timestamp::from_millis(i64::from(key)),
                count: count(of, at),
                item: (of, at, key),
            };
            let all = sequences(&keys).into_iter().map(|it| it.into_iter().map(dated).collect());
            let page = cut(all.collect(), limit, end);
            let sum: usize = page.iter().map(|(of, at, _)| count(*of, *at)).sum();
            prop_assert!(sum <= limit || page.len() == 1);
            prop_assert_eq!(page.is_empty(), keys.concat().is_empty());
            for (of, sequence) in sequences(&keys).into_iter().enumerate() {
                let own: Vec<Item> = page.iter().filter(|item| item.0 == of).copied().collect();
                let left = sequence.len() - own.len();
                let part = if newest { &sequence[left..] } else { &sequence[..own.len()] };
                prop_assert_eq!(own, part);
            }
            let whole = keys.concat().len();
            prop_assert!(sum + 3 > limit || page.len() == whole);
        }

        /// 1/EVENTS-TIME: of sequences that are in order, a page is, and all pages together are
        /// all of them.
        #[test]
        fn pages_are_in_order(mut keys in keys(), limit in 1_usize..12) {
            for keys in &mut keys {
                keys.sort_unstable();
            }
            let dated = |item: Item| {
                Dated { at: Timestamp::from_millis(i64::from(item.2)), count: 1, item }
            };
            let mut left = sequences(&keys);
            let mut sorted = left.concat();
            sorted.sort_by_key(|(_, _, key)| *key);
            let newest = cut(
                left.iter().map(|it| it.iter().copied().map(dated).collect()).collect(),
                limit,
                End::Newest,
            );
            prop_assert_eq!(&newest[..], &sorted[sorted.len() - newest.len()..]);
            let mut pages = Vec::new();
            while !left.concat().is_empty() {
                let page = cut(
                    left.iter().map(|it| it.iter().copied().map(dated).collect()).collect(),
                    limit,
                    End::Oldest,
                );
                for sequence in &mut left {
                    sequence.retain(|item| !page.contains(item));
                }
                pages.extend(page);
            }
            prop_assert_eq!(pages, sorted);
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

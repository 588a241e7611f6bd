//! The room that is left in an answer of bounded length.

/// The number of rows that still fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    left: usize,
    more: bool,
}

impl Room {
    pub fn of(rows: usize) -> Room {
        Room { left: rows, more: false }
    }

    /// Keeps the first rows of a list, as many as fit.
    pub fn keep<T>(&mut self, mut rows: Vec<T>) -> Vec<T> {
        self.more |= rows.len() > self.left;
        rows.truncate(self.left);
        self.left -= rows.len();
        rows
    }

    /// Tells whether rows were left out.
    pub fn has_more(self) -> bool {
        self.more
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// 1/WHO: an answer has the first rows of its lists, as many as fit, and says if there are
        /// more.
        #[test]
        fn the_first_rows_are_kept(
            lists in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 0..6),
            limit in 0_usize..20,
        ) {
            let mut room = Room::of(limit);
            let kept: Vec<u8> = lists.iter().flat_map(|list| room.keep(list.clone())).collect();
            let all: Vec<u8> = lists.concat();
            prop_assert_eq!(&kept[..], &all[..all.len().min(limit)]);
            prop_assert_eq!(room.has_more(), all.len() > limit);
        }
    }
}

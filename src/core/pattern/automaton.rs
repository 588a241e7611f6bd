//! A set of words, read side by side: the positions that a name has reached in them are a bit set.
//!
//! A word of n steps has n + 1 positions; the positions of all words are numbered in a row. Reading
//! a byte moves all of them at once (the Shift-And algorithm): a position whose step accepts the
//! byte moves on by one, a position before a run also stays, and a run may be left without reading
//! a byte. The last position of a word accepts no byte, so no position moves from one word into the
//! next.

use super::byte_set::ByteSet;
use super::name::{Step, Word};

/// The positions that were reached, 64 to a machine word.
pub(super) type Row = Vec<u64>;

/// Words that are compiled to be read side by side.
pub(super) struct Automaton {
    width: usize,
    /// For each byte, the positions whose step accepts it; `width` machine words each.
    columns: Vec<u64>,
    /// The positions before a run.
    runs: Row,
    /// The positions before the first byte.
    start: Row,
    /// The last position of each word.
    ends: Vec<usize>,
}

impl Automaton {
    /// Compiles `words`.
    pub(super) fn of<'w>(words: impl IntoIterator<Item = &'w Word, IntoIter: Clone>) -> Automaton {
        let words = words.into_iter();
        let positions: usize = words.clone().map(|word| length(word) + 1).sum();
        let width = positions.div_ceil(64);
        let mut automaton = Automaton {
            width,
            columns: vec![0; 256 * width],
            runs: vec![0; width],
            start: vec![0; width],
            ends: Vec::new(),
        };
        let mut position = 0;
        for word in words {
            position = automaton.add(word, position);
        }
        automaton
    }

    /// Adds a word whose first position is `first`. Returns the position after it.
    fn add(&mut self, word: &Word, first: usize) -> usize {
        set(&mut self.start, first);
        match word {
            Word::Exact(name) => {
                for (offset, &byte) in name.iter().enumerate() {
                    self.accept(byte, first + offset);
                }
            }
            Word::Glob(steps) => {
                for (offset, step) in steps.iter().enumerate() {
                    match step {
                        Step::Byte(byte) => self.accept(*byte, first + offset),
                        Step::OneOf(bytes) => {
                            bytes.iter().for_each(|byte| self.accept(byte, first + offset));
                        }
                        Step::Run => set(&mut self.runs, first + offset),
                    }
                }
                if let Some(Step::Run) = steps.first() {
                    set(&mut self.start, first + 1);
                }
            }
        }
        let end = first + length(word);
        self.ends.push(end);
        end + 1
    }

    fn accept(&mut self, byte: u8, position: usize) {
        let column = usize::from(byte) * self.width;
        set(&mut self.columns[column..column + self.width], position);
    }

    /// Counts the machine words of a row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Returns the positions before the first byte.
    pub(super) fn start(&self) -> Row {
        self.start.clone()
    }

    /// Returns the positions whose step accepts `byte`.
    pub(super) fn column(&self, byte: u8) -> &[u64] {
        let column = usize::from(byte) * self.width;
        &self.columns[column..column + self.width]
    }

    /// Moves `row` on by one byte, which the positions in `column` accept.
    pub(super) fn advance(&self, row: &mut [u64], column: &[u64]) {
        let (mut moved_over, mut left_over) = (0, 0);
        for (index, word) in row.iter_mut().enumerate() {
            let runs = self.runs[index];
            let accepting = *word & column[index];
            let next = (accepting << 1) | moved_over | (*word & runs);
            moved_over = accepting >> 63;
            // Runs are never adjacent, so leaving one leads to no other.
            let leaving = next & runs;
            *word = next | (leaving << 1) | left_over;
            left_over = leaving >> 63;
        }
    }

    /// Tells for each word, in order, whether it accepts the bytes that were read.
    pub(super) fn accepting<'a>(&'a self, row: &'a [u64]) -> impl Iterator<Item = bool> + 'a {
        self.ends.iter().map(|&end| row[end / 64] & (1 << (end % 64)) != 0)
    }

    /// Tells whether a word accepts `name`.
    pub(super) fn accepts(&self, name: &[u8]) -> bool {
        let mut row = self.start();
        for &byte in name {
            self.advance(&mut row, self.column(byte));
        }
        self.accepting(&row).any(|accepts| accepts)
    }

    /// Tells whether the only word of this automaton and `steps` accept a name in common.
    pub(super) fn meets(&self, steps: &[Step]) -> bool {
        self.meets_from(self.start(), steps)
    }

    /// Tells whether the rest of the only word of this automaton, behind the positions in `row`,
    /// and `steps` accept bytes in common.
    pub(super) fn meets_from(&self, mut row: Row, steps: &[Step]) -> bool {
        debug_assert_eq!(self.ends.len(), 1, "a run would leave one word and enter the next");
        for step in steps {
            match step {
                Step::Byte(byte) => self.advance(&mut row, self.column(*byte)),
                Step::OneOf(bytes) => self.advance(&mut row, &self.column_of(bytes)),
                Step::Run => spread(&mut row),
            }
            if is_empty(&row) {
                return false;
            }
        }
        self.accepting(&row).any(|accepts| accepts)
    }

    /// Returns the positions whose step accepts one of `bytes`.
    fn column_of(&self, bytes: &ByteSet) -> Row {
        let mut column = vec![0; self.width];
        for byte in bytes.iter() {
            for (word, more) in column.iter_mut().zip(self.column(byte)) {
                *word |= more;
            }
        }
        column
    }
}

/// Tells whether no position is left. No word accepts a name that begins like this.
pub(super) fn is_empty(row: &[u64]) -> bool {
    row.iter().all(|&word| word == 0)
}

/// Reads any bytes: every position after a reached one is reached.
fn spread(row: &mut [u64]) {
    let mut reached = false;
    for word in row {
        if reached {
            *word = u64::MAX;
        } else if *word != 0 {
            *word = u64::MAX << word.trailing_zeros();
            reached = true;
        }
    }
}

fn set(row: &mut [u64], position: usize) {
    row[position / 64] |= 1 << (position % 64);
}

fn length(word: &Word) -> usize {
    match word {
        Word::Exact(name) => name.len(),
        Word::Glob(steps) => steps.len(),
    }
}

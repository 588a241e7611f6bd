//! Text laid out for people: aligned columns and lines that differ.

use unicode_width::UnicodeWidthStr as _;

use super::color::Slot;

/// The number of spaces between two columns.
const GAP: usize = 2;

/// One cell of a table: its text, and the colour that it is printed in.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    slot: Option<Slot>,
}

impl Cell {
    /// Makes a cell without colour.
    pub(crate) fn plain(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), slot: None }
    }

    /// Makes a cell that is printed in the colour of its slot. Foreign text goes through `shown`
    /// first.
    pub(crate) fn painted(slot: Slot, text: impl Into<String>) -> Cell {
        Cell { text: text.into(), slot: Some(slot) }
    }

    /// Counts the columns that the text takes on a terminal. Ideographs and emoji take two each,
    /// combining marks none, and so does colour.
    fn width(&self) -> usize {
        self.text.width()
    }
}

/// Lays out rows as lines. Each column is as wide as its widest cell; the last cell of a row is not
/// padded.
pub(crate) fn aligned<R: AsRef<[Cell]>>(
    rows: &[R],
    paint: impl Fn(Slot, &str) -> String,
) -> Vec<String> {
    let mut widths = Vec::new();
    for row in rows {
        let row = row.as_ref();
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    rows.iter().map(|row| aligned_row(row.as_ref(), &widths, &paint)).collect()
}

fn aligned_row(row: &[Cell], widths: &[usize], paint: impl Fn(Slot, &str) -> String) -> String {
    let mut line = String::new();
    let mut padding = 0;
    for (cell, width) in row.iter().zip(widths) {
        line.extend(std::iter::repeat_n(' ', padding));
        match cell.slot {
            Some(slot) => line.push_str(&paint(slot, &cell.text)),
            None => line.push_str(&cell.text),
        }
        padding = width - cell.width() + GAP;
    }
    line.truncate(line.trim_end().len());
    line
}

/// Breaks text between words into lines of at most that many columns. A word that is longer stands
/// on a line of its own.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// One line of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffLine<'t> {
    /// Only in the old text.
    Gone(&'t str),
    /// Only in the new text.
    Came(&'t str),
    /// In both.
    Same(&'t str),
}

/// Compares two texts that differ in one place: the common lines at both ends stay, and between
/// them the old lines go and the new lines come.
pub(crate) fn line_diff<'t>(old: &'t [String], new: &'t [String]) -> Vec<DiffLine<'t>> {
    let alike = |(one, other): &(&String, &String)| one == other;
    let start = old.iter().zip(new).take_while(alike).count();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(alike).count();
    let gone = old_rest[..old_rest.len() - end].iter().map(|line| DiffLine::Gone(line));
    let came = new_rest[..new_rest.len() - end].iter().map(|line| DiffLine::Came(line));
    let same = |lines: &'t [String]| lines.iter().map(|line| DiffLine::Same(line));
    same(&old[..start]).chain(gone).chain(came).chain(same(&old[old.len() - end..])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lays out rows of texts; text that begins with `<` is printed in the colour of ids.
    fn laid_out(rows: &[&[&str]]) -> Vec<String> {
        let cell = |text: &&str| match text.strip_prefix('<') {
            Some(text) => Cell::painted(Slot::Id, text),
            None => Cell::plain(*text),
        };
        let rows: Vec<Vec<Cell>> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        aligned(&rows, |_, text| format!("<{text}>"))
    }

    #[test]
    fn columns_are_aligned_and_colour_takes_no_room() {
        let rows: [&[&str]; 4] =
            [&["a", "größer", "x"], &["<long", "b", ""], &["only"], &["", "", "c"]];
        let lines = ["a     größer  x", "<long>  b", "only", "              c"];
        assert_eq!(laid_out(&rows), lines);
        assert!(laid_out(&[]).is_empty());
    }

    #[test]
    fn wide_and_combining_text_takes_the_columns_that_a_terminal_gives_it() {
        let (wide, combining, emoji) = ("設計", "e\u{301}tude", "👩\u{200d}🔬 x");
        let rows: [&[&str]; 4] = [&[wide, "1"], &[combining, "2"], &[emoji, "3"], &["abcde", "4"]];
        let lines = ["設計   1", "e\u{301}tude  2", "👩\u{200d}🔬 x   3", "abcde  4"];
        assert_eq!(laid_out(&rows), lines);
    }

    #[test]
    fn text_is_broken_between_words() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable 設計 ab", 6), ["unbreakable", "設計", "ab"]);
        assert!(wrapped(" ", 5).is_empty());
    }

    #[test]
    fn differing_lines_stand_between_what_is_alike() {
        use DiffLine::{Came, Gone, Same};
        let text = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let (old, new) = (text(&["{", "a: 1", "}"]), text(&["{", "a: 2", "b", "}"]));
        let expected = [Same("{"), Gone("a: 1"), Came("a: 2"), Came("b"), Same("}")];
        assert_eq!(line_diff(&old, &new), expected);
        assert_eq!(line_diff(&[], &new[..1]), [Came("{")]);
        assert_eq!(line_diff(&old[..1], &old[..1]), [Same("{")]);
    }
}

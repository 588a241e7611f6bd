//! Text laid out for people: aligned columns and lines that differ.

/// The space between two columns.
const GAP: &str = "  ";

/// One cell: its text as printed, and the number of columns that it takes.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    printed: String,
    width: usize,
}

impl Cell {
    /// A cell whose text is plain.
    pub(crate) fn plain(text: &str) -> Cell {
        Cell { printed: text.to_owned(), width: text.chars().count() }
    }

    /// A cell whose printed form holds colour, which takes no room.
    pub(crate) fn painted(plain: &str, printed: String) -> Cell {
        Cell { printed, width: plain.chars().count() }
    }
}

/// Rows whose columns are as wide as their widest cell; the last column is not padded.
pub(crate) fn aligned(rows: &[Vec<Cell>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|c| c.width).max().unwrap_or(0)
        })
        .collect();
    rows.iter().map(|row| aligned_row(row, &widths)).collect()
}

fn aligned_row(row: &[Cell], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
        line.push_str(&cell.printed);
        if column + 1 < row.len() {
            line.push_str(&" ".repeat(width - cell.width));
            line.push_str(GAP);
        }
    }
    line.truncate(line.trim_end().len());
    line
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

/// Compares two texts that differ in few lines: what they begin and end with alike, and between
/// that what went and what came.
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

    #[test]
    fn columns_are_aligned_and_colour_takes_no_room() {
        let rows = [
            vec![Cell::plain("a"), Cell::plain("größer"), Cell::plain("x")],
            vec![
                Cell::painted("long", "\x1b[33mlong\x1b[0m".to_owned()),
                Cell::plain("b"),
                Cell::plain(""),
            ],
            vec![Cell::plain("only")],
        ];
        assert_eq!(aligned(&rows), ["a     größer  x", "\x1b[33mlong\x1b[0m  b", "only"]);
        assert!(aligned(&[]).is_empty());
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

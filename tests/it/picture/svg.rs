//! Draws what happens in three terminals side by side. One font of the reader's machine, two sets
//! of colours, and letters that can still be read at half the size.

use std::fmt::Write as _;

/// The number of terminals.
pub(super) const COLUMNS: usize = 3;
/// The width of a terminal, in pixels and in letters.
const COLUMN: usize = 312;
const LETTERS_MAX: usize = 31;
const LINE: usize = 25;
const MARGIN: usize = 16;

/// What happens at one time: in most terminals nothing.
pub(super) type Row = [Option<Cell>; COLUMNS];

/// A line in a terminal.
pub(super) struct Cell {
    style: Style,
    text: String,
}

/// The meaning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// The name of the session with this number.
    Name(usize),
    /// What the session does.
    Typed,
    Told,
    Refused,
    Granted,
}

impl Style {
    fn class(self) -> String {
        match self {
            Style::Name(number) => format!("n n{number}"),
            Style::Typed => "t".to_owned(),
            Style::Told => "d".to_owned(),
            Style::Refused => "r".to_owned(),
            Style::Granted => "g".to_owned(),
        }
    }
}

impl Cell {
    pub(super) fn new(style: Style, text: &str) -> Cell {
        assert!(text.chars().count() <= LETTERS_MAX, "'{text}' does not fit its column");
        Cell { style, text: text.to_owned() }
    }
}

/// Draws the picture. `about` is the description for readers who cannot see it.
pub(super) fn picture(about: &str, rows: &[Row]) -> String {
    let width = COLUMNS * COLUMN + 2 * MARGIN;
    let height = rows.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{about}\">\n\
         <style>\n{STYLE}</style>\n"
    );
    for column in 0..COLUMNS {
        let x = MARGIN / 2 + column * COLUMN + MARGIN / 2;
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>",
            MARGIN / 2,
            COLUMN - MARGIN / 2,
            height - MARGIN
        )
        .expect("text can be added to");
    }
    for (number, row) in rows.iter().enumerate() {
        let y = MARGIN + number * LINE + 18;
        for (column, cell) in row.iter().enumerate() {
            let Some(Cell { style, text }) = cell else { continue };
            let (x, class) = (MARGIN + column * COLUMN + 10, style.class());
            let text = escaped(text);
            writeln!(svg, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>")
                .expect("text can be added to");
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Colours that are readable on light and on dark ground.
const STYLE: &str = "\
text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
  white-space: pre; fill: #1f2328; }
rect { fill: #f6f8fa; stroke: #d1d9e0; }
.n, .t, .r, .g { font-weight: bold; }
.n0 { fill: #0550ae; } .n1 { fill: #8250df; } .n2 { fill: #953800; }
.d { fill: #59636e; } .r { fill: #cf222e; } .g { fill: #116329; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  rect { fill: #0d1117; stroke: #30363d; }
  .n0 { fill: #79c0ff; } .n1 { fill: #d2a8ff; } .n2 { fill: #ffa657; }
  .d { fill: #9198a1; } .r { fill: #ff7b72; } .g { fill: #7ee787; }
}
";

#[test]
fn each_line_stands_in_its_column() {
    let row = [None, Some(Cell::new(Style::Refused, "a < b")), None];
    let svg = picture("about", &[row]);
    let x = MARGIN + COLUMN + 10;
    assert!(
        svg.contains(&format!("<text class=\"r\" x=\"{x}\" y=\"34\">a &lt; b</text>")),
        "{svg}"
    );
}

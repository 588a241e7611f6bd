//! Draws lines of a terminal: one font of the reader's machine, two sets of colours.

use std::fmt::Write as _;

/// The number of characters in a line.
const COLUMNS: usize = 96;
const CHARACTER: f64 = 7.8;
const LINE: usize = 18;
const MARGIN: usize = 16;

/// A line: pieces of text, each in one style.
pub(super) type Line = Vec<Piece>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    slot: Slot,
    text: String,
}

/// The style of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Plain,
    /// Text that somebody has typed.
    Typed,
    /// The name of a session.
    Session(usize),
    /// In a colour of the terminal, by its number.
    Color(u8),
}

impl Slot {
    fn class(self) -> String {
        match self {
            Slot::Plain => "p".to_owned(),
            Slot::Typed => "t".to_owned(),
            Slot::Session(number) => format!("s{number}"),
            Slot::Color(number) => format!("c{number}"),
        }
    }
}

/// Builds one piece of text.
pub(super) fn line(slot: Slot, text: &str) -> Piece {
    Piece { slot, text: text.to_owned() }
}

/// Parses a line with a terminal's colour codes.
pub(super) fn shown(text: &str) -> Line {
    let mut line = Line::new();
    let mut slot = Slot::Plain;
    let mut parts = text.split("\u{1b}[");
    line.extend(parts.next().map(|start| Piece { slot, text: start.to_owned() }));
    for part in parts {
        let (codes, text) = part.split_once('m').expect("a code for a colour");
        for code in codes.split(';').map(|code| code.parse().expect("a code is a number")) {
            slot = match code {
                0 => Slot::Plain,
                31..=37 | 2 => Slot::Color(code),
                1 => slot,
                other => panic!("the picture knows no colour {other}"),
            };
        }
        line.push(Piece { slot, text: text.to_owned() });
    }
    line.retain(|piece| !piece.text.is_empty());
    line
}

/// Breaks a line as a terminal of this width does.
pub(super) fn wrapped(line: &Line) -> Vec<Line> {
    let mut lines = vec![Line::new()];
    let mut column = 0;
    for piece in line {
        for letter in piece.text.chars() {
            if column == COLUMNS {
                lines.push(Line::new());
                column = 0;
            }
            let last = lines.last_mut().expect("there is one");
            match last.last_mut() {
                Some(open) if open.slot == piece.slot => open.text.push(letter),
                _ => last.push(Piece { slot: piece.slot, text: letter.to_string() }),
            }
            column += 1;
        }
    }
    lines
}

/// Draws the picture. `about` is the description for readers who cannot see it.
pub(super) fn picture(about: &str, lines: &[Line]) -> String {
    let columns = f64::from(u8::try_from(COLUMNS).expect("a terminal is not that wide"));
    let width = columns * CHARACTER + 2.0 * f64::from(u8::try_from(MARGIN).expect("small"));
    let height = lines.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" \
         viewBox=\"0 0 {width:.0} {height}\" \
         role=\"img\" aria-label=\"{about}\">\n<style>\n{STYLE}</style>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{}\" rx=\"8\"/>\n",
        width - 1.0,
        height - 1,
    );
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let y = MARGIN + number * LINE + 13;
        write!(svg, "<text x=\"{MARGIN}\" y=\"{y}\">").expect("text can be added to");
        for piece in line {
            let (class, text) = (piece.slot.class(), escaped(&piece.text));
            write!(svg, "<tspan class=\"{class}\">{text}</tspan>").expect("text can be added to");
        }
        svg.push_str("</text>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Colours that are readable on light and on dark ground.
const STYLE: &str = "\
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
  white-space: pre; fill: #1f2328; }
rect { fill: #f6f8fa; stroke: #d1d9e0; }
.t { font-weight: bold; }
.s0 { fill: #0550ae; } .s1 { fill: #8250df; } .s2 { fill: #953800; }
.c31 { fill: #cf222e; } .c32 { fill: #116329; } .c33 { fill: #7d4e00; } .c34 { fill: #0550ae; }
.c35 { fill: #8250df; } .c36 { fill: #1b7c83; } .c2 { fill: #59636e; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  rect { fill: #0d1117; stroke: #30363d; }
  .s0 { fill: #79c0ff; } .s1 { fill: #d2a8ff; } .s2 { fill: #ffa657; }
  .c31 { fill: #ff7b72; } .c32 { fill: #7ee787; } .c33 { fill: #e3b341; } .c34 { fill: #79c0ff; }
  .c35 { fill: #d2a8ff; } .c36 { fill: #56d4dd; } .c2 { fill: #9198a1; }
}
";

#[test]
fn colours_and_width_are_those_of_a_terminal() {
    let line = shown("\u{1b}[1;31merror:\u{1b}[0m no");
    let expected = [(Slot::Color(31), "error:"), (Slot::Plain, " no")];
    assert_eq!(line, expected.map(|(slot, text)| Piece { slot, text: text.to_owned() }));
    let long = shown(&"x".repeat(COLUMNS + 1));
    assert_eq!(wrapped(&long).len(), 2);
    assert_eq!(wrapped(&Line::new()), [Line::new()]);
}

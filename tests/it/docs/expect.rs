//! Compares the output on a page with that of a command, and maps the ids of the page to those of
//! this run.

use std::collections::BTreeMap;

/// The length of a reservation's id, and of an object id.
const ID_LENGTH: usize = 8;
const OID_LENGTH: usize = 40;

/// Maps the ids of a page to those of this run.
#[derive(Default, Clone)]
pub(super) struct Names(BTreeMap<String, String>);

impl Names {
    /// Replaces the ids in a command of the page by those of this run.
    pub(super) fn put_into(&self, command: &str) -> String {
        let replace = |text: String, (shown, real): (&String, &String)| text.replace(shown, real);
        self.0.iter().fold(command.to_owned(), replace)
    }

    /// Tells whether the output matches the page. If so, remembers the ids in it.
    pub(super) fn matches(&mut self, expected: &[String], actual: &[&str]) -> bool {
        let Some((first, rest)) = expected.split_first() else {
            return actual.is_empty();
        };
        if first == "..." {
            return (0..=actual.len()).any(|skipped| {
                let mut names = self.clone();
                let fits = names.matches(rest, &actual[skipped..]);
                if fits {
                    *self = names;
                }
                fits
            });
        }
        let Some((line, others)) = actual.split_first() else {
            return false;
        };
        let mut names = self.clone();
        let fits = names.line_matches(&pieces(first), line) && names.matches(rest, others);
        if fits {
            *self = names;
        }
        fits
    }

    fn line_matches(&mut self, pieces: &[Piece], line: &str) -> bool {
        let Some((piece, rest)) = pieces.split_first() else {
            return line.is_empty();
        };
        match piece {
            Piece::Text(text) => {
                line.strip_prefix(text.as_str()).is_some_and(|left| self.line_matches(rest, left))
            }
            Piece::Anything => {
                let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
                ends.into_iter().any(|end| self.line_matches(rest, &line[end..]))
            }
            Piece::Name { shown, length } => {
                let Some((real, left)) = line.split_at_checked(*length) else {
                    return false;
                };
                let is_name = if *length == OID_LENGTH { is_oid(real) } else { is_id(real) };
                is_name && self.binds(shown.as_deref(), real) && self.line_matches(rest, left)
            }
        }
    }

    /// Maps an id of the page to `real`, unless it is mapped already.
    fn binds(&mut self, shown: Option<&str>, real: &str) -> bool {
        let Some(shown) = shown else { return true };
        self.0.entry(shown.to_owned()).or_insert_with(|| real.to_owned()) == real
    }
}

/// A part of an expected line.
enum Piece {
    Text(String),
    Anything,
    /// An id or an object id. `shown` is its spelling on the page, if it has one.
    Name {
        shown: Option<String>,
        length: usize,
    },
}

fn pieces(line: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (piece, length) = next_piece(rest);
        found.push(piece);
        rest = &rest[length..];
    }
    found
}

fn next_piece(rest: &str) -> (Piece, usize) {
    let marks = [("[..]", None), ("[ID]", Some(ID_LENGTH)), ("[OID]", Some(OID_LENGTH))];
    for (mark, name_length) in marks {
        if rest.starts_with(mark) {
            let name = |length| Piece::Name { shown: None, length };
            return (name_length.map_or(Piece::Anything, name), mark.len());
        }
    }
    let is_word = |letter: char| letter.is_ascii_alphanumeric();
    let word = &rest[..rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())];
    if is_oid(word) || (is_id(word) && has_digit_and_letter(word)) {
        return (Piece::Name { shown: Some(word.to_owned()), length: word.len() }, word.len());
    }
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let length = word.len().max(first);
    (Piece::Text(rest[..length].to_owned()), length)
}

fn is_id(word: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    word.len() == ID_LENGTH && word.bytes().all(is_one)
}

fn is_oid(word: &str) -> bool {
    let is_one = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    word.len() == OID_LENGTH && word.bytes().all(is_one)
}

fn has_digit_and_letter(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(expected: &[&str], actual: &[&str]) -> bool {
        let expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        Names::default().matches(&expected, actual)
    }

    #[test]
    fn marks_stand_for_what_varies() {
        assert!(matches(&["took [..]s for [ID]"], &["took 3s for abcdefgh"]));
        assert!(matches(&["a", "...", "z"], &["a", "b", "c", "z"]));
        assert!(!matches(&["a", "...", "z"], &["a", "b"]));
        assert!(!matches(&["released"], &["reserved"]));
    }

    #[test]
    fn an_id_of_the_page_stands_for_one_id_of_the_run() {
        assert!(matches(&["k3f9a2bq", "k3f9a2bq"], &["abcdefgh", "abcdefgh"]));
        assert!(!matches(&["k3f9a2bq", "k3f9a2bq"], &["abcdefgh", "abcdefgi"]));
        let mut names = Names::default();
        assert!(names.matches(&["granted k3f9a2bq".to_owned()], &["granted zzzz9999"]));
        assert_eq!(names.put_into("git coord release k3f9a2bq"), "git coord release zzzz9999");
    }
}

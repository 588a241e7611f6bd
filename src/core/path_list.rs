//! Lists of paths as git prints them: one a line, odd ones in quotes, or each with a NUL behind it.

/// The ends of the paths in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// A line break. A path in double quotes is unquoted as git quotes it.
    Line,
    /// A NUL, as `git diff --name-only -z` prints it. Nothing is quoted.
    Nul,
}

/// The reason why a list cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} begins with a double quote, and is not quoted as git quotes paths")]
pub struct BadQuotes {
    pub line: usize,
}

/// Splits a list into its paths. Empty ones are left out.
pub fn split(list: &[u8], end: PathEnd) -> Result<Vec<Vec<u8>>, BadQuotes> {
    let byte = if end == PathEnd::Nul { 0 } else { b'\n' };
    let paths = list.split(|at| *at == byte).enumerate().filter(|(_, path)| !path.is_empty());
    let read = |(index, path): (usize, &[u8])| match (end, path) {
        (PathEnd::Line, [b'"', quoted @ ..]) => {
            unquoted(quoted).ok_or(BadQuotes { line: index + 1 })
        }
        _ => Ok(path.to_vec()),
    };
    paths.map(read).collect()
}

/// Reads what stands behind the opening quote, up to the closing one, which ends the path.
fn unquoted(text: &[u8]) -> Option<Vec<u8>> {
    let mut path = Vec::new();
    let mut rest = text;
    loop {
        rest = match rest {
            [b'"'] => return Some(path),
            [b'"', ..] | [] => return None,
            [b'\\', one @ b'0'..=b'3', two @ b'0'..=b'7', three @ b'0'..=b'7', rest @ ..] => {
                path.push((one - b'0') << 6 | (two - b'0') << 3 | (three - b'0'));
                rest
            }
            [b'\\', escaped, rest @ ..] => {
                path.push(unescaped(*escaped)?);
                rest
            }
            [byte, rest @ ..] => {
                path.push(*byte);
                rest
            }
        };
    }
}

fn unescaped(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b'"' | b'\\' => letter,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::pattern::quoted_path;

    /// Draws paths without NUL, with many bytes that git quotes.
    fn paths() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let byte = prop_oneof![1_u8..=255, Just(b'"'), Just(b'\\'), Just(b'\n'), Just(b'a')];
        prop::collection::vec(prop::collection::vec(byte, 1..8), 0..6)
    }

    proptest! {
        /// 1/CHECK-stdin: a list that git prints has the paths that git meant.
        #[test]
        fn what_git_prints_is_read(paths in paths()) {
            let with_nul: Vec<u8> =
                paths.iter().flat_map(|path| [path.as_slice(), &[0]].concat()).collect();
            prop_assert_eq!(split(&with_nul, PathEnd::Nul), Ok(paths.clone()));
            let quoted = |path: &Vec<u8>| format!("{}\n", quoted_path(path));
            let lines: String = paths.iter().map(quoted).collect();
            prop_assert_eq!(split(lines.as_bytes(), PathEnd::Line), Ok(paths));
        }

        /// 1/CHECK-stdin: no list of bytes is too odd to be read or refused.
        #[test]
        fn any_bytes_are_read_or_refused(list in prop::collection::vec(any::<u8>(), 0..64)) {
            prop_assert!(split(&list, PathEnd::Nul).is_ok());
            let lines = split(&list, PathEnd::Line);
            prop_assert!(lines.is_ok() || list.contains(&b'"'));
        }
    }

    #[test]
    fn an_open_quote_is_named_by_its_line() {
        assert_eq!(split(b"a\n\"b\nc\n", PathEnd::Line), Err(BadQuotes { line: 2 }));
        assert_eq!(split(b"\"b\" c\n", PathEnd::Line), Err(BadQuotes { line: 1 }));
        assert_eq!(split(b"", PathEnd::Line), Ok(Vec::new()));
    }
}

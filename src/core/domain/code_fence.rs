//! Fenced code in Markdown: examples, whose lines mean nothing.

/// Letters that begin and end fenced code.
const LETTERS: [char; 2] = ['`', '~'];
/// Fewest letters of a fence.
const LENGTH_MIN: usize = 3;

/// The fence that begins code which has not ended yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    letter: char,
    length: usize,
}

impl Fence {
    /// Reads the fence that a line begins code with, if it does. In a line of text, code in
    /// backquotes can stand at the beginning: then there are more of them further on.
    pub(super) fn opened_by(line: &str) -> Option<Fence> {
        let line = line.trim();
        let letter = line.chars().next().filter(|letter| LETTERS.contains(letter))?;
        let behind = line.trim_start_matches(letter);
        let length = line.len() - behind.len();
        let is_fence = length >= LENGTH_MIN && !(letter == '`' && behind.contains('`'));
        is_fence.then_some(Fence { letter, length })
    }

    /// Tells whether a line ends the code.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|letter| letter == self.letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_ends_with_one_of_its_kind() {
        let table = [
            ("```", "```", true),
            ("```markdown", "  ````", true),
            ("````", "```", false),
            ("~~~", "```", false),
            ("~~~ `x`", "~~~", true),
            ("  ```", "``` x", false),
        ];
        for (opening, closing, ends) in table {
            let fence = Fence::opened_by(opening).expect(opening);
            assert_eq!(fence.is_closed_by(closing), ends, "{opening} {closing}");
        }
        for text in ["", "``", "```code``` and text", "# ```", "- a"] {
            assert_eq!(Fence::opened_by(text), None, "{text}");
        }
    }
}

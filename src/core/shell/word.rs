//! Words of a command, as far as the text tells them.

/// A word that a program gets as an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Exactly this text.
    Literal(String),
    /// The files that a pattern matches, or the text of the pattern if there are none.
    Glob(Glob),
    /// Any path: a loop, `xargs` or `find` fills in one after the other.
    Any,
    /// One word that is not known.
    Unknown,
    /// Any number of words that are not known.
    Several,
}

/// A pattern with wildcards of the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    /// The text that is passed on if no file matches.
    pub text: String,
    /// The pattern, in which a backslash stands before characters that were quoted.
    pub pattern: String,
}

impl Word {
    pub fn literal(&self) -> Option<&str> {
        match self {
            Word::Literal(text) => Some(text),
            _ => None,
        }
    }

    /// Tells whether the word is exactly this text.
    pub fn is(&self, text: &str) -> bool {
        self.literal() == Some(text)
    }
}

/// A character of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Letter {
    character: char,
    is_quoted: bool,
}

/// A word in the making: letters, and what could not be known of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    letters: Vec<Letter>,
    /// Set where there were quotes: an empty text in quotes is a word.
    is_quoted: bool,
    unknown: Option<Word>,
}

/// The largest number of words that braces may make.
const BRACES_MAX: usize = 64;

impl Draft {
    /// Adds text that stands for itself.
    pub(super) fn quoted(&mut self, text: &str) {
        self.is_quoted = true;
        let letters = text.chars().map(|character| Letter { character, is_quoted: true });
        self.letters.extend(letters);
    }

    /// Adds text without quotes, in which a backslash takes the next character as it is.
    pub(super) fn bare(&mut self, text: &str) {
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    None | Some('\n') => {}
                    Some(next) => self.quoted(next.encode_utf8(&mut [0; 4])),
                },
                _ => self.letters.push(Letter { character, is_quoted: false }),
            }
        }
    }

    /// Adds text between double quotes.
    pub(super) fn in_double_quotes(&mut self, text: &str) {
        self.is_quoted = true;
        let mut characters = text.chars().peekable();
        let mut plain = String::new();
        while let Some(character) = characters.next() {
            match (character, characters.peek()) {
                ('\\', Some('\n')) => drop(characters.next()),
                ('\\', Some('$' | '`' | '"' | '\\')) => plain.extend(characters.next()),
                _ => plain.push(character),
            }
        }
        self.quoted(&plain);
    }

    /// Adds something that is not known. The least known part decides.
    pub(super) fn unknown(&mut self, kind: Word) {
        let rank = |word: &Word| match word {
            Word::Several => 2,
            Word::Unknown => 1,
            _ => 0,
        };
        if self.unknown.as_ref().is_none_or(|known| rank(known) < rank(&kind)) {
            self.unknown = Some(kind);
        }
    }

    /// Makes the words of it; none if nothing is left of it.
    pub(super) fn finish(self, home: Option<&str>) -> Vec<Word> {
        if let Some(unknown) = self.unknown {
            return vec![unknown];
        }
        if self.letters.is_empty() && !self.is_quoted {
            return Vec::new();
        }
        let Some(expanded) = braces(&self.letters) else { return vec![Word::Several] };
        expanded.into_iter().map(|letters| of_letters(&letters, home)).collect()
    }

    /// Makes one word of it, as an assignment does: without braces and wildcards.
    pub(super) fn value(self, home: Option<&str>) -> Word {
        if let Some(unknown) = self.unknown {
            return if unknown == Word::Any { Word::Any } else { Word::Unknown };
        }
        match with_home(&self.letters, home) {
            Some(letters) => Word::Literal(text(&letters)),
            None => Word::Unknown,
        }
    }
}

fn text(letters: &[Letter]) -> String {
    letters.iter().map(|letter| letter.character).collect()
}

fn is_bare(letter: Letter, characters: &str) -> bool {
    !letter.is_quoted && characters.contains(letter.character)
}

fn of_letters(letters: &[Letter], home: Option<&str>) -> Word {
    let Some(letters) = with_home(letters, home) else { return Word::Unknown };
    let text = text(&letters);
    if !letters.iter().any(|letter| is_bare(*letter, "*?[")) {
        return Word::Literal(text);
    }
    let mut pattern = String::new();
    for Letter { character, is_quoted } in letters {
        if is_quoted && "*?[]\\".contains(character) || character == '\\' {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    Word::Glob(Glob { text, pattern })
}

/// Puts the home directory in the place of `~`; none if it is not known.
fn with_home(letters: &[Letter], home: Option<&str>) -> Option<Vec<Letter>> {
    if !letters.first().is_some_and(|first| is_bare(*first, "~")) {
        return Some(letters.to_vec());
    }
    if letters.get(1).is_some_and(|next| next.character != '/') {
        // Another user's, or an earlier directory.
        return None;
    }
    let home = home?.chars().map(|character| Letter { character, is_quoted: true });
    Some(home.chain(letters[1..].iter().copied()).collect())
}

/// Expands `{a,b}`. None where the words are too many, or a range of numbers or letters.
fn braces(letters: &[Letter]) -> Option<Vec<Vec<Letter>>> {
    let mut done = Vec::new();
    let mut left = vec![letters.to_vec()];
    while let Some(next) = left.pop() {
        match first_braces(&next) {
            Braces::None => done.push(next),
            Braces::Range => return None,
            Braces::Choice { open, commas, close } => {
                let ends = commas.iter().chain([&close]);
                let starts = [&open].into_iter().chain(&commas);
                let mut choices: Vec<Vec<Letter>> = starts
                    .zip(ends)
                    .map(|(start, end)| [&next[..open], &next[start + 1..*end]].concat())
                    .map(|begun| [&begun, &next[close + 1..]].concat())
                    .collect();
                choices.reverse();
                left.extend(choices);
            }
        }
        if left.len() + done.len() > BRACES_MAX {
            return None;
        }
    }
    if !letters.is_empty() {
        // A choice that leaves nothing is no word.
        done.retain(|letters| !letters.is_empty());
    }
    Some(done)
}

/// The first braces of a word that mean something.
enum Braces {
    None,
    Range,
    Choice { open: usize, commas: Vec<usize>, close: usize },
}

fn first_braces(letters: &[Letter]) -> Braces {
    for (open, _) in letters.iter().enumerate().filter(|(_, letter)| is_bare(**letter, "{")) {
        let mut depth = 0;
        let mut commas = Vec::new();
        for (at, letter) in letters.iter().enumerate().skip(open) {
            if is_bare(*letter, "{") {
                depth += 1;
            } else if is_bare(*letter, "}") {
                depth -= 1;
                if depth == 0 {
                    if !commas.is_empty() {
                        return Braces::Choice { open, commas, close: at };
                    }
                    if text(&letters[open..at]).contains("..") {
                        return Braces::Range;
                    }
                    break;
                }
            } else if depth == 1 && is_bare(*letter, ",") {
                commas.push(at);
            }
        }
    }
    Braces::None
}

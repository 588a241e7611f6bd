//! The words behind a verb of git, sorted into options, operands and paths.

use super::Word;

/// Finds the name that a beginning stands for; the beginning itself if there is no such name, or
/// several.
fn whole<'n>(typed: &'n str, names: &[&'n str]) -> &'n str {
    if let Some(name) = names.iter().find(|name| name.trim_end_matches('=') == typed) {
        return name;
    }
    let mut meant = names.iter().filter(|name| name.starts_with(typed));
    match (meant.next(), meant.next()) {
        (Some(name), None) if !typed.is_empty() => name,
        _ => typed,
    }
}

/// Sorted words.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The names of options, without dashes; one for each letter of `-fd`.
    flags: Vec<String>,
    /// Options that have a value.
    values: Vec<(String, Word)>,
    /// The other words before `--`.
    pub(super) operands: Vec<Word>,
    /// The words behind `--`; none if there is no `--`.
    pub(super) paths: Option<Vec<Word>>,
}

impl Arguments {
    /// Sorts words. `letters` are the options whose value is the next word, and `names` the long
    /// ones: those that end in `=` have a value. A beginning that only one of them has means it.
    pub(super) fn new(words: &[Word], letters: &str, names: &[&str]) -> Arguments {
        let mut sorted = Arguments::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.literal() {
                Some("--") => {
                    sorted.paths = Some(words.cloned().collect());
                    break;
                }
                Some(text) if text.len() > 1 && text.starts_with("--") => {
                    let (typed, attached) = match text[2..].split_once('=') {
                        Some((name, value)) => (name, Some(Word::Literal(value.to_owned()))),
                        None => (&text[2..], None),
                    };
                    let name = whole(typed, names);
                    let is_valued = name.ends_with('=');
                    let name = name.trim_end_matches('=').to_owned();
                    match attached {
                        Some(value) => sorted.values.push((name, value)),
                        None if is_valued => {
                            let value = words.next().cloned().unwrap_or(Word::Unknown);
                            sorted.values.push((name, value));
                        }
                        None => sorted.flags.push(name),
                    }
                }
                Some(text) if text.len() > 1 && text.starts_with('-') => {
                    let is_valued = |letter: char| letters.contains(letter);
                    match text[1..].char_indices().find(|(_, letter)| is_valued(*letter)) {
                        Some((at, letter)) => {
                            let (before, rest) = text[1..].split_at(at);
                            sorted.flags.extend(before.chars().map(String::from));
                            let attached = &rest[letter.len_utf8()..];
                            let value = if attached.is_empty() {
                                words.next().cloned().unwrap_or(Word::Unknown)
                            } else {
                                Word::Literal(attached.to_owned())
                            };
                            sorted.values.push((letter.to_string(), value));
                        }
                        None => sorted.flags.extend(text[1..].chars().map(String::from)),
                    }
                }
                _ => sorted.operands.push(word.clone()),
            }
        }
        sorted
    }

    /// Tells whether one of these options is there, with or without a value.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.flags.iter().any(|flag| names.contains(&flag.as_str())) || self.value(names).is_some()
    }

    /// Tells whether this option is there without a value.
    pub(super) fn has_flag(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag == name)
    }

    /// Returns the value of the first of these options.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Word> {
        let found = self.values.iter().find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value)
    }

    /// Tells whether a word before `--` is not known, so that it may be an option.
    pub(super) fn may_have_more_options(&self) -> bool {
        self.operands.contains(&Word::Several)
    }

    /// Returns the operands and the paths together.
    pub(super) fn all(&self) -> Vec<Word> {
        self.operands.iter().chain(self.paths.iter().flatten()).cloned().collect()
    }
}

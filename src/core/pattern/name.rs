//! Sets of names, such as one segment of a compiled pattern accepts.

use super::automaton::Automaton;
use super::byte_set::ByteSet;
use super::case::Case;
use super::segment::Token;

/// Bytes that are compared by retrying before an automaton is compiled instead. Retrying is faster
/// for the names that people have, and quadratic for the names that they do not have.
const RETRY_WORK_MAX: usize = 1 << 10;

/// A set of names, never empty: a name belongs to it if one of its words accepts it.
#[derive(Clone, Debug)]
pub(super) struct Name {
    words: Vec<Word>,
}

/// One way to spell a name.
#[derive(Clone, Debug)]
pub(super) enum Word {
    /// Exactly these bytes.
    Exact(Vec<u8>),
    /// One byte for each step, or any number of them for a run. No two runs are adjacent and no set
    /// is empty, so each position can be reached and left.
    Glob(Vec<Step>),
}

/// The bytes that one position of a word accepts.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Byte(u8),
    OneOf(ByteSet),
    /// Any number of bytes, or none.
    Run,
}

impl Name {
    /// Returns the set of all names.
    pub(super) fn any() -> Name {
        Name { words: vec![Word::Glob(vec![Step::Run])] }
    }

    /// Returns the set of one name, which the caller has folded.
    pub(super) fn exact(name: Vec<u8>) -> Name {
        Name { words: vec![Word::Exact(name)] }
    }

    /// Returns the names that `tokens` match, and the one name that is `spelled` like them.
    pub(super) fn glob(tokens: &[Token], spelled: &[u8], case: Case) -> Name {
        let mut words = Vec::new();
        words.extend(steps(tokens, case).map(Word::Glob));
        let spelled = case.fold(spelled);
        if !words.iter().any(|word| word.accepts(&spelled)) {
            words.push(Word::Exact(spelled));
        }
        Name { words }
    }

    /// Tells whether this is written as the set of all names.
    pub(super) fn is_any(&self) -> bool {
        let is_run = |steps: &[Step]| matches!(steps, [Step::Run]);
        matches!(self.words.as_slice(), [Word::Glob(steps)] if is_run(steps))
    }

    pub(super) fn words(&self) -> &[Word] {
        &self.words
    }

    pub(super) fn accepts(&self, name: &[u8]) -> bool {
        self.words.iter().any(|word| word.accepts(name))
    }

    /// Tells whether the two sets have a name in common.
    pub(super) fn meets(&self, other: &Name) -> bool {
        self.words.iter().any(|word| other.words.iter().any(|its| word.meets(its)))
    }
}

impl Word {
    pub(super) fn accepts(&self, name: &[u8]) -> bool {
        match self {
            Word::Exact(exact) => exact == name,
            Word::Glob(steps) => accepts_by_retrying(steps, name)
                .unwrap_or_else(|| Automaton::of([self]).accepts(name)),
        }
    }

    pub(super) fn meets(&self, other: &Word) -> bool {
        match (self, other) {
            (word, Word::Exact(name)) | (Word::Exact(name), word) => word.accepts(name),
            (Word::Glob(left), Word::Glob(right)) => {
                !differ(left.iter(), right.iter())
                    && !differ(left.iter().rev(), right.iter().rev())
                    && Automaton::of([self]).meets(right)
            }
        }
    }
}

impl Step {
    fn accepts(&self, byte: u8) -> bool {
        match self {
            Step::Byte(own) => *own == byte,
            Step::OneOf(set) => set.contains(byte),
            Step::Run => false,
        }
    }
}

/// Compiles `tokens` into steps. Returns `None` if a class is empty, so that they match no name.
fn steps(tokens: &[Token], case: Case) -> Option<Vec<Step>> {
    let mut steps = Vec::with_capacity(tokens.len());
    let mut literal = Vec::new();
    for token in tokens {
        let step = match token {
            Token::Byte(byte) => {
                // Collects bytes up to the next wildcard, because folding reads whole characters.
                literal.push(*byte);
                continue;
            }
            Token::One => Step::OneOf(ByteSet::of_names()),
            Token::Run => Step::Run,
            Token::Class { listed, negated } => Step::OneOf(class(listed, *negated, case)?),
        };
        steps.extend(case.fold(&literal).into_iter().map(Step::Byte));
        literal.clear();
        steps.push(step);
    }
    steps.extend(case.fold(&literal).into_iter().map(Step::Byte));
    Some(steps)
}

/// Returns the bytes of a class, or `None` if there are none. A negated class excludes both cases
/// of the bytes that it lists: `[^a]` folded must not match `A`.
fn class(listed: &ByteSet, negated: bool, case: Case) -> Option<ByteSet> {
    let listed = match case {
        Case::Sensitive => *listed,
        Case::Folded => listed.with_both_cases(),
    };
    let set = if negated { listed.complement() } else { listed.within_names() };
    (!set.is_empty()).then_some(set)
}

/// Tells whether the bytes before the first wildcard on either side already differ. This tells most
/// pairs of globs apart at no cost (`*.rs` and `*.md` from the end).
fn differ<'s>(left: impl Iterator<Item = &'s Step>, right: impl Iterator<Item = &'s Step>) -> bool {
    for pair in left.zip(right) {
        match pair {
            (Step::Byte(a), Step::Byte(b)) if a == b => {}
            (Step::Byte(_), Step::Byte(_)) => return true,
            _ => return false,
        }
    }
    false
}

/// Matches by letting the latest run take one byte more after each failure. Returns `None` if that
/// takes too long.
fn accepts_by_retrying(steps: &[Step], name: &[u8]) -> Option<bool> {
    let (mut step, mut byte) = (0, 0);
    let mut latest_run = None;
    for _ in 0..RETRY_WORK_MAX {
        match (steps.get(step), name.get(byte)) {
            (None, None) => return Some(true),
            (Some(Step::Run), _) => {
                step += 1;
                latest_run = Some((step, byte));
            }
            (Some(expected), Some(&found)) if expected.accepts(found) => {
                step += 1;
                byte += 1;
            }
            _ => match latest_run {
                Some((after_run, run_end)) if run_end < name.len() => {
                    latest_run = Some((after_run, run_end + 1));
                    (step, byte) = (after_run, run_end + 1);
                }
                _ => return Some(false),
            },
        }
    }
    None
}

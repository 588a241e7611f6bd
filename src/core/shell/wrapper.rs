//! Programs that run another program, and stand before it with options of their own.

use super::base_name;
use super::state::{State, Value};
use super::word::Word;

/// A program that runs the rest of its words.
struct Wrapper {
    name: &'static str,
    /// The letters of options that take a value.
    valued: &'static str,
    /// The long options that take a value as the next word.
    valued_long: &'static [&'static str],
    /// The number of words between the options and the program.
    operands: usize,
    /// Set if variables may stand before the program.
    has_assignments: bool,
}

const fn plain(name: &'static str, valued: &'static str) -> Wrapper {
    Wrapper { name, valued, valued_long: &[], operands: 0, has_assignments: false }
}

/// Every program of this kind that is known.
const WRAPPERS: [Wrapper; 13] = [
    plain("command", ""),
    plain("builtin", ""),
    plain("exec", "a"),
    plain("nohup", ""),
    plain("setsid", ""),
    Wrapper { valued_long: &["format", "output"], ..plain("time", "fo") },
    Wrapper { valued_long: &["adjustment"], ..plain("nice", "n") },
    Wrapper { valued_long: &["class", "classdata"], ..plain("ionice", "cn") },
    Wrapper { valued_long: &["input", "output", "error"], ..plain("stdbuf", "ioe") },
    Wrapper { valued_long: &["signal", "kill-after"], operands: 1, ..plain("timeout", "sk") },
    Wrapper {
        valued_long: &["unset", "chdir", "split-string"],
        has_assignments: true,
        ..plain("env", "uCS")
    },
    Wrapper {
        valued_long: &["user", "group", "host", "prompt", "chdir", "chroot"],
        has_assignments: true,
        ..plain("sudo", "ughpCrtTUDR")
    },
    plain("doas", "uC"),
];

/// The command behind its wrappers.
pub(super) struct Unwrapped {
    pub(super) words: Vec<Word>,
    /// Set if a program is started, so that a function or a builtin of that name is not meant.
    pub(super) is_program: bool,
}

/// Takes the wrappers off. Returns none if the words run nothing, or nobody can tell what.
pub(super) fn take_off(mut words: Vec<Word>, state: &mut State) -> Option<Unwrapped> {
    let mut is_program = false;
    loop {
        let name = words.first().and_then(Word::literal).map(base_name);
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| Some(wrapper.name) == name) else {
            return Some(Unwrapped { words, is_program });
        };
        is_program |= !matches!(wrapper.name, "builtin" | "command" | "time");
        words = unwrap(wrapper, &words, state)?;
    }
}

/// Takes one wrapper off.
fn unwrap(wrapper: &Wrapper, words: &[Word], state: &mut State) -> Option<Vec<Word>> {
    let mut rest = &words[1..];
    while let Some((first, after)) = rest.split_first() {
        let text = first.literal()?;
        if wrapper.has_assignments
            && let Some((name, value)) = text.split_once('=').filter(|_| !text.starts_with('-'))
        {
            state.set(name, Some(Value::Is(value.to_owned())));
            state.export(name);
            rest = after;
            continue;
        }
        if !text.starts_with('-') {
            break;
        }
        rest = after;
        if text == "--" {
            break;
        }
        let option = option(wrapper, text);
        let value = match option {
            Switch::Attached(_, value) => Some(Word::Literal(value.to_owned())),
            Switch::Valued(_) => {
                let (value, after) = rest.split_first()?;
                rest = after;
                Some(value.clone())
            }
            Switch::Flag(_) => None,
        };
        match (wrapper.name, option.name()) {
            ("command", "v" | "V") => return None,
            ("env", "S" | "split-string") => {
                let text = value?;
                let split =
                    text.literal()?.split_whitespace().map(|word| Word::Literal(word.to_owned()));
                let words = [Word::Literal("env".to_owned())].into_iter().chain(split);
                return Some(words.chain(rest.iter().cloned()).collect());
            }
            ("env", "C" | "chdir") | ("sudo", "D" | "chdir") => {
                state.go(value.as_ref().and_then(Word::literal));
            }
            ("env", "u" | "unset") => state.unset(value?.literal()?),
            ("env", "i" | "" | "ignore-environment") => state.without_environment(),
            _ => {}
        }
    }
    rest.get(wrapper.operands..).map(<[Word]>::to_vec).filter(|rest| !rest.is_empty())
}

/// An option, with its name.
enum Switch<'w> {
    Flag(&'w str),
    /// The value is the next word.
    Valued(&'w str),
    /// The value is in the same word.
    Attached(&'w str, &'w str),
}

impl<'w> Switch<'w> {
    fn name(&self) -> &'w str {
        match self {
            Switch::Flag(name) | Switch::Valued(name) | Switch::Attached(name, _) => name,
        }
    }
}

fn option<'w>(wrapper: &Wrapper, text: &'w str) -> Switch<'w> {
    if let Some(long) = text.strip_prefix("--") {
        return match long.split_once('=') {
            Some((name, value)) => Switch::Attached(name, value),
            None if wrapper.valued_long.contains(&long) => Switch::Valued(long),
            None => Switch::Flag(long),
        };
    }
    let letters = &text[1..];
    let valued = letters.char_indices().find(|(_, letter)| wrapper.valued.contains(*letter));
    let Some((at, letter)) = valued else {
        let end = letters.chars().next().map_or(0, char::len_utf8);
        return Switch::Flag(&letters[..end]);
    };
    let end = at + letter.len_utf8();
    let (name, value) = (&letters[at..end], &letters[end..]);
    if value.is_empty() { Switch::Valued(name) } else { Switch::Attached(name, value) }
}

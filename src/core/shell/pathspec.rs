//! The paths that the words of a command mean, compared with paths of the work tree.

use std::path::Path;

use super::{Glob, Word, joined};

/// The place in a work tree that words are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The top of the work tree.
    pub top: std::path::PathBuf,
    /// The directory, with symbolic links resolved like the top.
    pub directory: std::path::PathBuf,
}

/// The paths that a command touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every path of the work tree.
    Everything,
    /// These, unless one that is left out says otherwise.
    Specs(Specs),
}

/// Paths, as far as the text tells them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Specs {
    known: Vec<Spec>,
    /// Set if there are more, which are not known: they may be any. Nothing is refused for that.
    has_unknown: bool,
}

/// One path, directory or pattern, from the top of the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    text: String,
    kind: Kind,
    is_left_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The path, and everything below it.
    Path,
    /// A pattern of git's, whose `*` stands for slashes too.
    Git,
    /// A pattern of the shell's.
    Shell,
}

/// The text does not tell which paths are meant.
struct Unknown;

impl Scope {
    /// Paths of which nothing is known.
    pub const UNKNOWN: Scope = Scope::Specs(Specs { known: Vec::new(), has_unknown: true });

    /// Reads the words as pathspecs of git.
    pub fn of_git(words: &[Word], place: &Place, has_literal_paths: bool) -> Scope {
        Scope::of(words, place, |text| {
            if has_literal_paths {
                Ok(Spec::new(text, Kind::Path, place))
            } else {
                Spec::of_git(text, place)
            }
        })
    }

    /// Reads the words as files.
    pub fn of_files(words: &[Word], place: &Place) -> Scope {
        Scope::of(words, place, |text| Ok(Spec::new(text, Kind::Path, place)))
    }

    fn of(
        words: &[Word],
        place: &Place,
        literal: impl Fn(&str) -> Result<Option<Spec>, Unknown>,
    ) -> Scope {
        let mut specs = Specs::default();
        for word in words {
            let spec = match word {
                Word::Any => return Scope::Everything,
                Word::Literal(text) => literal(text),
                Word::Glob(glob) => Ok(Spec::of_shell(glob, place)),
                Word::Unknown | Word::Several => Err(Unknown),
            };
            match spec {
                Ok(spec) => specs.known.extend(spec),
                Err(Unknown) => specs.has_unknown = true,
            }
        }
        Scope::Specs(specs)
    }

    pub fn contains(&self, path: &[u8]) -> bool {
        let Scope::Specs(specs) = self else { return true };
        let (out, within): (Vec<&Spec>, Vec<&Spec>) =
            specs.known.iter().partition(|spec| spec.is_left_out);
        let is_meant = within.iter().any(|spec| spec.contains(path));
        // Without any other, all but those that are left out are meant.
        let are_all = within.is_empty() && !out.is_empty() && !specs.has_unknown;
        (is_meant || are_all) && !out.iter().any(|spec| spec.contains(path))
    }

    /// Tells whether a path may be meant: it is, or some of the paths are not known.
    pub fn may_contain(&self, path: &[u8]) -> bool {
        self.contains(path) || matches!(self, Scope::Specs(specs) if specs.has_unknown)
    }

    /// Lists the paths that are spelled out.
    pub fn paths(&self) -> Vec<&[u8]> {
        let Scope::Specs(specs) = self else { return Vec::new() };
        let spelled =
            specs.known.iter().filter(|spec| spec.kind == Kind::Path && !spec.is_left_out);
        spelled.map(|spec| spec.text.as_bytes()).collect()
    }
}

impl Spec {
    /// Makes a spec of a text; none if it leads out of the work tree.
    fn new(text: &str, kind: Kind, place: &Place) -> Option<Spec> {
        let path = from_top(text, place)?;
        Some(Spec { text: path, kind, is_left_out: false })
    }

    fn of_shell(glob: &Glob, place: &Place) -> Option<Spec> {
        Spec::new(&glob.pattern, Kind::Shell, place)
    }

    /// Reads the magic in front of a pathspec. None if it leads out of the work tree.
    fn of_git(text: &str, place: &Place) -> Result<Option<Spec>, Unknown> {
        let top = Place { directory: place.top.clone(), ..place.clone() };
        let mut from = place;
        let (mut is_left_out, mut is_literal) = (false, false);
        let mut rest = text;
        if let Some((magic, after)) = text.strip_prefix(":(").and_then(|text| text.split_once(')'))
        {
            rest = after;
            for word in magic.split(',') {
                match word {
                    "top" => from = &top,
                    "exclude" => is_left_out = true,
                    "literal" => is_literal = true,
                    "glob" => {}
                    // Attributes and cases decide about more than the text says.
                    _ => return Err(Unknown),
                }
            }
        } else if let Some(short) = text.strip_prefix(':') {
            rest = short.trim_start_matches(['/', '!', '^', ':']);
            let signs = &short[..short.len() - rest.len()];
            is_left_out = signs.contains(['!', '^']);
            if signs.contains('/') {
                from = &top;
            }
        }
        let has_wildcard = !is_literal && rest.contains(['*', '?', '[']);
        let kind = if has_wildcard { Kind::Git } else { Kind::Path };
        let rest = if rest.is_empty() { "." } else { rest };
        Ok(Spec::new(rest, kind, from).map(|spec| Spec { is_left_out, ..spec }))
    }

    fn contains(&self, path: &[u8]) -> bool {
        let text = self.text.as_bytes();
        let is_below =
            |top: &[u8]| path.strip_prefix(top).is_some_and(|rest| rest.starts_with(b"/"));
        match self.kind {
            Kind::Path => text.is_empty() || path == text || is_below(text),
            Kind::Git => wild(text, path, true) || path == text || is_below(text),
            Kind::Shell => {
                let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
                let mut tops = ends.map(|(at, _)| &path[..at]);
                wild(text, path, false) || tops.any(|top| wild(text, top, false))
            }
        }
    }
}

/// Writes a path relative to the top of the work tree; none if it leads out of it.
fn from_top(text: &str, place: &Place) -> Option<String> {
    let path = joined(&place.directory, text);
    let inside: &Path = path.strip_prefix(&place.top).ok()?;
    inside.to_str().map(str::to_owned)
}

/// Matches a text with a pattern: `*`, `?`, `[...]`, and a backslash before what stands for itself.
pub(super) fn wild(pattern: &[u8], text: &[u8], star_crosses: bool) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(at) {
            Some(b'*') => {
                star = Some((at + 1, seen));
                at += 1;
                continue;
            }
            None if seen == text.len() => return true,
            None => None,
            Some(_) => text.get(seen).and_then(|byte| one(&pattern[at..], *byte, star_crosses)),
        };
        if let Some(length) = step {
            at += length;
            seen += 1;
            continue;
        }
        match star {
            Some((after, from)) if from < text.len() && (star_crosses || text[from] != b'/') => {
                star = Some((after, from + 1));
                (at, seen) = (after, from + 1);
            }
            _ => return false,
        }
    }
}

/// Matches one byte with the beginning of a pattern: the length of that beginning, if it does.
fn one(pattern: &[u8], byte: u8, any_crosses: bool) -> Option<usize> {
    match pattern {
        [b'?', ..] => (any_crosses || byte != b'/').then_some(1),
        [b'\\', next, ..] => (*next == byte).then_some(2),
        [b'[', rest @ ..] => {
            let end = rest.iter().skip(1).position(|byte| *byte == b']').map(|at| at + 1);
            let Some(end) = end else { return (byte == b'[').then_some(1) };
            let is_negated = matches!(rest[0], b'!' | b'^');
            let class = &rest[usize::from(is_negated)..end];
            let mut is_in = false;
            let mut at = 0;
            while at < class.len() {
                if at + 2 < class.len() && class[at + 1] == b'-' {
                    is_in |= (class[at]..=class[at + 2]).contains(&byte);
                    at += 3;
                } else {
                    is_in |= class[at] == byte;
                    at += 1;
                }
            }
            (is_in != is_negated && byte != b'/').then_some(end + 2)
        }
        [same, ..] => (*same == byte).then_some(1),
        [] => None,
    }
}

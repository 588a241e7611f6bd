//! Names for values that differ from run to run: ids, object ids, paths, the machine.
//!
//! Each value has one name in a transcript, by its kind and the order of appearance.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::support::env::program;

/// The length of ids, which is also that of many words.
const ID_LENGTH: usize = 8;
/// The length of the abbreviated object ids in messages.
const SHORT_OID_LENGTH: usize = 10;
/// The minimum length of an abbreviated name.
const BEGINNING_LENGTH: usize = 7;

/// A value that differs from run to run.
#[derive(Clone)]
struct Thing {
    real: String,
    /// The kind, and the number among those of this kind.
    kind: &'static str,
    number: usize,
}

impl Thing {
    fn shown(&self) -> String {
        format!("<{}{}>", self.kind, self.number)
    }
}

/// The names of a transcript.
#[derive(Clone)]
pub(super) struct Names {
    /// In order of appearance.
    known: Vec<Thing>,
    /// Paths and names of the machine, which have no recognisable shape.
    places: Vec<(String, &'static str)>,
    /// Words that somebody wrote into the transcript, which stand for themselves.
    written: BTreeSet<String>,
}

impl Names {
    /// Creates the names for a transcript with this text, which is played in `world`.
    pub(super) fn new(written: &str, world: &Path) -> Names {
        let written = tokens(written).filter(|token| is_word(token)).map(str::to_owned).collect();
        let program = program();
        let beside = program.parent().expect("a program lies in a directory");
        let real = world.canonicalize().expect("a world is there");
        let below = |world: &Path| [(world.join("work"), "<top>"), (world.to_owned(), "<world>")];
        let programs = [(program.clone(), "<program>"), (beside.to_owned(), "<beside program>")];
        let paths = below(&real).into_iter().chain(below(world)).chain(programs);
        let places = paths.map(|(path, shown)| (path.display().to_string(), shown));
        let machine = [
            (format!("@{}", host()), "@<host>"),
            (env!("CARGO_PKG_VERSION").to_owned(), "<version>"),
        ];
        Names { known: Vec::new(), places: places.chain(machine).collect(), written }
    }

    /// Replaces the names in a command by their values.
    pub(super) fn put_into(&self, command: &str) -> String {
        let put = |text: String, thing: &Thing| text.replace(&thing.shown(), &thing.real);
        self.known.iter().fold(command.to_owned(), put)
    }

    /// Replaces values in an answer by their names.
    pub(super) fn text(&mut self, text: &str) -> String {
        let place = |text: String, place: &(String, &str)| text.replace(&place.0, place.1);
        let text = self.places.iter().fold(with_visible_colors(text), place);
        let text = without_place(&without_ages(&without_sizes(&text)));
        let mut named = String::new();
        for token in tokens(&text) {
            match self.name(token) {
                Some(name) => named.push_str(&name),
                None => named.push_str(token),
            }
        }
        named
    }

    /// Replaces values in a JSON document by their names. The key identifies process ids, and ids
    /// of clones, which are no numbers.
    pub(super) fn json(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) if *text == host() => "<host>".into(),
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(fields) => {
                let mut field = |(key, value): (&String, &Value)| {
                    let value = match (key.as_str(), value) {
                        ("pid", _) => "<pid>".into(),
                        ("place", Value::String(_)) => "<place>".into(),
                        // Of what git compresses, as in text.
                        ("bytes", Value::Number(size)) if size.as_u64() >= Some(1000) => {
                            "<n>".into()
                        }
                        _ => self.json(value),
                    };
                    (self.text(key), value)
                };
                Value::Object(fields.iter().map(&mut field).collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    /// Returns the name of a token that is a value or the beginning of one: `<oid1:10>`.
    fn name(&mut self, token: &str) -> Option<String> {
        let is_of_id = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_short = token.len() < BEGINNING_LENGTH;
        if is_short || !token.bytes().all(is_of_id) || self.is_written_somewhere(token) {
            return None;
        }
        let mut known = self.known.iter();
        if let Some(thing) = known.find(|thing| thing.real.starts_with(token)) {
            let is_whole = thing.real.len() == token.len();
            let beginning = || format!("<{}{}:{}>", thing.kind, thing.number, token.len());
            return Some(if is_whole { thing.shown() } else { beginning() });
        }
        let kind = kind_of(token)?;
        let number = self.known.iter().filter(|thing| thing.kind == kind).count() + 1;
        let thing = Thing { real: token.to_owned(), kind, number };
        let shown = thing.shown();
        self.known.push(thing);
        Some(shown)
    }

    fn is_written_somewhere(&self, token: &str) -> bool {
        self.written.contains(token) || PROGRAM_WORDS.contains(token)
    }
}

/// Recognises the kind of a value by its shape, if it is not a word.
fn kind_of(token: &str) -> Option<&'static str> {
    let is_hex = token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match token.len() {
        40 | 64 | SHORT_OID_LENGTH if is_hex => Some("oid"),
        32 if is_hex => Some("op"),
        26 => Some("thread"),
        ID_LENGTH => Some("id"),
        _ => None,
    }
}

/// Words of the program's own text that look like an id. An id equals one of them by chance once in
/// 10^9 times, and a word that is not among them is always taken for an id.
static PROGRAM_WORDS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut words = BTreeSet::new();
    let mut directories = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("the source is there") {
            let path = entry.expect("the source is readable").path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let text = fs::read_to_string(path).expect("the source is readable");
                words.extend(tokens(&text).filter(|token| is_word(token)).map(str::to_owned));
            }
        }
    }
    words
});

/// Tells whether a token has the length of an id, so that it must be distinguished from one.
fn is_word(token: &str) -> bool {
    token.len() == ID_LENGTH || token.len() == SHORT_OID_LENGTH
}

/// Replaces the id of the clone in a recorded command. A trial run in a copy has another one.
fn without_place(text: &str) -> String {
    const KEY: &str = "\"place\":\"";
    let mut parts = text.split(KEY);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.find('"').map_or(part, |end| &part[end..]);
        shown.push_str(&format!("{KEY}<place>{rest}"));
    }
    shown
}

/// Removes how long a lock was in the way, which the machine's clock says.
fn without_ages(text: &str) -> String {
    let mut rest = text;
    let mut shown = String::new();
    while let Some((before, after)) = rest.split_once(" was there for ") {
        let Some((_, after)) = after.split_once("s old and ") else { break };
        shown.push_str(&format!("{before} was there for <n>s; it is <n>s old and "));
        rest = after;
    }
    shown + rest
}

/// Removes the sizes of packs, which depend on the ids in them.
fn without_sizes(text: &str) -> String {
    let mut parts: Vec<&str> = text.split(" KB").collect();
    let last = parts.pop().unwrap_or_default();
    let sized =
        |part: &str| part.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned() + "<n> KB";
    parts.into_iter().map(sized).collect::<String>() + last
}

/// Makes the sequences that set colours visible: `{33}`.
fn with_visible_colors(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| {
        let (color, rest) = part.split_once('m').expect("a colour ends with 'm'");
        format!("{whole}{{{color}}}{rest}")
    })
}

/// Returns the name of this machine.
fn host() -> &'static str {
    static HOST: LazyLock<String> =
        LazyLock::new(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
    &HOST
}

/// Splits a text into runs of letters and digits, and the parts between them.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_inside = first.is_ascii_alphanumeric();
        let ends = |next: char| next.is_ascii_alphanumeric() != is_inside;
        let (token, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
        rest = after;
        Some(token)
    })
}

#[test]
fn a_thing_has_one_name() {
    let oid = "0123456789abcdef0123456789abcdef01234567";
    let world = tempfile::tempdir().unwrap();
    let mut names = Names::new("alice$ git coord run show k3v9x2ab", world.path());
    let mut shown = |text: &str| names.text(text);
    assert_eq!(shown("reserved as 'q7w8e9r0', was jq7vkzwy"), "reserved as '<id1>', was <id2>");
    assert_eq!(shown("jq7vkzwy by k3v9x2ab at 176760720"), "<id2> by k3v9x2ab at 176760720");
    assert_eq!(shown(&format!("{oid} {}", &oid[..10])), "<oid1> <oid1:10>");
    assert_eq!(shown("\u{1b}[33mjq7vkzwy\u{1b}[0m 17 KB"), "{33}<id2>{0} <n> KB");
    let file = world.path().join("work").join("x");
    assert_eq!(shown(&file.display().to_string()), "<top>/x");
    assert_eq!(names.put_into("git coord release <id2>"), "git coord release jq7vkzwy");
}

//! Programs other than git that write or remove files.

use std::path::{Path, PathBuf};

use super::arguments::Arguments;
use super::effect::{Effect, Rule};
use super::pathspec::{Scope, wild};
use super::verbs::Facts;
use super::{Simple, Word, base_name, joined};

/// The programs that are known to write or remove files.
const PROGRAMS: [&str; 13] = [
    "cp", "dd", "find", "install", "ln", "mv", "perl", "rm", "sed", "shred", "tee", "truncate",
    "unlink",
];

/// Tells whether a program is known to write or remove files.
pub(super) fn is_known(program: &str) -> bool {
    PROGRAMS.contains(&program)
}

/// Finds what a command writes to or removes.
pub(super) fn effects(simple: &Simple, facts: &Facts<'_>) -> Vec<Effect> {
    let arguments = simple.words.get(1..).unwrap_or_default();
    let mut written = match simple.program() {
        Some("rm" | "unlink" | "tee") => sorted(arguments, "").all(),
        Some("truncate" | "shred") => sorted(arguments, "srn").all(),
        Some("mv") => moved(&sorted(arguments, "tS"), facts, true),
        Some("ln") => linked(&sorted(arguments, "tS"), facts),
        // With `-d` it makes directories.
        Some("install") if sorted(arguments, "tSmog").has(&["d", "directory"]) => Vec::new(),
        Some("cp" | "install") => moved(&sorted(arguments, "tSmog"), facts, false),
        Some("dd") => arguments.iter().filter_map(output_file).collect(),
        Some("sed") => edited(&sorted(arguments, "efl"), &["i", "in-place"], &["e", "f"]),
        Some("perl") => edited(&sorted(arguments, "eEMI"), &["i"], &["e", "E"]),
        Some("find") => return found(arguments, facts),
        _ => Vec::new(),
    };
    written.extend(simple.writes.iter().cloned());
    if written.is_empty() {
        return Vec::new();
    }
    vec![Effect::new(Rule::WriteFiles, Scope::of_files(&written, &facts.place))]
}

fn sorted(arguments: &[Word], letters: &str) -> Arguments {
    let names = [
        "directory",
        "expression=",
        "file=",
        "in-place",
        "recursive",
        "reference=",
        "size=",
        "suffix=",
        "target-directory=",
    ];
    Arguments::new(arguments, letters, &names)
}

/// Lists the work trees, of these, that a command removes with everything below a directory.
pub(super) fn removed<'t>(simple: &Simple, trees: &'t [PathBuf]) -> Vec<&'t Path> {
    if simple.program() != Some("rm") {
        return Vec::new();
    }
    let sorted = sorted(&simple.words[1..], "");
    if !sorted.has(&["r", "R", "recursive"]) {
        return Vec::new();
    }
    let path = |text: &str| match &simple.directory {
        Some(directory) => Some(joined(directory, text)),
        None => text.starts_with('/').then(|| joined(Path::new("/"), text)),
    };
    let is_removed = |tree: &&PathBuf| {
        sorted.all().iter().any(|word| match word {
            Word::Literal(text) => path(text).is_some_and(|path| tree.starts_with(path)),
            Word::Glob(glob) => path(&glob.pattern).is_some_and(|pattern| {
                let matches = |top: &Path| {
                    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
                    wild(&bytes(&pattern), &bytes(top), false)
                };
                tree.ancestors().any(matches)
            }),
            Word::Any | Word::Unknown | Word::Several => false,
        })
    };
    trees.iter().filter(is_removed).map(PathBuf::as_path).collect()
}

/// Lists the links that are made. With one word the link has its last name, and is made here.
fn linked(sorted: &Arguments, facts: &Facts<'_>) -> Vec<Word> {
    match sorted.all().as_slice() {
        [Word::Literal(to)] if !sorted.has(&["t", "target-directory"]) => {
            vec![Word::Literal(base_name(to).to_owned())]
        }
        _ => moved(sorted, facts, false),
    }
}

/// Lists the files that are moved or copied to, and where they are moved from.
fn moved(sorted: &Arguments, facts: &Facts<'_>, from_too: bool) -> Vec<Word> {
    let mut sources = sorted.all();
    let target = match sorted.value(&["t", "target-directory"]) {
        Some(target) => Some(target.clone()),
        None => sources.pop(),
    };
    let is_into = sorted.has(&["t", "target-directory"]) || sources.len() > 1;
    let mut written = if from_too { sources.clone() } else { Vec::new() };
    let Some(Word::Literal(target)) = target else { return written };
    if is_into || target.ends_with('/') || (facts.is_directory)(&target) {
        let names = sources.iter().filter_map(Word::literal).map(base_name);
        let below = |name: &str| Word::Literal(format!("{target}/{name}"));
        written.extend(names.map(below));
    } else {
        written.push(Word::Literal(target));
    }
    written
}

/// Reads `of=file` of `dd`.
fn output_file(word: &Word) -> Option<Word> {
    let file = word.literal()?.strip_prefix("of=")?;
    Some(Word::Literal(file.to_owned()))
}

/// Lists the files that an editor of streams changes in place. The first word is its program,
/// unless an option has that.
fn edited(sorted: &Arguments, in_place: &[&str], programs: &[&str]) -> Vec<Word> {
    if !sorted.has(in_place) {
        return Vec::new();
    }
    let mut files = sorted.all();
    let has_program = sorted.has(programs) || sorted.has(&["expression", "file"]);
    if !has_program && !files.is_empty() {
        files.remove(0);
    }
    files
}

/// Reads `find ... -delete`: everything below its paths, if it asks for no more than a name.
fn found(arguments: &[Word], facts: &Facts<'_>) -> Vec<Effect> {
    if !arguments.iter().any(|word| word.is("-delete")) {
        return Vec::new();
    }
    let is_test =
        |word: &Word| word.literal().is_some_and(|text| text.starts_with(['-', '(', '!']));
    let first_test = arguments.iter().position(is_test).unwrap_or(arguments.len());
    let mut paths = arguments[..first_test].to_vec();
    if paths.is_empty() {
        paths.push(Word::Literal(".".to_owned()));
    }
    let tests = &arguments[first_test..];
    let mut names = Vec::new();
    let mut words = tests.iter();
    while let Some(word) = words.next() {
        match word.literal() {
            Some("-delete" | "-print" | "-depth") => {}
            // A file is a file.
            Some("-type") => drop(words.next()),
            Some("-name") => match words.next().and_then(Word::literal) {
                Some(name) => names.push(name.to_owned()),
                None => return Vec::new(),
            },
            // Other tests may choose anything.
            _ => return Vec::new(),
        }
    }
    let mut effect = Effect::new(Rule::WriteFiles, Scope::of_files(&paths, &facts.place));
    effect.names = names;
    vec![effect]
}

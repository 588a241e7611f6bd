//! Needless refusals: each pattern that a tree suggests, against each file of the tree.
//!
//! `cargo bench --bench refusals` takes three trees: this repository, and the two largest crates
//! that cargo has unpacked. For each pair it compares the decision with a matcher by brute force,
//! and fails if a file is refused that the pattern does not match, or is not refused although it
//! does.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, or stops")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use git_coord::core::pattern::{Case, Pattern};
use git_coord::core::reservation::paths::{PathKind, Paths, Region};

/// The number of trees.
const TREES: usize = 3;

fn main() -> ExitCode {
    let trees = trees();
    if trees.len() < TREES {
        println!("only {} trees are here: let cargo fetch the dependencies first", trees.len());
        return ExitCode::FAILURE;
    }
    println!(
        "{:<36}{:>8}{:>10}{:>12}{:>10}{:>8}{:>24}",
        "tree", "files", "patterns", "pairs", "needless", "missed", "needless without facts"
    );
    let is_right = trees.iter().map(|tree| measure(tree)).filter(|is_right| !is_right).count() == 0;
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Lists the trees: this repository first.
fn trees() -> Vec<PathBuf> {
    let home = std::env::home_dir().unwrap_or_default().join(".cargo");
    let home = std::env::var_os("CARGO_HOME").map_or(home, PathBuf::from);
    let registries = children(&home.join("registry/src"));
    let mut crates: Vec<PathBuf> = registries.iter().flat_map(|it| children(it)).collect();
    crates.sort_by_cached_key(|path| (std::cmp::Reverse(files(path).len()), path.clone()));
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    [here].into_iter().chain(crates).take(TREES).collect()
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Lists the files of a tree, relative to it, without what git and cargo keep there.
fn files(tree: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![tree.to_owned()];
    while let Some(path) = left.pop() {
        let name = path.file_name().unwrap_or_default();
        let is_kept_aside = path != tree && (name == ".git" || name == "target");
        if path.is_symlink() || is_kept_aside {
            continue;
        }
        if path.is_dir() {
            left.extend(children(&path));
        } else if let Ok(relative) = path.strip_prefix(tree) {
            found.extend(relative.to_str().map(str::to_owned));
        }
    }
    found.sort();
    found
}

/// A pattern, prepared for the decision and for brute force.
struct Tried {
    text: String,
    /// The set of paths, given what is known of the tree.
    known: Region,
    /// The set if nothing is known.
    unknown: Region,
}

impl Tried {
    fn new(text: &str, kind: Option<PathKind>) -> Tried {
        let pattern = Pattern::canonical(text.as_bytes()).unwrap();
        let unknown = Paths::from(pattern.clone()).region(Case::Sensitive);
        let known = Paths::new(pattern, kind).region(Case::Sensitive);
        Tried { text: text.to_owned(), known, unknown }
    }
}

/// Lists the patterns that somebody could have in mind who looks at a file: the file, directories
/// around it with and without wildcards, its name anywhere, and its kind here and anywhere.
fn suggested(file: &str) -> BTreeSet<String> {
    let (directory, name) = file.rsplit_once('/').unwrap_or(("", file));
    let mut found = BTreeSet::from([file.to_owned(), format!("**/{name}"), format!("*/{name}")]);
    let mut around = directory;
    while !around.is_empty() {
        found.extend(["", "/**", "/*", "/*/*"].map(|end| format!("{around}{end}")));
        found.insert(format!("{around}/**/{name}"));
        around = around.rsplit_once('/').map_or("", |(above, _)| above);
    }
    if let Some((_, kind)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        let here = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        found.extend([format!("**/*.{kind}"), format!("*.{kind}"), format!("{here}*.{kind}")]);
    }
    found
}

/// Tells whether a name has no character that means something in a pattern.
fn is_plain(text: &str) -> bool {
    !text.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// Tells by brute force whether a pattern matches a file.
fn is_matched(pattern: &str, file: &str) -> bool {
    let (words, names): (Vec<&str>, Vec<&str>) =
        (pattern.split('/').collect(), file.split('/').collect());
    let is_below = || file.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'));
    are_matched(&words, &names) || (is_plain(pattern) && is_below())
}

fn are_matched(words: &[&str], names: &[&str]) -> bool {
    match (words, names) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            (0..=names.len()).any(|skipped| are_matched(rest, &names[skipped..]))
        }
        ([word, rest @ ..], [name, below @ ..]) => {
            let is_name = match word.strip_prefix('*') {
                Some(ending) => name.ends_with(ending),
                None => word == name,
            };
            is_name && are_matched(rest, below)
        }
        _ => false,
    }
}

/// Compares all pairs of a tree, prints the counts, and tells whether nothing is wrong.
fn measure(tree: &Path) -> bool {
    let mut files = files(tree);
    files.retain(|file| is_plain(file));
    let texts: BTreeSet<String> = files.iter().flat_map(|file| suggested(file)).collect();
    let is_file = |text: &String| files.binary_search(text).is_ok();
    let kind = |text: &String| is_file(text).then_some(PathKind::File);
    let patterns: Vec<Tried> = texts.iter().map(|text| Tried::new(text, kind(text))).collect();
    let edited: Vec<Tried> =
        files.iter().map(|file| Tried::new(file, Some(PathKind::File))).collect();
    let (mut needless, mut missed, mut before) = (0_u64, 0_u64, 0_u64);
    for (pattern, file) in patterns.iter().flat_map(|it| edited.iter().map(move |file| (it, file)))
    {
        let is_meant = is_matched(&pattern.text, &file.text);
        match pattern.known.meets(&file.known) {
            true if !is_meant => needless += 1,
            false if is_meant => missed += 1,
            _ => {}
        }
        before += u64::from(!is_meant && pattern.unknown.meets(&file.unknown));
    }
    let name = tree.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{name:<36}{:>8}{:>10}{:>12}{needless:>10}{missed:>8}{before:>24}",
        files.len(),
        patterns.len(),
        patterns.len() * edited.len(),
    );
    needless == 0 && missed == 0
}

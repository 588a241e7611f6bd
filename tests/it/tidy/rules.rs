//! Words that the source must not contain, by place.

use super::files::{self, File};
use super::source;

/// Effects that a decision must not have. It gets the time and everything else as values.
const EFFECTS: [&str; 11] = [
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::thread",
    "SystemTime",
    "Instant",
    "git2",
    "getrandom",
    "Timestamp::now",
    "rustix",
];

/// Calls of the standard library that change, lock or sync a file.
const FILE_CHANGES: [&str; 18] = [
    "OpenOptions",
    "File::create",
    "File::options",
    "fs::write",
    "fs::copy",
    "fs::rename",
    "fs::hard_link",
    "fs::symlink",
    "fs::remove",
    "fs::create_dir",
    "fs::set_permissions",
    ".set_permissions(",
    ".set_len(",
    ".set_modified(",
    ".sync_all(",
    ".sync_data(",
    "File::lock",
    "fd_lock",
];

/// The one place in `store` that changes files.
const FILES: &str = "src/store/os/files/";

/// Words of unfinished work.
const LATER: [&str; 6] = ["todo!", "unimplemented!", "FIXME", "XXX", "for now", "#[ignore"];

/// Directories that exist on one machine only.
const MACHINE_ROOTS: [&str; 4] = ["work", "root", "farm", "home"];

/// This file, which contains the words that it forbids.
const SELF: &str = "tests/it/tidy/rules.rs";

/// Lists each line of code outside of `place` that contains `word`.
pub(super) fn outside_of_its_place(word: &str, place: &str) -> Vec<String> {
    let others = files::source().into_iter().filter(|file| file.path != place);
    others.filter(|file| has_code(file, word)).map(|file| file.path).collect()
}

/// Lists the source files with `word` in their code.
pub(super) fn files_with(word: &str) -> Vec<String> {
    outside_of_its_place(word, "")
}

fn has_code(file: &File, word: &str) -> bool {
    source::code_lines(source::lines_without_tests(&file.text)).any(|line| line.contains(word))
}

/// Lists each use of an effect in `core`.
pub(super) fn effects_in_core() -> Vec<String> {
    let mut found = Vec::new();
    for file in files::source().iter().filter(|file| file.path.starts_with("src/core/")) {
        let used = EFFECTS.iter().filter(|word| has_code(file, word));
        found.extend(used.map(|word| format!("{}: {word}", file.path)));
    }
    found
}

/// Lists each way around the one module that changes files, and so around fault injection.
pub(super) fn files_changed_elsewhere() -> Vec<String> {
    let mut found = Vec::new();
    let in_store = |file: &&File| file.path.starts_with("src/store/");
    let sources = files::source();
    for file in sources.iter().filter(in_store).filter(|file| !file.path.starts_with(FILES)) {
        let used = FILE_CHANGES.iter().filter(|word| has_code(file, word));
        found.extend(used.map(|word| format!("{}: {word}", file.path)));
    }
    found
}

/// Lists each line of code or prose that promises to be finished another day.
pub(super) fn left_for_later() -> Vec<String> {
    let rust = files::tracked().into_iter().filter(File::is_rust);
    let mut found = Vec::new();
    for file in rust.filter(|file| file.path != SELF) {
        for (number, line) in file.numbered() {
            if LATER.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{number}: {}", file.path, line.trim()));
            }
        }
    }
    found
}

/// Lists each absolute path of a machine in any tracked file.
pub(super) fn machine_paths() -> Vec<String> {
    let mut found = Vec::new();
    for file in files::tracked() {
        for (number, line) in file.numbered() {
            if MACHINE_ROOTS.iter().any(|root| names_root(line, root)) {
                found.push(format!("{}:{number}: {}", file.path, line.trim()));
            }
        }
    }
    found
}

/// Lists the programs that a line of a test starts by name.
pub(super) fn programs(line: &str) -> impl Iterator<Item = &str> {
    let starts = ["Command::new(\"", ".program(\""];
    let behind = starts.into_iter().filter_map(|start| line.split_once(start));
    behind.filter_map(|(_, rest)| rest.split_once('"')).map(|(program, _)| program)
}

/// Tells whether a path in the line begins with a directory of this name.
fn names_root(line: &str, root: &str) -> bool {
    let path = format!("/{root}/");
    line.match_indices(&path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.')
    })
}

#[test]
fn a_relative_path_is_no_machine_path() {
    assert!(names_root(&["cd ", "/", "home/ada"].concat(), "home"));
    assert!(!names_root("world/home/.config and ./home/x", "home"));
}

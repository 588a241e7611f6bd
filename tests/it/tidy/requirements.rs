//! Compares the list of requirements with the tests that show them: neither has an id that the
//! other lacks.

use std::collections::BTreeSet;

use super::files::{File, root, tracked};
use super::none;

const LIST: &str = "docs/requirements.md";
/// The end of the line of a requirement that no test shows.
const NOT_YET: &str = "(not yet shown)";

/// Finds ids such as `1/C1` or `4/F1-toctou` in a text: a digit, a slash, a word in capitals, and
/// parts that dashes and dots join to it.
fn ids(text: &str) -> BTreeSet<&str> {
    text.match_indices('/').filter_map(|(slash, _)| id_around(text, slash)).collect()
}

fn id_around(text: &str, slash: usize) -> Option<&str> {
    let before = text[..slash].strip_suffix(|letter: char| letter.is_ascii_digit())?;
    let joins = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
    let behind = &text[slash + 1..];
    let length =
        behind.find(|letter: char| !letter.is_ascii_alphanumeric() && !"-.".contains(letter));
    let name = behind[..length.unwrap_or(behind.len())].trim_end_matches(['-', '.']);
    let word = name.split(['-', '.']).next().expect("a split has a first part");
    let is_word = word.len() > 1
        && word.starts_with(|letter: char| letter.is_ascii_uppercase())
        && !word.contains(|letter: char| letter.is_ascii_lowercase());
    (is_word && !before.ends_with(joins)).then(|| &text[before.len()..=slash + name.len()])
}

/// Returns the part of a file that tests something: all of it, the part after the code, or nothing.
fn tests_of(file: &File) -> &str {
    let is_test = file.path.starts_with("tests/") || file.path.contains("/tests");
    let behind_code = || file.text.split_once("#[cfg(test)]").map_or("", |(_, tests)| tests);
    if is_test { &file.text } else { behind_code() }
}

#[test]
fn every_id_is_in_the_list_and_every_listed_one_is_shown() {
    let list = std::fs::read_to_string(root().join(LIST)).unwrap();
    let listed = |line| ids(line).into_iter().next().zip(Some(line));
    let lines: Vec<(&str, &str)> =
        list.lines().filter(|line| line.starts_with("- `")).filter_map(listed).collect();
    let mut unknown = Vec::new();
    let mut shown = BTreeSet::new();
    let files = tracked();
    let of_ours = ["tests/", "src/", "benches/"];
    // This file has ids that are none.
    let is_read = |file: &&File| {
        of_ours.iter().any(|place| file.path.starts_with(place)) && !file.path.ends_with(file!())
    };
    for file in files.iter().filter(is_read) {
        let used = ids(&file.text).into_iter();
        let strange = used.filter(|id| !lines.iter().any(|(listed, _)| listed == id));
        unknown.extend(strange.map(|id| format!("{}: {id}", file.path)));
        shown.extend(ids(tests_of(file)));
    }
    none(&unknown, "each id of a requirement is in 'docs/requirements.md'");
    let is_wrong = |(id, line): &&(&str, &str)| shown.contains(id) == line.ends_with(NOT_YET);
    let wrong = lines.iter().filter(is_wrong).map(|(_, line)| (*line).to_owned());
    none(&wrong.collect::<Vec<_>>(), "a test names each requirement, or it is '(not yet shown)'");
    let once: BTreeSet<&str> = lines.iter().map(|(id, _)| *id).collect();
    assert_eq!(once.len(), lines.len(), "a requirement is in the list once");
}

#[test]
fn ids_are_told_from_paths_and_fractions() {
    let text =
        "1/C1 = 1/L1, (1/C3.1) and 4/F1-toctou; 0/IMP-4. Not 1/2, a1/C1, src/2/RUN, 3/Apples";
    assert_eq!(ids(text), BTreeSet::from(["0/IMP-4", "1/C1", "1/C3.1", "1/L1", "4/F1-toctou"]));
}

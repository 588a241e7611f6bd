//! Parses Rust source as lines: tests, comments, and numbers.

/// Returns the lines of a file before its tests, which are last.
pub(super) fn lines_without_tests(text: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().collect();
    let begins_tests = |pair: &[&str]| {
        pair[0].trim() == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    };
    let end = lines.windows(2).position(begins_tests).unwrap_or(lines.len());
    lines.into_iter().take(end)
}

/// Returns the lines without comments.
pub(super) fn code_lines<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
    lines.filter(|line| !line.trim_start().starts_with("//")).map(str::to_owned)
}

/// Lists the paths that follow `prefix` in a text, each with its last name: `a::{b, C}` is two.
pub(super) fn names_after(text: &str, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let rest = &text[at + prefix.len()..];
        let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
        let path = rest.split(|letter: char| !is_name(letter)).next().unwrap_or_default();
        let group = rest[path.len()..].strip_prefix('{').and_then(|group| group.split('}').next());
        match group {
            None => names.push(path.to_owned()),
            Some(group) => {
                let items = group.split(',').map(|item| item.split_whitespace().next());
                names.extend(items.flatten().map(|item| format!("{path}{item}")));
            }
        }
    }
    names
}

/// Finds the whole numbers in a line.
pub(super) fn numbers(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}

#[test]
fn tests_at_the_end_do_not_count() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n}\n";
    assert_eq!(lines_without_tests(text).count(), 1);
}

#[test]
fn a_number_inside_a_word_is_no_number() {
    assert_eq!(numbers("Ok2 = 128, x => 2").collect::<Vec<_>>(), ["128", "2"]);
}

#[test]
fn each_name_of_a_group_is_listed() {
    let names = names_after("use a::b::{c, D as E};\nf(a::b::g::h())", "a::b::");
    assert_eq!(names, ["c", "D", "g::h"]);
}

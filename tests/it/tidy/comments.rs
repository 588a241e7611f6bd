//! Comments: a function's comment begins with a verb, and a sentence names its subject.

use super::files::{self, File};
use super::source;

/// Sentences whose subject the reader would have to work out begin with these.
const WITHOUT_SUBJECT: [&str; 6] = ["The same", "Who", "Whoever", "What", "Whatever", "Whether"];

/// Words that end in `s` and are no verbs in a comment of ours.
const NO_VERBS: [&str; 6] = ["This", "Its", "Always", "Perhaps", "Unless", "As"];

/// A comment, and the line of code below it.
struct Comment {
    line: usize,
    text: String,
    item: String,
    is_doc: bool,
}

/// Lists the functions whose comment does not begin with a verb in the third person.
pub(super) fn without_verb() -> Vec<String> {
    found(|comment| {
        let first = comment.text.split([' ', ',', '.']).next().unwrap_or_default();
        comment.is_doc && is_function(&comment.item) && !is_verb(first)
    })
}

/// Lists the comments with a sentence that hides its subject.
pub(super) fn without_subject() -> Vec<String> {
    found(hides_subject)
}

fn hides_subject(comment: &Comment) -> bool {
    let is_hidden = |sentence: &str| {
        WITHOUT_SUBJECT.iter().any(|words| {
            let rest = sentence.strip_prefix(words);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    };
    comment.text.split(". ").map(str::trim_start).any(is_hidden)
}

fn found(is_wrong: impl Fn(&Comment) -> bool) -> Vec<String> {
    let in_file = |file: &File| -> Vec<String> {
        let wrong = comments(&file.text).into_iter().filter(|comment| is_wrong(comment));
        wrong.map(|comment| format!("{}:{}: {}", file.path, comment.line, comment.text)).collect()
    };
    let files = files::source();
    files.iter().filter(|file| !file.path.ends_with("_tests.rs")).flat_map(in_file).collect()
}

fn comments(text: &str) -> Vec<Comment> {
    let lines: Vec<&str> = source::lines_without_tests(text).map(str::trim).collect();
    let mut comments = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let marker = ["///", "//!", "//"].into_iter().find(|marker| lines[at].starts_with(marker));
        let Some(marker) = marker else {
            at += 1;
            continue;
        };
        let from = at;
        while at < lines.len() && lines[at].starts_with(marker) {
            at += 1;
        }
        // A test's comment says what it shows.
        if lines.get(at).is_some_and(|line| line.starts_with("#[test]")) {
            continue;
        }
        let words = lines[from..at].iter().map(|line| line[marker.len()..].trim());
        let below = lines[at..].iter().find(|line| !line.starts_with(['#', '/', ')', ']']));
        comments.push(Comment {
            line: from + 1,
            text: words.collect::<Vec<_>>().join(" "),
            item: below.map(|line| (*line).to_owned()).unwrap_or_default(),
            is_doc: marker == "///",
        });
    }
    comments
}

fn is_function(item: &str) -> bool {
    let is_modifier = |word: &str| {
        word.starts_with("pub") || matches!(word, "const" | "in") || word.ends_with(')')
    };
    item.split_whitespace().find(|word| !is_modifier(word)) == Some("fn")
}

fn is_verb(word: &str) -> bool {
    let is_plain = word.chars().all(|letter| letter.is_ascii_alphabetic());
    word == "Like" || is_plain && word.ends_with('s') && !NO_VERBS.contains(&word)
}

#[test]
fn a_comment_without_verb_or_subject_is_found() {
    let text = "/// Whether it is.\n#[must_use]\npub(crate) fn is() {}\n// Done. Who asks waits.\n";
    let found = comments(text);
    assert!(is_function(&found[0].item) && !is_verb("Whether") && is_verb("Tells"));
    assert_eq!(found[1].text, "Done. Who asks waits.");
    let paragraphs = comments("//! One.\n//!\n//! Whatever is two.\n");
    assert!(hides_subject(&paragraphs[0]), "an empty line ends a sentence, too");
    assert!(!is_function("pub struct Function;") && is_function("const fn one() {}"));
}

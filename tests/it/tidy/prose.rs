//! Pages for readers: sentences that have to be read twice are counted, and their number may only
//! fall.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use regex_lite::Regex;

use super::files::root;

/// The numbers as they are, one file a line.
const COUNTS: &str = "tests/it/tidy/prose.txt";

/// Sentences of these shapes hide who does what. What a reader is to find instead: the actor, the
/// active voice, "if" in place of a relative clause.
const SHAPES: [&str; 6] = [
    // A clause as the subject: "Who is killed loses its place".
    r"^(What|Who|Whoever|Whatever|Which|Whose|Whether)\b[^?]*$",
    // Nobody does it: "that is said", "it is looked".
    r"\b(is|are|was|were|be|been) ((also|then|not|only) )?(said|told|looked|heard|named|noticed)\b",
    // "is no file" for "is not a file".
    r"\b(is|are|was|were) no (error|file|files|path|id|reason|repository|text|name)\b",
    r"\b(oneself|one has|one had)\b",
    // "ends by itself" for "expires".
    r"\bby (itself|themselves)\b",
    // The subject stands in the sentence before.
    r"^(The same|Likewise|So (it )?is|So do|Nor)\b",
];

/// Counts the sentences of each page that have one of the shapes.
fn counts() -> BTreeMap<String, Vec<String>> {
    let shapes = SHAPES.map(|shape| Regex::new(shape).expect("a shape is an expression"));
    let is_hard = |sentence: &String| shapes.iter().any(|shape| shape.is_match(sentence));
    let hard = |(name, text): (String, String)| {
        let found: Vec<String> = sentences(&text).into_iter().filter(is_hard).collect();
        (!found.is_empty()).then_some((name, found))
    };
    pages().into_iter().filter_map(hard).collect()
}

/// Reads the pages, but for those that are made of the comments of types.
fn pages() -> Vec<(String, String)> {
    let listed = |directory: &str| {
        let entries = fs::read_dir(root().join(directory)).expect("it is a directory of ours");
        let names = entries.map(|entry| entry.expect("an entry can be read").file_name());
        let names = names.map(|name| format!("{directory}/{}", name.to_string_lossy()));
        let is_page = |name: &String| Path::new(name).extension().is_some_and(|kind| kind == "md");
        names.filter(is_page).collect::<Vec<_>>()
    };
    let mut names = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    names.extend(["docs", "examples"].into_iter().flat_map(listed));
    names.retain(|name| name != "docs/json.md" && name != "docs/requirements.md");
    let read = |name: String| {
        let text = fs::read_to_string(root().join(&name)).expect("a page is text");
        (name, text)
    };
    names.into_iter().map(read).collect()
}

/// Lists the sentences of a page, those in tables and lists included, without code blocks.
fn sentences(page: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = vec![String::new()];
    let mut is_code = false;
    for line in page.lines().map(str::trim) {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if line.starts_with('|') {
            paragraphs.extend(line.split('|').map(|cell| cell.trim().to_owned()));
        } else if !is_code {
            let item = line.trim_start_matches(['-', '#', '*', ' ']);
            if line.is_empty() || item.len() < line.len() {
                paragraphs.push(String::new());
            }
            let paragraph = paragraphs.last_mut().expect("there is one");
            paragraph.push_str(item);
            paragraph.push(' ');
        }
    }
    paragraphs.iter().flat_map(|paragraph| of_paragraph(paragraph)).collect()
}

fn of_paragraph(paragraph: &str) -> Vec<String> {
    let ends = Regex::new(r"[.!?:;]\s+").expect("an expression");
    let mut from = 0;
    let mut found = Vec::new();
    for end in ends.find_iter(paragraph) {
        found.push(paragraph[from..=end.start()].to_owned());
        from = end.end();
    }
    found.push(paragraph[from..].trim().to_owned());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// A number that is lower now is written with `UPDATE=1`. One that is higher is never written.
#[test]
fn generated_counts_of_hard_sentences_only_fall() {
    let path = root().join(COUNTS);
    let before = fs::read_to_string(&path).expect("the counts are there");
    let before: BTreeMap<&str, usize> = before.lines().filter_map(parsed).collect();
    let mut lines = String::new();
    let mut worse = Vec::new();
    for (page, found) in counts() {
        lines.push_str(&format!("{} {page}\n", found.len()));
        if found.len() > before.get(page.as_str()).copied().unwrap_or(0) {
            worse.extend(found.into_iter().map(|sentence| format!("{page}: {sentence}")));
        }
    }
    super::none(&worse, "name the actor, say it in the active voice; one of these is new");
    if fs::read_to_string(&path).expect("it was there before") == lines {
        return;
    }
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    assert!(update, "run 'UPDATE=1 cargo test --test it generated': {COUNTS} is stale");
    fs::write(path, lines).expect("the counts can be written");
}

fn parsed(line: &str) -> Option<(&str, usize)> {
    let (count, page) = line.split_once(' ')?;
    Some((page, count.parse().ok()?))
}

#[test]
fn hard_sentences_are_found() {
    let page = "# Title\n\nIt waits. Who is killed loses its place: that is\nsaid. Who are you?\n\n\
                ```console\n$ that is said\n```\n\n- Ends by itself.\n\n| no | What is there |\n";
    let shapes = SHAPES.map(|shape| Regex::new(shape).unwrap());
    let is_hard = |sentence: &&String| shapes.iter().any(|shape| shape.is_match(sentence));
    let sentences = sentences(page);
    let found: Vec<&str> = sentences.iter().filter(is_hard).map(String::as_str).collect();
    let expected =
        ["Who is killed loses its place:", "that is said.", "Ends by itself.", "What is there"];
    assert_eq!(found, expected);
}

//! Compares the list of mistakes that tests must notice, `tests/mutants.txt`, with the tree. Making
//! a mistake costs a build; checking that it can be made costs nothing.

use super::files::root;

/// A line that a requirement rests on, and the test that must notice a mistake in it.
pub(super) struct Mistake {
    pub(super) requirement: String,
    pub(super) test: String,
    pub(super) file: String,
    pub(super) line: String,
}

/// Parses every mistake of the list.
pub(super) fn all() -> Vec<Mistake> {
    let list = std::fs::read_to_string(root().join("tests/mutants.txt")).unwrap();
    let mut mistakes = Vec::new();
    let (mut requirement, mut test, mut file) = (String::new(), String::new(), String::new());
    for row in list.lines() {
        if let Some(head) = row.strip_prefix("= ") {
            let mut words = head.split(' ').map(str::to_owned);
            requirement = words.next().expect("a requirement");
            test = words.nth(1).expect("a test");
        } else if let Some(path) = row.strip_prefix("@ ") {
            path.clone_into(&mut file);
        } else if let Some(line) = row.strip_prefix("- ") {
            let (requirement, test, file) = (requirement.clone(), test.clone(), file.clone());
            mistakes.push(Mistake { requirement, test, file, line: line.to_owned() });
        }
    }
    mistakes
}

/// Explains why a mistake cannot be made in this tree, if it cannot.
pub(super) fn fault(mistake: &Mistake) -> Option<String> {
    let Mistake { requirement, test, file, line } = mistake;
    let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
    if !text.contains(line.as_str()) {
        return Some(format!("{requirement}: '{file}' has no such line any more: {line}"));
    }
    let name = test.rsplit("::").next().unwrap_or_default();
    let declaration = format!("fn {name}(");
    let sources = super::files::tracked();
    let is_there = sources.iter().any(|file| file.is_rust() && file.text.contains(&declaration));
    (!is_there).then(|| format!("{requirement}: there is no test '{test}'"))
}

//! Gradle's build scripts, in Groovy and in Kotlin: coordinates, plugins, and names from a version
//! catalogue.

use super::quoted;

/// What a script depends on.
pub(super) fn dependencies(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        for text in quoted(line) {
            names.extend(coordinates(text));
        }
        if is_plugin(line) {
            names.extend(quoted(line).first().map(|id| (*id).to_owned()));
        }
        // Core plugins are named without quotes: `java-library` stands in backquotes.
        names.extend(
            line.strip_prefix('`').and_then(|rest| rest.split('`').next()).map(str::to_owned),
        );
        names.extend(from_catalogue(line));
    }
    names
}

/// `group:artifact:version` gives both names; the group is how some frameworks are known.
fn coordinates(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split(':').collect();
    match parts.as_slice() {
        [group, artifact, ..] if !group.is_empty() && !text.contains([' ', '/']) => {
            vec![(*group).to_owned(), (*artifact).to_owned()]
        }
        _ => Vec::new(),
    }
}

fn is_plugin(line: &str) -> bool {
    ["id ", "id(", "apply plugin:", "kotlin("].iter().any(|start| line.starts_with(start))
}

/// `libs.plugins.android.application`, as it stands there.
fn from_catalogue(line: &str) -> Option<String> {
    let at = line.find("libs.")?;
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "._".contains(letter);
    Some(line[at..].chars().take_while(|letter| is_of_name(*letter)).collect())
}

//! Gradle's build scripts, in Groovy and in Kotlin: coordinates, plugins, and names from a version
//! catalogue.

use super::scan::{C_STYLE, quoted, statements, without_comments};
use super::without_scala_version;

/// Reads the dependencies of a script.
pub(super) fn dependencies(text: &str) -> Vec<String> {
    let text = without_comments(text, C_STYLE);
    let mut names = Vec::new();
    for statement in statements(&text) {
        for text in quoted(statement) {
            names.extend(coordinates(text));
        }
        names.extend(by_parts(statement));
        if is_plugin(statement) {
            names.extend(quoted(statement).first().map(|id| (*id).to_owned()));
        }
        // Core plugins are named without quotes: `java-library` is in backquotes.
        names.extend(
            statement.strip_prefix('`').and_then(|rest| rest.split('`').next()).map(str::to_owned),
        );
        names.extend(from_catalogue(statement));
    }
    names
}

/// Parses `group:artifact:version` into both names; some frameworks are known by their group.
fn coordinates(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split(':').collect();
    match parts.as_slice() {
        [group, artifact, ..] if !group.is_empty() && !text.contains([' ', '/']) => {
            vec![(*group).to_owned(), without_scala_version(artifact).to_owned()]
        }
        _ => Vec::new(),
    }
}

/// Parses coordinates in parts: `group: 'io.ktor', name: 'ktor-server-core'`, or with `=` in
/// Kotlin.
fn by_parts(statement: &str) -> Vec<String> {
    let part = |name: &str| {
        let (_, after) = statement.split_once(name)?;
        let value = after.trim_start().strip_prefix([':', '='])?.trim_start();
        value.starts_with(['"', '\'']).then(|| quoted(value).first().copied())?
    };
    match (part("group"), part("name")) {
        (Some(group), Some(name)) => {
            vec![group.to_owned(), without_scala_version(name).to_owned()]
        }
        _ => Vec::new(),
    }
}

fn is_plugin(statement: &str) -> bool {
    let starts = ["id ", "id(", "apply plugin:", "apply(plugin", "kotlin("];
    starts.iter().any(|start| statement.starts_with(start))
}

/// Reads names from a version catalogue: `libs.ktor.server.core` by its own name, which people
/// choose close to that of the library, and `libs.plugins.android.application` also as a whole.
fn from_catalogue(statement: &str) -> Vec<String> {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "._".contains(letter);
    let mut names = Vec::new();
    for (at, start) in statement.match_indices("libs.") {
        if statement[..at].ends_with(is_of_name) {
            continue;
        }
        let rest = &statement[at..];
        let whole = &rest[..rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len())];
        let name = &whole[start.len()..];
        names.extend([whole.to_owned(), name.strip_prefix("plugins.").unwrap_or(name).to_owned()]);
    }
    names
}

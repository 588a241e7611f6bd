//! What projects depend on, read from the bytes of their manifests.
//!
//! JSON and TOML are parsed. The other formats are scanned for what declares a dependency,
//! statement by statement or tag by tag: several of them are programs, which only their own tool
//! could run.
//! What a scanner cannot see is a name that is computed, or spread over variables. A manifest that
//! is broken names nothing.
//!
//! A manifest also says what comes of the project. That is named in brackets, which no registry
//! allows in a name: [`COMMAND`] and [`LIBRARY`].

mod formats;
mod gradle;
mod scan;
mod xml;

use std::collections::BTreeSet;

/// Bytes of a manifest that are looked at.
pub const MANIFEST_BYTES_MAX: u64 = 1024 * 1024;

/// What a manifest is said to name if a command comes of it that people install and type.
pub const COMMAND: &str = "[command]";
/// What a manifest is said to name if a package comes of it that others depend on.
pub const LIBRARY: &str = "[library]";

/// The names of all manifests. One that begins with `*` is any name with that end.
pub const NAMES: [&str; 16] = [
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pyproject.toml",
    "requirements.txt",
    "build.gradle",
    "build.gradle.kts",
    "pom.xml",
    "*.csproj",
    "*.fsproj",
    "*.vbproj",
    "Gemfile",
    "*.gemspec",
    "mix.exs",
    "Package.swift",
    "pubspec.yaml",
];

/// Whether a file of that name is a manifest.
pub fn is_manifest(name: &str) -> bool {
    NAMES.iter().any(|pattern| match pattern.strip_prefix('*') {
        Some(end) => name.ends_with(end) && name.len() > end.len(),
        None => name == *pattern,
    })
}

/// What the manifest of that name depends on, and what comes of it, each name [`plain`].
pub fn dependencies(name: &str, bytes: &[u8]) -> BTreeSet<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return BTreeSet::new() };
    // Windows editors begin a text so.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let found = match name {
        "package.json" => formats::npm(text),
        "Cargo.toml" => formats::cargo(text),
        "go.mod" => formats::go(text),
        "pyproject.toml" => formats::pyproject(text),
        "requirements.txt" => formats::requirements(text),
        "build.gradle" | "build.gradle.kts" => gradle::dependencies(text),
        "pom.xml" => xml::maven(text),
        "Gemfile" => formats::ruby(text),
        "mix.exs" => formats::elixir(text),
        "Package.swift" => formats::swift(text),
        "pubspec.yaml" => formats::pub_dart(text),
        name if name.ends_with(".gemspec") => formats::gemspec(text),
        _ => xml::dotnet(text),
    };
    found.iter().map(|name| plain(name)).filter(|name| !name.is_empty()).collect()
}

/// A name as it is compared: registries differ in what separates its parts, and in case.
pub fn plain(name: &str) -> String {
    let kept = name.chars().filter(|letter| !matches!(letter, '-' | '_' | '.'));
    kept.flat_map(char::to_lowercase).collect()
}

/// The name of an artifact without the version of Scala that it was built for: `spark-sql_2.13`.
fn without_scala_version(artifact: &str) -> &str {
    let is_version = |text: &str| {
        text.starts_with(|letter: char| letter.is_ascii_digit())
            && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
    };
    match artifact.rsplit_once('_') {
        Some((name, version)) if is_version(version) => name,
        _ => artifact,
    }
}

#[cfg(test)]
mod tests;

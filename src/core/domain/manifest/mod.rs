//! The dependencies of projects, read from the bytes of their manifests.
//!
//! JSON and TOML are parsed. The other formats are scanned for declarations of dependencies,
//! statement by statement or tag by tag: several of them are programs, which only their own tool
//! could run. A scanner cannot see a name that is computed or spread over variables. A broken
//! manifest has no dependencies.
//!
//! A manifest also tells what the project builds. That is named in brackets, which no registry
//! allows in a name: [`COMMAND`], [`LIBRARY`] and [`ENTRY`].

mod formats;
mod gradle;
mod scan;
mod xml;

use std::collections::BTreeSet;

/// Bytes at the beginning of a manifest that are read.
pub const MANIFEST_BYTES_MAX: u64 = 1024 * 1024;

/// A manifest is said to name this if the project builds a command that people install and type.
pub const COMMAND: &str = "[command]";
/// A manifest is said to name this if the project builds a package that others depend on.
pub const LIBRARY: &str = "[library]";
/// A manifest is said to name this if it names the module that a package shows to others. In Go,
/// the directory of the manifest is that module, if it is no command.
pub const ENTRY: &str = "[entry]";

/// The names of all manifests. A name that begins with `*` stands for any name with that end.
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

/// Tells whether a file of that name is a manifest.
pub fn is_manifest(name: &str) -> bool {
    NAMES.iter().any(|pattern| match pattern.strip_prefix('*') {
        Some(end) => name.ends_with(end) && name.len() > end.len(),
        None => name == *pattern,
    })
}

/// Reads the dependencies of the manifest of that name, and what the project builds, each name
/// [`normalized`].
pub fn dependencies(name: &str, bytes: &[u8]) -> BTreeSet<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return BTreeSet::new() };
    // Windows editors put a byte order mark first.
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
    found.iter().map(|name| normalized(name)).filter(|name| !name.is_empty()).collect()
}

/// Normalizes a name for comparison: registries differ in case and in the separators that they
/// allow.
pub fn normalized(name: &str) -> String {
    let kept = name.chars().filter(|letter| !matches!(letter, '-' | '_' | '.'));
    kept.flat_map(char::to_lowercase).collect()
}

/// Strips the version of Scala that an artifact was built for: `spark-sql_2.13`.
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

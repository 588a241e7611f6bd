//! Maven's and .NET's project files, scanned tag by tag. Comments are stripped; entities, CDATA and
//! properties are not resolved.

use super::{COMMAND, LIBRARY, without_scala_version};

/// Reads `pom.xml`: artifacts of dependencies, plugins and the parent, with their groups. An
/// exclusion is no dependency.
pub(super) fn maven(text: &str) -> Vec<String> {
    let text = without_comments(text);
    let mut names = Vec::new();
    // The name of this project itself says nothing about its dependencies.
    let (mut inside, mut excluded) = (0, 0);
    for tag in tags(&text).filter(|tag| !tag.is_closed) {
        match tag.name {
            "dependency" | "parent" | "plugin" => inside += 1,
            "/dependency" | "/parent" | "/plugin" => inside -= 1,
            "exclusions" => excluded += 1,
            "/exclusions" => excluded -= 1,
            "artifactId" | "groupId" if inside > 0 && excluded == 0 => {
                names.push(without_scala_version(tag.after.trim()).to_owned());
            }
            _ => {}
        }
    }
    names
}

/// Reads `*.csproj` and its kind: packages that are referenced, frameworks, and the SDK.
pub(super) fn dotnet(text: &str) -> Vec<String> {
    let text = without_comments(text);
    let mut names = Vec::new();
    let (mut is_command, mut is_package) = (false, false);
    for tag in tags(&text) {
        let says_yes = || tag.after.trim().eq_ignore_ascii_case("true");
        match tag.name {
            "PackAsTool" => is_command |= says_yes(),
            "IsPackable" | "GeneratePackageOnBuild" => is_package |= says_yes(),
            "PackageId" => is_package |= !tag.is_closed,
            _ => {}
        }
        let attribute = match tag.name {
            "PackageReference" | "FrameworkReference" => "Include",
            "Project" | "Import" => "Sdk",
            "Sdk" => "Name",
            _ => continue,
        };
        names.extend(tag.attribute(attribute).map(str::to_owned));
    }
    if is_command {
        names.push(COMMAND.to_owned());
    } else if is_package {
        names.push(LIBRARY.to_owned());
    }
    names
}

/// A tag and the text up to the next tag.
struct Tag<'t> {
    name: &'t str,
    attributes: &'t str,
    after: &'t str,
    /// A tag that is its own end: `<plugin/>`.
    is_closed: bool,
}

impl<'t> Tag<'t> {
    fn attribute(&self, name: &str) -> Option<&'t str> {
        for (at, _) in self.attributes.match_indices(name) {
            let is_whole = !self.attributes[..at].ends_with(|l: char| l.is_alphanumeric());
            let after = self.attributes[at + name.len()..].trim_start();
            let Some(value) = after.strip_prefix('=').filter(|_| is_whole) else { continue };
            let value = value.trim_start();
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            return value[1..].split(quote).next();
        }
        None
    }
}

fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    text.split('<').skip(1).filter_map(|piece| {
        let (tag, after) = piece.split_once('>')?;
        let is_closed = tag.ends_with('/');
        let tag = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) =
            tag.split_once(|letter: char| letter.is_whitespace()).unwrap_or((tag, ""));
        Some(Tag { name, attributes, after, is_closed })
    })
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

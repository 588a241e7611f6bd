//! Maven's and .NET's project files, scanned tag by tag. Comments are left out; entities, CDATA and
//! what properties stand for are not resolved.

/// `pom.xml`: artifacts of dependencies, plugins and the parent, with their groups.
pub(super) fn maven(text: &str) -> Vec<String> {
    let text = without_comments(text);
    let mut names = Vec::new();
    // What this project itself is called says nothing about what it uses.
    let mut inside = 0;
    for tag in tags(&text) {
        match tag.name {
            "dependency" | "parent" | "plugin" => inside += 1,
            "/dependency" | "/parent" | "/plugin" => inside -= 1,
            "artifactId" | "groupId" if inside > 0 => names.push(tag.after.trim().to_owned()),
            _ => {}
        }
    }
    names
}

/// `*.csproj` and its kind: packages that are referenced, frameworks, and the SDK.
pub(super) fn dotnet(text: &str) -> Vec<String> {
    let text = without_comments(text);
    let mut names = Vec::new();
    for tag in tags(&text) {
        let attribute = match tag.name {
            "PackageReference" | "FrameworkReference" => "Include",
            "Project" => "Sdk",
            _ => continue,
        };
        names.extend(tag.attribute(attribute).map(str::to_owned));
    }
    names
}

/// One tag and the text up to the next.
struct Tag<'t> {
    name: &'t str,
    attributes: &'t str,
    after: &'t str,
}

impl<'t> Tag<'t> {
    fn attribute(&self, name: &str) -> Option<&'t str> {
        let at = self.attributes.find(&format!("{name}="))?;
        let value = &self.attributes[at + name.len() + 1..];
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        value[1..].split(quote).next()
    }
}

fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    text.split('<').skip(1).filter_map(|piece| {
        let (tag, after) = piece.split_once('>')?;
        let (name, attributes) =
            tag.split_once(|letter: char| letter.is_whitespace()).unwrap_or((tag, ""));
        Some(Tag { name: name.trim_end_matches('/'), attributes, after })
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

//! Manifests that are parsed, and those that are scanned line by line.

use serde_json::Value;

use super::quoted;

type Names = Vec<String>;

fn owned<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
    names.into_iter().map(str::to_owned).collect()
}

/// `package.json`: dependencies for use, for development and of peers.
pub(super) fn npm(text: &str) -> Names {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Names::new() };
    let tables = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
    let tables = tables.iter().filter_map(|table| manifest[*table].as_object());
    tables.flat_map(|table| table.keys().cloned()).collect()
}

/// `Cargo.toml`: dependencies, also those for tests, for the build and of one platform.
pub(super) fn cargo(text: &str) -> Names {
    let Ok(manifest) = text.parse::<toml::Table>() else { return Names::new() };
    let mut names = cargo_tables(&manifest);
    if let Some(platforms) = manifest.get("target").and_then(toml::Value::as_table) {
        let platforms = platforms.values().filter_map(toml::Value::as_table);
        names.extend(platforms.flat_map(cargo_tables));
    }
    names
}

fn cargo_tables(manifest: &toml::Table) -> Names {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = tables.iter().filter_map(|name| manifest.get(*name)?.as_table());
    let name = |(name, dependency): (&String, &toml::Value)| {
        // A dependency may be called otherwise here than where it comes from.
        let original = dependency.get("package").and_then(toml::Value::as_str);
        original.unwrap_or(name).to_owned()
    };
    tables.flat_map(|table| table.iter().map(name)).collect()
}

/// `go.mod`: the last part of each required path that is not a version.
pub(super) fn go(text: &str) -> Names {
    let mut in_block = false;
    let mut names = Names::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let required = match line.strip_prefix("require") {
            Some(rest) if rest.trim() == "(" => {
                in_block = true;
                continue;
            }
            Some(rest) if rest.starts_with([' ', '\t']) => rest.trim(),
            _ if line == ")" => {
                in_block = false;
                continue;
            }
            _ if in_block => line,
            _ => continue,
        };
        let Some(path) = required.split_whitespace().next() else { continue };
        let is_version = |part: &&str| {
            part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
        };
        names.extend(path.rsplit('/').find(|part| !is_version(part)).map(str::to_owned));
    }
    names
}

/// `pyproject.toml`: PEP 621 with its extras, PEP 735 groups, and Poetry's tables.
pub(super) fn pyproject(text: &str) -> Names {
    let Ok(manifest) = text.parse::<toml::Table>() else { return Names::new() };
    let mut names = Names::new();
    let at = |path: &[&str]| {
        let mut value = manifest.get(path[0])?;
        for part in &path[1..] {
            value = value.get(part)?;
        }
        Some(value)
    };
    let list = |value: &toml::Value| -> Names {
        let items = value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
        items.filter_map(requirement).collect()
    };
    names.extend(at(&["project", "dependencies"]).map(list).unwrap_or_default());
    names.extend(at(&["build-system", "requires"]).map(list).unwrap_or_default());
    for groups in [at(&["project", "optional-dependencies"]), at(&["dependency-groups"])] {
        let groups = groups.and_then(toml::Value::as_table).into_iter().flatten();
        names.extend(groups.flat_map(|(_, group)| list(group)));
    }
    let keys = |value: &toml::Value| -> Names {
        value.as_table().map(|table| table.keys().cloned().collect()).unwrap_or_default()
    };
    for table in ["dependencies", "dev-dependencies"] {
        names.extend(at(&["tool", "poetry", table]).map(keys).unwrap_or_default());
    }
    let groups = at(&["tool", "poetry", "group"]).and_then(toml::Value::as_table);
    let groups = groups.into_iter().flatten().filter_map(|(_, group)| group.get("dependencies"));
    names.extend(groups.flat_map(keys));
    names
}

/// `requirements.txt`: one requirement a line; options and addresses name nothing.
pub(super) fn requirements(text: &str) -> Names {
    let lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
    let is_one = |line: &&str| !line.starts_with(['#', '-']) && !line.contains("://");
    lines.filter(is_one).filter_map(requirement).collect()
}

/// The name that a Python requirement begins with.
fn requirement(text: &str) -> Option<String> {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let name: String = text.trim().chars().take_while(|letter| is_of_name(*letter)).collect();
    (!name.is_empty()).then_some(name)
}

/// `Gemfile` and `*.gemspec`: what `gem` and `add_dependency` are called with.
pub(super) fn ruby(text: &str) -> Names {
    let calls = [".add_dependency", ".add_runtime_dependency", ".add_development_dependency"];
    let declares = |line: &str| {
        line.starts_with("gem ")
            || line.starts_with("gem(")
            || calls.iter().any(|call| line.contains(call))
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let first =
        lines.filter(|line| declares(line)).filter_map(|line| quoted(line).first().copied());
    owned(first)
}

/// `mix.exs`: the atoms that the tuples of dependencies begin with.
pub(super) fn elixir(text: &str) -> Names {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let tuples = lines.flat_map(|line| line.split("{:").skip(1));
    let atom = |tuple: &str| {
        let end = tuple.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
        let (name, rest) = tuple.split_at(end.unwrap_or(tuple.len()));
        let is_followed = rest.trim_start().starts_with(',');
        (is_followed && !name.is_empty()).then(|| name.to_owned())
    };
    tuples.filter_map(atom).collect()
}

/// `Package.swift`: the last part of each address, and the products that are used.
pub(super) fn swift(text: &str) -> Names {
    let mut names = Names::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if line.contains(".package(") {
            let addresses = quoted(line).into_iter().filter(|text| text.contains('/'));
            let last = addresses.filter_map(|address| address.rsplit('/').next());
            names.extend(last.map(|name| name.trim_end_matches(".git").to_owned()));
        }
        for used in line.split(".product(name:").skip(1) {
            names.extend(quoted(used).first().map(|name| (*name).to_owned()));
        }
    }
    names
}

/// `pubspec.yaml`: the keys one step below the tables of dependencies. No other YAML is read.
pub(super) fn pub_dart(text: &str) -> Names {
    let mut names = Names::new();
    let mut in_table = false;
    let mut step = None;
    for line in text.lines() {
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let indent = line.len() - content.len();
        let Some((key, _)) = content.split_once(':') else { continue };
        if indent == 0 {
            in_table = matches!(key, "dependencies" | "dev_dependencies");
            step = None;
        } else if in_table && indent == *step.get_or_insert(indent) {
            names.push(key.trim_matches(['"', '\'']).to_owned());
        }
    }
    names
}

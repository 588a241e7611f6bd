//! Manifests that are parsed, and manifests that are scanned line by line.

use serde_json::Value;

use super::scan::{C_STYLE, HASH_STYLE, calls, quoted, without_comments};
use super::{COMMAND, ENTRY, LIBRARY};

type Names = Vec<String>;

fn owned<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
    names.into_iter().map(str::to_owned).collect()
}

/// Lists what a project builds, as far as its manifest says.
fn products(is_command: bool, is_library: bool) -> impl Iterator<Item = String> {
    let named = |says: bool, name: &str| says.then(|| name.to_owned());
    named(is_command, COMMAND).into_iter().chain(named(is_library, LIBRARY))
}

/// Reads `package.json`: dependencies for use and for development, peers and optional ones.
pub(super) fn npm(text: &str) -> Names {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Names::new() };
    let tables = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
    let tables = tables.iter().filter_map(|table| manifest[*table].as_object());
    let has = |field: &str| !manifest[field].is_null();
    // `main` alone means little: `npm init` writes it into every manifest.
    let is_meant_for_others = ["exports", "module", "types", "typings"].into_iter().any(has)
        || (has("main") && has("files"));
    let is_packaged = manifest["private"] != true && !has("bin");
    let is_entry = is_packaged && npm_is_imported(&manifest);
    let is_library = is_packaged && (is_meant_for_others || is_entry);
    let dependencies = tables.flat_map(|table| table.keys().cloned());
    let entry = is_entry.then(|| ENTRY.to_owned());
    dependencies.chain(products(has("bin"), is_library)).chain(entry).collect()
}

/// Tells whether others import the package: it can be published, names its module, and is nothing
/// that is started.
fn npm_is_imported(manifest: &Value) -> bool {
    let is_published = manifest["name"].is_string() && manifest["version"].is_string();
    let is_started = NPM_STARTS.iter().any(|name| !manifest["scripts"][*name].is_null());
    let is_module = match manifest["main"].as_str() {
        Some(main) => !NPM_PROGRAMS.iter().any(|name| main.ends_with(name)),
        None => !manifest["exports"].is_null(),
    };
    is_published && is_module && !is_started
}

/// The names of scripts that start a program.
const NPM_STARTS: [&str; 3] = ["start", "dev", "serve"];
/// The names of modules that are programs.
const NPM_PROGRAMS: [&str; 2] = ["server.js", "app.js"];

/// Reads `Cargo.toml`: dependencies, also for tests, for the build and of one platform.
pub(super) fn cargo(text: &str) -> Names {
    let Ok(manifest) = text.parse::<toml::Table>() else { return Names::new() };
    let mut names = cargo_tables(&manifest);
    if let Some(platforms) = manifest.get("target").and_then(toml::Value::as_table) {
        let platforms = platforms.values().filter_map(toml::Value::as_table);
        names.extend(platforms.flat_map(cargo_tables));
    }
    let categories = manifest.get("package").and_then(|package| package.get("categories"));
    let categories = categories.and_then(toml::Value::as_array).into_iter().flatten();
    let is_command = categories.filter_map(toml::Value::as_str).any(|of| of == CRATES_OF_COMMANDS);
    names.extend(products(is_command, !is_command && manifest.contains_key("lib")));
    names
}

/// The category of commands on crates.io.
const CRATES_OF_COMMANDS: &str = "command-line-utilities";

fn cargo_tables(manifest: &toml::Table) -> Names {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = tables.iter().filter_map(|name| manifest.get(*name)?.as_table());
    let name = |(name, dependency): (&String, &toml::Value)| {
        // A dependency may have another name here than on the registry.
        let original = dependency.get("package").and_then(toml::Value::as_str);
        original.unwrap_or(name).to_owned()
    };
    tables.flat_map(|table| table.iter().map(name)).collect()
}

/// Reads `go.mod`: the last part of each required path that is not a version. Indirect requirements
/// are not this project's.
pub(super) fn go(text: &str) -> Names {
    let mut in_block = false;
    let mut names = Names::new();
    for line in text.lines() {
        let (line, comment) = line.split_once("//").unwrap_or((line, ""));
        let line = line.trim();
        if comment.trim_start().starts_with("indirect") {
            continue;
        }
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

/// Reads `pyproject.toml`: PEP 621 with its extras, PEP 735 groups, and Poetry's tables.
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
    let is_command = [&["project", "scripts"][..], &["tool", "poetry", "scripts"]]
        .iter()
        .any(|path| at(path).is_some());
    let is_packaged = at(&["build-system"]).is_some()
        && at(&["tool", "poetry", "package-mode"]).and_then(toml::Value::as_bool) != Some(false);
    names.extend(products(is_command, is_packaged && !is_command));
    names
}

/// Reads `requirements.txt`: one requirement a line. Options and bare addresses name nothing.
pub(super) fn requirements(text: &str) -> Names {
    let lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
    // `torch @ https://...` names the package at the address.
    let is_bare_address =
        |line: &str| line.split_once("://").is_some_and(|(before, _)| !before.contains('@'));
    let is_one = |line: &&str| !line.starts_with(['#', '-']) && !is_bare_address(line);
    lines.filter(is_one).filter_map(requirement).collect()
}

/// Parses the name at the beginning of a Python requirement.
fn requirement(text: &str) -> Option<String> {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let name: String = text.trim().chars().take_while(|letter| is_of_name(*letter)).collect();
    (!name.is_empty()).then_some(name)
}

/// Reads `Gemfile` and `*.gemspec`: the arguments of `gem` and `add_dependency`.
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

/// Reads `*.gemspec`: its dependencies, and the library that a gem is.
pub(super) fn gemspec(text: &str) -> Names {
    ruby(text).into_iter().chain(products(false, true)).collect()
}

/// Reads `mix.exs`: the atom at the beginning of each tuple of a dependency.
pub(super) fn elixir(text: &str) -> Names {
    let text = without_comments(text, HASH_STYLE);
    let tuples = text.split('{').skip(1).filter_map(|tuple| tuple.trim_start().strip_prefix(':'));
    let atom = |tuple: &str| {
        let end = tuple.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
        let (name, rest) = tuple.split_at(end.unwrap_or(tuple.len()));
        let is_followed = rest.trim_start().starts_with(',');
        (is_followed && !name.is_empty()).then(|| name.to_owned())
    };
    let products = products(text.contains("escript:"), text.contains("package:"));
    tuples.filter_map(atom).chain(products).collect()
}

/// Reads `Package.swift`: the last part of each address, and the products in use.
pub(super) fn swift(text: &str) -> Names {
    let text = without_comments(text, C_STYLE);
    let mut names = Names::new();
    for package in calls(&text, ".package(") {
        let addresses = quoted(package).into_iter().filter(|text| text.contains('/'));
        let last = addresses.filter_map(|address| address.rsplit('/').next());
        names.extend(last.map(|name| name.trim_end_matches(".git").to_owned()));
    }
    for used in calls(&text, ".product(") {
        names.extend(quoted(used).first().map(|name| (*name).to_owned()));
    }
    names.extend(products(text.contains(".executable("), text.contains(".library(")));
    names
}

/// Reads `pubspec.yaml`: the keys one level below the tables of dependencies, and no other YAML.
pub(super) fn pub_dart(text: &str) -> Names {
    let mut names = Names::new();
    let (mut in_table, mut step) = (false, None);
    let (mut has_name, mut is_command, mut is_private) = (false, false, false);
    for line in text.lines() {
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let indent = line.len() - content.len();
        let Some((key, value)) = content.split_once(':') else { continue };
        if indent == 0 {
            in_table = matches!(key, "dependencies" | "dev_dependencies");
            step = None;
            has_name |= key == "name";
            is_command |= key == "executables";
            is_private |= key == "publish_to" && value.contains("none");
        } else if in_table && indent == *step.get_or_insert(indent) {
            names.push(key.trim_matches(['"', '\'']).to_owned());
        }
    }
    names.extend(products(is_command, has_name && !is_private && !is_command));
    names
}

//! Packages of Go: a module without a command is a library, and only its sources tell that.

/// The name of every package that is a command.
const COMMAND: &str = "main";

/// Tells whether sources are those of a library: there is a package, and none is a command.
pub(super) fn is_library<'s>(sources: impl IntoIterator<Item = &'s str>) -> bool {
    let mut packages = sources.into_iter().filter_map(package_of).peekable();
    packages.peek().is_some() && packages.all(|package| package != COMMAND)
}

/// Reads the package that a source belongs to; none for a source that is never built.
fn package_of(source: &str) -> Option<&str> {
    let mut rest = source.trim_start();
    loop {
        if let Some(behind) = rest.strip_prefix("/*") {
            rest = behind.split_once("*/")?.1.trim_start();
            continue;
        }
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        let Some(comment) = line.strip_prefix("//") else {
            let name = line.strip_prefix("package")?.strip_prefix([' ', '\t'])?.trim_start();
            return name.split(|letter: char| !is_of_name(letter)).next();
        };
        if ["go:build ignore", " +build ignore"].contains(&comment.trim_end()) {
            return None;
        }
        rest = behind.trim_start();
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_without_a_command_is_a_library() {
        let table: [(&[&str], bool); 9] = [
            (&["package x\n"], true),
            (&["// Package x does it.\npackage x // import \"y\"\n", "package x_test"], true),
            (&["/* package main\n*/\n\npackage x"], true),
            (&["package x", "//go:build ignore\n\npackage main\n"], true),
            (&["package main\n"], false),
            (&["package x", "package main"], false),
            (&["packages are nice"], false),
            (&["/* package x"], false),
            (&[], false),
        ];
        for (sources, expected) in table {
            assert_eq!(is_library(sources.iter().copied()), expected, "{sources:?}");
        }
    }
}

//! Tells which version of Claude Code is installed, without running it: where the program lies says
//! so, or the package that it came in.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::app::Ctx;

const PROGRAM: &str = "claude";
/// The package of npm, whose name has the machine behind it in packages for one.
const PACKAGE: &str = "@anthropic-ai/claude-code";
const PACKAGE_BYTES_MAX: u64 = 1024 * 1024;
/// How far above the program its package begins: `bin/claude` in one, `claude` in another.
const LEVELS: usize = 2;

/// A version of Claude Code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

/// The first version that reads `settings.local.json` of the main work tree in a linked one, beside
/// that of the linked one and before it.
pub const READS_MAIN_SETTINGS: Version = Version(2, 1, 211);

impl Version {
    fn parse(text: &str) -> Option<Version> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        let version = Version(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// Finds the version of the program that these directories have; none if there is none, or if it
/// cannot be told.
pub fn version(ctx: &Ctx, search_path: &[PathBuf]) -> Option<Version> {
    let mut programs = search_path.iter().map(|directory| directory.join(PROGRAM));
    let program = programs.find(|path| path.is_file())?.canonicalize().ok()?;
    version_at(&program, |path| ctx.files.read(path, PACKAGE_BYTES_MAX).ok().flatten())
}

/// Reads the version off the path of a program, or off the package around it.
fn version_at(program: &Path, read: impl Fn(&Path) -> Option<Vec<u8>>) -> Option<Version> {
    let mut named = program.ancestors().take(LEVELS).filter_map(Path::file_name);
    named.find_map(|name| Version::parse(name.to_str()?)).or_else(|| {
        let mut around = program.ancestors().skip(1).take(LEVELS);
        around.find_map(|directory| version_in(&read(&directory.join("package.json"))?))
    })
}

fn version_in(package: &[u8]) -> Option<Version> {
    let package: Value = serde_json::from_slice(package).ok()?;
    package["name"].as_str().filter(|name| name.starts_with(PACKAGE))?;
    Version::parse(package["version"].as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_off_the_place_or_the_package() {
        let npm = r#"{"name":"@anthropic-ai/claude-code","version":"2.1.197"}"#;
        let machine = r#"{"name":"@anthropic-ai/claude-code-linux-x64","version":"2.1.211"}"#;
        let other = r#"{"name":"tool","version":"3.0.0"}"#;
        for (program, package, version) in [
            ("share/claude/versions/2.1.326", None, Some(Version(2, 1, 326))),
            ("Caskroom/claude-code/2.1.300/claude", None, Some(Version(2, 1, 300))),
            ("p/bin/claude.exe", Some(("p/package.json", npm)), Some(Version(2, 1, 197))),
            ("p/claude", Some(("p/package.json", machine)), Some(Version(2, 1, 211))),
            ("p/claude", Some(("p/package.json", other)), None),
            ("p/claude", Some(("p/package.json", "{")), None),
            ("node/20.1.0/lib/bin/claude", None, None),
            ("bin/claude", None, None),
        ] {
            let read = |path: &Path| {
                package.filter(|(at, _)| Path::new(at) == path).map(|(_, text)| text.into())
            };
            assert_eq!(version_at(Path::new(program), read), version, "{program}");
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(Version::parse("2.1.99") < Some(READS_MAIN_SETTINGS));
        assert!(Version::parse("2.2.0") > Some(READS_MAIN_SETTINGS));
        assert_eq!(Version::parse("2.1.326").unwrap().to_string(), "2.1.326");
        for text in ["", "2.1", "2.1.3.4", "v2.1.3", "2.1.x"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}

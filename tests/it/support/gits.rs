//! The gits of this machine. A test that needs a newer git is skipped with a message.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::notice::say;

/// Directories that may contain a git besides those of `PATH`.
const USUAL_PLACES: [&str; 4] =
    ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin", "/opt/local/bin"];

/// The first two numbers of a git's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) u32, pub(crate) u32);

/// A git of this machine.
#[derive(Debug)]
pub(crate) struct Git {
    pub(crate) program: PathBuf,
    pub(crate) version: Version,
    /// The output of `git version`, for messages.
    pub(crate) name: String,
}

/// Lists one git of each version, the first on `PATH` first.
pub(crate) fn gits() -> &'static [Git] {
    static GITS: OnceLock<Vec<Git>> = OnceLock::new();
    GITS.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = std::env::split_paths(&path).chain(USUAL_PLACES.map(PathBuf::from));
        let mut seen = BTreeSet::new();
        let all = places.filter_map(|place| git_at(&place.join("git")));
        all.filter(|git| seen.insert(git.name.clone())).collect()
    })
}

/// Finds the first git that is new enough. If there is none, reports what is skipped.
pub(crate) fn git_since(needed: Version, what: &str) -> Option<&'static Git> {
    let found = gits().iter().find(|git| git.version >= needed);
    if found.is_none() {
        skip(&format!("{what} needs git {}.{}", needed.0, needed.1));
    }
    found
}

/// Reports why something was not tested.
pub(crate) fn skip(reason: &str) {
    say(&format!("skipped: {reason}"));
}

fn git_at(program: &Path) -> Option<Git> {
    let output = Command::new(program).arg("version").env_clear().output().ok()?;
    let name = String::from_utf8(output.stdout).ok()?.trim_end().to_owned();
    let version = version_in(&name)?;
    Some(Git { program: program.to_owned(), version, name })
}

fn version_in(name: &str) -> Option<Version> {
    let mut numbers = name.strip_prefix("git version ")?.split('.');
    Some(Version(numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[test]
fn versions_are_compared_as_numbers() {
    assert_eq!(version_in("git version 2.39.5 (Apple Git-154)"), Some(Version(2, 39)));
    assert!(version_in("git version 2.9.1") < version_in("git version 2.39.5"));
    assert_eq!(version_in("hg 7.0"), None);
    assert!(!gits().is_empty(), "the tests need a git");
}

#[test]
fn a_repository_can_be_used_with_each_git() {
    for git in gits() {
        let repo = super::Repo::new();
        repo.prefer(git);
        assert_eq!(repo.git(["version"]), git.name);
        let seen_by_the_program = repo.call("").program("sh").args(["-c", "git version"]);
        assert_eq!(seen_by_the_program.run().done().stdout.trim_end(), git.name);
    }
}

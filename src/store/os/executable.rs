//! Finds programs in the absolute directories of `PATH`.
//!
//! A relative entry such as `.`, `bin` or an empty one depends on the current directory. Hooks run
//! where a file is edited, so a program that came with a clone would be run instead of the intended
//! one.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::core::environment::Environment;

/// The directories to search if `PATH` is not set.
const USUAL: &str = "/usr/local/bin:/usr/bin:/bin";

/// Prepares a call of a program by its name, in an environment: with the variables, the directory
/// and the `PATH` of it, and nothing of this process.
pub fn command_in(name: &str, environment: &Environment) -> Command {
    let path = absolute_entries(environment.os("PATH"));
    let mut command = Command::new(resolve_in(OsStr::new(name), &path));
    command.env_clear().envs(environment.variables()).env("PATH", path);
    if let Some(directory) = environment.directory() {
        command.current_dir(directory);
    }
    command
}

/// Prepares a call of a program of the system by its name, with the variables of this process.
/// Neither the program nor those that it starts are searched below the current directory.
pub fn command(name: &str) -> Command {
    let mut command = Command::new(resolve(OsStr::new(name)));
    command.env("PATH", search_path());
    command
}

/// Resolves a word of a command line: a path stays, a name is searched in `PATH`.
pub fn resolve(word: &OsStr) -> PathBuf {
    resolve_in(word, search_path())
}

fn resolve_in(word: &OsStr, path: &OsStr) -> PathBuf {
    if word.as_encoded_bytes().contains(&b'/') {
        return PathBuf::from(word);
    }
    let found = lookup(word, path, is_executable);
    // A name that is not found becomes a path that does not exist, so that the system does not
    // search any further.
    found.unwrap_or_else(|| Path::new("/").join(word))
}

/// Returns the absolute directories of this process's `PATH`, as a value of that variable.
pub fn search_path() -> &'static OsStr {
    static PATH: OnceLock<OsString> = OnceLock::new();
    PATH.get_or_init(|| absolute_entries(std::env::var_os("PATH").as_deref()))
}

/// Drops the relative entries.
fn absolute_entries(path: Option<&OsStr>) -> OsString {
    let path = path.unwrap_or(OsStr::new(USUAL));
    let entries = std::env::split_paths(path).filter(|entry| entry.is_absolute());
    std::env::join_paths(entries).unwrap_or_else(|_| OsString::from(USUAL))
}

/// Finds the first program of this name.
fn lookup(name: &OsStr, path: &OsStr, is_program: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    std::env::split_paths(path).map(|entry| entry.join(name)).find(|file| is_program(file))
}

fn is_executable(file: &Path) -> bool {
    let metadata = file.metadata();
    metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_depend_on_where_one_stands_are_left_out() {
        for (path, expected) in [
            (".:/usr/bin", "/usr/bin"),
            (":/usr/bin:", "/usr/bin"),
            ("bin:/a:./b:../c:/d", "/a:/d"),
            ("/a::/b", "/a:/b"),
            (".", ""),
        ] {
            assert_eq!(absolute_entries(Some(OsStr::new(path))), expected, "{path}");
        }
        assert_eq!(absolute_entries(None), USUAL);
    }

    #[test]
    fn the_first_program_of_a_name_is_found() {
        let is_program = |file: &Path| file == Path::new("/b/x") || file == Path::new("/c/x");
        let look = |name: &str| lookup(OsStr::new(name), OsStr::new("/a:/b:/c"), is_program);
        assert_eq!(look("x"), Some(PathBuf::from("/b/x")));
        assert_eq!(look("y"), None);
        assert_eq!(resolve(OsStr::new("./x")), Path::new("./x"), "a path is what it is");
        assert_eq!(resolve(OsStr::new("no such program")), Path::new("/no such program"));
    }
}

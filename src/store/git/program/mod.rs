//! The `git` program, for repositories that libgit2 cannot open.
//!
//! [`rev_parse`] finds a repository, [`objects`] reads its objects, [`refs`] moves refs that are
//! not files, [`config_overrides`] keeps git from running other programs, and [`running`] ends gits
//! together with this process. Only this directory calls git.

pub mod config_overrides;
mod local_config;
pub mod objects;
mod queries;
pub mod refs;
pub mod rev_parse;
pub mod running;
mod trailers;

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::rc::Rc;

use self::config_overrides::{ConfigOverrides, Fetching, forbid_fetching};
pub use self::trailers::add_trailers;
use crate::core::environment::Environment;
use crate::store::git::config_entries::{Entry, of_listing};
use crate::store::git::object::ObjectId;
use crate::store::os::executable;

/// Set for each git that this program calls. The hook that git runs for it has nothing to do, and
/// must not call git in turn.
pub const INNER_VARIABLE: &str = "GIT_COORD_INNER";

/// Variables that would direct git to something else than the repository that was found. Variables
/// with configuration stay: `git -c` applies to this program too.
const REPOSITORY_VARIABLES: [&str; 11] = [
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// The reason that a call of git failed.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// Git does not exist or cannot be run.
    #[error("cannot run git, which this repository needs: {0}")]
    NotStarted(#[source] io::Error),
    /// Git reported a failure.
    #[error("git {verb} failed: {}", first_sentence(words))]
    Failed {
        /// The subcommand.
        verb: String,
        /// The error output.
        words: String,
    },
    /// Git stopped early, or gave an undocumented answer.
    #[error("git {verb} gave no proper answer: {why}")]
    InvalidAnswer {
        /// The subcommand.
        verb: &'static str,
        why: String,
    },
}

/// Git, for one repository.
#[derive(Clone, Debug)]
pub struct Program {
    /// The value of `GIT_DIR`.
    git_dir: PathBuf,
    /// The variables and the directory of each call.
    environment: Environment,
    config_overrides: Rc<ConfigOverrides>,
}

impl Program {
    /// Calls git for the repository with this git directory. With the common directory, all
    /// worktrees are equal, as they are for a ledger.
    pub fn new(
        git_dir: &Path,
        environment: &Environment,
        config_overrides: Rc<ConfigOverrides>,
    ) -> Program {
        let (git_dir, environment) = (git_dir.to_owned(), environment.clone());
        Program { git_dir, environment, config_overrides }
    }

    /// Tells whether git may fetch the objects that a partial clone lacks.
    pub(in crate::store) fn fetching(&self) -> Fetching {
        self.config_overrides.fetching
    }

    pub(in crate::store) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Builds a call. It names the repository instead of letting git search for it, so the caller
    /// must have checked its ownership before.
    pub(in crate::store) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = named(&self.git_dir, arguments, &self.environment);
        self.config_overrides.apply(&mut command, &self.environment);
        command
    }

    /// Calls git and returns its output, if it succeeds.
    pub(in crate::store) fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, ProgramError> {
        answer(self.command(arguments))
    }
}

impl Program {
    /// Lists the tracked paths of an index, each terminated by a NUL.
    pub(in crate::store) fn tracked(&self, index: &Path) -> Result<Vec<u8>, ProgramError> {
        let mut command = self.command(&["ls-files", "-z", "--cached", "--full-name"]);
        // Outside of a work tree, git lists all paths.
        command.env("GIT_INDEX_FILE", index).current_dir(&self.git_dir);
        answer(command)
    }

    /// Lists all commits of the object store, reachable or not. Git skips unreadable objects.
    pub(in crate::store) fn all_commits(&self) -> Result<Vec<ObjectId>, ProgramError> {
        let check = "--batch-check=%(objecttype) %(objectname)";
        // Not with `--unordered`: in the order of the packs, git would stop at the first one that
        // it cannot open.
        let mut command = self.command(&["cat-file", "--batch-all-objects", check]);
        forbid_fetching(&mut command);
        let listed = answer(command)?;
        let listed = String::from_utf8_lossy(&listed);
        let commits = listed.lines().filter_map(|line| line.strip_prefix("commit "));
        Ok(commits.filter_map(|id| id.parse().ok()).collect())
    }

    /// Tells whether every object that is reachable from this one exists. Git itself checks this
    /// before it accepts an object.
    pub(in crate::store) fn is_connected(&self, id: &ObjectId) -> Result<bool, ProgramError> {
        match self.ask(&["rev-list", "--objects", "--quiet", &id.to_string()]) {
            Ok(_) => Ok(true),
            Err(ProgramError::Failed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Measures the disk space of the history up to a commit, without the objects that the commit's
    /// own tree needs.
    pub(in crate::store) fn history_disk_usage(&self, end: &ObjectId) -> Result<u64, ProgramError> {
        let (commit, tree) = (end.to_string(), format!("{end}^{{tree}}"));
        self.disk_usage(&[&commit, "--not", &tree])
    }

    /// Measures the disk space of the objects that only these refs lead to.
    pub(in crate::store) fn disk_usage_without(
        &self,
        references: &[String],
    ) -> Result<u64, ProgramError> {
        let others = references.iter().map(|name| format!("--exclude={name}"));
        let (not, all) = ("--not".to_owned(), "--all".to_owned());
        let words: Vec<String> =
            references.iter().cloned().chain([not]).chain(others).chain([all]).collect();
        self.disk_usage(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn disk_usage(&self, range: &[&str]) -> Result<u64, ProgramError> {
        let said = self.ask(&[&["rev-list", "--objects", "--disk-usage"], range].concat())?;
        let said = String::from_utf8_lossy(&said);
        said.trim().parse().map_err(|_| ProgramError::InvalidAnswer {
            verb: "rev-list",
            why: "its answer is no number".to_owned(),
        })
    }

    /// Lists the refs below a prefix.
    pub fn refs_below(&self, prefix: &str) -> Result<Vec<String>, ProgramError> {
        let listed = self.ask(&["for-each-ref", "--format=%(refname)", prefix])?;
        Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
    }

    /// Lists the paths of a work tree that differ from the index or are untracked, and those whose
    /// index entry differs from `HEAD`. Ignored paths are left out.
    pub(in crate::store) fn changed(&self, top: &Path) -> Result<Vec<Vec<u8>>, ProgramError> {
        let mut command = self.command(&[
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=all",
        ]);
        command.env("GIT_WORK_TREE", top).current_dir(top);
        let listed = answer(command)?;
        // Two letters and a space precede each path.
        let lines = listed.split(|byte| *byte == 0).filter(|line| line.len() > 3);
        Ok(lines.map(|line| line[3..].to_vec()).collect())
    }

    /// Lists those of the paths that differ from the commit, each behind git's two letters and a
    /// space.
    pub(in crate::store) fn states(
        &self,
        top: &Path,
        paths: &[&[u8]],
    ) -> Result<Vec<u8>, ProgramError> {
        let mut command = self.command(&["--literal-pathspecs", "status", "--porcelain=v1", "-z"]);
        command.args(["--no-renames", "--untracked-files=all", "--ignore-submodules=all", "--"]);
        command.args(paths.iter().map(|path| OsStr::from_bytes(path)));
        command.env("GIT_WORK_TREE", top).current_dir(top);
        answer(command)
    }

    /// Tells whether a path of the work tree is ignored. A tracked path is not.
    pub fn ignores(&self, top: &Path, path: &Path) -> Result<bool, ProgramError> {
        let mut command = self.command(&["check-ignore", "--quiet", "--"]);
        // Without `./`, a leading colon would be pathspec magic, which this command cannot switch
        // off.
        command.arg(Path::new(".").join(path)).env("GIT_WORK_TREE", top);
        let output = running::output(command.current_dir(top))?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(failure(&command, &output)),
        }
    }

    /// Tells whether a path, relative to the top of the work tree, is a symbolic link in the index.
    pub fn tracks_link(&self, top: &Path, path: &Path) -> Result<bool, ProgramError> {
        let mut command = self.command(&["--literal-pathspecs", "ls-files", "--stage", "-z", "--"]);
        command.arg(path).env("GIT_WORK_TREE", top).current_dir(top);
        let listed = answer(command)?;
        let end = [b"\t", path.as_os_str().as_encoded_bytes()].concat();
        let is_it = |line: &[u8]| line.starts_with(b"120000 ") && line.ends_with(&end);
        Ok(listed.split(|byte| *byte == 0).any(is_it))
    }
}

/// Lists all settings of the repository with their scopes, in ascending precedence.
pub(in crate::store) fn configuration(
    git_dir: &Path,
    environment: &Environment,
) -> Result<Vec<Entry>, ProgramError> {
    let list = ["config", "--list", "--null", "--show-scope"];
    let mut command = named(git_dir, &list, environment);
    forbid_fetching(&mut command);
    Ok(of_listing(&answer(command)?))
}

/// Parses the output of `git config --list --null`.
fn pairs(listed: &[u8]) -> Vec<(String, String)> {
    let listed = String::from_utf8_lossy(listed);
    let pairs = listed.split_terminator('\0').map(|pair| match pair.split_once('\n') {
        Some((key, value)) => (key.to_owned(), value.to_owned()),
        // A key without a value is `true`.
        None => (pair.to_owned(), "true".to_owned()),
    });
    pairs.collect()
}

/// Returns the version of the git that an environment finds.
pub fn version(environment: &Environment) -> Result<String, ProgramError> {
    let mut command = git(environment);
    command.arg("version");
    let said = answer(command)?;
    let said = String::from_utf8_lossy(&said);
    Ok(said.trim().trim_start_matches("git version ").to_owned())
}

/// Returns the first two numbers of git's version.
pub fn version_numbers(environment: &Environment) -> Result<(u32, u32), ProgramError> {
    Ok(numbers(&version(environment)?))
}

/// Parses the first two numbers of a version. A part that is not a number is zero.
pub fn numbers(version: &str) -> (u32, u32) {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Builds a call for the repository with this git directory, regardless of the caller's variables
/// for another one.
fn named(git_dir: &Path, arguments: &[&str], environment: &Environment) -> Command {
    let mut command = git(environment);
    for name in REPOSITORY_VARIABLES {
        command.env_remove(name);
    }
    command.args(arguments);
    command.env("GIT_DIR", git_dir);
    // A replaced object would not match its id.
    command.env("GIT_NO_REPLACE_OBJECTS", "1");
    command
}

/// Builds a call in the caller's directory and with the caller's variables, which need not be those
/// of this process.
fn git(environment: &Environment) -> Command {
    let mut command = executable::command_in("git", environment);
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
    command.env(INNER_VARIABLE, "1");
    command.stdin(Stdio::null());
    command
}

pub(in crate::store) fn answer(mut command: Command) -> Result<Vec<u8>, ProgramError> {
    let output = running::output(&mut command)?;
    if output.status.success() { Ok(output.stdout) } else { Err(failure(&command, &output)) }
}

fn failure(command: &Command, output: &Output) -> ProgramError {
    let given: Vec<&str> = command.get_args().filter_map(OsStr::to_str).collect();
    let is_setting = |at: usize| given[at] == "-c" || (at > 0 && given[at - 1] == "-c");
    let verb = (0..given.len()).find(|at| !is_setting(*at)).map_or("", |at| given[at]);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    ProgramError::Failed { verb: verb.to_owned(), words }
}

/// Returns the first line of git's error output without its prefix. The lines after it are advice.
pub(in crate::store) fn first_sentence(words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return "it did not say why".to_owned() };
    let prefixes = ["fatal: ", "error: "];
    let first = prefixes.iter().find_map(|prefix| first.strip_prefix(prefix)).unwrap_or(first);
    // Git names an unknown thing on a line of its own.
    match lines.next() {
        Some(second) if first.ends_with(':') => format!("{first} {second}"),
        _ => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_said_is_its_first_sentence() {
        for (stderr, expected) in [
            ("fatal: no such ref: x\nhint: try y\n", "no such ref: x"),
            ("fatal: unknown extension found:\n\tfoo\n", "unknown extension found: foo"),
            ("\nplain words\n", "plain words"),
            ("", "it did not say why"),
        ] {
            assert_eq!(first_sentence(stderr), expected, "{stderr:?}");
        }
    }

    #[test]
    fn a_failure_names_the_subcommand() {
        let home = tempfile::tempdir().unwrap();
        let program = Program::new(home.path(), &Environment::default(), Rc::default());
        let error = program.ask(&["cat-file", "-t", "x"]).unwrap_err();
        assert!(error.to_string().starts_with("git cat-file failed: "), "{error}");
    }
}

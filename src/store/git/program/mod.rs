//! The `git` program: what it is asked where libgit2 does not know the repository.
//!
//! [`facts`] finds a repository, [`objects`] reads its objects, [`refs`] its refs where they are no
//! files, [`restraint`] is what it is kept from, and [`running`] is what has to end with us. This
//! file calls git, and nothing else does.

pub mod facts;
mod local;
pub mod objects;
pub mod refs;
pub mod restraint;
pub mod running;
mod sources;
mod trailers;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::rc::Rc;

use self::restraint::{Fetching, Restraint, forbid_fetching};
pub use self::trailers::add_trailers;
use crate::store::git::config_entries::{Entry, of_listing};
use crate::store::git::object::ObjectId;
use crate::store::os::executable;

/// Variables that would point git at something else than the repository that was found. Those
/// that carry configuration stay: `git -c` is meant for us as well.
const ELSEWHERE: [&str; 11] = [
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

/// Why git did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// There is no git, or it cannot be run.
    #[error("cannot run git, which this repository needs: {0}")]
    NotStarted(#[source] io::Error),
    /// It said no.
    #[error("git {verb} failed: {}", first_sentence(words))]
    Failed {
        /// Which subcommand.
        verb: String,
        /// All that it said.
        words: String,
    },
    /// It stopped in the middle, or answered something else than documented.
    #[error("git {verb} gave no proper answer: {why}")]
    Garbled {
        /// Which subcommand.
        verb: &'static str,
        /// What was wrong.
        why: String,
    },
}

/// Git, for one repository.
#[derive(Clone, Debug)]
pub struct Program {
    /// The directory that is its `GIT_DIR`.
    git_dir: PathBuf,
    /// What it is kept from.
    restraint: Rc<Restraint>,
}

impl Program {
    /// Git for the repository with this git directory. Given the common one, all worktrees are the
    /// same to it, as they are to a ledger.
    pub fn new(git_dir: &Path, restraint: Rc<Restraint>) -> Program {
        Program { git_dir: git_dir.to_owned(), restraint }
    }

    /// Whether it may fetch what a partial clone has left behind.
    pub(in crate::store) fn fetching(&self) -> Fetching {
        self.restraint.fetching
    }

    /// The directory that is its `GIT_DIR`.
    pub(in crate::store) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// A call that has not been made yet. The repository is named, not looked for, so git's
    /// question whose it is has to be settled before.
    pub(in crate::store) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = named(&self.git_dir, arguments);
        self.restraint.apply(&mut command);
        command
    }

    /// What the call prints, if it succeeds.
    pub(in crate::store) fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, ProgramError> {
        answer(self.command(arguments))
    }
}

impl Program {
    /// The tracked paths in that index, each with a NUL after it.
    pub(in crate::store) fn tracked(&self, index: &Path) -> Result<Vec<u8>, ProgramError> {
        let mut command = self.command(&["ls-files", "-z", "--cached", "--full-name"]);
        // Without a work tree to be inside of, all paths are listed.
        command.env("GIT_INDEX_FILE", index).current_dir(&self.git_dir);
        answer(command)
    }

    /// Every commit of the store, reachable or not. What git cannot read it passes over.
    pub(in crate::store) fn every_commit(&self) -> Result<Vec<ObjectId>, ProgramError> {
        let check = "--batch-check=%(objecttype) %(objectname)";
        // In the order of the packs, git would stop at the first pack that it cannot open.
        let mut command = self.command(&["cat-file", "--batch-all-objects", check]);
        forbid_fetching(&mut command);
        let listed = answer(command)?;
        let listed = String::from_utf8_lossy(&listed);
        let commits = listed.lines().filter_map(|line| line.strip_prefix("commit "));
        Ok(commits.filter_map(|id| id.parse().ok()).collect())
    }

    /// Whether everything that an object leads to is there: git's own test before it accepts one.
    pub(in crate::store) fn is_connected(&self, id: &ObjectId) -> Result<bool, ProgramError> {
        match self.ask(&["rev-list", "--objects", "--quiet", &id.to_string()]) {
            Ok(_) => Ok(true),
            Err(ProgramError::Failed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The room on disk of the history that ends with a commit, without what that commit needs of
    /// it.
    pub(in crate::store) fn room_of_history(&self, end: &ObjectId) -> Result<u64, ProgramError> {
        let (commit, tree) = (end.to_string(), format!("{end}^{{tree}}"));
        let said = self.ask(&["rev-list", "--objects", "--disk-usage", &commit, "--not", &tree])?;
        let said = String::from_utf8_lossy(&said);
        said.trim().parse().map_err(|_| ProgramError::Garbled {
            verb: "rev-list",
            why: "its answer is no number".to_owned(),
        })
    }

    /// Every ref below that prefix.
    pub fn refs_below(&self, prefix: &str) -> Result<Vec<String>, ProgramError> {
        let listed = self.ask(&["for-each-ref", "--format=%(refname)", prefix])?;
        Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
    }

    /// The paths of the work tree with that top that differ from the index or are not in it and
    /// not ignored, and those whose index differs from `HEAD`.
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
        // Two letters and a space stand before each path.
        let lines = listed.split(|byte| *byte == 0).filter(|line| line.len() > 3);
        Ok(lines.map(|line| line[3..].to_vec()).collect())
    }

    /// Whether the path of the work tree with that top is ignored, and not tracked all the same.
    pub fn ignores(&self, top: &Path, path: &Path) -> Result<bool, ProgramError> {
        let mut command = self.command(&["check-ignore", "--quiet", "--"]);
        // A colon at the beginning would be magic, which this command cannot be told to leave.
        command.arg(Path::new(".").join(path)).env("GIT_WORK_TREE", top);
        let output = running::output(command.current_dir(top))?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(failure(&command, &output)),
        }
    }

    /// Whether that path, from the top of the work tree, is a symbolic link in the index.
    pub fn tracks_link(&self, top: &Path, path: &Path) -> Result<bool, ProgramError> {
        let mut command = self.command(&["--literal-pathspecs", "ls-files", "--stage", "-z", "--"]);
        command.arg(path).env("GIT_WORK_TREE", top).current_dir(top);
        let listed = answer(command)?;
        let end = [b"\t", path.as_os_str().as_encoded_bytes()].concat();
        let is_it = |line: &[u8]| line.starts_with(b"120000 ") && line.ends_with(&end);
        Ok(listed.split(|byte| *byte == 0).any(is_it))
    }
}

/// All settings of the repository with that git directory, weaker ones first, and who has set each.
pub(in crate::store) fn configuration(git_dir: &Path) -> Result<Vec<Entry>, ProgramError> {
    let mut command = named(git_dir, &["config", "--list", "--null", "--show-scope"]);
    forbid_fetching(&mut command);
    Ok(of_listing(&answer(command)?))
}

/// Keys with their values, as `git config --list --null` tells them.
fn pairs(listed: &[u8]) -> Vec<(String, String)> {
    let listed = String::from_utf8_lossy(listed);
    let pairs = listed.split_terminator('\0').map(|pair| match pair.split_once('\n') {
        Some((key, value)) => (key.to_owned(), value.to_owned()),
        // A key without value is `true`.
        None => (pair.to_owned(), "true".to_owned()),
    });
    pairs.collect()
}

/// Which git there is.
pub fn version() -> Result<String, ProgramError> {
    let mut command = git();
    command.arg("version");
    let said = answer(command)?;
    let said = String::from_utf8_lossy(&said);
    Ok(said.trim().trim_start_matches("git version ").to_owned())
}

/// The first two numbers of its version.
pub fn version_numbers() -> Result<(u32, u32), ProgramError> {
    Ok(numbers(&version()?))
}

/// The first two numbers of a version; what is no number is zero.
pub fn numbers(version: &str) -> (u32, u32) {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Git for the repository with that git directory, whatever the caller's variables say.
fn named(git_dir: &Path, arguments: &[&str]) -> Command {
    let mut command = git();
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command.args(arguments);
    command.env("GIT_DIR", git_dir);
    // A replaced object is another one than its name says.
    command.env("GIT_NO_REPLACE_OBJECTS", "1");
    command
}

/// Git in the current directory and with the caller's variables, to find what they mean.
fn git() -> Command {
    let mut command = executable::command("git");
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
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

/// The first line of what git says, without its prefix: the lines after it are advice.
pub(in crate::store) fn first_sentence(words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return "it did not say why".to_owned() };
    let prefixes = ["fatal: ", "error: "];
    let first = prefixes.iter().find_map(|prefix| first.strip_prefix(prefix)).unwrap_or(first);
    // git names what it does not know on a line of its own.
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
        let error =
            Program::new(home.path(), Rc::default()).ask(&["cat-file", "-t", "x"]).unwrap_err();
        assert!(error.to_string().starts_with("git cat-file failed: "), "{error}");
    }
}

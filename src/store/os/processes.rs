//! The processes of this host that may work in a repository.
//!
//! Nothing records the owner of git's locks: git closes a lock file long before it is done with it.
//! So every git that may work in the repository counts, and so does every process that has the file
//! open. If the system hides something about a git, the git counts.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::core::text::shown;

/// The options of git whose value is the next word.
const OPTIONS_WITH_VALUE: [&str; 7] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"];

/// A process that runs or is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    pub pid: u32,
    pub program: String,
    /// Set if the process is stopped, as by Ctrl-Z.
    pub is_stopped: bool,
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stopped = if self.is_stopped { ", stopped" } else { "" };
        write!(f, "process {} ({}{stopped})", self.pid, shown(&self.program))
    }
}

/// The properties of a process. `None` means that the system hides a property.
#[derive(Clone, Debug)]
struct ProcessInfo {
    running: Running,
    /// The current directory.
    directory: Option<PathBuf>,
    /// The program and its arguments.
    words: Option<Vec<String>>,
    /// The repositories that its environment directs a git to.
    git_paths: Option<Vec<PathBuf>>,
    /// Set if it has one of the files open that waiters have.
    is_waiting: bool,
}

impl ProcessInfo {
    /// Tells whether the process may be about to write to one of these directories.
    fn may_write_in(&self, places: &[PathBuf]) -> bool {
        let program = &self.running.program;
        let is_git = program == "git" || program.starts_with("git-");
        if !is_git || self.is_a_wrapper() || self.is_asleep() {
            return false;
        }
        let (Some(directory), Some(words), Some(git_paths)) =
            (&self.directory, &self.words, &self.git_paths)
        else {
            return true;
        };
        // Compares the path as it is spelled, and with links and `..` resolved.
        let is_in = |path: &Path| {
            let spelled = directory.join(path);
            let resolved = spelled.canonicalize();
            let resolved = resolved.as_deref().unwrap_or(&spelled);
            places.iter().any(|place| spelled.starts_with(place) || resolved.starts_with(place))
        };
        let names =
            |word: &String| places.iter().any(|place| word.contains(&*place.to_string_lossy()));
        is_in(directory) || words.iter().any(names) || git_paths.iter().any(|path| is_in(path))
    }

    /// Tells whether this is a git that has started this program and only waits for its end.
    fn is_a_wrapper(&self) -> bool {
        self.running.program == "git" && self.words.as_deref().and_then(command_of) == Some("coord")
    }

    /// Tells whether this is one of our processes that waits in line and sleeps.
    fn is_asleep(&self) -> bool {
        self.running.program == "git-coord" && self.is_waiting && !self.running.is_stopped
    }
}

/// Finds the subcommand of a git: the first word that is neither an option nor its value.
fn command_of(words: &[String]) -> Option<&str> {
    let mut words = words.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        if OPTIONS_WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

/// Lists the processes that may be about to write to one of these directories, except this process
/// and its ancestors. A process that has a file below `line` open is a waiter.
pub fn writing_in(places: &[PathBuf], line: &Path) -> Vec<Running> {
    let all = system::all(line);
    let mut ours = vec![std::process::id()];
    while let Some(parent) = ours.last().copied().and_then(system::parent_of) {
        if parent == 0 || ours.contains(&parent) {
            break;
        }
        ours.push(parent);
    }
    let others = all.into_iter().filter(|info| !ours.contains(&info.running.pid));
    others.filter(|info| info.may_write_in(places)).map(|info| info.running).collect()
}

/// Lists the visible processes that have a file open.
pub fn holding_open(path: &Path) -> Vec<Running> {
    system::holding_open(path)
}

/// Tells whether a process is stopped, as by Ctrl-Z, until it is continued.
pub fn is_stopped(pid: u32) -> bool {
    system::is_stopped(pid)
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::OsStr;
    use std::fs;
    use std::io;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::{Path, PathBuf};

    use super::{ProcessInfo, Running};

    /// The variables that direct a git to a repository.
    const GIT_VARIABLES: [&str; 3] = ["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"];

    fn numbers() -> Vec<u32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }

    fn field(pid: u32, name: &str) -> Option<String> {
        let status = fs::read(format!("/proc/{pid}/status")).ok()?;
        let status = String::from_utf8_lossy(&status);
        let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.map(|value| value.trim().to_owned())
    }

    pub(super) fn parent_of(pid: u32) -> Option<u32> {
        field(pid, "PPid")?.parse().ok()
    }

    pub(super) fn is_stopped(pid: u32) -> bool {
        field(pid, "State").is_some_and(|state| state.starts_with('T'))
    }

    /// Reads the state of a process; `None` if it has ended.
    fn running(pid: u32) -> Option<Running> {
        let state = field(pid, "State")?;
        let has_ended = state.starts_with(['Z', 'X']);
        let program = field(pid, "Name")?;
        (!has_ended).then(|| Running { pid, program, is_stopped: state.starts_with('T') })
    }

    fn opened(pid: u32) -> impl Iterator<Item = PathBuf> {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files.map(|file| file.path())
    }

    /// The process is exiting and does nothing any more.
    struct Ending;

    /// Distinguishes the properties that a live process hides from those of an exiting one. For the
    /// latter the kernel has freed the memory and reports that the process does not exist, although
    /// it still lists it.
    fn unless_hidden<T>(read: io::Result<T>) -> Result<Option<T>, Ending> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
            Err(_) => Err(Ending),
        }
    }

    fn zero_ended(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        bytes.split(|byte| *byte == 0)
    }

    fn git_paths(environment: &[u8]) -> Vec<PathBuf> {
        let path = |variable: &[u8]| {
            let (name, value) = variable.split_at(variable.iter().position(|b| *b == b'=')?);
            let leads = GIT_VARIABLES.iter().any(|variable| variable.as_bytes() == name);
            leads.then(|| PathBuf::from(OsStr::from_bytes(&value[1..])))
        };
        zero_ended(environment).filter_map(path).collect()
    }

    fn words(command_line: &[u8]) -> Vec<String> {
        let word = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
        zero_ended(command_line).map(word).collect()
    }

    fn info(pid: u32, line: &Path) -> Result<ProcessInfo, Ending> {
        running(pid).ok_or(Ending)?;
        let read = |file: &str| unless_hidden(fs::read(format!("/proc/{pid}/{file}")));
        let in_line = |file: PathBuf| fs::read_link(file).is_ok_and(|at| at.starts_with(line));
        let words = read("cmdline")?.map(|bytes| words(&bytes));
        let git_paths = read("environ")?.map(|bytes| git_paths(&bytes));
        let directory = unless_hidden(fs::read_link(format!("/proc/{pid}/cwd")))?;
        let is_waiting = opened(pid).any(in_line);
        // A process that has ended meanwhile is reported as ending.
        let running = running(pid).ok_or(Ending)?;
        Ok(ProcessInfo { running, directory, words, git_paths, is_waiting })
    }

    pub(super) fn all(line: &Path) -> Vec<ProcessInfo> {
        numbers().into_iter().filter_map(|pid| info(pid, line).ok()).collect()
    }

    pub(super) fn holding_open(path: &Path) -> Vec<Running> {
        let Ok(sought) = fs::metadata(path) else { return Vec::new() };
        let is_it = |file: PathBuf| {
            // Examining any other file may block on a disk that does not answer.
            let is_called_so =
                fs::read_link(&file).is_ok_and(|at| at.file_name() == path.file_name());
            if !is_called_so {
                return false;
            }
            let found = fs::metadata(file);
            found.is_ok_and(|found| (found.dev(), found.ino()) == (sought.dev(), sought.ino()))
        };
        let has_it = |pid: &u32| opened(*pid).any(is_it);
        let others = numbers().into_iter().filter(|pid| *pid != std::process::id());
        others.filter(has_it).filter_map(running).collect()
    }

    #[cfg(test)]
    mod tests {
        use std::process::{Command, Stdio};

        use super::*;

        /// A process of our own that exits while it is examined never counts as one that hides
        /// something: `doctor --repair` would leave a lock because of it.
        #[test]
        fn an_ending_process_is_not_one_that_hides_something() {
            for _ in 0..200 {
                let mut child = Command::new("true").stdin(Stdio::null()).spawn().unwrap();
                while let Ok(info) = info(child.id(), Path::new("/nowhere")) {
                    assert!(info.words.is_some() && info.git_paths.is_some(), "{info:?}");
                    assert!(info.directory.is_some(), "{info:?}");
                }
                child.wait().unwrap();
            }
        }
    }
}

/// Systems that only show names: every git counts.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    use super::{ProcessInfo, Running};
    use crate::store::os::executable;

    fn listed(words: &[&str]) -> Vec<String> {
        let output = executable::command("ps").args(words).env("LC_ALL", "C").output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        text.unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect()
    }

    pub(super) fn parent_of(pid: u32) -> Option<u32> {
        listed(&["-o", "ppid=", "-p", &pid.to_string()]).first()?.parse().ok()
    }

    pub(super) fn is_stopped(pid: u32) -> bool {
        listed(&["-o", "stat=", "-p", &pid.to_string()]).iter().any(|state| state.starts_with('T'))
    }

    pub(super) fn all(_: &Path) -> Vec<ProcessInfo> {
        let info = |line: String| {
            let mut words = line.split_whitespace();
            let (pid, state) = (words.next()?.parse().ok()?, words.next()?);
            let program = Path::new(words.next()?).file_name()?.to_string_lossy().into_owned();
            let running = Running { pid, program, is_stopped: state.starts_with('T') };
            let (directory, words, git_paths) = (None, None, None);
            Some(ProcessInfo { running, directory, words, git_paths, is_waiting: false })
        };
        listed(&["-A", "-o", "pid=,stat=,comm="]).into_iter().filter_map(info).collect()
    }

    pub(super) fn holding_open(_: &Path) -> Vec<Running> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(line: &str) -> ProcessInfo {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        ProcessInfo {
            running: Running { pid: 7, program: words[0].clone(), is_stopped: false },
            directory: Some("/elsewhere".into()),
            words: Some(words),
            git_paths: Some(Vec::new()),
            is_waiting: false,
        }
    }

    fn counts(info: &ProcessInfo) -> bool {
        info.may_write_in(&["/repo/.git".into(), "/repo".into()])
    }

    #[test]
    fn a_git_counts_where_it_works_and_where_it_is_led() {
        assert!(!counts(&process("git gc")));
        let there = |directory: &str| ProcessInfo {
            directory: Some(directory.into()),
            ..process("git pack-refs --all")
        };
        assert!(counts(&there("/repo")) && counts(&there("/repo/src")));
        assert!(!counts(&there("/repository")));
        assert!(counts(&process("git --git-dir=/repo/.git gc")));
        let led = |to: &str| ProcessInfo { git_paths: Some(vec![to.into()]), ..process("git gc") };
        assert!(counts(&led("/repo/.git")) && !counts(&led("/other/.git")));
        assert!(!counts(&ProcessInfo { directory: Some("/repo".into()), ..process("vim x") }));
    }

    #[test]
    fn what_cannot_be_found_out_about_a_git_counts_against_it() {
        for unknown in [
            ProcessInfo { directory: None, ..process("git gc") },
            ProcessInfo { words: None, ..process("git gc") },
            ProcessInfo { git_paths: None, ..process("git gc") },
        ] {
            assert!(counts(&unknown), "{unknown:?}");
        }
        assert!(!counts(&ProcessInfo { directory: None, ..process("vim x") }));
    }

    #[test]
    fn who_only_waits_does_not_count() {
        let here = |line: &str| ProcessInfo { directory: Some("/repo".into()), ..process(line) };
        assert!(!counts(&here("git -C coord -c a=b coord status")));
        assert!(counts(&here("git -C coord gc")));
        let ours = here("git-coord reserve src --wait 1h");
        assert!(counts(&ours));
        let asleep = ProcessInfo { is_waiting: true, ..ours };
        assert!(!counts(&asleep));
        let running = Running { is_stopped: true, ..asleep.running.clone() };
        assert!(counts(&ProcessInfo { running, ..asleep }));
    }
}

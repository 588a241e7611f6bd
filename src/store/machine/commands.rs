//! The commands that run under `with`: one small file for each `with` on this machine. The file
//! name identifies the process of the `with`, and the content that of its command.
//!
//! A `with` can be killed while its command continues. This file shows others that the command
//! still runs. Losing it loses no state: the holds are then free as soon as their `with` is gone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::store::error::StoreError;
use crate::store::layout::HelperDir;
use crate::store::os::files::{Files, Purpose};
use crate::store::os::process::{Liveness, ProcessIdentity};

/// The maximum length of a file, which holds one line.
const LINE_BYTES_MAX: u64 = 4 * 1024;

/// The commands of one repository on this machine.
#[derive(Clone, Debug)]
pub struct Commands {
    dir: PathBuf,
    files: Files,
}

/// The recorded state of a `with`'s command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The command was about to start, and may run.
    Starting,
    /// The command is this process.
    Started(ProcessIdentity),
}

impl Command {
    /// Tells whether the command is known to have ended.
    pub fn has_ended(&self) -> bool {
        matches!(self, Command::Started(process) if process.has_ended_here())
    }

    /// Returns the command's process if it is known to run.
    pub fn running(&self) -> Option<&ProcessIdentity> {
        match self {
            Command::Started(process) if process.runs_here() => Some(process),
            _ => None,
        }
    }
}

impl Commands {
    pub fn new(common_dir: &Path, files: Files) -> Commands {
        Commands { dir: HelperDir::Commands.below(common_dir), files }
    }

    /// Records that a `with` is about to start its command, and removes the files of dead
    /// processes.
    pub fn begin(&self, with: &ProcessIdentity) -> Result<(), StoreError> {
        self.files.make_directories(&self.dir)?;
        self.clear_up();
        let Some(path) = self.path(with) else { return Ok(()) };
        self.files.remove(&path)?;
        Ok(self.files.write_new(&path, b"", Purpose::Helper)?)
    }

    /// Records the process of the command.
    pub fn started(
        &self,
        with: &ProcessIdentity,
        command: &ProcessIdentity,
    ) -> Result<(), StoreError> {
        if let Some(path) = self.path(with) {
            self.files.append_existing(&path, format!("{command}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Removes the record of a `with`.
    pub fn forget(&self, with: &ProcessIdentity) -> Result<(), StoreError> {
        if let Some(path) = self.path(with) {
            self.files.remove(&path)?;
        }
        Ok(())
    }

    /// Reads the command of a `with`; `None` if the `with` never was about to start one. An
    /// unreadable record counts as a command that may run.
    pub fn of(&self, with: &ProcessIdentity) -> Option<Command> {
        let is_it = |name: &OsString| {
            let named = name.to_str().and_then(ProcessIdentity::from_file_name);
            named.is_some_and(|named| named.is_same_run(with))
        };
        match self.files.list(&self.dir) {
            Ok(names) => self.read(&self.dir.join(names.into_iter().find(is_it)?)),
            Err(_) => Some(Command::Starting),
        }
    }

    fn read(&self, path: &Path) -> Option<Command> {
        let read = self.files.read(path, LINE_BYTES_MAX);
        let Ok(bytes) = read else { return Some(Command::Starting) };
        let text = String::from_utf8(bytes?).unwrap_or_default();
        // An incomplete line is still being written.
        let process = text.strip_suffix('\n').and_then(|line| line.parse().ok());
        Some(process.map_or(Command::Starting, Command::Started))
    }

    fn path(&self, with: &ProcessIdentity) -> Option<PathBuf> {
        Some(self.dir.join(with.to_file_name()?))
    }

    /// Removes the file of each dead `with` whose command has ended too. The file of a command that
    /// was about to start stays until the machine reboots: the command may run.
    fn clear_up(&self) {
        for name in self.files.list(&self.dir).unwrap_or_default() {
            let with = name.to_str().and_then(ProcessIdentity::from_file_name);
            let Some(with) = with.filter(|with| with.liveness() == Liveness::Dead) else {
                continue;
            };
            let path = self.dir.join(&name);
            let is_over = !with.is_of_this_boot()
                || self.read(&path).is_none_or(|command| command.has_ended());
            if is_over {
                self.files.remove(&path).ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::FILES;

    fn other(pid: u32, start: &str) -> ProcessIdentity {
        let line = ProcessIdentity::current().to_string();
        let (_, rest) = line.split_once(" boot=").unwrap();
        format!("pid={pid} start={start} boot={rest}").parse().unwrap()
    }

    #[test]
    fn a_command_counts_from_before_its_start_until_its_end() {
        let home = tempfile::tempdir().unwrap();
        let commands = Commands::new(home.path(), FILES);
        let (with, here) = (other(4_194_399, "1"), ProcessIdentity::current());
        assert_eq!(commands.of(&with), None);
        commands.begin(&with).unwrap();
        assert_eq!(commands.of(&with), Some(Command::Starting));
        assert!(!Command::Starting.has_ended(), "it may run");
        commands.started(&with, here).unwrap();
        let found = commands.of(&with).unwrap();
        assert_eq!((found.running(), found.has_ended()), (Some(here), false));
        commands.begin(&with).unwrap();
        commands.started(&with, &other(4_194_398, "1")).unwrap();
        let found = commands.of(&with).unwrap();
        assert_eq!((found.running(), found.has_ended()), (None, true));
        commands.forget(&with).unwrap();
        assert_eq!(commands.of(&with), None);
    }

    #[test]
    fn what_is_over_is_cleared_up_by_the_next() {
        let home = tempfile::tempdir().unwrap();
        let commands = Commands::new(home.path(), FILES);
        let here = ProcessIdentity::current();
        let [ended, runs, starting] = [1, 2, 3].map(|number| other(4_194_390 + number, "1"));
        for with in [&ended, &runs, &starting] {
            commands.begin(with).unwrap();
        }
        commands.started(&ended, &other(4_194_398, "1")).unwrap();
        commands.started(&runs, here).unwrap();
        commands.begin(here).unwrap();
        assert_eq!(commands.of(&ended), None);
        assert!(commands.of(&runs).is_some_and(|command| command.running().is_some()));
        assert_eq!(commands.of(&starting), Some(Command::Starting));
    }
}

//! `core.sharedRepository` as a value: the permissions of new files and directories.
//!
//! This is pure arithmetic on mode bits, equal to git's `adjust_shared_perm`; `files` applies it.

use std::str::FromStr;

const OWNER_WRITE: u32 = 0o200;
const OWNER_EXECUTE: u32 = 0o100;
const ANY_WRITE: u32 = 0o222;
const ANY_READ: u32 = 0o444;
const GROUP_READ_WRITE: u32 = 0o060;
const SET_GROUP_ID: u32 = 0o2000;
const PERMISSIONS: u32 = 0o777;

/// The users that may access what we create.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharedMode {
    /// Those that the process's umask leaves.
    #[default]
    Umask,
    /// The group may read and write.
    Group,
    /// The group may read and write, everybody may read.
    Everybody,
    /// These read and write bits exactly, regardless of the umask.
    Exactly(u32),
}

impl SharedMode {
    /// Computes the permissions of a file that was created with `mode`.
    pub fn for_file(self, mode: u32) -> u32 {
        let mut added = match self {
            SharedMode::Umask => return mode,
            SharedMode::Group => 0o660,
            SharedMode::Everybody => 0o664,
            SharedMode::Exactly(bits) => bits,
        };
        if mode & OWNER_WRITE == 0 {
            added &= !ANY_WRITE;
        }
        if mode & OWNER_EXECUTE != 0 {
            added |= execute_where_readable(added);
        }
        match self {
            SharedMode::Exactly(_) => (mode & !PERMISSIONS) | added,
            SharedMode::Umask | SharedMode::Group | SharedMode::Everybody => mode | added,
        }
    }

    /// Computes the permissions of a directory that was created with `mode`.
    pub fn for_directory(self, mode: u32) -> u32 {
        if self == SharedMode::Umask {
            return mode;
        }
        let mode = self.for_file(mode);
        let mode = mode | execute_where_readable(mode);
        // New files must belong to the directory's group only if the group gains access.
        if mode & GROUP_READ_WRITE == 0 { mode } else { mode | SET_GROUP_ID }
    }
}

fn execute_where_readable(mode: u32) -> u32 {
    (mode & ANY_READ) >> 2
}

/// The error for a value of `core.sharedRepository` that git refuses too.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is no value of core.sharedRepository")]
pub struct NotASharedMode(String);

impl FromStr for SharedMode {
    type Err = NotASharedMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "umask" | "false" | "no" | "off" => return Ok(SharedMode::Umask),
            "group" | "true" | "yes" | "on" => return Ok(SharedMode::Group),
            "all" | "world" | "everybody" => return Ok(SharedMode::Everybody),
            _ => {}
        }
        match u32::from_str_radix(text, 8) {
            Ok(0) => Ok(SharedMode::Umask),
            Ok(1) => Ok(SharedMode::Group),
            Ok(2) => Ok(SharedMode::Everybody),
            Ok(bits) if bits & 0o600 == 0o600 => Ok(SharedMode::Exactly(bits & 0o666)),
            _ => Err(NotASharedMode(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        let parse = |text: &str| text.parse::<SharedMode>().unwrap();
        assert_eq!(parse("umask"), SharedMode::Umask);
        assert_eq!(parse("TRUE"), SharedMode::Group);
        assert_eq!(parse("2"), SharedMode::Everybody);
        assert_eq!(parse("0640"), SharedMode::Exactly(0o640));
        assert!("0400".parse::<SharedMode>().is_err(), "the owner must be able to write");
        assert!("others".parse::<SharedMode>().is_err());
    }

    #[test]
    fn read_only_files_stay_read_only() {
        assert_eq!(SharedMode::Umask.for_file(0o444), 0o444);
        assert_eq!(SharedMode::Group.for_file(0o400), 0o440);
        assert_eq!(SharedMode::Everybody.for_file(0o400), 0o444);
        assert_eq!(SharedMode::Exactly(0o660).for_file(0o444), 0o440);
    }

    #[test]
    fn writable_files_and_directories_open_up() {
        assert_eq!(SharedMode::Group.for_file(0o644), 0o664);
        assert_eq!(SharedMode::Exactly(0o600).for_file(0o644), 0o600);
        assert_eq!(SharedMode::Group.for_directory(0o700), 0o2770);
        assert_eq!(SharedMode::Everybody.for_directory(0o755), 0o2775);
        assert_eq!(SharedMode::Exactly(0o600).for_directory(0o755), 0o700);
    }
}

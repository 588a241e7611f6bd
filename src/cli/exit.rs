//! The exit codes: a contract with scripts and agents.

/// How a command ended.
///
/// There is no 2: hooks of agents read it as "block this action", and a program that exits with
/// it by accident, as argument parsers do, would block every edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Done, free, fresh, allowed; also "already so".
    Done,
    /// The answer is no.
    No,
    /// The recorded answer is out of date.
    Stale,
    /// No such thing.
    NothingThere,
    /// Others kept writing for longer than `coord.wait`.
    Busy,
    /// `with` could not start its command.
    NotStarted,
    /// Input, output or stored data failed.
    Failure,
    /// The command line is wrong.
    Usage,
    /// The exit code of a command that was run; 128 plus the number of the signal that ended it.
    Passed(u8),
}

impl ExitCode {
    /// Returns the code of a command that this signal ended.
    pub(crate) fn of_signal(number: i32) -> ExitCode {
        ExitCode::Passed(u8::try_from(128 + number).unwrap_or(u8::MAX))
    }

    /// Every code of our own, in the order of the documentation.
    pub(crate) const ALL: [ExitCode; 8] = [
        ExitCode::Done,
        ExitCode::No,
        ExitCode::Stale,
        ExitCode::NothingThere,
        ExitCode::Busy,
        ExitCode::NotStarted,
        ExitCode::Failure,
        ExitCode::Usage,
    ];

    /// Returns the number that the process ends with.
    pub fn number(self) -> u8 {
        match self {
            ExitCode::Done => 0,
            ExitCode::No => 1,
            ExitCode::Stale => 3,
            ExitCode::NothingThere => 4,
            ExitCode::Busy => 5,
            ExitCode::NotStarted => 125,
            ExitCode::Failure => 128,
            ExitCode::Usage => 129,
            ExitCode::Passed(number) => number,
        }
    }

    /// Describes the code, for the manual.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            ExitCode::Done => "Done, free, fresh or allowed; also if nothing had to be done.",
            ExitCode::No => "No: held by another, refused, or a check found something.",
            ExitCode::Stale => "The recorded answer is out of date.",
            ExitCode::NothingThere => "Not found: no such id, ledger or entry.",
            ExitCode::Busy => {
                "Busy: others kept writing for longer than coord.wait. Nothing was written; try \
                 again."
            }
            ExitCode::NotStarted => {
                "'with' did not start its command. Otherwise 'with' exits with the exit code of \
                 the command, or with 128 plus the number of the signal that ended it."
            }
            ExitCode::Failure => {
                "Failure: an input or output error, a damaged ledger, or a ledger of a newer \
                 format. The message names the cause and the commands that help."
            }
            ExitCode::Usage => "Wrong usage; nothing was read or written.",
            ExitCode::Passed(_) => "The exit code of the command.",
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        code.number().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_distinct_and_never_2() {
        let mut numbers: Vec<u8> = ExitCode::ALL.iter().map(|code| code.number()).collect();
        assert!(!numbers.contains(&2));
        numbers.dedup();
        assert_eq!(numbers, [0, 1, 3, 4, 5, 125, 128, 129]);
    }
}

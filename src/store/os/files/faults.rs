//! Fault injection at a chosen step, and a record of all steps: tests use it to kill the program,
//! fill the disk or cut the power at every single file operation. Not part of a release build.
//!
//! - `GIT_COORD_FAULT=<n>:<fault>` makes the n-th step of the process fail. `kill` and `kill-after`
//!   end the process before and after the step, `torn` when half of the content is written; `stop`
//!   stops it before the step, until it gets a `SIGCONT`; `ENOSPC`, `EACCES`, `EROFS`, `EMFILE` and
//!   `EIO` are returned as the system's error.
//! - `GIT_COORD_FAULT=<name>@<end>:<fault>` does so at the first step of that name whose path has
//!   this end. Several faults, separated by commas, happen once each.
//! - `GIT_COORD_STEPS=<file>` appends a line of JSON to the file for each step.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};

use super::step::{Operation, Step};

#[derive(Clone, Copy, Debug)]
enum Fault {
    Kill,
    KillAfter,
    Torn,
    Stop,
    Error(Errno),
}

/// The step that fails.
#[derive(Clone, Debug)]
enum At {
    Number(u64),
    /// The name of a step, and the end of its path.
    First(String, String),
}

impl At {
    fn is(&self, number: u64, step: &Step<'_>) -> bool {
        match self {
            At::Number(at) => *at == number,
            At::First(name, end) => {
                format!("{:?}", step.operation) == *name
                    && step.path.to_string_lossy().ends_with(end)
            }
        }
    }
}

/// The requested faults.
struct Plan {
    faults: Vec<(At, Fault)>,
    record: Option<PathBuf>,
}

fn plan() -> &'static Plan {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    PLAN.get_or_init(|| {
        let text = std::env::var("GIT_COORD_FAULT").unwrap_or_default();
        let parsed = |text: &str| {
            parse(text).unwrap_or_else(|| panic!("GIT_COORD_FAULT is no '<n>:<fault>': '{text}'"))
        };
        let faults = text.split(',').filter(|text| !text.is_empty()).map(parsed).collect();
        Plan { faults, record: std::env::var_os("GIT_COORD_STEPS").map(PathBuf::from) }
    })
}

fn parse(text: &str) -> Option<(At, Fault)> {
    let (at, fault) = text.rsplit_once(':')?;
    let at = match at.split_once('@') {
        Some((name, end)) => At::First(name.to_owned(), end.to_owned()),
        None => At::Number(at.parse().ok()?),
    };
    let fault = match fault {
        "kill" => Fault::Kill,
        "kill-after" => Fault::KillAfter,
        "torn" => Fault::Torn,
        "stop" => Fault::Stop,
        "ENOSPC" => Fault::Error(Errno::NOSPC),
        "EACCES" => Fault::Error(Errno::ACCESS),
        "EROFS" => Fault::Error(Errno::ROFS),
        "EMFILE" => Fault::Error(Errno::MFILE),
        "EIO" => Fault::Error(Errno::IO),
        _ => return None,
    };
    Some((at, fault))
}

/// Runs a step, or injects the requested fault.
pub(super) fn pass<T>(step: &Step<'_>, call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    /// The number of steps so far, and the faults that were injected.
    static STEPS: Mutex<(u64, Vec<usize>)> = Mutex::new((0, Vec::new()));
    // One step at a time, even with several threads, so that numbers and records agree.
    let mut steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner);
    steps.0 += 1;
    let plan = plan();
    let is_due =
        |(index, (at, _)): &(usize, &(At, Fault))| !steps.1.contains(index) && at.is(steps.0, step);
    let due = plan.faults.iter().enumerate().find(is_due);
    steps.1.extend(due.map(|(index, _)| index));
    let outcome = match due.map(|(_, fault)| fault) {
        None => call(),
        Some((_, Fault::Error(errno))) => write_half(step).and(Err((*errno).into())),
        Some((_, Fault::Stop)) => {
            kill_process(getpid(), Signal::STOP).expect("a process may stop itself");
            call()
        }
        Some((_, fault)) => {
            let done = match fault {
                Fault::KillAfter => call().is_ok(),
                Fault::Torn => write_half(step).is_err(),
                Fault::Kill | Fault::Stop | Fault::Error(_) => false,
            };
            record(plan, step, done);
            end()
        }
    };
    record(plan, step, outcome.is_ok());
    outcome
}

/// Writes half of the content, because a disk seldom fails before the first byte.
fn write_half(step: &Step<'_>) -> io::Result<()> {
    let Some((mut file, content)) = step.writes else { return Ok(()) };
    file.write_all(&content[..content.len() / 2])
}

fn record(plan: &Plan, step: &Step<'_>, done: bool) {
    let Some(path) = &plan.record else { return };
    let line = serde_json::json!({
        "step": format!("{:?}", step.operation),
        "path": step.path.to_string_lossy(),
        "from": step.from.map(|path| path.to_string_lossy()),
        "content": step.writes.map(|(_, content)| STANDARD.encode(content)),
        "syncs": matches!(step.operation, Operation::Sync | Operation::SyncDirectory),
        "done": done,
    });
    let open = || OpenOptions::new().create(true).append(true).open(path);
    open()
        .and_then(|mut file| writeln!(file, "{line}"))
        .expect("a test that asks for a record gives it a place");
}

/// Ends the process as `kill -9` does: without unwinding, flushing or releasing anything.
fn end() -> ! {
    kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
    loop {
        std::thread::park();
    }
}

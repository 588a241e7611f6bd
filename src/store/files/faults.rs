//! Faults at a chosen step, and a record of all steps: how tests kill the program, fill the disk
//! or cut the power at every single file operation. Not part of a release build.
//!
//! - `GIT_COORD_FAULT=<n>:<fault>` makes the n-th step of the process go wrong. `kill` and
//!   `kill-after` end the process before and after the step, `torn` when half of the content is
//!   written; `ENOSPC`, `EACCES`, `EROFS`, `EMFILE` and `EIO` are what the system answers instead.
//! - `GIT_COORD_STEPS=<file>` has a line of JSON added to the file for each step.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};

use super::step::{Act, Step};

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Kill,
    KillAfter,
    Torn,
    Error(Errno),
}

/// What was asked for.
struct Plan {
    fault: Option<(u64, Fault)>,
    record: Option<PathBuf>,
}

fn plan() -> &'static Plan {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    PLAN.get_or_init(|| {
        let fault = std::env::var("GIT_COORD_FAULT").ok().map(|text| {
            parse(&text).unwrap_or_else(|| panic!("GIT_COORD_FAULT is no '<n>:<fault>': '{text}'"))
        });
        Plan { fault, record: std::env::var_os("GIT_COORD_STEPS").map(PathBuf::from) }
    })
}

fn parse(text: &str) -> Option<(u64, Fault)> {
    let (number, fault) = text.split_once(':')?;
    let fault = match fault {
        "kill" => Fault::Kill,
        "kill-after" => Fault::KillAfter,
        "torn" => Fault::Torn,
        "ENOSPC" => Fault::Error(Errno::NOSPC),
        "EACCES" => Fault::Error(Errno::ACCESS),
        "EROFS" => Fault::Error(Errno::ROFS),
        "EMFILE" => Fault::Error(Errno::MFILE),
        "EIO" => Fault::Error(Errno::IO),
        _ => return None,
    };
    Some((number.parse().ok()?, fault))
}

/// Does a step, or what was asked for in its place.
pub(super) fn pass<T>(step: &Step<'_>, call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    static COUNT: Mutex<u64> = Mutex::new(0);
    // One step at a time, also where threads take them, so that numbers and records agree.
    let mut count = COUNT.lock().unwrap_or_else(PoisonError::into_inner);
    *count += 1;
    let number = *count;
    let plan = plan();
    let outcome = match plan.fault.filter(|(at, _)| *at == number) {
        None => call(),
        Some((_, Fault::Error(errno))) => write_half(step).and(Err(errno.into())),
        Some((_, fault)) => {
            let done = match fault {
                Fault::KillAfter => call().is_ok(),
                Fault::Torn => write_half(step).is_err(),
                Fault::Kill | Fault::Error(_) => false,
            };
            record(plan, step, done);
            end()
        }
    };
    record(plan, step, outcome.is_ok());
    outcome
}

/// A disk seldom fails before the first byte.
fn write_half(step: &Step<'_>) -> io::Result<()> {
    let Some((mut file, content)) = step.writes else { return Ok(()) };
    file.write_all(&content[..content.len() / 2])
}

fn record(plan: &Plan, step: &Step<'_>, done: bool) {
    let Some(path) = &plan.record else { return };
    let line = serde_json::json!({
        "step": format!("{:?}", step.act),
        "path": step.path.to_string_lossy(),
        "from": step.from.map(|path| path.to_string_lossy()),
        "content": step.writes.map(|(_, content)| STANDARD.encode(content)),
        "syncs": matches!(step.act, Act::Sync | Act::SyncDirectory),
        "done": done,
    });
    let open = || OpenOptions::new().create(true).append(true).open(path);
    open()
        .and_then(|mut file| writeln!(file, "{line}"))
        .expect("a test that asks for a record gives it a place");
}

/// As `kill -9` does it: nothing is unwound, nothing flushed, nothing released.
fn end() -> ! {
    kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
    loop {
        std::thread::park();
    }
}

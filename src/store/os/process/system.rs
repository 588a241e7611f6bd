//! The parts of a process identity, as each operating system provides them.

#[cfg(target_os = "linux")]
use std::fs;

#[cfg(unix)]
use rustix::io::Errno;
#[cfg(unix)]
use rustix::process::{Pid, test_kill_process};

#[cfg(not(target_os = "linux"))]
use crate::store::os::executable;

/// The state of a process, as one read of the system shows it.
#[cfg(target_os = "linux")]
pub(super) struct Stat {
    pub(super) parent: u32,
    /// The name of the program, which the system cuts at 15 bytes.
    pub(super) program: String,
    /// True for the first process of a terminal, which is its shell.
    pub(super) leads_terminal: bool,
    /// The clock ticks from boot to start; a word for a process that has ended.
    pub(super) start: String,
}

/// Reads the state of a process; `None` if there is no such process or it is not visible.
#[cfg(target_os = "linux")]
pub(super) fn stat(pid: u32) -> Option<Stat> {
    let line = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let line = String::from_utf8_lossy(&line);
    // The program's name may contain spaces and brackets. The fields follow the last bracket.
    let (named, rest) = (line.find('(')? + 1, line.rfind(')')?);
    let mut fields = line[rest + 1..].split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let (session, terminal) = (fields.nth(1)?, fields.next()?);
    let leads_terminal = session.parse() == Ok(pid) && terminal != "0";
    // A zombie holds nothing any more, and only waits to be reaped.
    let ended = matches!(state, "Z" | "X");
    let start = fields.nth(14)?;
    let start = if ended { "ended".to_owned() } else { start.to_owned() };
    Some(Stat { parent, program: line.get(named..rest)?.to_owned(), leads_terminal, start })
}

/// Tells whether the process is the first one of a terminal.
#[cfg(target_os = "linux")]
pub(super) fn leads_terminal(pid: u32) -> bool {
    stat(pid).is_some_and(|stat| stat.leads_terminal)
}

/// Tells whether the process is the first one of a terminal.
#[cfg(not(target_os = "linux"))]
pub(super) fn leads_terminal(pid: u32) -> bool {
    let mut ps = executable::command("ps");
    ps.args(["-o", "tty=,stat=", "-p", &pid.to_string()]).env("LC_ALL", "C");
    let output = ps.output().ok().filter(|output| output.status.success());
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let mut words = text.split_whitespace();
    let has_terminal = words.next().is_some_and(|name| !matches!(name, "-" | "?" | "??"));
    has_terminal && words.next().is_some_and(|state| state.contains('s'))
}

/// Reads the clock ticks from boot to start; `None` if there is no such process or it is not
/// visible.
#[cfg(target_os = "linux")]
pub(super) fn start_of(pid: u32) -> Option<String> {
    stat(pid).map(|stat| stat.start)
}

/// Reads the start as date and time, independent of language and time zone.
#[cfg(not(target_os = "linux"))]
pub(super) fn start_of(pid: u32) -> Option<String> {
    let mut ps = executable::command("ps");
    ps.args(["-o", "lstart=", "-p", &pid.to_string()]).env("LC_ALL", "C").env("TZ", "UTC");
    let output = ps.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().filter(|start| !start.trim().is_empty())
}

/// Tells whether the id is in use. Also true for processes of other users.
#[cfg(unix)]
pub(super) fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(not(unix))]
pub(super) fn exists(_: u32) -> bool {
    true
}

#[cfg(target_os = "linux")]
pub(super) fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn boot() -> Option<String> {
    None
}

/// Reads the id that the system got at its installation.
#[cfg(target_os = "linux")]
pub(super) fn machine() -> Option<String> {
    let id = fs::read_to_string("/etc/machine-id").ok()?;
    let id = id.trim();
    // Before that, and in some containers, the file is empty or contains a word.
    let is_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.to_owned())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn machine() -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
pub(super) fn namespace() -> Option<String> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(link.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?.to_owned())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn namespace() -> Option<String> {
    None
}

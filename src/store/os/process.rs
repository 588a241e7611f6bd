//! The identity of a process, and whether the process still runs.
//!
//! An identity is one line of text in a file. A process id alone is ambiguous, because the system
//! reuses ids, so the start time is part of the identity. It is only checked on the host and in the
//! container that gave out the id.

mod ancestors;
mod system;

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::core::reservation::process::Process;
use crate::core::text::Line;
use crate::store::git::object::HashKind;

pub use self::ancestors::{LOOK_IS_CHEAP, ancestors, climb, words_above};

/// Replaces a value that the system does not provide.
const UNKNOWN: &str = "-";
/// The maximum length as part of a file name. File systems allow 255 bytes, and callers add a
/// prefix and a suffix.
const FILE_NAME_LENGTH_MAX: usize = 200;

/// One run of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessIdentity {
    pid: u32,
    /// Compared, never interpreted: its origin differs between systems.
    start: String,
    /// The boot of the machine. Start times of another boot mean nothing.
    boot: String,
    /// The namespace of process ids. Containers may share a host name, but not this.
    namespace: String,
    host: String,
    /// The machine, in case several have the same host name. It only tells another boot of this
    /// machine from a boot of another one: containers of one machine may have different ids.
    machine: String,
}

/// The answer to whether a process still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// It runs, or nothing shows that it does not.
    Alive,
    Dead,
    /// Another host or container gave out its id, so its state is unknown.
    Elsewhere,
}

impl ProcessIdentity {
    /// Identifies this process.
    pub fn current() -> &'static ProcessIdentity {
        static CURRENT: OnceLock<ProcessIdentity> = OnceLock::new();
        CURRENT.get_or_init(|| {
            let pid = std::process::id();
            ProcessIdentity {
                pid,
                start: system::start_of(pid).map_or_else(|| UNKNOWN.to_owned(), one_word),
                boot: system::boot().map_or_else(|| UNKNOWN.to_owned(), one_word),
                namespace: system::namespace().map_or_else(|| UNKNOWN.to_owned(), one_word),
                host: one_word(host_name()),
                machine: system::machine().map_or_else(|| UNKNOWN.to_owned(), |id| hashed(&id)),
            }
        })
    }

    /// Identifies a child of this process that has not been waited for, or a process above it.
    pub fn of_child(pid: u32) -> ProcessIdentity {
        let start = system::start_of(pid).map_or_else(|| UNKNOWN.to_owned(), one_word);
        ProcessIdentity { pid, start, ..ProcessIdentity::current().clone() }
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Identifies a process by its id and host alone.
    pub fn from_pid(pid: u32, host: &str) -> ProcessIdentity {
        let unknown = || UNKNOWN.to_owned();
        let (start, boot, namespace, machine) = (unknown(), unknown(), unknown(), unknown());
        ProcessIdentity { pid, start, boot, namespace, host: one_word(host), machine }
    }

    /// Tells whether the process still runs.
    pub fn liveness(&self) -> Liveness {
        if let Some(judged) = self.judged_from(ProcessIdentity::current()) {
            return judged;
        }
        match system::start_of(self.pid) {
            Some(start) if differ(&self.start, &one_word(&start)) => Liveness::Dead,
            Some(_) => Liveness::Alive,
            None if system::exists(self.pid) => Liveness::Alive,
            None => Liveness::Dead,
        }
    }

    /// Judges the process without examining the running processes; `None` if that is not enough.
    fn judged_from(&self, here: &ProcessIdentity) -> Option<Liveness> {
        if self.host != here.host {
            return Some(Liveness::Elsewhere);
        }
        if differ(&self.boot, &here.boot) {
            // The machine was rebooted, unless it is another one of the same name.
            let is_another = differ(&self.machine, &here.machine);
            return Some(if is_another { Liveness::Elsewhere } else { Liveness::Dead });
        }
        differ(&self.namespace, &here.namespace).then_some(Liveness::Elsewhere)
    }

    /// Tells whether both identify the same run of a process. The machine is not compared, because
    /// documents do not contain it.
    pub fn is_same_run(&self, other: &ProcessIdentity) -> bool {
        ProcessIdentity { machine: other.machine.clone(), ..self.clone() } == *other
    }
}

impl ProcessIdentity {
    /// Tells whether the process ran in this boot of this machine and has ended. Machines that
    /// share a name do not share their boots, so an unknown process never counts as ended.
    pub fn has_ended_here(&self) -> bool {
        self.is_of_this_boot() && self.liveness() == Liveness::Dead
    }

    /// Tells whether the process was started in this boot.
    pub fn is_of_this_boot(&self) -> bool {
        self.boot == ProcessIdentity::current().boot
    }

    /// Tells whether the process runs in this boot of this machine.
    pub fn runs_here(&self) -> bool {
        self.is_of_this_boot() && self.liveness() == Liveness::Alive
    }

    /// Tells whether the process, which runs here, is the first one of a terminal.
    pub fn leads_terminal(&self) -> bool {
        system::leads_terminal(self.pid)
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    /// Converts the identity for a document; `None` if the host's name is not valid there.
    pub fn to_process(&self) -> Option<Process> {
        let known = |word: &str| Line::new(word).ok().filter(|_| word != UNKNOWN);
        Some(Process {
            pid: self.pid,
            host: known(&self.host)?,
            started: known(&self.start),
            boot: known(&self.boot),
            namespace: known(&self.namespace),
        })
    }

    /// Converts the identity from a document.
    pub fn of(process: &Process) -> ProcessIdentity {
        let word =
            |line: &Option<Line>| line.as_ref().map_or(UNKNOWN.to_owned(), ToString::to_string);
        ProcessIdentity {
            pid: process.pid,
            start: word(&process.started),
            boot: word(&process.boot),
            namespace: word(&process.namespace),
            host: process.host.to_string(),
            machine: UNKNOWN.to_owned(),
        }
    }

    /// Encodes the identity as part of a file name; `None` if it is too long or the host's name is
    /// not valid there.
    pub fn to_file_name(&self) -> Option<String> {
        let text = self.to_string();
        let fits = text.len() <= FILE_NAME_LENGTH_MAX && !text.contains(['/', ',']);
        fits.then(|| text.replace(' ', ","))
    }

    /// Parses an identity that is part of a file name.
    pub fn from_file_name(name: &str) -> Option<ProcessIdentity> {
        name.replace(',', " ").parse().ok()
    }
}

/// Identifies the shell of the terminal that this process runs in: the first process there. A
/// process without a terminal has none.
pub fn terminal() -> Option<Process> {
    #[cfg(unix)]
    {
        std::fs::File::open("/dev/tty").ok()?;
        let leader = rustix::process::getsid(None).ok()?.as_raw_nonzero().get();
        let shell = ProcessIdentity::of_child(u32::try_from(leader).ok()?);
        shell.to_process().filter(|shell| shell.started.is_some())
    }
    #[cfg(not(unix))]
    None
}

/// Compares two values. An unknown value differs from none: in doubt a process counts as alive.
fn differ(left: &str, right: &str) -> bool {
    left != right && left != UNKNOWN && right != UNKNOWN
}

fn one_word(text: impl AsRef<str>) -> String {
    let word = text.as_ref().trim().replace(|c: char| c.is_whitespace() || c.is_control(), "_");
    if word.is_empty() { UNKNOWN.to_owned() } else { word }
}

/// Hashes the machine's id, which is meant to stay secret.
fn hashed(id: &str) -> String {
    const LENGTH: usize = 16;
    let digest = HashKind::Sha256.digest(&[b"git-coord ", id.as_bytes()]);
    digest.to_string().chars().take(LENGTH).collect()
}

fn host_name() -> String {
    #[cfg(unix)]
    return rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    return std::env::var("COMPUTERNAME").unwrap_or_default();
}

impl fmt::Display for ProcessIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProcessIdentity { pid, start, boot, namespace, host, machine } = self;
        write!(f, "pid={pid} start={start} boot={boot} namespace={namespace} host={host}")?;
        if machine == UNKNOWN { Ok(()) } else { write!(f, " machine={machine}") }
    }
}

/// The error for text that is not an identity.
#[derive(Debug, thiserror::Error)]
#[error("not the identity of a process")]
pub struct NotAProcess;

impl FromStr for ProcessIdentity {
    type Err = NotAProcess;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let mut words = line.split_whitespace();
        let mut value = |key: &str| {
            let (found, value) = words.next()?.split_once('=')?;
            (found == key && !value.is_empty()).then(|| value.to_owned())
        };
        let mut parse = || {
            Some(ProcessIdentity {
                pid: value("pid")?.parse().ok().filter(|pid| *pid > 0)?,
                start: value("start")?,
                boot: value("boot")?,
                namespace: value("namespace")?,
                host: value("host")?,
                // The first versions did not write it.
                machine: UNKNOWN.to_owned(),
            })
        };
        let process = parse().ok_or(NotAProcess)?;
        let machine = words.next().map(|word| word.strip_prefix("machine=").unwrap_or_default());
        match machine {
            None => Ok(process),
            Some(machine) if !machine.is_empty() && words.next().is_none() => {
                Ok(ProcessIdentity { machine: machine.to_owned(), ..process })
            }
            Some(_) => Err(NotAProcess),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    fn edited(line: &str, from: &str, to: &str) -> ProcessIdentity {
        line.replace(from, to).parse().unwrap()
    }

    #[test]
    fn an_identity_is_one_line_that_reads_back() {
        let here = ProcessIdentity::current();
        assert_eq!(here.to_string().lines().count(), 1);
        assert_eq!(here.to_string().parse::<ProcessIdentity>().unwrap(), *here);
        for wrong in ["", "pid=1", "pid=x start=1 boot=- namespace=- host=h", "kept by somebody"] {
            assert!(wrong.parse::<ProcessIdentity>().is_err(), "{wrong}");
        }
        assert!(format!("{here} more").parse::<ProcessIdentity>().is_err());
    }

    #[test]
    fn an_identity_in_a_file_name_reads_back_or_is_not_put_there() {
        let here = ProcessIdentity::current();
        let name = here.to_file_name().unwrap();
        assert!(!name.contains(['/', ' ']), "{name}");
        assert_eq!(ProcessIdentity::from_file_name(&name).unwrap(), *here);
        for host in ["a/b", "a,b", &"h".repeat(FILE_NAME_LENGTH_MAX)] {
            let strange = ProcessIdentity { host: host.to_owned(), ..here.clone() };
            assert_eq!(strange.to_file_name(), None);
        }
        assert_eq!(ProcessIdentity::from_file_name("pack-1234.pack"), None);
    }

    /// 1/SAFETY-2: a document names pid, host and start time, and reads back as the same process.
    #[test]
    fn a_document_names_a_process() {
        let here = ProcessIdentity::current();
        let process = here.to_process().unwrap();
        assert_eq!(process.pid, std::process::id());
        assert!(ProcessIdentity::of(&process).is_same_run(here));
        let unnamed = ProcessIdentity { host: UNKNOWN.to_owned(), ..here.clone() };
        assert_eq!(unnamed.to_process(), None, "a host without a name cannot be told from others");
        let other = Process { host: Line::new("other").unwrap(), ..process };
        assert_eq!(ProcessIdentity::of(&other).liveness(), Liveness::Elsewhere);
    }

    #[test]
    fn this_process_lives_and_its_predecessor_with_the_same_id_does_not() {
        let here = ProcessIdentity::current();
        assert_eq!(here.liveness(), Liveness::Alive);
        let line = here.to_string();
        let start = format!("start={}", here.start);
        assert_eq!(edited(&line, &start, "start=1").liveness(), Liveness::Dead);
        assert_eq!(edited(&line, &start, "start=-").liveness(), Liveness::Alive);
    }

    #[test]
    fn an_ended_child_is_dead_before_and_after_it_is_waited_for() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        let identity =
            ProcessIdentity { pid, start: UNKNOWN.into(), ..ProcessIdentity::current().clone() };
        let start = one_word(system::start_of(pid).unwrap());
        let identity = ProcessIdentity { start, ..identity };
        assert_eq!(identity.liveness(), Liveness::Alive);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(identity.liveness(), Liveness::Dead);
    }

    /// Machines that share a disk and a name: a process of another boot of this machine has ended,
    /// one of another machine is never judged. An identity without a machine is judged as before.
    #[test]
    fn another_boot_is_of_this_machine_or_is_not_judged() {
        let identity = |boot: &str, namespace: &str, machine: &str| {
            let text = format!("pid=7 start=1 boot={boot} namespace={namespace} host=h{machine}");
            text.parse::<ProcessIdentity>().unwrap()
        };
        let here = identity("b2", "n1", " machine=m1");
        let (dead, elsewhere) = (Some(Liveness::Dead), Some(Liveness::Elsewhere));
        for (boot, namespace, machine, expected) in [
            ("b1", "n1", " machine=m1", dead),
            ("b1", "n9", " machine=m1", dead),
            ("b1", "n1", " machine=m2", elsewhere),
            ("b1", "n1", "", dead),
            ("-", "n1", " machine=m2", None),
            // One kernel is one machine, whatever the ids of its containers.
            ("b2", "n1", " machine=m2", None),
            ("b2", "n2", " machine=m2", elsewhere),
            ("b2", "n2", " machine=m1", elsewhere),
            ("b2", "n1", "", None),
        ] {
            let judged = identity(boot, namespace, machine).judged_from(&here);
            assert_eq!(judged, expected, "boot={boot} namespace={namespace}{machine}");
        }
        let nameless = identity("b2", "n1", "");
        assert_eq!(identity("b1", "n1", " machine=m1").judged_from(&nameless), dead);
    }

    /// Files of earlier versions are read, and no file contains the machine's own id.
    #[test]
    fn a_machine_is_told_if_it_is_known_and_never_by_its_own_id() {
        let line = "pid=7 start=1 boot=b namespace=n host=h";
        let read = |line: &str| line.parse::<ProcessIdentity>();
        assert_eq!(read(line).unwrap().to_string(), line);
        let told = format!("{line} machine=m");
        assert_eq!(read(&told).unwrap().to_string(), told);
        assert!(read(&told).unwrap().is_same_run(&read(line).unwrap()));
        for wrong in [" machine=", " other=m", " machine=m more"] {
            assert!(read(&format!("{line}{wrong}")).is_err(), "{wrong}");
        }
        let id = "0123456789abcdef0123456789abcdef";
        let shown = hashed(id);
        assert!(shown.len() == 16 && !id.contains(&shown), "{shown}");
        assert_ne!(shown, hashed("0123456789abcdef0123456789abcdee"));
    }

    #[test]
    fn other_hosts_and_containers_are_never_judged() {
        let here = ProcessIdentity::current();
        let line = here.to_string();
        let host = format!("host={}", here.host);
        assert_eq!(edited(&line, &host, "host=other").liveness(), Liveness::Elsewhere);
        if here.namespace != UNKNOWN {
            let namespace = format!("namespace={}", here.namespace);
            assert_eq!(edited(&line, &namespace, "namespace=7").liveness(), Liveness::Elsewhere);
        }
        if here.boot != UNKNOWN {
            let boot = format!("boot={}", here.boot);
            assert_eq!(edited(&line, &boot, "boot=before").liveness(), Liveness::Dead);
        }
    }
}

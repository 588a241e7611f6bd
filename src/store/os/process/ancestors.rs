//! The processes above this one: the parent, its parent, and so on.
//!
//! Linux shows them in `/proc`. Elsewhere `ps` lists them, which takes long enough that hooks do
//! without, and no variables are known.

use crate::core::identity::ancestry::Ancestor;

/// The largest number of ancestors that are looked at.
const ANCESTORS_MAX: usize = 32;

/// Set where a look at the ancestors takes no noticeable time.
pub const LOOK_IS_CHEAP: bool = cfg!(target_os = "linux");

/// Looks at the ancestors, the nearest first, each with those of these variables that it was
/// started with.
pub fn ancestors(variables: &[(&'static str, &str)]) -> Vec<Ancestor> {
    climb(variables).collect()
}

/// Looks at the ancestors one by one, so that none is looked at in vain.
pub fn climb(variables: &[(&'static str, &str)]) -> impl Iterator<Item = Ancestor> {
    let mut known = Vec::new();
    let mut next = system::parent();
    std::iter::from_fn(move || {
        let is_new = |pid: &u32| *pid > 0 && !known.contains(pid) && known.len() < ANCESTORS_MAX;
        let pid = next.take().filter(is_new)?;
        let (ancestor, parent) = system::ancestor(pid, variables)?;
        known.push(pid);
        next = parent;
        Some(ancestor)
    })
}

/// The largest number of ancestors among which a program is looked for.
const NEAR_MAX: usize = 4;

/// Finds the nearest process above this one that runs a program of this name, and returns its
/// words. Between the two there may be a shell.
pub fn words_above(program: &str) -> Option<Vec<String>> {
    let mut next = system::parent();
    for _ in 0..NEAR_MAX {
        let pid = next.filter(|pid| *pid > 0)?;
        let (words, parent) = system::all_words(pid)?;
        let first = words.first().map(String::as_str).unwrap_or_default();
        if first.rsplit('/').next() == Some(program) {
            return Some(words);
        }
        next = parent;
    }
    None
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::{self, File};
    use std::io::Read as _;
    use std::path::Path;

    use super::super::{ProcessIdentity, one_word, system};
    use super::Ancestor;

    /// The number of words that tell a program and its script.
    const WORDS_MAX: usize = 8;
    /// The largest number of bytes of a command line that are read.
    const LINE_BYTES_MAX: u64 = 256 * 1024;

    pub(super) fn parent() -> Option<u32> {
        system::stat(std::process::id()).map(|stat| stat.parent)
    }

    /// Looks at a process. Returns it with its parent.
    pub(super) fn ancestor(
        pid: u32,
        variables: &[(&'static str, &str)],
    ) -> Option<(Ancestor, Option<u32>)> {
        let seen = system::stat(pid)?;
        let start = one_word(&seen.start);
        let identity = ProcessIdentity { pid, start, ..ProcessIdentity::current().clone() };
        let executable = fs::read_link(format!("/proc/{pid}/exe")).ok();
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let ancestor = Ancestor {
            process: identity.to_process()?,
            program: seen.program,
            executable: executable.as_deref().and_then(name),
            words: words(pid),
            leads_terminal: seen.leads_terminal,
            shares: shares(pid, variables),
        };
        Some((ancestor, Some(seen.parent)))
    }

    /// Reads all words of a process, and its parent.
    pub(super) fn all_words(pid: u32) -> Option<(Vec<String>, Option<u32>)> {
        let seen = system::stat(pid)?;
        let mut line = Vec::new();
        let file = File::open(format!("/proc/{pid}/cmdline")).ok()?;
        file.take(LINE_BYTES_MAX).read_to_end(&mut line).ok()?;
        let line = line.strip_suffix(b"\0").unwrap_or(&line);
        let words = line.split(|byte| *byte == 0);
        let words = words.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        Some((words, Some(seen.parent)))
    }

    fn words(pid: u32) -> Vec<String> {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        words.take(WORDS_MAX).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    /// Finds which of these variables a process was started with. Keeps none of its values.
    fn shares(pid: u32, variables: &[(&'static str, &str)]) -> Option<Vec<&'static str>> {
        let all = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let is_shared = |(name, value): &&(&'static str, &str)| {
            let wanted = format!("{name}={value}");
            all.split(|byte| *byte == 0).any(|line| line == wanted.as_bytes())
        };
        Some(variables.iter().filter(is_shared).map(|(name, _)| *name).collect())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    use super::super::ProcessIdentity;
    use super::Ancestor;
    use crate::store::os::executable;

    pub(super) fn parent() -> Option<u32> {
        #[cfg(unix)]
        return rustix::process::getppid()
            .and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
        #[cfg(not(unix))]
        return None;
    }

    /// Reads all words of a process, and its parent. A word with a space in it counts as several.
    pub(super) fn all_words(pid: u32) -> Option<(Vec<String>, Option<u32>)> {
        let mut ps = executable::command("ps");
        ps.args(["-o", "ppid=,args=", "-p", &pid.to_string()]).env("LC_ALL", "C");
        let output = ps.output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut words = text.split_whitespace();
        let parent = words.next()?.parse().ok();
        Some((words.map(str::to_owned).collect(), parent))
    }

    /// Looks at a process. Returns it with its parent.
    pub(super) fn ancestor(
        pid: u32,
        _: &[(&'static str, &str)],
    ) -> Option<(Ancestor, Option<u32>)> {
        let (words, parent) = all_words(pid)?;
        let name = Path::new(words.first()?).file_name()?.to_string_lossy().into_owned();
        let process = ProcessIdentity::of_child(pid).to_process()?;
        let leads_terminal = super::super::system::leads_terminal(pid);
        let (executable, shares) = (None, None);
        let ancestor =
            Ancestor { process, program: name, executable, words, leads_terminal, shares };
        Some((ancestor, parent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::os::process::ProcessIdentity;

    #[test]
    fn a_program_above_is_found_with_its_words() {
        let words = system::all_words(std::process::id()).unwrap().0;
        assert_eq!(words.len(), std::env::args().count());
        assert_eq!(words_above("no such program"), None);
    }

    #[test]
    fn the_parent_is_the_first_and_the_start_is_its_own() {
        let path = std::env::var("PATH").unwrap();
        let all = ancestors(&[("PATH", &path), ("GIT_COORD_NO_SUCH", "1")]);
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().to_string());
        assert_eq!(all.first().map(|first| first.process.pid.to_string()), parent);
        let has_ended = |one: &Ancestor| ProcessIdentity::of(&one.process).has_ended_here();
        assert!(!all.iter().any(has_ended), "{all:?}");
        if LOOK_IS_CHEAP {
            let shares = all[0].shares.as_ref().unwrap();
            assert!(!shares.contains(&"GIT_COORD_NO_SUCH"), "{all:?}");
            assert!(ancestors(&[("PATH", "other")])[0].shares.as_ref().unwrap().is_empty());
        }
    }
}

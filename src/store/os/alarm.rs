//! A sleep that signals and other processes can interrupt.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

/// The signals that end a wait, such as that of Ctrl-C.
pub const ENDING: [i32; 4] = [
    signal_hook::consts::SIGINT,
    signal_hook::consts::SIGTERM,
    signal_hook::consts::SIGHUP,
    signal_hook::consts::SIGQUIT,
];

/// The signals that are forwarded to a command which runs for a user: all that would end this
/// process and can be caught, and the change of the terminal's size.
pub const FORWARDED: [i32; 12] = [
    signal_hook::consts::SIGINT,
    signal_hook::consts::SIGTERM,
    signal_hook::consts::SIGHUP,
    signal_hook::consts::SIGQUIT,
    signal_hook::consts::SIGUSR1,
    signal_hook::consts::SIGUSR2,
    signal_hook::consts::SIGALRM,
    signal_hook::consts::SIGVTALRM,
    signal_hook::consts::SIGPROF,
    signal_hook::consts::SIGIO,
    signal_hook::consts::SIGXCPU,
    signal_hook::consts::SIGWINCH,
];

/// Returns the signals that were not ignored when this process started. A user who runs a command
/// with `nohup` wants them ignored.
pub fn not_ignored(signals: &[i32]) -> impl Iterator<Item = i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    signals.iter().copied().filter(move |signal| ignored & (1 << (signal - 1)) == 0)
}

/// Measures a duration by two clocks. The monotonic one never turns back, but stops while the
/// machine sleeps. The wall clock, with which the ends of holds are compared, can be set.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    running: Instant,
    wall: SystemTime,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { running: Instant::now(), wall: SystemTime::now() }
    }

    pub fn elapsed(&self) -> Duration {
        later(self.running.elapsed(), self.wall.elapsed().ok())
    }
}

/// Returns the longer of the two: a process that overslept must know it, and time does not pass
/// backwards if the wall clock is set back.
fn later(running: Duration, wall: Option<Duration>) -> Duration {
    wall.map_or(running, |wall| wall.max(running))
}

/// The reason that a sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The time was over.
    Timeout,
    /// Another process wrote to the pipe.
    Message,
    /// This signal arrived.
    Signal(i32),
}

/// Sleeps until a time is over, a signal arrives, or another process writes to a pipe.
pub struct Alarm {
    begun: Stopwatch,
    signals: SignalDelivery<UnixStream, SignalOnly>,
    /// The pipe that other processes write to. Reading it never blocks.
    pipe: Option<File>,
    /// Signals that arrived together with the one that was returned.
    pending: Vec<i32>,
}

impl Alarm {
    /// Starts the clock. From here on the signals only wake this alarm.
    pub fn new(signals: &[i32], pipe: Option<File>) -> io::Result<Alarm> {
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        let signals = SignalDelivery::with_pipe(read, write, SignalOnly, signals)?;
        Ok(Alarm { begun: Stopwatch::start(), signals, pipe, pending: Vec::new() })
    }

    /// Returns the time since the start, including time in which the machine slept.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Sleeps for this time, or until a signal or a message arrives.
    pub fn sleep(&mut self, at_most: Duration) -> Woken {
        if let Some(signal) = self.next_signal() {
            return Woken::Signal(signal);
        }
        let has_message = self.wait_for_message(at_most);
        if let Some(signal) = self.next_signal() {
            return Woken::Signal(signal);
        }
        if has_message { Woken::Message } else { Woken::Timeout }
    }

    /// Waits for a message for this time. Returns true if one arrived.
    fn wait_for_message(&mut self, at_most: Duration) -> bool {
        let readable = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
        let mut polled: Vec<PollFd<'_>> = vec![readable(self.signals.get_read().as_fd())];
        polled.extend(self.pipe.as_ref().map(|pipe| readable(pipe.as_fd())));
        // A time that is too long for the system means no limit.
        let limit = Timespec::try_from(at_most).ok();
        // After an interruption or another failure the sleep is too short, and the caller only
        // checks once too often.
        poll(&mut polled, limit.as_ref()).ok();
        let has_message = polled.get(1).is_some_and(|pipe| pipe.revents().contains(PollFlags::IN));
        if let Some(pipe) = self.pipe.as_mut().filter(|_| has_message) {
            // Several messages count as one.
            let mut buffer = [0; 256];
            while pipe.read(&mut buffer).is_ok_and(|length| length == buffer.len()) {}
        }
        has_message
    }

    fn next_signal(&mut self) -> Option<i32> {
        if self.pending.is_empty() {
            self.pending = self.signals.pending().collect();
            self.pending.reverse();
        }
        self.pending.pop()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Write as _, pipe};
    use std::os::fd::OwnedFd;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn a_bell_wakes_and_is_heard_once() {
        let (reader, mut writer) = pipe().unwrap();
        let mut alarm = Alarm::new(&[], Some(OwnedFd::from(reader).into())).unwrap();
        writer.write_all(b"ring ring").unwrap();
        assert_eq!(alarm.sleep(LONG), Woken::Message);
        assert_eq!(alarm.sleep(Duration::from_millis(1)), Woken::Timeout);
    }

    /// A machine that slept past the end of a hold knows it when it wakes, whichever clock stopped.
    #[test]
    fn time_that_was_slept_has_passed() {
        let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3_600));
        assert_eq!(later(second, Some(hour)), hour, "the machine slept");
        assert_eq!(later(hour, Some(second)), hour, "the clock was turned back");
        assert_eq!(later(hour, None), hour, "to before the beginning");
        let slept = Stopwatch { wall: SystemTime::now() - hour, ..Stopwatch::start() };
        assert!(slept.elapsed() >= hour);
    }

    #[test]
    fn signals_wake_and_none_is_lost() {
        // Signals that nothing else in this process uses.
        let mine = [signal_hook::consts::SIGWINCH, signal_hook::consts::SIGURG];
        let mut alarm = Alarm::new(&mine, None).unwrap();
        for signal in mine {
            signal_hook::low_level::raise(signal).unwrap();
        }
        let mut woken = [alarm.sleep(LONG), alarm.sleep(LONG)];
        woken.sort_by_key(|woken| matches!(woken, Woken::Signal(number) if *number == mine[1]));
        assert_eq!(woken, mine.map(Woken::Signal));
    }
}

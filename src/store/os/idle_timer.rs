//! Measures for how long a watched file has not changed.
//!
//! Time counts only while the watcher runs: after a suspend both processes continue, and the
//! watched one may well be alive.

use std::time::Duration;

use crate::store::os::files::Stamp;

/// The maximum time that counts between two checks. A longer gap means that this process did not
/// run.
const GAP_MAX: Duration = Duration::from_millis(500);

/// A watched file, timed by a monotonic clock.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct IdleTimer {
    stamp: Stamp,
    last_look: Duration,
    unmoved: Duration,
}

impl IdleTimer {
    /// Records the first stamp.
    pub(in crate::store) fn begin(stamp: Stamp, now: Duration) -> IdleTimer {
        IdleTimer { stamp, last_look: now, unmoved: Duration::ZERO }
    }

    /// Records the current stamp, and returns for how long it has been the same.
    pub(in crate::store) fn look(&mut self, stamp: Stamp, now: Duration) -> Duration {
        let since = now.saturating_sub(self.last_look).min(GAP_MAX);
        self.unmoved = if stamp == self.stamp { self.unmoved + since } else { Duration::ZERO };
        (self.stamp, self.last_look) = (stamp, now);
        self.unmoved
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn only_time_that_was_watched_counts() {
        let stamp = |length| Stamp { inode: 1, modified: SystemTime::UNIX_EPOCH, length };
        let mut idle = IdleTimer::begin(stamp(1), Duration::ZERO);
        for (millis, length, unmoved) in [
            (200, 1, 200),
            (400, 1, 400),
            (60_400, 1, 900),
            (60_500, 1, 1_000),
            (60_600, 2, 0),
            (60_700, 2, 100),
        ] {
            let found = idle.look(stamp(length), Duration::from_millis(millis));
            assert_eq!(found, Duration::from_millis(unmoved), "after {millis}");
        }
    }
}

//! For how long something was watched and did not move.
//!
//! Time counts only while the watcher runs: after a suspend both go on, and whoever was watched may
//! well live.

use std::time::Duration;

use crate::store::os::files::Stamp;

/// The most that counts between two looks; a longer gap means that this process did not run.
const GAP_MAX: Duration = Duration::from_millis(500);

/// A file that is watched, by a clock that runs on.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Stillness {
    stamp: Stamp,
    last_look: Duration,
    unmoved: Duration,
}

impl Stillness {
    /// It was seen like this for the first time.
    pub(in crate::store) fn begin(stamp: Stamp, now: Duration) -> Stillness {
        Stillness { stamp, last_look: now, unmoved: Duration::ZERO }
    }

    /// It is like this now; says for how long it was seen so.
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
        let mut still = Stillness::begin(stamp(1), Duration::ZERO);
        for (millis, length, unmoved) in [
            (200, 1, 200),
            (400, 1, 400),
            (60_400, 1, 900),
            (60_500, 1, 1_000),
            (60_600, 2, 0),
            (60_700, 2, 100),
        ] {
            let found = still.look(stamp(length), Duration::from_millis(millis));
            assert_eq!(found, Duration::from_millis(unmoved), "after {millis}");
        }
    }
}

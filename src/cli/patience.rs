//! The pace of commands that look again and again, also when looking fails.

use std::time::Duration;

use super::term::Ui;
use crate::app::problem::Problem;
use crate::app::waiter::survived;

/// The number of failures in a row after which looking slows down.
const FAILURES_BEFORE_SLOW: u32 = 3;
const AFTER_FAILURE: Duration = Duration::from_secs(30);
const AFTER_MANY_FAILURES: Duration = Duration::from_secs(5 * 60);

/// The pace of a command that looks again and again. Failures slow it down.
pub(crate) struct Patience {
    interval: Duration,
    failures: u32,
}

impl Patience {
    /// Starts with this interval, which holds while all is well.
    pub(crate) fn new(interval: Duration) -> Patience {
        Patience { interval, failures: 0 }
    }

    /// Looks, and returns the time to wait before the next look. Prints a failure, even a panic,
    /// and slows down; a success restores the pace.
    pub(crate) fn look(
        &mut self,
        ui: &mut Ui,
        look: impl FnOnce(&mut Ui) -> Result<(), Problem>,
    ) -> std::io::Result<Duration> {
        let looked = survived(|| look(ui)).map_err(Problem::from).and_then(|looked| looked);
        let Err(error) = looked else {
            self.failures = 0;
            return Ok(self.interval);
        };
        self.failures += 1;
        let wait = self.wait();
        ui.warn(&format!("{}; looking again in {}s", error.message, wait.as_secs()))?;
        Ok(wait)
    }

    fn wait(&self) -> Duration {
        match self.failures {
            0 => self.interval,
            1..=FAILURES_BEFORE_SLOW => AFTER_FAILURE,
            _ => AFTER_MANY_FAILURES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::term::{Manner, tests::captured};
    use super::*;
    use crate::app::problem::Kind;

    /// 3/GOROUTINE, 3/SIG-3: repeated failures slow the looking down, a panic like any other, and
    /// it recovers.
    #[test]
    fn failures_slow_down_and_success_recovers() {
        let (mut ui, _, err) = captured(Manner::default(), Vec::new());
        let mut patience = Patience::new(Duration::from_millis(500));
        let mut look = |looked: &dyn Fn() -> Result<(), Problem>| {
            patience.look(&mut ui, |_| looked()).unwrap().as_secs()
        };
        let failed = || Err(Problem::new(Kind::Failure, "no disk"));
        assert_eq!([look(&failed), look(&failed), look(&failed), look(&failed)], [30, 30, 30, 300]);
        assert_eq!(look(&|| Ok(())), 0);
        assert_eq!(look(&|| panic!("this look is at fault")), 30);
        assert_eq!(look(&|| Ok(())), 0);
        assert!(err.text().contains("no disk; looking again in 300s"));
        assert!(err.text().contains("a fault of git-coord; looking again in 30s"));
    }
}

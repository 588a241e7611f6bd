//! Commands that look again and again: how long they wait in between, also when looking fails.

use std::time::Duration;

use super::error::CliError;
use super::term::Ui;

/// After so many failures in a row, looking slows down.
const FAILURES_BEFORE_SLOW: u32 = 3;
const AFTER_FAILURE: Duration = Duration::from_secs(30);
const AFTER_MANY_FAILURES: Duration = Duration::from_secs(5 * 60);

/// How long to wait before looking again.
pub(crate) struct Patience {
    interval: Duration,
    failures: u32,
}

impl Patience {
    /// Looks again after that long while all is well.
    pub(crate) fn new(interval: Duration) -> Patience {
        Patience { interval, failures: 0 }
    }

    /// The wait after a look. A failure is said and slows the looking down; a success restores it.
    pub(crate) fn after(
        &mut self,
        ui: &mut Ui,
        looked: Result<(), CliError>,
    ) -> std::io::Result<Duration> {
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
    use super::super::error::ErrorKind;
    use super::super::term::{Manner, tests::captured};
    use super::*;

    /// 3/GOROUTINE: repeated failures slow the looking down, and it recovers.
    #[test]
    fn failures_slow_down_and_success_recovers() {
        let (mut ui, _, err) = captured(Manner::default(), Vec::new());
        let mut patience = Patience::new(Duration::from_millis(500));
        let mut after = |looked| patience.after(&mut ui, looked).unwrap().as_secs();
        let failed = || Err(CliError::new(ErrorKind::Failure, "no disk"));
        let waits: Vec<u64> = (0..4).map(|_| after(failed())).collect();
        assert_eq!(waits, [30, 30, 30, 300]);
        assert_eq!(after(Ok(())), 0);
        assert_eq!(after(failed()), 30);
        assert!(err.text().contains("no disk; looking again in 300s"));
    }
}
